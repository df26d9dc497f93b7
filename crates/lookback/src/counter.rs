//! Counting tokens by the name that a session's trace gives its counter.
//!
//! Every count of a trace is made by one counter, so another one is never taken in its place.

use anyhow::{Result, bail};
use lookback_engine::trace::SessionStarted;

/// The counters that traces name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    /// The default (docs/design/model.md, "Tokens").
    O200k,
    /// Bytes / 4, rounded up: for traces whose sizes are estimates.
    QuarterBytes,
}

impl Counter {
    /// The counter that made the counts of this trace.
    pub(crate) fn of(start: &SessionStarted) -> Result<Self> {
        match start.tokenizer.as_str() {
            "o200k" => Ok(Self::O200k),
            "bytes/4" => Ok(Self::QuarterBytes),
            "" => bail!(
                "the session does not say which tokenizer counted it, and new texts must be counted by the same: \
                 name o200k or bytes/4 as \"tokenizer\" in its first event and import it again"
            ),
            other => bail!(
                "the session was counted by the tokenizer \"{other}\", and this lookback has only o200k and bytes/4: \
                 upgrade it, or use the program that recorded the session"
            ),
        }
    }

    pub(crate) fn count(self, bytes: &[u8]) -> u32 {
        match self {
            Self::O200k => lookback_tokens::count_o200k(bytes),
            Self::QuarterBytes => u32::try_from(bytes.len().div_ceil(4)).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_counted_as_they_are_shown() {
        assert_eq!(Counter::O200k.count("hello world".as_bytes()), 2);
        assert_eq!(Counter::O200k.count(b"\xff"), Counter::O200k.count("\u{fffd}".as_bytes()));
        assert_eq!([Counter::QuarterBytes.count(b""), Counter::QuarterBytes.count(b"12345")], [0, 2]);
    }
}
