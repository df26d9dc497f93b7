//! One question to the planner, for hot zones of different lengths.

use std::hint::black_box;

use lookback_engine::{
    card::Rates,
    planner::{
        Asked, Compactor, Cut, FoldDecision, FoldQuestion, Limits, Place, Prefix, Rent, Tariff, Warmth, plan_fold,
    },
    trace::TurnNo,
};

use crate::{
    figures::{Samples, microseconds, ratio, timed, verdict},
    random::Random,
    scale::Scale,
    table::Table,
};

/// Seconds.
const TARGET: f64 = 50e-6;

/// A single question takes less than a clock can tell.
const QUESTIONS: u32 = 1_000;

const TARIFF: Tariff = Tariff { rates: Rates { read: 0.1, write: 1.25, output: 5.0 }, factor: 1.1, cliff: None };

pub(crate) fn measure(scale: &Scale) -> Table {
    crate::progress("asking the planner");
    let mut rows: Vec<(Vec<Cut>, Samples)> =
        scale.cuts.iter().map(|number| (cuts(*number), Samples::default())).collect();
    for _ in 0..scale.questions {
        for (cuts, samples) in &mut rows {
            let ((), took) = timed(|| run_cuts(cuts, QUESTIONS as usize));
            samples.push(took / QUESTIONS);
        }
    }
    let note = format!(
        "`plan_fold` with prices, one cut for each step behind the seam, one in ten a break: {} samples of {QUESTIONS} \
         questions each, sizes in turn. Target: p95 below {} µs.",
        scale.questions,
        microseconds(TARGET),
    );
    let mut table = Table::new("A question to the planner", note, &["cuts", "µs", "p95", "to fewest", "target"]);
    let fewest = rows.first().map_or(f64::NAN, |(_, samples)| samples.median());
    for (cuts, samples) in &rows {
        table.row([
            cuts.len().to_string(),
            microseconds(samples.median()),
            microseconds(samples.p95()),
            ratio(samples.median() / fewest),
            verdict(samples.p95() < TARGET),
        ]);
    }
    table
}

fn ask(cuts: &[Cut]) -> FoldDecision {
    let question = FoldQuestion {
        asked: Asked::Step,
        before_seam: 30_000,
        hot_zone: cuts.last().map_or(0, |cut| cut.tokens),
        cuts,
        board: 400,
        expected_recalls: 1.0,
        rent: Rent { paid: 900.0, calls: 3 },
        warmth: Warmth::Warm,
        prefix: Prefix::Kept,
        compactor: Compactor::Riding { thinking: 500 },
    };
    plan_fold(&question, Some(&TARIFF), &Limits::default())
}

fn cuts(number: u64) -> Vec<Cut> {
    let mut random = Random::new(number);
    let mut tokens = 0;
    let mut cut = |step: u32| {
        tokens += random.between(150, 3_000) as u64;
        let place = if step % 10 == 9 { Place::Break } else { Place::Step };
        Cut { end: TurnNo(step * 2), tokens, verbatim: tokens / 50, place }
    };
    (0..number as u32).map(&mut cut).collect()
}

pub(super) fn run(number: u64, times: usize) {
    run_cuts(&cuts(number), times);
}

fn run_cuts(cuts: &[Cut], times: usize) {
    for _ in 0..times {
        black_box(ask(black_box(cuts)));
    }
}
