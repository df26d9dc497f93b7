//! Fills a store with sessions of many lengths until it is large.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use lookback_engine::trace::SessionId;
use lookback_store::{Durability, Store};

use crate::{
    disk,
    figures::{megabytes, thousands},
    random::Random,
    scale::Scale,
    sized::BATCH,
    text::Vocabulary,
    workload::{Sizes, Workload},
};

#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) sessions: usize,
    pub(crate) turns: u64,
    pub(crate) events: u64,
    pub(crate) took: Duration,
}

/// An identifier that stands in one result of one session only.
pub(super) fn planted(session: usize) -> String {
    let mark = Random::new(session as u64).next();
    format!("rotate_{:06x}_window{session}", mark >> 40)
}

pub(super) fn session_name(number: usize) -> SessionId {
    SessionId(format!("fill-{number:04}"))
}

pub(super) fn probe_name(turns: u32) -> SessionId {
    SessionId(format!("probe-{turns}"))
}

/// Half of the text, then the sessions that pointers are recalled from, then the other half.
pub(super) fn fill(scale: &Scale, home: &Path, vocabulary: &Arc<Vocabulary>) -> Result<Filled> {
    let store = Store::open(home)?;
    let begin = Instant::now();
    let mut filled = Filled { sessions: 0, turns: 0, events: 0, took: Duration::ZERO };
    let mut lengths = Random::new(7);
    let mut number = 0;
    for (bytes, least) in [(scale.store_bytes / 2, scale.sessions / 2), (scale.store_bytes, scale.sessions)] {
        while disk::file_size(home)? < bytes || number < least {
            // Most sessions are short and some are long.
            let turns = 40 + 20 * lengths.rank(200) as u32;
            write(&store, vocabulary, &session_name(number), turns, Some(planted(number)), &mut filled)?;
            number += 1;
            if number.is_multiple_of(50) {
                let size = megabytes(disk::file_size(home)?);
                crate::progress(&format!("filling: {number} sessions, {size} MB, {:?}", begin.elapsed()));
            }
        }
        if bytes < scale.store_bytes {
            for turns in scale.probes {
                crate::progress(&format!("filling: the session of {} turns", thousands(*turns)));
                write(&store, vocabulary, &probe_name(*turns), *turns, None, &mut filled)?;
            }
        }
    }
    filled.took = begin.elapsed();
    Ok(filled)
}

fn write(
    store: &Store,
    vocabulary: &Arc<Vocabulary>,
    name: &SessionId,
    turns: u32,
    planted: Option<String>,
    filled: &mut Filled,
) -> Result<()> {
    let mut workload = Workload::new(vocabulary, Sizes::Mixed, 1_000_000 + filled.sessions as u64);
    let mut session = workload.start(&name.0)?;
    workload.grow(&mut session, turns / 2)?;
    if let Some(identifier) = planted {
        let line = format!("    fn {identifier}() {{ {} }}", workload.text.code_line());
        workload.plant(line);
    }
    workload.grow(&mut session, turns)?;
    let (first, rest) = session.trace().split_at(1);
    let mut writer = store.create(first)?;
    for batch in rest.chunks(BATCH) {
        writer.append(batch, Durability::Grouped)?;
    }
    writer.flush()?;
    filled.sessions += 1;
    filled.turns += u64::from(session.turns());
    filled.events += session.trace().len() as u64;
    Ok(())
}
