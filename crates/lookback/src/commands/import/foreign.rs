//! Sessions of other agents: written down item by item as they are read, so that a file of any length needs memory for
//! little more than a call. Nobody sees a new session before its last event is stored; one that is stored already is
//! brought up to date.

use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use lookback_engine::trace::{BlobHash, SessionId};
use lookback_replay::recording::{About, Format, Item, Skipped};
use lookback_store::{StoreError, derived_session_id};

use super::{
    Done, Kind, Outcome,
    continued::{Continued, Diverged, Grown},
    gathered::{Gathered, Whole},
    of_store,
    writing::Writing,
};
use crate::{
    input::{Input, Source},
    progress::Progress,
    reading::{self, Taker},
    screen,
    skips::Skips,
};

/// Results of tools in one session: each is found again by some 1,500 bytes. Recorded sessions have some thousands.
const MOST_RESULTS: u64 = 200_000;

/// Items that wait for the first call, which says the model. A file that has so many before it never names one.
const WAITING: usize = 64;

pub(super) fn import(
    gathered: &mut Gathered<'_>,
    source: &Source,
    mut input: Input,
    format: Format,
    progress: impl Fn(Option<u64>) -> Progress,
) -> Result<Outcome> {
    let mut beside: Option<(u32, SessionId)> = None;
    let mut update = if *source == Source::StandardInput { Update::Behind } else { Update::Compare };
    loop {
        let position = input.position.clone();
        let mut arrival = Arrival {
            format,
            fallback: BlobHash::of(&input.head[..input.head.len().min(4096)]),
            number: beside.as_ref().map_or(1, |(number, _)| *number),
            progress: progress(input.size),
            read: Box::new(move || position.load(Ordering::Relaxed)),
            gathered: &mut *gathered,
            update,
            waiting: Vec::new(),
            state: State::Unknown,
            counts: Counts::default(),
            skips: Skips::default(),
        };
        match reading::read(input, format, &mut arrival).and_then(|about| arrival.end(&about)) {
            Ok(()) => {
                let outcome = arrival.finish(&source.name(), beside.as_ref().map(|(_, id)| id.clone()));
                // A fork shares its events: they stay.
                let has_forks = |error: &anyhow::Error| matches!(of_store(error), Some(StoreError::HasForks { .. }));
                if !outcome.as_ref().is_err_and(has_forks) {
                    return outcome;
                }
                update = Update::Behind;
                input = Input::open(source)?;
                continue;
            }
            Err(error) if error.is::<Diverged>() => {}
            Err(error) => {
                let Grown { turns } = error.downcast()?;
                update = Update::Anew { turns };
                input = Input::open(source)?;
                continue;
            }
        }
        // It may be one of those that were stored beside the first, or a new one.
        let first = beside.map_or_else(|| arrival.id(), |(_, id)| Some(id));
        let Some(first) = first else { bail!(Diverged) };
        if *source == Source::StandardInput {
            bail!("its beginning is no longer what session {first} has: give it as a file to store it as another one");
        }
        beside = Some((arrival.number + 1, first));
        input = Input::open(source)?;
    }
}

/// How a session that is stored already is brought up to date.
#[derive(Clone, Copy)]
enum Update {
    /// Not known before the two are compared.
    Compare,
    /// The file takes the place of what is stored, which has so many turns.
    Anew { turns: u64 },
    /// What is new goes behind what is stored.
    Behind,
}

/// A session on its way into the store.
struct Arrival<'a, 'b> {
    gathered: &'a mut Gathered<'b>,
    format: Format,
    /// Names the session where its file does not: a longer copy of it begins with the same bytes.
    fallback: BlobHash,
    /// Of sessions that the same agent gave the same id: how many were stored before.
    number: u32,
    update: Update,
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
    /// Another import brought it: what is new goes behind it.
    Stored(SessionId, Box<Continued>),
}

#[derive(Default)]
struct Counts {
    calls: u64,
    results: u64,
    turns: u64,
    compactions: u64,
}

impl Taker for Arrival<'_, '_> {
    fn take(&mut self, item: Item, about: &About) -> Result<()> {
        self.progress.set((self.read)());
        if !self.counts.has_room(&item) {
            return Ok(());
        }
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
        let mut id = reading::id_of(self.format, about, self.fallback);
        if self.number > 1 {
            id = derived_session_id(&format!("{id} {}", self.number));
        }
        self.state = match self.gathered.has(&id)? && !matches!(self.update, Update::Anew { .. }) {
            true => self.stored(id)?,
            false => State::Coming(Box::new(Writing::begin(id, self.format, about, &self.waiting)?)),
        };
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|item| self.record(item))
    }

    fn stored(&self, id: SessionId) -> Result<State> {
        let mut continued = Continued::load(self.gathered.store, &id, self.format)?;
        if matches!(self.update, Update::Behind) {
            continued = continued.only_behind();
        }
        Ok(State::Stored(id, Box::new(continued)))
    }

    fn record(&mut self, item: Item) -> Result<()> {
        match &mut self.state {
            State::Unknown => {}
            State::Stored(_, continued) => continued.take(item)?,
            State::Coming(writing) => {
                if let Some(reason) = writing.record(item, self.format)? {
                    self.skips.add(Skipped { line: 0, reason });
                }
                // What replaces another one is stored at once, when all of it is there.
                if writing.is_enough() && !matches!(self.update, Update::Anew { .. }) {
                    writing.flush(self.gathered.store)?;
                }
            }
        }
        Ok(())
    }

    fn id(&self) -> Option<SessionId> {
        match &self.state {
            State::Stored(id, _) => Some(id.clone()),
            State::Coming(writing) => Some(writing.id.clone()),
            State::Unknown => None,
        }
    }

    /// The file has ended.
    fn end(&mut self, about: &About) -> Result<()> {
        if self.counts.results > MOST_RESULTS {
            let reason = format!("what comes behind {} calls of tools", screen::exact(MOST_RESULTS));
            self.skips.add(Skipped { line: 0, reason });
        }
        if matches!(self.state, State::Unknown) && self.counts.calls > 0 {
            self.begin(about)?;
        }
        match &mut self.state {
            State::Coming(writing) if writing.coming.is_some() => Ok(writing.flush(self.gathered.store)?),
            State::Stored(_, continued) => continued.flush(),
            State::Coming(_) | State::Unknown => Ok(()),
        }
    }

    /// `beside` is the session that has the same name and another beginning.
    fn finish(self, name: &str, beside: Option<SessionId>) -> Result<Outcome> {
        let summary = self.counts.summary(self.skips.count);
        let Self { gathered, state, skips, progress, format, update, .. } = self;
        let (store, label) = (gathered.store, format.label());
        drop(progress);
        let done = |kind: Kind, id: Option<SessionId>, text: String| Done {
            kind,
            format,
            id,
            name: name.to_owned(),
            text,
            skips: skips.clone(),
        };
        let grown = |turns: u64, id: &SessionId, short: &str| {
            let more = screen::counted(turns, "new turn");
            let text = format!("brought {label} session {id} up to date from {name}: {more}");
            (Kind::Grown(turns), format!("{text}\nlook at it with `lookback show {short}`"))
        };
        match state {
            State::Unknown => {
                let text = format!("{name}: a file of {label} without any call of a model");
                Ok(Outcome::Done(done(Kind::Empty, None, text)))
            }
            State::Coming(writing) => {
                let turns = writing.turns();
                let Writing { id, coming, events, written, .. } = *writing;
                if let Update::Anew { turns: before } = update {
                    store.replace(&events)?;
                    let (kind, text) = grown(turns.saturating_sub(before), &id, &store.short_id(&id)?);
                    return Ok(Outcome::Done(done(kind, Some(id), text)));
                }
                if let Some(twin) = gathered.twin(&written)? {
                    let copy = format!("{name}: a copy of session {twin}, which is stored already");
                    let told = move |short: &str| format!("{copy}: look at it with `lookback show {short}`");
                    let done = done(Kind::Stored, Some(twin.clone()), String::new());
                    gathered.push(Whole { id: twin, events: Vec::new(), bytes: 0, told: Box::new(told), done });
                    return Ok(Outcome::Gathered);
                }
                let beside = beside.map_or_else(String::new, |other| {
                    format!("\nits beginning is no longer what session {other} has: it is stored as another session")
                });
                let imported = format!("imported {label} session {id} from {name}: {summary}{beside}");
                let told = move |short: &str| format!("{imported}\nlook at it with `lookback show {short}`");
                let Some(coming) = coming else {
                    let done = done(Kind::Imported, Some(id.clone()), String::new());
                    gathered.push(Whole { id, events, bytes: written.bytes, told: Box::new(told), done });
                    return Ok(Outcome::Gathered);
                };
                drop(coming.finish()?);
                let text = told(&store.short_id(&id)?);
                Ok(Outcome::Done(done(Kind::Imported, Some(id), text)))
            }
            State::Stored(id, continued) => {
                let short = store.short_id(&id)?;
                let (kind, text) = match continued.turns {
                    0 => (
                        Kind::Stored,
                        format!("{name}: session {id} is stored already: look at it with `lookback show {short}`"),
                    ),
                    turns => grown(turns, &id, &short),
                };
                Ok(Outcome::Done(done(kind, Some(id), text)))
            }
        }
    }
}

impl Counts {
    /// Behind the first that has none nothing has.
    fn has_room(&mut self, item: &Item) -> bool {
        if let Item::Call(call) = item {
            self.results += call.results.len() as u64;
        }
        self.results <= MOST_RESULTS
    }

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

    fn summary(&self, skipped: u64) -> String {
        let mut facts = vec![screen::counted(self.calls, "call"), screen::counted(self.turns, "turn")];
        if self.compactions > 0 {
            facts.push(format!("{} of its own", screen::counted(self.compactions, "compaction")));
        }
        if skipped > 0 {
            facts.push(format!("{} skipped", screen::exact(skipped)));
        }
        facts.join(", ")
    }
}
