//! The two counters that are measured with.

/// How tokens are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counter {
    /// OpenAI's `o200k_base`, as a real session is counted.
    O200k,
    /// Four bytes a token: costs nothing, so that the engine's own time is seen.
    Quarter,
}

impl Counter {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Quarter => "bytes/4",
        }
    }

    pub(crate) fn count(self) -> &'static dyn Fn(&[u8]) -> u32 {
        match self {
            Self::O200k => &lookback_tokens::count_o200k,
            Self::Quarter => &|bytes| bytes.len().div_ceil(4) as u32,
        }
    }
}
