//! Where things are in the trace: turns, commands, tests, spans, observed files.
//!
//! The index only grows. A rollback changes the view, not what happened: rolled-back turns keep their numbers and can
//! still be recalled.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU64,
};

use crate::{
    tight,
    trace::{
        BlobHash, CallNo, Event, EventBody, EventNo, ToolKind, TurnNo,
        event::{CallKind, FileChange, SpanId},
        turn::AssistantPart,
    },
};

/// Positions are indexes into the trace: event numbers of this session.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) turns: Vec<TurnRecord>,
    /// `user#N` → its turn. The first is `user#1`.
    pub(crate) users: Vec<TurnNo>,
    /// `cmd#N` → the tool turn and the place of its call.
    pub(crate) commands: Vec<(TurnNo, u32)>,
    /// `test#N` → the same.
    pub(crate) tests: Vec<(TurnNo, u32)>,
    /// `gate#N` → its events. The first is `gate#1`.
    pub(crate) gates: Vec<GateRecord>,
    pub(crate) rollbacks: Vec<EventNo>,
    /// Where commands in the background began and ended.
    pub(crate) jobs: Vec<EventNo>,
    pub(crate) spans: Vec<SpanRecord>,
    pub(crate) calls: u32,
    /// The model call under way, and whether its answer is a turn.
    open_call: Option<(CallNo, bool)>,
    pub(crate) blocks: u32,
    pub(crate) archives: u32,
    /// What was seen of each file, and when it changed, oldest first: `file observed` and `file changed` events.
    pub(crate) files: BTreeMap<String, Vec<EventNo>>,
    /// The files of which something may be known as of now: not those that changed unseen and were not seen since. Each
    /// sight is made void once, however many commands could have changed its file.
    pub(crate) current: BTreeSet<String>,
    /// Results that came after their call was given up: kept, and never shown.
    pub(crate) late: BTreeMap<TurnNo, Vec<EventNo>>,
    /// Every id that a call had and where its result belongs, for late results and for providers that count ids from
    /// zero again in each answer.
    call_ids: BTreeMap<CallKey, (TurnNo, u32)>,
}

#[derive(Debug)]
pub(crate) enum TurnRecord {
    User { event: EventNo },
    Assistant { event: EventNo },
    Tool(ToolTurn),
}

impl TurnRecord {
    /// The event that began a turn; of results, the one that asked for them.
    pub(crate) fn begun(&self) -> EventNo {
        match self {
            Self::User { event } | Self::Assistant { event } => *event,
            Self::Tool(step) => step.assistant,
        }
    }
}

/// The results of one step, in the order of their calls.
#[derive(Debug)]
pub(crate) struct ToolTurn {
    /// The event of the assistant turn that made the calls.
    pub(crate) assistant: EventNo,
    pub(crate) calls: Box<[CallRecord]>,
    ended: Later,
}

#[derive(Debug)]
pub(crate) struct CallRecord {
    /// Its place among the parts of the assistant turn.
    pub(crate) part: u32,
    pub(crate) started: bool,
    pub(crate) command: Option<u32>,
    result: Later,
}

/// A question and, in an event of its own, how it was decided.
#[derive(Debug)]
pub(crate) struct GateRecord {
    pub(crate) asked: EventNo,
    decided: Later,
}

impl GateRecord {
    /// In their order.
    pub(crate) fn events(&self) -> impl DoubleEndedIterator<Item = EventNo> {
        std::iter::once(self.asked).chain(self.decided.map(|event| EventNo(event.get())))
    }
}

/// An event that may be there by now. None of these is event 0, which is always the session's start.
type Later = Option<NonZeroU64>;

fn later(event: EventNo) -> Later {
    NonZeroU64::new(event.0)
}

impl ToolTurn {
    pub(crate) fn ended(&self) -> Option<EventNo> {
        self.ended.map(|event| EventNo(event.get()))
    }
}

impl CallRecord {
    pub(crate) fn result(&self) -> Option<EventNo> {
        self.result.map(|event| EventNo(event.get()))
    }
}

/// A stretch of work with a name and a goal.
#[derive(Debug)]
pub struct SpanRecord {
    /// Its name.
    pub id: SpanId,
    /// As it was given.
    pub goal: String,
    /// None while it is open.
    pub outcome: Option<String>,
    /// The first turn that can belong to it.
    pub first: TurnNo,
    /// The first turn after it, once it is closed.
    pub end: Option<TurnNo>,
    /// It ended because the span around it did.
    pub(crate) taken_along: bool,
    pub(crate) started: EventNo,
    pub(crate) ended: Option<EventNo>,
}

/// Stands for a call id: half the digest of it, because a long session has very many ids and their texts are in the
/// trace already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CallKey([u8; 16]);

impl CallKey {
    fn of(id: &str) -> Self {
        let mut key = [0; 16];
        key.copy_from_slice(&BlobHash::of(id.as_bytes()).0[..16]);
        Self(key)
    }
}

impl Index {
    /// Takes note of an event. `Err` says why no session can have written it.
    pub(crate) fn apply(&mut self, event: &Event) -> Result<(), String> {
        match &event.event {
            EventBody::UserTurn(turn) => {
                self.expect_turn(turn.turn)?;
                tight::push(&mut self.turns, TurnRecord::User { event: event.seq });
                if turn.user.is_some() {
                    self.users.push(turn.turn);
                }
            }
            EventBody::AssistantTurn(turn) => {
                self.expect_turn(turn.turn)?;
                tight::push(&mut self.turns, TurnRecord::Assistant { event: event.seq });
                let calls = self.note_calls(&turn.parts)?;
                if !calls.is_empty() {
                    tight::push(
                        &mut self.turns,
                        TurnRecord::Tool(ToolTurn { assistant: event.seq, calls, ended: None }),
                    );
                }
            }
            EventBody::CallStarted { call, details, .. } => {
                self.calls = self.calls.max(call.0);
                // Of one that was told when it was over nothing is under way.
                if details.as_ref().is_none_or(|details| details.over.is_none()) {
                    self.open_call = Some((*call, event.event.call_kind().is_none_or(CallKind::leaves_turn)));
                }
            }
            EventBody::CallEnded { .. } | EventBody::CallInterrupted { .. } => self.open_call = None,
            EventBody::ToolCall { turn, index, kind, cmd } => {
                let next = (*kind == ToolKind::Run).then(|| self.commands.len() as u32 + 1);
                if *cmd != next {
                    return Err(format!("command number {cmd:?} stands where {next:?} belongs"));
                }
                let call = self.call_mut(*turn, *index)?;
                call.started = true;
                call.command = *cmd;
                if cmd.is_some() {
                    tight::push(&mut self.commands, (*turn, *index));
                }
            }
            EventBody::ToolResult { turn, index, .. } => {
                let call = self.call_mut(*turn, *index)?;
                match call.result {
                    None => call.result = later(event.seq),
                    Some(_) => self.late.entry(*turn).or_default().push(event.seq),
                }
            }
            EventBody::StepEnded { turn, shown } => {
                let step = self.tool_turn_mut(*turn)?;
                if step.calls.len() != shown.len() || step.calls.iter().any(|call| call.result.is_none()) {
                    return Err(format!("the step of turn {turn} ended without all its results"));
                }
                step.ended = later(event.seq);
                let tests = shown.iter().enumerate().filter(|(_, shown)| shown.test.is_some());
                self.tests.extend(tests.map(|(index, _)| (*turn, index as u32)));
            }
            EventBody::SpanStarted { span, goal, turn } => {
                self.spans.push(SpanRecord {
                    id: (**span).clone(),
                    goal: goal.to_string(),
                    outcome: None,
                    first: *turn,
                    end: None,
                    taken_along: false,
                    started: event.seq,
                    ended: None,
                });
            }
            EventBody::SpanEnded { span, outcome, turn, with } => {
                let record = self
                    .spans
                    .iter_mut()
                    .find(|record| record.id == **span)
                    .ok_or_else(|| format!("span {}#{} was never started", span.name, span.number))?;
                record.outcome = Some(outcome.to_string());
                record.end = Some(*turn);
                record.taken_along = with.is_some();
                record.ended = Some(event.seq);
            }
            EventBody::Fold(fold) => {
                self.blocks += 1;
                if fold.block != self.blocks {
                    return Err(format!("block {} stands where block {} belongs", fold.block, self.blocks));
                }
            }
            EventBody::Archive(archive) => {
                self.archives += 1;
                if archive.archive != self.archives {
                    return Err(format!("archive {} stands where {} belongs", archive.archive, self.archives));
                }
            }
            EventBody::FileObserved(seen) => self.note_file(&seen.path, Some(seen.source), event.seq)?,
            EventBody::FileChanged(changed) => {
                let source = match changed.change {
                    FileChange::Edited { source } | FileChange::Written { source } => Some(source),
                    FileChange::Outside { .. } => None,
                };
                self.note_file(&changed.path, source, event.seq)?;
                if source.is_none() {
                    self.current.remove(&changed.path);
                }
            }
            EventBody::GateAsked(gate) => {
                if gate.number as usize != self.gates.len() + 1 {
                    return Err(format!("gate {} stands where gate {} belongs", gate.number, self.gates.len() + 1));
                }
                self.gates.push(GateRecord { asked: event.seq, decided: None });
            }
            EventBody::GateDecided(gate) => {
                let asked = (gate.number as usize).checked_sub(1).and_then(|place| self.gates.get_mut(place));
                asked.ok_or_else(|| format!("gate {} was never asked", gate.number))?.decided = later(event.seq);
            }
            EventBody::JobStarted(_) | EventBody::JobEnded(_) => self.jobs.push(event.seq),
            EventBody::RolledBack { .. } => {
                self.rollbacks.push(event.seq);
                // Events that were rolled back make nothing void.
                self.current.extend(self.files.keys().cloned());
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn spans(&self) -> &[SpanRecord] {
        &self.spans
    }

    /// Where the result of a call belongs that was made under this id.
    pub(crate) fn call(&self, id: &str) -> Option<(TurnNo, u32)> {
        self.call_ids.get(&CallKey::of(id)).copied()
    }

    /// The model call under way.
    pub(crate) fn open_call(&self) -> Option<CallNo> {
        self.open_call.map(|(call, _)| call)
    }

    /// The same where its answer is a turn of the conversation.
    pub(crate) fn answerable_call(&self) -> Option<CallNo> {
        self.open_call.filter(|(_, leaves_turn)| *leaves_turn).map(|(call, _)| call)
    }

    /// The tool turn that still waits for results: always the newest.
    pub(crate) fn open_step(&self) -> Option<TurnNo> {
        let newest = TurnNo(self.next_turn().0.checked_sub(1)?);
        self.tool_turn(newest).filter(|step| step.ended.is_none()).map(|_| newest)
    }

    pub(crate) fn next_turn(&self) -> TurnNo {
        TurnNo(self.turns.len() as u32)
    }

    pub(crate) fn turn(&self, turn: TurnNo) -> Option<&TurnRecord> {
        self.turns.get(turn.0 as usize)
    }

    /// The event with which a user's or an assistant's turn was appended.
    pub(crate) fn event_of(&self, turn: TurnNo) -> Option<EventNo> {
        match self.turn(turn)? {
            TurnRecord::User { event } | TurnRecord::Assistant { event } => Some(*event),
            TurnRecord::Tool(_) => None,
        }
    }

    pub(crate) fn tool_turn(&self, turn: TurnNo) -> Option<&ToolTurn> {
        match self.turn(turn)? {
            TurnRecord::Tool(step) => Some(step),
            _ => None,
        }
    }

    fn tool_turn_mut(&mut self, turn: TurnNo) -> Result<&mut ToolTurn, String> {
        match self.turns.get_mut(turn.0 as usize) {
            Some(TurnRecord::Tool(step)) => Ok(step),
            _ => Err(format!("turn {turn} holds no tool results")),
        }
    }

    fn call_mut(&mut self, turn: TurnNo, index: u32) -> Result<&mut CallRecord, String> {
        self.tool_turn_mut(turn)?
            .calls
            .get_mut(index as usize)
            .ok_or_else(|| format!("the step of turn {turn} has no call {index}"))
    }

    fn expect_turn(&self, turn: TurnNo) -> Result<(), String> {
        let next = self.next_turn();
        if turn == next { Ok(()) } else { Err(format!("turn {turn} stands where turn {next} belongs")) }
    }

    fn note_calls(&mut self, parts: &[AssistantPart]) -> Result<Box<[CallRecord]>, String> {
        let mut calls = Vec::new();
        let turn = self.next_turn();
        for (part, content) in parts.iter().enumerate() {
            if let AssistantPart::Call { id, unfinished: false, .. } = content {
                let known = self.call_ids.insert(CallKey::of(id), (turn, calls.len() as u32));
                if known.is_some() {
                    return Err(format!("the call id \"{id}\" is used twice"));
                }
                calls.push(CallRecord { part: part as u32, started: false, command: None, result: None });
            }
        }
        Ok(calls.into())
    }

    /// What an observation is read from always stands before it.
    fn note_file(&mut self, path: &str, source: Option<EventNo>, event: EventNo) -> Result<(), String> {
        if source.is_some_and(|source| source >= event) {
            return Err(format!("{path} is said to be seen in an event that comes later"));
        }
        match self.files.get_mut(path) {
            Some(list) => list.push(event),
            None => {
                self.files.insert(path.to_owned(), vec![event]);
            }
        }
        if !self.current.contains(path) {
            self.current.insert(path.to_owned());
        }
        Ok(())
    }
}
