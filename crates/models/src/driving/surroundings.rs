//! What a driven session needs from outside: time, a counter, blobs, a place for its events, somebody who watches.

use lookback_engine::{
    Context, Session,
    trace::{Blobs, Timestamp},
};

use crate::Progress;

/// Whoever drives a session: nothing of this is known to the session itself.
pub trait Surroundings: Send {
    /// The time that is written down with what happens now.
    fn now(&self) -> Timestamp;

    /// Tokens of a text, by the session's tokenizer.
    fn count(&self, bytes: &[u8]) -> u32;

    /// Where large outputs lie.
    fn blobs(&self) -> &dyn Blobs;

    /// Everything that the session has recorded so far is safe when this returns. Called before every request: what was
    /// decided must survive what comes of it. What is safe need not stay in memory: outputs that [`Self::blobs`] can give
    /// back may be released here ([`Session::release_outputs`]).
    fn keep(&mut self, session: &mut Session) -> Result<(), KeepError>;

    /// Told of the answer as it comes.
    fn watch(&mut self, progress: &Progress);
}

/// The events of a session could not be stored: nothing more is sent.
#[derive(Debug, thiserror::Error)]
#[error("the session could not be stored: {0}")]
pub struct KeepError(pub Box<dyn std::error::Error + Send + Sync>);

/// Gives a recording method what it needs.
pub(super) fn with_context<T>(outside: &dyn Surroundings, record: impl FnOnce(&Context<'_>) -> T) -> T {
    let count = |bytes: &[u8]| outside.count(bytes);
    record(&Context { now: outside.now(), count: &count, blobs: outside.blobs() })
}
