//! What all requests share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::{keeper::Keeper, metrics::Metrics, options::Options, table::Table};

/// Requests at once: more wait at the client, which is told so.
pub(crate) const AT_ONCE: usize = 512;

/// What all requests share.
pub(crate) struct House {
    pub(crate) options: Options,
    pub(crate) client: reqwest::Client,
    pub(crate) table: Arc<Table>,
    pub(crate) keeper: Keeper,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) room: Semaphore,
}

impl House {
    pub(crate) fn new(
        options: Options,
        client: reqwest::Client,
        table: Arc<Table>,
        keeper: Keeper,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { options, client, table, keeper, metrics, room: Semaphore::new(AT_ONCE) }
    }
}
