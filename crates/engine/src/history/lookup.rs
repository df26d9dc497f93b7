//! A history in memory, asked for single events by recall.

use std::{borrow::Cow, collections::BTreeMap, convert::Infallible, sync::Arc};

use super::{
    History,
    index::{GateRecord, ToolTurn, TurnRecord},
    readings::{AsOf, EditKey, EditWords, Ended, Kind, Readings, SaidKey, Tone, Weighed, size_of_weighed},
};
use crate::{
    evidence::{observed::ObservedLine, pointer::Place},
    recall::{self, Mark, MarkKind, RecallError, Recalled, TraceLookup, marks_of},
    trace::{Blobs, Event, EventBody, EventNo, TurnNo, result::RunData},
};

impl History {
    /// What stands at a pointer, as of now.
    pub fn recall(&self, place: &Place, blobs: &dyn Blobs) -> Result<Recalled, RecallError> {
        recall::recall(place, None, self, blobs)
    }

    /// What stood at a pointer when `event` cited it.
    pub fn recall_before(&self, place: &Place, event: EventNo, blobs: &dyn Blobs) -> Result<Recalled, RecallError> {
        recall::recall(place, Some(event), self, blobs)
    }

    /// All lines of a file that are known as of now, in their order, as far as the trace can be read.
    pub(crate) fn known_lines(&self, path: &str, blobs: &dyn Blobs) -> Arc<Vec<ObservedLine>> {
        let sights = self.index.files.get(path).map_or(0, Vec::len);
        let as_of = AsOf { sights, rollbacks: self.index.rollbacks.len() };
        if let Some(lines) = self.readings.borrow().lines_of(path, as_of) {
            return lines;
        }
        let (lines, failed) = recall::known_lines(path, self, blobs);
        let lines = Arc::new(lines);
        // What could not be read now may be readable later.
        if failed.is_none() {
            self.readings.borrow_mut().keep_lines(path, as_of, lines.clone());
        }
        lines
    }

    /// What the sentences of a text are worth, weighed once: each fold looks at all that was said lately.
    pub(crate) fn weighed(&self, key: SaidKey, weigh: impl FnOnce() -> Arc<[Weighed]>) -> Arc<[Weighed]> {
        self.read_once(|known| &mut known.said, key, weigh, |weighed| size_of_weighed(weighed))
    }

    /// What a person's turn is.
    pub(crate) fn kind_of(&self, turn: TurnNo, read: impl FnOnce() -> Kind) -> Kind {
        self.read_once(|known| &mut known.kinds, turn, read, |_| 0)
    }

    /// How a person's turn is meant.
    pub(crate) fn tone_of(&self, turn: TurnNo, read: impl FnOnce() -> Tone) -> Tone {
        self.read_once(|known| &mut known.tones, turn, read, |_| 0)
    }

    /// Whether it goes on with the work that it found.
    pub(crate) fn follows_up(&self, turn: TurnNo, read: impl FnOnce() -> bool) -> bool {
        self.read_once(|known| &mut known.follows, turn, read, |_| 0)
    }

    /// What a person's turn asks for, in its own words.
    pub(crate) fn wanted(&self, turn: TurnNo, read: impl FnOnce() -> Option<Arc<str>>) -> Option<Arc<str>> {
        self.read_once(|known| &mut known.wanted, turn, read, |wanted| wanted.as_ref().map_or(0, |text| text.len()))
    }

    /// The words that an edit changed.
    pub(crate) fn edit_words(&self, key: EditKey, read: impl FnOnce() -> Arc<EditWords>) -> Arc<EditWords> {
        let size = |words: &Arc<EditWords>| size_of_val(&*words.removed) + size_of_val(&*words.added);
        self.read_once(|known| &mut known.edits, key, read, size)
    }

    /// What a run is known by, whose result is this event: [`RunData::key`].
    pub(crate) fn run_key(&self, event: EventNo, run: &RunData) -> Arc<str> {
        let read = || run.key(&self.start.root).into();
        self.read_once(|known| &mut known.keys, event, read, |key| key.len())
    }

    /// How a run ended, judged once.
    pub(crate) fn ended<E>(
        &self,
        event: EventNo,
        judge: impl FnOnce() -> Result<Arc<Ended>, E>,
    ) -> Result<Arc<Ended>, E> {
        let size = |ended: &Arc<Ended>| {
            size_of::<Ended>() + ended.scripts.iter().map(|path| size_of::<String>() + path.len()).sum::<usize>()
        };
        self.try_read_once(|known| &mut known.ended, event, judge, size)
    }

    /// The lines of a result that say what went wrong.
    pub(crate) fn errors<E>(&self, event: EventNo, read: impl FnOnce() -> Result<Arc<str>, E>) -> Result<Arc<str>, E> {
        self.try_read_once(|known| &mut known.errors, event, read, |lines| lines.len())
    }

    fn read_once<K: Ord + Copy, V: Clone>(
        &self,
        among: impl Fn(&mut Readings) -> &mut BTreeMap<K, V>,
        key: K,
        read: impl FnOnce() -> V,
        size: impl FnOnce(&V) -> usize,
    ) -> V {
        let Ok(value) = self.try_read_once(among, key, || Ok::<V, Infallible>(read()), size);
        value
    }

    /// What could not be read now may be readable later.
    fn try_read_once<K: Ord + Copy, V: Clone, E>(
        &self,
        among: impl Fn(&mut Readings) -> &mut BTreeMap<K, V>,
        key: K,
        read: impl FnOnce() -> Result<V, E>,
        size: impl FnOnce(&V) -> usize,
    ) -> Result<V, E> {
        if let Some(known) = among(&mut self.readings.borrow_mut()).get(&key) {
            return Ok(known.clone());
        }
        let value = read()?;
        let mut readings = self.readings.borrow_mut();
        readings.make_room(size_of::<(K, V)>() + size(&value));
        among(&mut readings).insert(key, value.clone());
        Ok(value)
    }

    fn tool_events(&self, turn: u32, events: impl Fn(&ToolTurn) -> Vec<EventNo>) -> Vec<EventNo> {
        self.index.tool_turn(TurnNo(turn)).map(events).unwrap_or_default()
    }

    /// The starts of a step's calls: they lie between its assistant turn and its end.
    fn starts_of(&self, turn: u32, step: &ToolTurn) -> Vec<EventNo> {
        let end = step.ended().unwrap_or(self.next_event());
        let is_start = |event: &&Event| matches!(event.event, EventBody::ToolCall { turn: of, .. } if of.0 == turn);
        self.events_from(step.assistant)
            .iter()
            .take_while(|event| event.seq < end)
            .filter(is_start)
            .map(|event| event.seq)
            .collect()
    }
}

impl TraceLookup for History {
    fn event(&self, event: EventNo) -> Result<Cow<'_, Event>, RecallError> {
        let missing = || RecallError::Unreadable(format!("there is no event {event}"));
        self.event_at(event).map(Cow::Borrowed).ok_or_else(missing)
    }

    fn marked(&self, mark: Mark) -> Result<Vec<EventNo>, RecallError> {
        let number = mark.number;
        let place = (number as usize).wrapping_sub(1);
        Ok(match mark.kind {
            MarkKind::Turn => match self.index.turn(TurnNo(number)) {
                Some(TurnRecord::User { event } | TurnRecord::Assistant { event }) => vec![*event],
                _ => Vec::new(),
            },
            MarkKind::Call => self.tool_events(number, |step| self.starts_of(number, step)),
            MarkKind::Result => {
                let mut results =
                    self.tool_events(number, |step| step.calls.iter().filter_map(|call| call.result()).collect());
                results.extend(self.index.late.get(&TurnNo(number)).into_iter().flatten());
                results
            }
            MarkKind::StepEnd => self.tool_events(number, |step| step.ended().into_iter().collect()),
            MarkKind::User => match self.index.users.get(place).and_then(|turn| self.index.turn(*turn)) {
                Some(TurnRecord::User { event }) => vec![*event],
                _ => Vec::new(),
            },
            MarkKind::Command => {
                let started = self.index.commands.get(place).map(|(turn, _)| {
                    let starts = self.tool_events(turn.0, |step| self.starts_of(turn.0, step));
                    starts.into_iter().filter(|event| {
                        matches!(self.body_at(*event), Some(EventBody::ToolCall { cmd: Some(cmd), .. }) if *cmd == number)
                    })
                });
                started.into_iter().flatten().collect()
            }
            MarkKind::Test => match self.index.tests.get(place) {
                Some((turn, _)) => self.tool_events(turn.0, |step| step.ended().into_iter().collect()),
                None => Vec::new(),
            },
            MarkKind::Gate => self.index.gates.get(place).into_iter().flat_map(GateRecord::events).collect(),
            MarkKind::SpanStart => self.index.spans.get(place).map(|span| span.started).into_iter().collect(),
            MarkKind::SpanEnd => self.index.spans.get(place).and_then(|span| span.ended).into_iter().collect(),
            MarkKind::JobStart | MarkKind::JobEnd => {
                let sets = |event: &EventNo| self.body_at(*event).is_some_and(|body| marks_of(body).contains(&mark));
                self.index.jobs.iter().copied().filter(sets).collect()
            }
            MarkKind::Rollback => self.index.rollbacks.clone(),
        })
    }

    fn count(&self, kind: MarkKind) -> Result<u32, RecallError> {
        Ok(match kind {
            MarkKind::Turn | MarkKind::Call | MarkKind::Result | MarkKind::StepEnd => self.turns() as usize,
            MarkKind::User => self.index.users.len(),
            MarkKind::Command => self.index.commands.len(),
            MarkKind::Test => self.index.tests.len(),
            MarkKind::Gate => self.index.gates.len(),
            MarkKind::SpanStart | MarkKind::SpanEnd => self.index.spans.len(),
            MarkKind::JobStart | MarkKind::JobEnd => self.index.jobs.len(),
            MarkKind::Rollback => self.index.rollbacks.len(),
        } as u32)
    }

    fn seen(&self, path: &str) -> Result<Vec<EventNo>, RecallError> {
        Ok(self.index.files.get(path).cloned().unwrap_or_default())
    }

    fn turns_before(&self, event: EventNo) -> Result<u32, RecallError> {
        Ok(self.index.turns.partition_point(|record| record.begun() < event) as u32)
    }
}
