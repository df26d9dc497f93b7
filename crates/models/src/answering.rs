//! An answer on its way. Nothing is read ahead of whoever asks, but for what the connection's own buffers hold: a slow
//! reader slows the provider down. Dropping it cancels the request.

use std::{fmt, future::Future, pin::Pin, time::Duration};

use lookback_wire::{Delta, Reply};

use crate::ModelError;

/// What happened just now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A piece of the answer came.
    Delta(Delta),
    /// The request failed before any content came, and is sent again after a pause.
    Retrying {
        /// The try that comes, from 2.
        attempt: u32,
        /// How long the pause is.
        wait: Duration,
        /// The first line of what went wrong, for a person.
        because: String,
    },
}

/// An answer that is asked for piece by piece.
#[derive(Debug)]
pub struct Answering(Box<dyn Source>);

/// What an answer comes from.
pub(crate) trait Source: fmt::Debug + Send {
    fn next(&mut self) -> Step<'_>;

    fn into_reply(self: Box<Self>) -> Reply;
}

pub(crate) type Step<'a> = Pin<Box<dyn Future<Output = Result<Option<Progress>, ModelError>> + Send + 'a>>;

impl Answering {
    pub(crate) fn new(source: impl Source + 'static) -> Self {
        Self(Box::new(source))
    }

    /// None: the answer is complete. The first call sends the request; one that is dropped while it waits loses nothing,
    /// the next goes on where it was. After an error comes none.
    ///
    /// Once content was given out nothing is sent again: a stream that breaks then is
    /// [`CutStream`](crate::ErrorKind::CutStream), and [`into_reply`](Self::into_reply) has what came.
    pub async fn next(&mut self) -> Result<Option<Progress>, ModelError> {
        self.0.next().await
    }

    /// The answer, whole or as far as it came; then it says so in `stop`.
    pub fn into_reply(self) -> Reply {
        self.0.into_reply()
    }
}
