//! How long it takes until a stored session can be continued: load its events, replay them, build the prompt.

use std::path::Path;

use anyhow::Result;
use lookback_engine::Session;
use lookback_store::Store;

use crate::{
    figures::{Samples, megabytes, microseconds, milliseconds, thousands, timed},
    scale::Scale,
    sized,
    table::Table,
};

/// Repeats until about so many turns were replayed, between 3 and 20 times.
const TURNS: u32 = 300_000;

pub(crate) fn measure(scale: &Scale, home: &Path) -> Result<Table> {
    let note = "A fresh `Store::open`, all events of the session, `Session::replay`, `Session::body`; the file is in the \
                page cache. Medians.";
    let columns =
        ["turns", "events", "body MB", "total ms", "open ms", "load ms", "replay ms", "body ms", "total µs/turn"];
    let mut table = Table::new("View after reopening", note, &columns);
    for turns in scale.sizes {
        crate::progress(&format!("reopening {} turns", thousands(*turns)));
        table.row(one(home, *turns)?);
    }
    Ok(table)
}

fn one(home: &Path, turns: u32) -> Result<[String; 9]> {
    let mut parts: [Samples; 4] = Default::default();
    let mut total = Samples::default();
    let (mut found, mut events, mut bytes) = (0, 0, 0);
    for _ in 0..(TURNS / turns).clamp(3, 20) {
        let (store, opening) = timed(|| Store::open(home));
        let store = store?;
        let (loaded, loading) = timed(|| store.events(&sized::name(turns, 0)));
        let (session, replaying) = timed(|| Session::replay(loaded?, &store).map_err(anyhow::Error::from));
        let session = session?;
        let (body, building) = timed(|| session.body(&store));
        bytes = body?.len() as u64;
        (found, events) = (session.turns(), session.trace().len() as u64);
        for (part, took) in parts.iter_mut().zip([opening, loading, replaying, building]) {
            part.push(took);
        }
        total.push(opening + loading + replaying + building);
    }
    let [opening, loading, replaying, building] = parts.each_ref().map(|part| milliseconds(part.median()));
    Ok([
        thousands(found),
        thousands(events),
        megabytes(bytes),
        milliseconds(total.median()),
        opening,
        loading,
        replaying,
        building,
        microseconds(total.median() / f64::from(found)),
    ])
}
