//! Sessions of other agents: written down item by item as they are read, so that a file of any length needs memory for
//! one call. Nobody sees the session before its last event is stored.

use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow};
use lookback_engine::{
    Context as Recording, ModelChoice, Recorder, SessionSetup, WholeStep,
    trace::{BlobHash, Event, NoBlobs, Output, SessionId, Timestamp, TurnNo, start::RecordedBy},
};
use lookback_replay::recording::{About, Billed, CallItem, Format, Item, Skipped};
use lookback_store::{ComingSession, Store, StoreError, derived_session_id};
use lookback_wire::{Provider, TokenUsage};

use super::Outcome;
use crate::{
    cards,
    counter::Counter,
    input::Input,
    opened,
    progress::Progress,
    reading::{self, Taker},
    screen,
    skips::Skips,
};

/// What is handed to the store at once: enough to make a transaction worth it, little enough to hold.
const EVENTS: usize = 250;
const BYTES: u64 = 1 << 20;

/// Items that wait for the first call, which says the model. A file that has so many before it never names one.
const WAITING: usize = 64;

pub(super) fn import(store: &Store, input: Input, format: Format, name: &str) -> Result<Outcome> {
    let position = input.position.clone();
    let mut arrival = Arrival {
        store,
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
struct Arrival<'a> {
    store: &'a Store,
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

struct Writing {
    recorder: Recorder,
    coming: ComingSession,
    events: Vec<Event>,
    bytes: u64,
    /// The last turn of each user or call item, by its number: where rewinds lead.
    ends: Vec<TurnNo>,
    now: Timestamp,
}

impl Taker for Arrival<'_> {
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

impl Arrival<'_> {
    fn begin(&mut self, about: &About) -> Result<()> {
        let session = about.session.as_deref().unwrap_or(&self.fallback);
        let id = derived_session_id(&format!("{} {session}", self.format.name()));
        let first = self.waiting.iter().find_map(time_of);
        // Files without times are as old as their import.
        let first = first.unwrap_or_else(opened::now);
        let model = about.model.clone().or_else(|| self.waiting.iter().find_map(model_of)).unwrap_or_default();
        let choice = choose(self.format, &model)?;
        let setup = SessionSetup {
            recorded_by: RecordedBy::Importer { format: self.format.name().to_owned() },
            system: about.system.clone().unwrap_or_default(),
            provider: choice.provider,
            model,
            window: choice.window,
            max_output: choice.max_output,
            plain_thinking: choice.plain_thinking,
            tokenizer: "o200k".into(),
            root: about.cwd.clone().unwrap_or_default(),
            ..SessionSetup::new(id)
        };
        let mut recorder = recorded_at(first, |context| Recorder::start(setup, context))?;
        let mut events = recorder.take_events();
        let start = events.pop().ok_or_else(|| anyhow!("a recording begins with its start"))?;
        self.state = match self.store.begin(&start) {
            Ok(coming) => {
                State::Coming(Box::new(Writing { recorder, coming, events, bytes: 0, ends: Vec::new(), now: first }))
            }
            Err(StoreError::Exists(id)) => State::Stored(id),
            Err(error) => return Err(error.into()),
        };
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|item| self.record(item))
    }

    fn record(&mut self, item: Item) -> Result<()> {
        let State::Coming(writing) = &mut self.state else { return Ok(()) };
        if let Some(reason) = writing.record(item, self.format)? {
            self.skips.add(Skipped { line: 0, reason });
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
        let Self { store, state, counts, skips, progress, .. } = self;
        drop(progress);
        skips.tell(name);
        match state {
            State::Unknown => Ok(Outcome::Nothing(format!("{name}: a file of {format} without any call of a model"))),
            State::Coming(writing) => {
                let id = writing.finish()?;
                let short = store.short_id(&id)?;
                Ok(Outcome::Imported(format!(
                    "imported {format} session {id} from {name}: {summary}\nlook at it with `lookback show {short}`"
                )))
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

impl Writing {
    /// What could not be done with the item, in words.
    fn record(&mut self, item: Item, format: Format) -> Result<Option<String>> {
        self.now = time_of(&item).unwrap_or(self.now);
        let recorder = &mut self.recorder;
        let problem = recorded_at(self.now, |context| -> Result<Option<String>> {
            match item {
                Item::User(user) => self.ends.push(recorder.user_turn(user.text, user.origin, context)?),
                Item::Call(call) => {
                    let CallItem { model, parts, stop, results, billed, .. } = *call;
                    if let Some(model) = model {
                        recorder.model_changed(choose(format, &model)?, context)?;
                    }
                    let step = WholeStep { parts, stop, results, bill: billed.map(bill) };
                    self.ends.push(recorder.step(step, context)?);
                }
                // The trace has everything; what the client did with its own view is its own affair.
                Item::Compaction(_) => {}
                Item::Rewind { last } => {
                    // A trace cannot go back behind its first turn: that one stays.
                    let turn = last.and_then(|last| self.ends.get(last)).or(self.ends.first());
                    if let Some(turn) = turn
                        && let Err(error) = recorder.roll_back(*turn, context)
                    {
                        return Ok(Some(format!("going back to turn {turn}: {error}")));
                    }
                }
            }
            Ok(None)
        })?;
        for event in recorder.take_events() {
            self.bytes += size(&event);
            self.events.push(event);
        }
        if self.events.len() >= EVENTS || self.bytes >= BYTES {
            self.flush()?;
        }
        Ok(problem)
    }

    fn flush(&mut self) -> Result<()> {
        self.coming.append(&self.events)?;
        self.events.clear();
        self.bytes = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<SessionId> {
        self.flush()?;
        Ok(self.coming.finish()?.session().clone())
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

fn recorded_at<T>(now: Timestamp, record: impl FnOnce(&Recording<'_>) -> T) -> T {
    let count = |bytes: &[u8]| Counter::O200k.count(bytes);
    record(&Recording { now, count: &count, blobs: &NoBlobs })
}

/// The model as its card knows it, behind the API that its agent speaks.
fn choose(format: Format, model: &str) -> Result<ModelChoice> {
    let card = cards::find(model)?;
    let is_claude = card.as_ref().is_some_and(|card| card.provider == "anthropic");
    let provider = match format {
        Format::ClaudeCode => Provider::Anthropic,
        Format::Codex => Provider::Responses,
        _ if is_claude => Provider::Anthropic,
        _ => Provider::Chat,
    };
    let window = lookback_engine::Configuration::default().window.window(card.as_ref().map(|card| card.window));
    let choice = ModelChoice::new(model, provider, window);
    Ok(match card {
        Some(card) => {
            ModelChoice { max_output: Some(card.max_output), plain_thinking: card.plain_thinking(), ..choice }
        }
        None => choice,
    })
}

fn bill(billed: Billed) -> TokenUsage {
    let tokens = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
    TokenUsage {
        uncached: tokens(billed.uncached),
        cached: tokens(billed.read),
        written: tokens(billed.written),
        output: tokens(billed.output),
        written_1h: tokens(billed.written_1h),
        ..TokenUsage::default()
    }
}

fn time_of(item: &Item) -> Option<Timestamp> {
    match item {
        Item::User(user) => user.at,
        Item::Call(call) => call.at,
        Item::Compaction(compaction) => compaction.at,
        Item::Rewind { .. } => None,
    }
}

fn model_of(item: &Item) -> Option<String> {
    match item {
        Item::Call(call) => call.model.clone(),
        _ => None,
    }
}

fn size(event: &Event) -> u64 {
    event.event.outputs().into_iter().map(Output::len).sum()
}
