//! The breaker: after some refusals in a row the model compactor is not asked again (design 3-folding).
//!
//! It counts; who is asked instead, and that the user is told, is the caller's business.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breaker {
    limit: u32,
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
    /// Opens at the `limit`th refusal in a row (`compactor.refusals_in_a_row`).
    pub fn new(limit: u32) -> Self {
        Self { limit, in_a_row: 0 }
    }

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
        if self.in_a_row < self.limit { BreakerState::Closed } else { BreakerState::Open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::CompactorLimits;

    #[test]
    fn three_refusals_in_a_row_open_it() {
        let mut breaker = Breaker::new(CompactorLimits::default().refusals_in_a_row);
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
