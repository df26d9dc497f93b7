//! One session of another agent as it is written down: items become events, and events go to the store when there are
//! enough of them.

use anyhow::Result;
use lookback_engine::{
    Context as Recording, ModelChoice, Recorder, SessionSetup, WholeStep,
    trace::{Event, NoBlobs, SessionId, Timestamp, TurnNo, event::ClientCompacted, start::RecordedBy},
};
use lookback_replay::recording::{About, Billed, CallItem, Compaction, Format, Item};
use lookback_store::{ComingSession, Store, StoreError};
use lookback_wire::{Provider, TokenUsage};

use super::gathered::Written;
use crate::{cards, counter::Counter, opened};

/// What is handed to the store at once: enough to make a transaction worth it, little enough to hold. A session that ends
/// before that is gathered with others.
const EVENTS: usize = 250;
const BYTES: u64 = 1 << 20;

pub(super) struct Writing {
    pub(super) id: SessionId,
    recorder: Recorder,
    /// None before the first events are handed to the store.
    pub(super) coming: Option<ComingSession>,
    pub(super) events: Vec<Event>,
    /// Since the last were handed on.
    bytes: u64,
    pub(super) written: Written,
    /// The last turn of each user or call item, by its number: where rewinds lead.
    ends: Vec<TurnNo>,
    now: Timestamp,
}

impl Writing {
    /// `waiting` is what was read before the model was known.
    pub(super) fn begin(id: SessionId, format: Format, about: &About, waiting: &[Item]) -> Result<Self> {
        let first = waiting.iter().find_map(time_of);
        // Files without times are as old as their import.
        let first = first.unwrap_or_else(opened::now);
        let model = about.model.clone().or_else(|| waiting.iter().find_map(model_of)).unwrap_or_default();
        let choice = choose(format, &model)?;
        let setup = SessionSetup {
            recorded_by: RecordedBy::Importer { format: format.name().to_owned() },
            system: about.system.clone().unwrap_or_default(),
            provider: choice.provider,
            model,
            window: choice.window,
            max_output: choice.max_output,
            plain_thinking: choice.plain_thinking,
            tokenizer: "o200k".into(),
            root: about.cwd.clone().unwrap_or_default(),
            ..SessionSetup::new(id.clone())
        };
        let mut recorder = recorded_at(first, |context| Recorder::start(setup, context))?;
        let events = recorder.take_events();
        let written = Written::of(id.clone(), &events);
        Ok(Self { id, recorder, coming: None, events, bytes: 0, written, ends: Vec::new(), now: first })
    }

    /// How many it has.
    pub(super) fn turns(&self) -> u64 {
        self.ends.last().map_or(0, |end| u64::from(end.0) + 1)
    }

    pub(super) fn is_enough(&self) -> bool {
        self.events.len() >= EVENTS || self.bytes >= BYTES
    }

    /// What could not be done with the item, in words.
    pub(super) fn record(&mut self, item: Item, format: Format) -> Result<Option<String>> {
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
                Item::Compaction(compaction) => recorder.client_compacted(compacted(&compaction), context)?,
                Item::Rewind { last } => {
                    // A trace cannot go back behind its first turn: that one stays.
                    let turn = last.and_then(|last| self.ends.get(last)).or(self.ends.first());
                    if let Some(turn) = turn
                        && let Err(error) = recorder.return_to(*turn, context)
                    {
                        return Ok(Some(format!("going back to turn {turn}: {error}")));
                    }
                }
            }
            Ok(None)
        })?;
        for event in recorder.take_events() {
            let before = self.written.bytes;
            self.written.add(&event);
            self.bytes += self.written.bytes - before;
            self.events.push(event);
        }
        Ok(problem)
    }

    pub(super) fn flush(&mut self, store: &Store) -> Result<(), StoreError> {
        let coming = match &mut self.coming {
            Some(coming) => coming,
            None => {
                let start = self.events.remove(0);
                self.coming.insert(store.begin(&start)?)
            }
        };
        coming.append(&self.events)?;
        self.events.clear();
        self.bytes = 0;
        Ok(())
    }
}

fn recorded_at<T>(now: Timestamp, record: impl FnOnce(&Recording<'_>) -> T) -> T {
    let count = |bytes: &[u8]| Counter::O200k.count(bytes);
    record(&Recording { now, count: &count, blobs: &NoBlobs })
}

/// The model as its card knows it, behind the API that its agent speaks.
pub(super) fn choose(format: Format, model: &str) -> Result<ModelChoice> {
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

pub(super) fn compacted(compaction: &Compaction) -> ClientCompacted {
    ClientCompacted { kind: compaction.kind, billed: compaction.billed.map(bill) }
}

pub(super) fn bill(billed: Billed) -> TokenUsage {
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

pub(super) fn time_of(item: &Item) -> Option<Timestamp> {
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

#[cfg(test)]
mod tests {
    use lookback_engine::trace::Origin;
    use lookback_replay::recording::UserItem;

    use super::{
        super::{
            Done, Kind,
            gathered::{Gathered, Whole},
        },
        *,
    };
    use crate::skips::Skips;

    /// Of one moment and as many events as the others.
    fn session(id: &str, text: &str) -> Writing {
        let said = || Item::User(UserItem { text: text.into(), origin: Origin::Person, at: Some(Timestamp(0)) });
        let id = SessionId(id.into());
        let mut writing = Writing::begin(id, Format::ClaudeCode, &About::default(), &[said()]).expect("a beginning");
        writing.record(said(), Format::ClaudeCode).expect("a turn");
        writing
    }

    fn push(gathered: &mut Gathered<'_>, writing: Writing) {
        let Writing { id, events, written, .. } = writing;
        let (name, text, skips) = (id.0.clone(), String::new(), Skips::default());
        let done = Done { kind: Kind::Imported, format: Format::ClaudeCode, id: Some(id.clone()), name, text, skips };
        gathered.push(Whole { id, events, bytes: written.bytes, told: Box::new(str::to_owned), done });
    }

    /// Each would wait for the disk otherwise, and be read again for all that follow.
    #[test]
    fn sessions_of_one_moment_are_compared_before_they_are_stored() {
        let home = tempfile::tempdir().expect("a folder");
        let store = Store::open(home.path()).expect("a store");
        let mut gathered = Gathered::new(&store);
        for number in 0..30 {
            let writing = session(&format!("session-{number}"), &format!("question {number}"));
            assert_eq!(gathered.twin(&writing.written).expect("a store"), None);
            push(&mut gathered, writing);
        }
        let copy = session("copy", "question 7");
        let original = Some(SessionId("session-7".into()));
        assert_eq!(gathered.twin(&copy.written).expect("a store"), original);
        assert_eq!(store.sessions().expect("a store").len(), 0);
        gathered.flush();
        assert_eq!(store.sessions().expect("a store").len(), 30);
        assert_eq!(gathered.twin(&copy.written).expect("a store"), original);
        assert_eq!(Gathered::new(&store).twin(&copy.written).expect("a store"), original);
    }
}
