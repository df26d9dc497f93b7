//! Sessions of other agents: written down item by item as they are read, so that a file of any length needs memory for
//! little more than a call. Nobody sees the session before its last event is stored.

use std::sync::atomic::Ordering;

use anyhow::Result;
use lookback_engine::trace::{BlobHash, SessionId};
use lookback_replay::recording::{About, Format, Item, Skipped};
use lookback_store::{StoreError, derived_session_id};

use super::{
    Outcome,
    gathered::{Gathered, Whole},
    writing::Writing,
};
use crate::{
    input::Input,
    progress::Progress,
    reading::{self, Taker},
    screen,
    skips::Skips,
};

/// Items that wait for the first call, which says the model. A file that has so many before it never names one.
const WAITING: usize = 64;

pub(super) fn import(gathered: &mut Gathered<'_>, input: Input, format: Format, name: &str) -> Result<Outcome> {
    let position = input.position.clone();
    let mut arrival = Arrival {
        gathered,
        format,
        fallback: BlobHash::of(&input.head[..input.head.len().min(4096)]).to_string(),
        progress: Progress::of_bytes(name, input.size),
        read: Box::new(move || position.load(Ordering::Relaxed)),
        waiting: Vec::new(),
        state: State::Unknown,
        counts: Counts::default(),
        skips: Skips::default(),
    };
    let about = reading::read(input, format, &mut arrival)?;
    arrival.finish(&about, name)
}

/// A session on its way into the store.
struct Arrival<'a, 'b> {
    gathered: &'a mut Gathered<'b>,
    format: Format,
    /// Names the session where its file does not: a longer copy of it begins with the same bytes.
    fallback: String,
    progress: Progress,
    read: Box<dyn Fn() -> u64>,
    waiting: Vec<Item>,
    state: State,
    counts: Counts,
    skips: Skips,
}

enum State {
    /// Nothing but what waits has been read.
    Unknown,
    Coming(Box<Writing>),
    /// Another import brought it: the rest is only counted.
    Stored(SessionId),
}

#[derive(Default)]
struct Counts {
    calls: u64,
    turns: u64,
    compactions: u64,
}

impl Taker for Arrival<'_, '_> {
    fn take(&mut self, item: Item, about: &About) -> Result<()> {
        self.progress.set((self.read)());
        self.counts.add(&item);
        if matches!(self.state, State::Unknown) {
            let names_its_model = matches!(item, Item::Call(_));
            self.waiting.push(item);
            return match names_its_model || self.waiting.len() >= WAITING {
                true => self.begin(about),
                false => Ok(()),
            };
        }
        self.record(item)
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.skips.add(skipped);
    }
}

impl Arrival<'_, '_> {
    fn begin(&mut self, about: &About) -> Result<()> {
        let session = about.session.as_deref().unwrap_or(&self.fallback);
        let id = derived_session_id(&format!("{} {session}", self.format.name()));
        if self.gathered.has(&id)? {
            self.state = State::Stored(id);
            self.waiting.clear();
            return Ok(());
        }
        let writing = Writing::begin(id, self.format, about, &self.waiting)?;
        self.state = State::Coming(Box::new(writing));
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|item| self.record(item))
    }

    fn record(&mut self, item: Item) -> Result<()> {
        let State::Coming(writing) = &mut self.state else { return Ok(()) };
        if let Some(reason) = writing.record(item, self.format)? {
            self.skips.add(Skipped { line: 0, reason });
        }
        if writing.is_enough() {
            self.flush()?;
        }
        Ok(())
    }

    /// Another process may have stored it since its first item was read.
    fn flush(&mut self) -> Result<()> {
        let State::Coming(writing) = &mut self.state else { return Ok(()) };
        match writing.flush(self.gathered.store) {
            Err(StoreError::Exists(id)) => self.state = State::Stored(id),
            outcome => outcome?,
        }
        Ok(())
    }

    fn finish(mut self, about: &About, name: &str) -> Result<Outcome> {
        if matches!(self.state, State::Unknown) && self.counts.calls > 0 {
            self.begin(about)?;
        }
        let format = self.format.label();
        let summary = [
            screen::counted(self.counts.calls, "call"),
            screen::counted(self.counts.turns, "turn"),
            match self.counts.compactions {
                0 => String::new(),
                compactions => format!("{} of its own", screen::counted(compactions, "compaction")),
            },
            match self.skips.count {
                0 => String::new(),
                skipped => format!("{} skipped", screen::exact(skipped)),
            },
        ];
        let summary = summary.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        if matches!(&self.state, State::Coming(writing) if writing.coming.is_some()) {
            self.flush()?;
        }
        let Self { gathered, state, counts, skips, progress, .. } = self;
        let store = gathered.store;
        drop(progress);
        skips.tell(name);
        match state {
            State::Unknown => Ok(Outcome::Nothing(format!("{name}: a file of {format} without any call of a model"))),
            State::Coming(writing) => {
                let Writing { id, coming, events, .. } = *writing;
                let imported = format!("imported {format} session {id} from {name}: {summary}");
                let told = move |short: &str| format!("{imported}\nlook at it with `lookback show {short}`");
                let Some(coming) = coming else {
                    gathered.push(Whole { id, events, told: Box::new(told), name: name.to_owned() });
                    return Ok(Outcome::Gathered);
                };
                drop(coming.finish()?);
                Ok(Outcome::Imported(told(&store.short_id(&id)?)))
            }
            State::Stored(id) => {
                let short = store.short_id(&id)?;
                let sessions = store.sessions()?;
                let stored = sessions.iter().find(|session| session.id == id).map_or(0, |session| session.turns);
                let more = counts.turns.saturating_sub(u64::from(stored));
                // It may have been folded or gone on since: only the person knows what it is worth.
                let how = match more {
                    0 => format!("look at it with `lookback show {short}`"),
                    more => format!(
                        "this copy of it has {} more: to store it instead, `lookback sessions rm {short}` and import it again",
                        screen::counted(more, "turn")
                    ),
                };
                Ok(Outcome::StoredAlready(format!("{name}: session {id} is stored already: {how}")))
            }
        }
    }
}

impl Counts {
    fn add(&mut self, item: &Item) {
        match item {
            Item::User(_) => self.turns += 1,
            Item::Call(call) => {
                self.calls += 1;
                self.turns += 1 + u64::from(!call.results.is_empty());
            }
            Item::Compaction(_) => self.compactions += 1,
            Item::Rewind { .. } => {}
        }
    }
}
