//! **Context**: tokens of the prompts, base included: their mean and the largest.
//!
//! Example: prompts of 2,000, 3,000, 1,600 and 2,000 tokens: mean 2,150, peak 3,000.
//!
//! **Over window**: how many prompts are above the window. The window of replay is 200,000 tokens, or the card's where that
//! is smaller: cards of models with longer ones would hide that the recorded agent would have had to stop. Example: with a
//! window of 2,500, one prompt is over.

use lookback_engine::card::Card;

use super::ratio;
use crate::simulate::Run;

const WINDOW: u64 = 200_000;

pub(super) fn mean(run: &Run) -> f64 {
    let all: u64 = run.calls.iter().map(|call| call.split.tokens()).sum();
    ratio(all as f64, run.calls.len() as f64, 0.0)
}

pub(super) fn peak(run: &Run) -> u64 {
    run.calls.iter().map(|call| call.split.tokens()).max().unwrap_or(0)
}

pub(super) fn over_window(run: &Run, card: &Card) -> u64 {
    let window = WINDOW.min(u64::from(card.window));
    run.calls.iter().filter(|call| call.split.tokens() > window).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::example;

    #[test]
    fn the_example() {
        example::with(|run, _, tariff| {
            assert_eq!(mean(run), 2_150.0);
            assert_eq!(peak(run), 3_000);
            assert_eq!(over_window(run, &tariff.card), 0);
            let small = Card { window: 2_500, ..tariff.card.clone() };
            assert_eq!(over_window(run, &small), 1);
            run.calls[0].split.read = 200_000;
            let large = Card { window: 1_000_000, ..tariff.card.clone() };
            assert_eq!(over_window(run, &large), 1, "the window of replay, not the card's");
        });
    }
}
