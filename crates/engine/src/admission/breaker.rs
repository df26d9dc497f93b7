//! The breaker: after three refusals in a row the model compactor is not asked again (docs/design/folding.md, "The
//! compactors").
//!
//! The refusals stand in the trace; who is asked instead, and that the user is told, is the caller's business.

/// Whether a model is still asked for blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// The model may be asked.
    Closed,
    /// Rule-based only.
    Open,
}

impl BreakerState {
    /// After so many texts were refused since the last that was admitted.
    pub fn after(refused_in_a_row: u32, limit: u32) -> Self {
        if refused_in_a_row < limit { Self::Closed } else { Self::Open }
    }
}
