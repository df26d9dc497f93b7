//! The breaker: after three refusals in a row the model compactor is not asked again (design 3-folding).
//!
//! It counts; who is asked instead, and that the user is told, is the caller's business.

/// Design 3-folding: "Three refusals in a row: the breaker opens".
pub const REFUSALS_IN_A_ROW: u32 = 3;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaker {
    in_a_row: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// The model may be asked.
    Closed,
    /// Rule-based only.
    Open,
}

impl Breaker {
    pub fn refused(&mut self) {
        self.in_a_row = self.in_a_row.saturating_add(1);
    }

    /// An admission counts only while the breaker is closed: once open, nobody asks the model.
    pub fn admitted(&mut self) {
        if self.state() == BreakerState::Closed {
            self.in_a_row = 0;
        }
    }

    pub fn state(&self) -> BreakerState {
        if self.in_a_row < REFUSALS_IN_A_ROW { BreakerState::Closed } else { BreakerState::Open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_refusals_in_a_row_open_it() {
        let mut breaker = Breaker::default();
        breaker.refused();
        breaker.refused();
        breaker.admitted();
        breaker.refused();
        breaker.refused();
        assert_eq!(breaker.state(), BreakerState::Closed);
        breaker.refused();
        assert_eq!(breaker.state(), BreakerState::Open);
        breaker.admitted();
        assert_eq!(breaker.state(), BreakerState::Open);
    }
}
