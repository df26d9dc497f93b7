//! What every step pays for being asked: `Session::tidy` where it holds.

use anyhow::Result;
use lookback_engine::{Session, session::Tidied};

use super::subject::Subject;
use crate::{
    figures::{Samples, microseconds, ratio, thousands, timed},
    scale::Scale,
    table::Table,
};

/// Steps that a copy grows by before another one takes its place.
const STEPS: usize = 4;

pub(crate) fn measure(scale: &Scale) -> Result<Table> {
    let mut rows = Vec::new();
    for steps in scale.hot_steps {
        crate::progress(&format!("recording a hot zone of {steps} steps"));
        rows.push((Subject::of_steps(*steps)?, Samples::default(), 0_usize));
    }
    crate::progress("tidying");
    for _ in 0..scale.rounds {
        for (subject, samples, others) in &mut rows {
            let mut session = watched(subject)?;
            for _ in 0..STEPS {
                subject.coding.work(&mut session)?;
                let context = subject.coding.context();
                let (tidied, took) = timed(|| session.tidy(&context));
                if holds(&tidied?) { samples.push(took) } else { *others += 1 }
            }
        }
    }
    let note = format!(
        "`Session::tidy` after a step, with prices, where it holds: what the triggers saw, the cuts, the planner's three \
         questions. {} steps a size, sizes in turn; those at which something was done (a delta of the board, a fold, a \
         settle) are left out and counted.",
        scale.rounds * STEPS,
    );
    let columns = ["steps", "hot tokens", "hold µs", "p95", "to fewest", "left out"];
    let mut table = Table::new("Tidy where it holds", note, &columns);
    let fewest = rows.first().map_or(f64::NAN, |(_, samples, _)| samples.median());
    for (subject, samples, others) in &rows {
        table.row([
            subject.steps.to_string(),
            thousands(subject.tokens),
            microseconds(samples.median()),
            microseconds(samples.p95()),
            ratio(samples.median() / fewest),
            others.to_string(),
        ]);
    }
    Ok(table)
}

/// A copy whose triggers have seen everything: a replayed session looks through its trace once.
fn watched(subject: &mut Subject) -> Result<Session> {
    let mut session = subject.copy()?;
    session.tidy(&subject.coding.context())?;
    Ok(session)
}

pub(super) fn holds(tidied: &Tidied) -> bool {
    let Tidied { archived, folded, settled, stubbed, delta, asked_for_delta, wish } = tidied;
    archived.is_none()
        && folded.is_none()
        && settled.is_none()
        && stubbed.is_none()
        && delta.is_none()
        && asked_for_delta.is_none()
        && wish.is_none()
}

pub(super) fn run(steps: u64, times: usize) -> Result<()> {
    let mut subject = Subject::of_steps(steps)?;
    let mut session = watched(&mut subject)?;
    for _ in 0..times {
        session.tidy(&subject.coding.context())?;
    }
    Ok(())
}
