//! What all requests share.

use std::{net::SocketAddr, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{buffers::Buffers, forward::Clients, keeper::Keeper, metrics::Metrics, options::Options, table::Table};

/// Requests at once: more wait at the client, which is told so.
pub(crate) const AT_ONCE: usize = 512;

/// What all requests share.
pub(crate) struct House {
    pub(crate) options: Options,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    pub(crate) clients: Clients,
    pub(crate) table: Arc<Table>,
    pub(crate) keeper: Keeper,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) buffers: Arc<Buffers>,
    room: Arc<Semaphore>,
}

impl House {
    pub(crate) fn new(
        options: Options,
        address: SocketAddr,
        clients: Clients,
        table: Arc<Table>,
        keeper: Keeper,
        metrics: Arc<Metrics>,
    ) -> Self {
        let room = Arc::new(Semaphore::new(AT_ONCE));
        Self { options, address, clients, table, keeper, metrics, buffers: Arc::default(), room }
    }

    /// Returns when no request is being answered.
    pub(crate) async fn landed(&self) {
        // It is never closed, and nobody keeps the room.
        let _ = self.room.acquire_many(AT_ONCE as u32).await;
    }

    /// Room for one more request, until its answer is over. None: there is none.
    pub(crate) fn take_off(&self) -> Option<Flight> {
        let room = Arc::clone(&self.room).try_acquire_owned().ok()?;
        self.metrics.in_flight.add(1);
        Some(Flight { metrics: Arc::clone(&self.metrics), _room: room })
    }
}

/// A request that is being answered. It is over when this is dropped, however it ended.
#[derive(Debug)]
pub(crate) struct Flight {
    metrics: Arc<Metrics>,
    _room: OwnedSemaphorePermit,
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.metrics.in_flight.subtract(1);
    }
}
