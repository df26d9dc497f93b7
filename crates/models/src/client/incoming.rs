//! The pieces of an answer as they come in, each within its time.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::{
    Client,
    bounds::{LARGEST_STREAM, check_bytes},
    setup::innermost,
};
use crate::fault::{Cause, Fault, Phase};

/// Behind a whole answer.
pub(super) const CLOSING: Duration = Duration::from_secs(2);
/// Behind the reason why an answer ends: a bill comes with it or right after it, by whatever router.
pub(super) const BILLING: Duration = Duration::from_secs(10);

pub(super) struct Incoming {
    response: Response,
    client: Client,
    /// When the piece that is waited for must be here. It stays when a wait is dropped and begun again; none while
    /// nobody waits, because the reader's own pauses are not the server's fault.
    deadline: Option<Instant>,
    phase: Phase,
    /// Until when an end is waited for after the answer is whole.
    closing: Option<Instant>,
    /// How many came, and how many may.
    bytes: u64,
    most_bytes: u64,
}

impl Incoming {
    /// `deadline` is for the first piece.
    pub(super) fn new(response: Response, client: Client, deadline: Instant) -> Self {
        let (deadline, most_bytes) = (Some(deadline), LARGEST_STREAM);
        Self { response, client, deadline, phase: Phase::FirstByte, closing: None, bytes: 0, most_bytes }
    }

    pub(super) fn limited_to(self, most_bytes: u64) -> Self {
        Self { most_bytes, ..self }
    }

    /// The answer has ended. What a server may still send behind it, and the end that lets the connection be used again,
    /// come soon or are not worth waiting for.
    pub(super) fn expect_end(&mut self, within: Duration) {
        let closing = Instant::now() + within;
        self.closing = Some(self.closing.map_or(closing, |sooner| sooner.min(closing)));
    }

    /// None: the body is complete.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        let timeouts = self.client.inner.timeouts;
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + timeouts.idle);
        let deadline = self.closing.map_or(deadline, |closing| closing.min(deadline));
        // A server that goes on and on is always ready: the clock is looked at before it.
        let piece = match self.closing {
            Some(closing) if closing <= Instant::now() => Ok(Ok(None)),
            _ => timeout_at(deadline, self.response.chunk()).await,
        };
        let limit = match self.phase {
            Phase::FirstByte => timeouts.first_byte,
            Phase::Connect | Phase::NextByte => timeouts.idle,
        };
        match piece {
            Ok(Ok(piece)) => {
                self.deadline = None;
                self.phase = Phase::NextByte;
                self.bytes += piece.as_ref().map_or(0, Bytes::len) as u64;
                check_bytes(self.bytes, self.most_bytes).map_err(|cause| self.client.fault(cause))?;
                Ok(piece)
            }
            Ok(Err(e)) => Err(self.client.fault_saying(Cause::Cut, &innermost(&e))),
            Err(_) => Err(self.client.fault(Cause::Timeout { phase: self.phase, limit })),
        }
    }
}
