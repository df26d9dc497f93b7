//! What one answer may take: bytes, lines that say nothing, time. A server that never ends meets one of them.

use std::time::Duration;

use lookback_wire::ReplyReader;
use tokio::time::Instant;

use crate::{Bound, fault::Cause};

/// The longest answers have 128,000 tokens; an event for each, with all that routers write around it, has 500 bytes.
pub(super) const LARGEST_STREAM: u64 = 64 << 20;
/// An answer in one piece has nothing around its tokens. Read as JSON, it takes many times its size.
pub(super) const LARGEST_BODY: u64 = 16 << 20;
/// More than a hidden thought of 128,000 tokens, where a server sends an empty event for each.
const MOST_EMPTY_LINES: u64 = 200_000;
/// Behind the reason why an answer ends there is a bill at most.
const MOST_EMPTY_LINES_BEHIND: u64 = 1_000;

pub(super) fn check_bytes(bytes: u64, limit: u64) -> Result<(), Cause> {
    check(bytes, Bound::AnswerBytes, limit)
}

/// In a row.
pub(super) fn check_empty_lines(reader: &ReplyReader) -> Result<(), Cause> {
    let limit = if reader.has_stopped() { MOST_EMPTY_LINES_BEHIND } else { MOST_EMPTY_LINES };
    check(reader.lines_without_content(), Bound::EmptyLines, limit)
}

fn check(amount: u64, bound: Bound, limit: u64) -> Result<(), Cause> {
    if amount <= limit { Ok(()) } else { Err(Cause::Beyond { bound, limit }) }
}

/// How long a server was waited for, over all tries of one request. What a reader does with what came is not its time.
#[derive(Debug)]
pub(super) struct Patience {
    left: Duration,
    whole: Duration,
    /// Since when it is waited for. It stays when a wait is dropped and begun again.
    waiting: Option<Instant>,
}

impl Patience {
    pub(super) fn new(whole: Duration) -> Self {
        Self { left: whole, whole, waiting: None }
    }

    /// Somebody begins to wait, or goes on: until when they may.
    pub(super) fn wait(&mut self) -> Instant {
        *self.waiting.get_or_insert_with(Instant::now) + self.left
    }

    /// Somebody got what was waited for.
    pub(super) fn rest(&mut self) {
        let waited = self.waiting.take().map_or(Duration::ZERO, |since| since.elapsed());
        self.left = self.left.saturating_sub(waited);
    }

    pub(super) fn over(&self) -> Cause {
        Cause::Beyond { bound: Bound::WholeTime, limit: self.whole.as_millis() as u64 }
    }
}
