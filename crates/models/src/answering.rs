//! An answer on its way. Nothing is read ahead of whoever asks, but for what the connection's own buffers hold: a slow
//! reader slows the provider down. Dropping it cancels the request.

use std::time::Duration;

use lookback_wire::{Delta, Reply};

use crate::{ModelError, client::Exchange, script::Performance};

/// What happened just now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    Delta(Delta),
    /// The request failed before any content came, and is sent again after a pause.
    Retrying {
        /// The try that comes, from 2.
        attempt: u32,
        wait: Duration,
        because: String,
    },
}

#[derive(Debug)]
pub struct Answering {
    source: Source,
}

/// Who answers. A further kind of model is a further variant, and an arm in each method below.
#[derive(Debug)]
enum Source {
    Http(Box<Exchange>),
    Script(Box<Performance>),
}

impl Answering {
    pub(crate) fn over_http(exchange: Exchange) -> Self {
        Self { source: Source::Http(Box::new(exchange)) }
    }

    pub(crate) fn from_script(performance: Performance) -> Self {
        Self { source: Source::Script(Box::new(performance)) }
    }

    /// None: the answer is complete. The first call sends the request; one that is dropped while it waits loses nothing,
    /// the next goes on where it was. After an error comes none.
    ///
    /// Once content was given out nothing is sent again: a stream that breaks then is
    /// [`CutStream`](crate::ErrorKind::CutStream), and [`into_reply`](Self::into_reply) has what came.
    pub async fn next(&mut self) -> Result<Option<Progress>, ModelError> {
        match &mut self.source {
            Source::Http(exchange) => exchange.next().await,
            Source::Script(performance) => performance.next().await,
        }
    }

    /// The answer, whole or as far as it came; then it says so in `stop`.
    pub fn into_reply(self) -> Reply {
        match self.source {
            Source::Http(exchange) => exchange.into_reply(),
            Source::Script(performance) => performance.into_reply(),
        }
    }
}
