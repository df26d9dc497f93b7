//! What one more step costs in sessions of different lengths: in the engine, and with the store.

use std::{fs::File, io::Write, path::Path, sync::Arc, time::Duration};

use anyhow::Result;
use lookback_store::{Durability, Store};

use crate::{
    figures::{Samples, microseconds, ratio, thousands, timed, verdict},
    scale::Scale,
    sized::Sized,
    table::Table,
    text::Vocabulary,
};

/// docs/design/model.md, "Invariants", 9: appending a step renders and counts that step only, so its cost is flat.
const FLAT: f64 = 1.25;

struct Subject {
    turns: u32,
    copies: usize,
    sized: Sized,
    engine: Samples,
    with_store: Samples,
}

/// Goes round over the sizes, so that noise of the machine falls on all of them.
pub(crate) fn measure(scale: &Scale, home: &Path, vocabulary: &Arc<Vocabulary>) -> Result<Table> {
    let store = Store::open(home)?;
    let mut subjects = Vec::new();
    for turns in scale.sizes {
        crate::progress(&format!("recording {} turns", thousands(*turns)));
        let sized = Sized::build(&store, vocabulary, *turns, 0)?;
        subjects.push(Subject {
            turns: *turns,
            copies: 1,
            sized,
            engine: Samples::default(),
            with_store: Samples::default(),
        });
    }
    crate::progress("appending");
    let mut syncs = Samples::default();
    for _ in 0..scale.rounds {
        for subject in &mut subjects {
            subject.renew(&store, vocabulary)?;
            subject.run(scale.steps)?;
        }
        syncs.push(sync(home)?);
    }
    Ok(table(scale, &subjects, &syncs))
}

impl Subject {
    /// A session that has grown by a fifth is no longer one of its size: another one takes its place.
    fn renew(&mut self, store: &Store, vocabulary: &Arc<Vocabulary>) -> Result<()> {
        if self.sized.session.turns() >= self.turns + self.turns / 5 {
            self.sized = Sized::build(store, vocabulary, self.turns, self.copies)?;
            self.copies += 1;
        }
        Ok(())
    }

    fn run(&mut self, steps: usize) -> Result<()> {
        let Sized { workload, session, .. } = &mut self.sized;
        for _ in 0..steps {
            let step = workload.next_step();
            let (outcome, took) = timed(|| workload.record(session, step));
            outcome?;
            self.engine.push(took);
        }
        self.sized.save()?;
        let Sized { workload, session, writer } = &mut self.sized;
        for _ in 0..steps {
            let step = workload.next_step();
            let (outcome, took) = timed(|| -> Result<()> {
                workload.record(session, step)?;
                Ok(writer.append(&session.trace()[writer.next().0 as usize..], Durability::Durable)?)
            });
            outcome?;
            self.with_store.push(took);
        }
        Ok(())
    }
}

/// What one durable write costs on this disk, without our code.
fn sync(directory: &Path) -> Result<Duration> {
    let mut file = File::options().create(true).append(true).open(directory.join("sync-probe"))?;
    file.write_all(&[b'x'; 4096])?;
    let (outcome, took) = timed(|| file.sync_data());
    outcome?;
    Ok(took)
}

fn table(scale: &Scale, subjects: &[Subject], syncs: &Samples) -> Table {
    let note = format!(
        "One step is a call, an answer with one tool call and its result of 300 to 600 bytes: {} steps a size, sizes in \
         turn. \"With store\" is the engine and a durable append to SQLite; a bare 4 KiB append and sync of a file takes \
         {} µs here (median). Target: the engine's median within {FLAT}× of the shortest session's.",
        scale.rounds * scale.steps,
        microseconds(syncs.median()),
    );
    let columns = [
        "turns before",
        "engine µs",
        "p95",
        "to shortest",
        "with store µs",
        "p95",
        "to shortest",
        "store / engine",
        "target",
    ];
    let mut table = Table::new("Append one step", note, &columns);
    let Some(first) = subjects.first() else { return table };
    for subject in subjects {
        let flat = subject.engine.median() / first.engine.median();
        table.row([
            thousands(subject.turns),
            microseconds(subject.engine.median()),
            microseconds(subject.engine.p95()),
            ratio(flat),
            microseconds(subject.with_store.median()),
            microseconds(subject.with_store.p95()),
            ratio(subject.with_store.median() / first.with_store.median()),
            ratio(subject.with_store.median() / subject.engine.median()),
            verdict(flat <= FLAT),
        ]);
    }
    table
}
