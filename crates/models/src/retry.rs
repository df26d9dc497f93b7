//! When a request is sent again, and after how long. Decides only; whoever sends does the waiting.

mod asked;

use std::time::Duration;

pub(crate) use asked::{Asked, parse_asked};

/// Full jitter over an exponential: whoever was turned away together does not come back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// How often a request is sent at most, the first time counted.
    pub tries: u32,
    /// The longest first pause; each further one may be twice as long.
    pub base: Duration,
    /// No pause of our own choice is longer.
    pub cap: Duration,
    /// When the server asks for a longer one, we say so and give up.
    pub longest_asked: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            tries: 5,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(30),
            longest_asked: Duration::from_secs(300),
        }
    }
}

/// Whether the same request may succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    Never,
    /// Once more: a dead connection is replaced, a slow model would only be slow again.
    Once,
    Later,
}

/// How long to wait after try number `tried` (from 1) failed; none: give up. `chance` is from 0 to 1.
pub(crate) fn plan_pause(retries: &Retries, tried: u32, again: Again, asked: Asked, chance: f64) -> Option<Duration> {
    let tries = match again {
        Again::Never => return None,
        Again::Once => retries.tries.min(2),
        Again::Later => retries.tries,
    };
    if tried >= tries {
        return None;
    }
    match asked {
        Asked::Stop => None,
        Asked::Wait(pause) if pause > retries.longest_asked => None,
        // Others were told the same time: come a little later than they do.
        Asked::Wait(pause) => Some(pause + retries.base.min(retries.cap).mul_f64(chance)),
        // When a counter is full again is a hint, not a demand: less may be enough.
        Asked::Hint(pause) if pause > Duration::ZERO => Some(pause.min(retries.cap)),
        Asked::Hint(_) | Asked::Nothing => {
            let doubled = 2u32.saturating_pow(tried - 1);
            Some(retries.base.saturating_mul(doubled).min(retries.cap).mul_f64(chance))
        }
    }
}

#[cfg(test)]
mod tests;
