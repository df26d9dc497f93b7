//! What happened: the trace, where everything is in it, what was rolled back, and what was read out of it.
//!
//! Read-only for everybody but the one who writes events ([`History::push`]). Whatever proposes, checks, renders or
//! recalls takes this. What the model is shown of it, and why, is not known here.

mod error;
pub(crate) mod index;
mod live;
mod lookup;
mod readings;

use std::cell::RefCell;

pub use error::TraceError;
pub(crate) use error::TurnError;
pub use index::SpanRecord;
pub(crate) use live::LiveTurn;
pub(crate) use readings::{EditWords, Ended, Kind, Tone, Weighed};

use self::{
    index::{Index, ToolTurn, TurnRecord},
    readings::Readings,
};
use crate::{
    recall::RolledBack,
    tight,
    trace::{
        AssistantPart, Event, EventBody, EventNo, ResultData, SessionId, SessionStarted, ToolResult, TurnNo,
        result::SearchMatch,
        start::{EVENT_SCHEMA, RENDERER},
    },
};

/// A trace and where things are in it.
#[derive(Debug)]
pub struct History {
    /// From `first` on.
    trace: Vec<Event>,
    /// The number of the first event that is still held: a recording without a view lets old ones go.
    first: u64,
    /// Events before this one hold no large output: it was left to a store.
    released: EventNo,
    start: Box<SessionStarted>,
    id: SessionId,
    index: Index,
    rolled_back: RolledBack,
    readings: RefCell<Readings>,
}

impl History {
    pub(crate) fn begin(event: Event) -> Result<Self, TraceError> {
        let EventBody::SessionStarted(start) = &event.event else { return Err(TraceError::NoStart(event.seq)) };
        if event.seq != EventNo(0) {
            return Err(TraceError::OutOfOrder { expected: EventNo(0), found: event.seq });
        }
        if start.schema > EVENT_SCHEMA {
            return Err(TraceError::NewerSchema { found: start.schema, supported: EVENT_SCHEMA });
        }
        if start.renderer > RENDERER {
            return Err(TraceError::NewerRenderer { found: start.renderer, supported: RENDERER });
        }
        Ok(Self {
            id: start.session.clone(),
            start: start.clone(),
            trace: vec![event],
            first: 0,
            released: EventNo(0),
            index: Index::default(),
            rolled_back: RolledBack::default(),
            readings: RefCell::default(),
        })
    }

    /// Takes the next event. What it means for the view is applied by whoever has one.
    pub(crate) fn push(&mut self, event: Event) -> Result<(), TraceError> {
        let misfit = |reason| TraceError::Misfit { event: event.seq, reason };
        if event.seq != self.next_event() {
            return Err(TraceError::OutOfOrder { expected: self.next_event(), found: event.seq });
        }
        self.index.apply(&event).map_err(misfit)?;
        match &event.event {
            EventBody::SessionStarted(start) => return Err(TraceError::StartedTwice(start.session.clone())),
            EventBody::Forked { session, parent, turn } => {
                self.check_fork(session, parent, *turn, event.seq).map_err(misfit)?;
                self.id = (**session).clone();
            }
            EventBody::RolledBack { turn, .. } => {
                let end = self.end_of_any_turn(*turn).map_err(|error| misfit(error.to_string()))?;
                self.rolled_back.push(end, event.seq);
            }
            _ => {}
        }
        tight::push(&mut self.trace, event);
        Ok(())
    }

    /// A fork begins right behind the turn that it starts from, in the trace of the session that it names.
    fn check_fork(&self, session: &SessionId, parent: &SessionId, turn: TurnNo, event: EventNo) -> Result<(), String> {
        if *parent != self.id || session == parent {
            return Err(format!("a fork of {parent} cannot go on as {session} in the trace of {}", self.id));
        }
        match self.end_of_turn(turn) {
            Ok(end) if end.0 + 1 == event.0 => Ok(()),
            Ok(_) => Err(format!("a fork from turn {turn} does not begin behind it")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Lets go of the oldest events but the newest that hold at most so many bytes. The index stays whole.
    pub(crate) fn keep_newest(&mut self, bytes: usize) {
        let mut held = 0;
        let kept = self.trace.iter().rev().take_while(|event| {
            held += held_size(&event.event);
            held <= bytes
        });
        let gone = self.trace.len() - kept.count();
        self.first += gone as u64;
        self.trace.drain(..gone);
    }

    /// Outputs of more than so many bytes leave memory in the events before `durable`, which a store holds.
    pub(crate) fn release_outputs(&mut self, durable: EventNo, most: usize) {
        let place = |event: EventNo| (event.0.saturating_sub(self.first) as usize).min(self.trace.len());
        let new = place(self.released)..place(durable.max(self.released));
        for event in &mut self.trace[new] {
            event.event.outputs_mut().into_iter().for_each(|output| output.release(most));
        }
        self.released = durable.max(self.released);
    }

    /// The same trace as it was when an event had just been recorded.
    pub(crate) fn up_to(&self, last: EventNo) -> Result<Self, TraceError> {
        let mut events = self.trace.iter().take_while(|event| event.seq <= last).cloned();
        let mut history = Self::begin(events.next().ok_or(TraceError::Empty)?)?;
        events.try_for_each(|event| history.push(event))?;
        Ok(history)
    }

    /// The id under which the session goes on: a fork's own.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The events that are held: all of them, unless this is a recording without a view.
    pub fn events(&self) -> &[Event] {
        &self.trace
    }

    pub(crate) fn events_from(&self, event: EventNo) -> &[Event] {
        &self.trace[(event.0.saturating_sub(self.first) as usize).min(self.trace.len())..]
    }

    /// The number that the next event gets.
    pub fn next_event(&self) -> EventNo {
        EventNo(self.first + self.trace.len() as u64)
    }

    /// What the session began with.
    pub fn start(&self) -> &SessionStarted {
        &self.start
    }

    /// Where turns, commands, tests, spans and files are in the trace.
    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// Every span, in the order in which they began.
    pub fn spans(&self) -> &[SpanRecord] {
        self.index.spans()
    }

    /// How many turns were ever appended.
    pub fn turns(&self) -> u32 {
        self.index.next_turn().0
    }

    /// Whether an event is part of the conversation, or was taken out by a rollback.
    pub fn is_live(&self, event: EventNo) -> bool {
        self.rolled_back.is_live(event)
    }

    pub(crate) fn event_at(&self, event: EventNo) -> Option<&Event> {
        self.trace.get(usize::try_from(event.0.checked_sub(self.first)?).ok()?)
    }

    /// None: there is no such event, or it was let go.
    pub(crate) fn body_at(&self, event: EventNo) -> Option<&EventBody> {
        self.event_at(event).map(|event| &event.event)
    }

    /// The index holds only numbers of events that are in the trace; behind a view all of them are held.
    pub(crate) fn body_of(&self, event: EventNo) -> &EventBody {
        &self.trace[(event.0 - self.first) as usize].event
    }

    /// The same for events that are part of the conversation.
    pub(crate) fn live_body(&self, event: EventNo) -> Option<&EventBody> {
        self.body_at(event).filter(|_| self.is_live(event))
    }

    /// The event with which a turn was complete: where a rollback to it, or a fork from it, begins.
    pub(crate) fn end_of_turn(&self, turn: TurnNo) -> Result<EventNo, TurnError> {
        let end = self.end_of_any_turn(turn)?;
        if self.is_live(end) { Ok(end) } else { Err(TurnError::RolledBack(turn)) }
    }

    /// The same for a turn that a rollback took out: whoever returns to it takes up its branch again.
    pub(crate) fn end_of_any_turn(&self, turn: TurnNo) -> Result<EventNo, TurnError> {
        let missing = TurnError::NoSuchTurn { turn, turns: self.turns() };
        Ok(match self.index.turn(turn).ok_or(missing.clone())? {
            TurnRecord::User { event } => *event,
            TurnRecord::Assistant { event } => {
                let whole = TurnNo(turn.0 + 1);
                if self.index.tool_turn(whole).is_some_and(|step| step.assistant == *event) {
                    return Err(TurnError::SplitsStep { turn, whole });
                }
                *event
            }
            TurnRecord::Tool(step) => step.ended().ok_or(missing)?,
        })
    }

    /// The id of a call and its first result.
    pub(crate) fn result_of<'a>(&'a self, step: &ToolTurn, index: usize) -> Option<(&'a str, &'a ToolResult)> {
        Some((self.call_of(step, index)?.0, self.result_at(step, index)?))
    }

    /// The first result of a call.
    pub(crate) fn result_at(&self, step: &ToolTurn, index: usize) -> Option<&ToolResult> {
        match self.body_at(step.calls.get(index)?.result()?)? {
            EventBody::ToolResult { result, .. } => Some(result),
            _ => None,
        }
    }

    /// Id, tool and arguments of a call.
    pub(crate) fn call_of(&self, step: &ToolTurn, index: usize) -> Option<(&str, &str, &str)> {
        let call = step.calls.get(index)?;
        let EventBody::AssistantTurn(assistant) = self.body_at(step.assistant)? else { return None };
        match assistant.parts.get(call.part as usize)? {
            AssistantPart::Call { id, name, arguments, .. } => Some((id, name, arguments)),
            _ => None,
        }
    }

    /// Where a person or a model finds a whole result again.
    pub fn result_pointer(&self, turn: TurnNo, index: usize) -> String {
        let command = self.index.tool_turn(turn).and_then(|step| step.calls.get(index)?.command);
        match command {
            Some(number) => format!("cmd#{number}"),
            None => format!("turn#{turn}"),
        }
    }
}

/// About what an event takes in memory beside its place: texts, and what holds them, which is more where they are many and
/// short.
pub(crate) fn held_size(event: &EventBody) -> usize {
    let listed = match event {
        EventBody::UserTurn(turn) => turn.text.len(),
        EventBody::AssistantTurn(turn) => turn
            .parts
            .iter()
            .map(|part| match part {
                AssistantPart::Text { text, .. } | AssistantPart::Thinking { text, .. } => text.len(),
                AssistantPart::Call { arguments, .. } => arguments.len(),
                AssistantPart::Unknown { .. } => 0,
            })
            .map(|text| text + size_of::<AssistantPart>())
            .sum(),
        EventBody::ToolResult { result, .. } => lines_size(&result.data),
        _ => 0,
    };
    listed + event.outputs().into_iter().map(|output| output.len() as usize).sum::<usize>()
}

/// The same of the lines of a result that are kept one by one.
fn lines_size(data: &ResultData) -> usize {
    let of = |lines: &[String]| lines.iter().map(|line| line.len() + size_of::<String>()).sum::<usize>();
    match data {
        ResultData::Search(search) => {
            let of = |found: &SearchMatch| found.path.len() + found.text.len() + size_of::<SearchMatch>();
            search.matches.iter().map(of).sum()
        }
        data => data.edits().flat_map(|edit| &edit.hunks).map(|hunk| of(&hunk.removed) + of(&hunk.added)).sum(),
    }
}
