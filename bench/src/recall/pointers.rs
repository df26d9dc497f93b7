//! Recall by pointer: as a command does it (open the store, ask it) and in a session that is open.

use std::path::Path;

use anyhow::{Result, ensure};
use lookback_engine::{
    Session,
    evidence::pointer::{LineRange, Place},
    recall,
    trace::{EventBody, TurnNo},
};
use lookback_store::Store;

use super::{TARGET, fill::probe_name};
use crate::{
    disk,
    figures::{Samples, microseconds, milliseconds, thousands, timed, verdict},
    scale::Scale,
    table::Table,
};

/// Cold recalls of each kind, and how many of them after the file was dropped from the page cache.
const COLD: usize = 20;
const UNCACHED: usize = 3;

#[derive(Debug, Default)]
struct Cold {
    open: Samples,
    recall: Samples,
    total: Samples,
}

pub(super) fn measure(scale: &Scale, home: &Path) -> Result<Table> {
    let note = format!(
        "\"Cold\" is what `lookback recall` does: `Store::open`, then recall over the store; \"uncached\" the \
         same with the database dropped from the page cache before. \"Warm\" is the recall alone in an open session. \
         Medians; target: cold p95 below {} ms.",
        milliseconds(TARGET)
    );
    let columns = ["session, pointer", "warm µs", "cold ms", "p95", "open", "recall", "uncached ms", "target"];
    let mut table = Table::new("Recall by pointer", note, &columns);
    for turns in scale.probes {
        crate::progress(&format!("recalling from {} turns", thousands(*turns)));
        let store = Store::open(home)?;
        let session = Session::replay(store.events(&probe_name(*turns))?, &store)?;
        for (kind, places) in pointers(&session, &store, scale.queries) {
            ensure!(!places.is_empty(), "the session of {turns} turns has nothing for {kind}");
            let warm = warm(&session, &store, &places)?;
            let mut cold = Cold::default();
            let mut uncached = Cold::default();
            disk::remember(home)?;
            for place in places.iter().cycle().take(COLD) {
                cold.run(home, *turns, place)?;
            }
            for place in places.iter().cycle().take(UNCACHED) {
                disk::forget(home)?;
                uncached.run(home, *turns, place)?;
            }
            let milliseconds = |samples: &Samples| milliseconds(samples.median());
            table.row([
                format!("{} turns, `{kind}`", thousands(*turns)),
                microseconds(warm.median()),
                milliseconds(&cold.total),
                crate::figures::milliseconds(cold.total.p95()),
                milliseconds(&cold.open),
                milliseconds(&cold.recall),
                milliseconds(&uncached.total),
                verdict(cold.total.p95() < TARGET),
            ]);
        }
    }
    Ok(table)
}

/// Pointers of each kind that resolve, spread over the whole session.
fn pointers(session: &Session, store: &Store, count: usize) -> [(&'static str, Vec<Place>); 3] {
    let (mut commands, mut files) = (Vec::new(), Vec::new());
    for event in session.trace() {
        match &event.event {
            EventBody::ToolCall { cmd: Some(number), .. } => commands.push(Place::Cmd { number: *number, exit: None }),
            EventBody::FileObserved(seen) if seen.line_count > 1 => {
                let lines = LineRange { first: seen.first_line, last: seen.first_line + seen.line_count.min(15) - 1 };
                files.push(Place::File { path: seen.path.clone(), lines: Some(lines), at: None });
            }
            _ => {}
        }
    }
    let turns = (0..session.turns()).map(|turn| Place::Turn(TurnNo(turn))).collect();
    let spread = |places: Vec<Place>| {
        let resolving = places.iter().step_by((places.len() / (2 * count)).max(1));
        resolving.filter(|place| session.recall(place, store).is_ok()).take(count).cloned().collect()
    };
    [("cmd#N", spread(commands)), ("file:path:Lx-Ly", spread(files)), ("turn#N", spread(turns))]
}

fn warm(session: &Session, store: &Store, places: &[Place]) -> Result<Samples> {
    let mut samples = Samples::default();
    for _ in 0..5 {
        for place in places {
            let (recalled, took) = timed(|| session.recall(place, store));
            recalled?;
            samples.push(took);
        }
    }
    Ok(samples)
}

impl Cold {
    fn run(&mut self, home: &Path, turns: u32, place: &Place) -> Result<()> {
        let (store, open) = timed(|| Store::open(home));
        let store = store?;
        let (recalled, took) = timed(|| -> Result<_> {
            let trace = store.trace(&probe_name(turns))?;
            Ok(recall::recall(place, None, &trace, &store)?)
        });
        recalled?;
        self.open.push(open);
        self.recall.push(took);
        self.total.push(open + took);
        Ok(())
    }
}
