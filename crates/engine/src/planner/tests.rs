mod fold;
mod law;
mod others;

use super::*;
use crate::{card::Rates, trace::TurnNo};

const ANTHROPIC: Rates = Rates { read: 0.1, write: 1.25, output: 5.0 };
const DEEPSEEK: Rates = Rates { read: 0.02, write: 1.0, output: 4.0 };

/// Steps of the given sizes behind the seam.
fn steps(sizes: impl IntoIterator<Item = u64>) -> Vec<Cut> {
    let mut tokens = 0;
    let cut = |(number, size): (usize, u64)| {
        tokens += size;
        Cut { end: TurnNo(number as u32), tokens, verbatim: 0, place: Place::Step }
    };
    sizes.into_iter().enumerate().map(cut).collect()
}

fn question(cuts: &[Cut]) -> FoldQuestion<'_> {
    FoldQuestion {
        asked: Asked::Step,
        before_seam: 20_000,
        hot_zone: cuts.last().map_or(0, |cut| cut.tokens),
        cuts,
        board: 250,
        expected_recalls: 0.0,
        rent: Rent::default(),
        warmth: Warmth::Warm,
        prefix: Prefix::Kept,
        compactor: Compactor::Rules,
    }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}
