//! One more step in sessions that were folded many times: recorded and tidied as an agent does it.

use std::sync::Arc;

use anyhow::Result;
use lookback_engine::{Session, card::Lifetime};

use super::{
    subject::{FREE, card},
    tidy::holds,
};
use crate::{
    figures::{Samples, microseconds, ratio, thousands, timed, verdict},
    scale::Scale,
    table::Table,
    text::{Text, Vocabulary},
    tokens::Counter,
    workload::{Sizes, Step, coding::Coding},
};

/// Of the median step, against the one in a session that was never folded.
const FLAT: f64 = 1.5;

/// A step is not measured before so many are there, as a fold never leaves fewer.
const KEPT: usize = 5;

struct Folded {
    folds: u64,
    copies: u64,
    coding: Coding,
    probes: Text,
    session: Session,
    step: Samples,
    tidy: Samples,
    total: Samples,
    others: usize,
}

pub(crate) fn measure(scale: &Scale) -> Result<Table> {
    let vocabulary = Arc::new(Vocabulary::new());
    let mut rows = Vec::new();
    for folds in scale.folds_before {
        crate::progress(&format!("recording {folds} folds"));
        rows.push(Folded::new(*folds, &vocabulary)?);
    }
    crate::progress("appending after folds");
    for _ in 0..scale.rounds {
        for row in &mut rows {
            row.renew()?;
            row.run(scale.steps)?;
        }
    }
    let note = format!(
        "One step as an agent records it (`start_call`, `assistant_turn`, `tool_call`, `tool_result`) with a result of 300 \
         to 600 bytes, then `tidy`, where it holds; large steps between them are not timed. {} steps a row, rows in \
         turn; a session that was folded a fifth more often is replaced. Counted by four bytes a token, so that the \
         counter hides nothing; a card without prices, so that folds come by triggers and none is archived. Medians; \
         target: within {FLAT}× of a session without folds.",
        scale.rounds * scale.steps,
    );
    let columns =
        ["folds before", "turns", "view tokens", "step µs", "tidy µs", "both", "p95", "to none", "left out", "target"];
    let mut table = Table::new("One more step after folds", note, &columns);
    let none = rows.first().map_or(f64::NAN, |row| row.total.median());
    for row in &rows {
        table.row([
            row.folds.to_string(),
            thousands(row.session.turns()),
            thousands(row.session.view().tokens()),
            microseconds(row.step.median()),
            microseconds(row.tidy.median()),
            microseconds(row.total.median()),
            microseconds(row.total.p95()),
            ratio(row.total.median() / none),
            row.others.to_string(),
            verdict(row.total.median() / none <= FLAT),
        ]);
    }
    Ok(table)
}

impl Folded {
    fn new(folds: u64, vocabulary: &Arc<Vocabulary>) -> Result<Self> {
        let (coding, session) = record(folds, 0)?;
        Ok(Self {
            folds,
            copies: 1,
            coding,
            probes: Text::new(vocabulary.clone(), folds),
            session,
            step: Samples::default(),
            tidy: Samples::default(),
            total: Samples::default(),
            others: 0,
        })
    }

    fn renew(&mut self) -> Result<()> {
        if folds_of(&self.session) > self.folds + self.folds / 5 {
            (self.coding, self.session) = record(self.folds, self.copies)?;
            self.copies += 1;
        }
        Ok(())
    }

    /// A large step, a small one whose call renders it, then small ones under the clock. Anything but a hold is only
    /// counted.
    fn run(&mut self, steps: usize) -> Result<()> {
        let Self { coding, session, probes, .. } = self;
        work(coding, session)?;
        small_step(coding, session, probes)?;
        for _ in 0..steps {
            let step = Step::new(probes, Sizes::Small, None);
            let (outcome, stepping) = timed(|| coding.record(session, step));
            outcome?;
            let context = coding.context();
            let (tidied, tidying) = timed(|| session.tidy(&context));
            if holds(&tidied?) && folds_of(session) <= self.folds + self.folds / 5 {
                self.step.push(stepping);
                self.tidy.push(tidying);
                self.total.push(stepping + tidying);
            } else {
                self.others += 1;
            }
        }
        Ok(())
    }
}

/// Works until the session was folded so often, and one step more: the first call after a fold renders the kept tail anew.
fn record(folds: u64, copy: u64) -> Result<(Coding, Session)> {
    let mut coding = Coding::new(Counter::Quarter, folds << 20 | copy);
    let mut session = coding.start("after")?;
    session.use_card(card(FREE)?, Lifetime::Usual);
    while folds_of(&session) < folds {
        work(&mut coding, &mut session)?;
    }
    while session.state().steps().len() < KEPT {
        work(&mut coding, &mut session)?;
    }
    work(&mut coding, &mut session)?;
    Ok((coding, session))
}

fn work(coding: &mut Coding, session: &mut Session) -> Result<()> {
    coding.work(session)?;
    session.tidy(&coding.context())?;
    Ok(())
}

fn small_step(coding: &mut Coding, session: &mut Session, probes: &mut Text) -> Result<()> {
    coding.record(session, Step::new(probes, Sizes::Small, None))?;
    session.tidy(&coding.context())?;
    Ok(())
}

fn folds_of(session: &Session) -> u64 {
    session.state().blocks().len() as u64
}

pub(super) fn run(folds: u64, times: usize) -> Result<()> {
    let (mut coding, mut session) = record(folds, 0)?;
    // The same steps whatever came before them, and everything is asked and held: then their costs can be compared.
    let mut configuration = session.configuration().clone();
    (configuration.fold.gone_least, configuration.triggers.delta_steps) = (u64::MAX, u32::MAX);
    session.configure(configuration);
    // One more than is asked for: the first one's call renders what came before it.
    let mut probes = Text::new(Arc::new(Vocabulary::new()), 1);
    (0..=times).try_for_each(|_| small_step(&mut coding, &mut session, &mut probes))
}
