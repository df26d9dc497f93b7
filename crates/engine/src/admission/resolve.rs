//! Pointers resolved once per admission: what stands there, who says it, and the event it is bound to.
//!
//! Everything comes from the raw trace through recall. Whether a claim follows from it is not known here.

mod files;

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use super::{RefusalKind, talk::only_talks};
use crate::{
    evidence::{
        lines::lossy,
        observed::ObservedLine,
        pointer::{LineRange, Place, Pointer},
    },
    history::{
        History,
        index::{ToolTurn, TurnRecord},
    },
    recall::RecallError,
    trace::claim::Evidence,
    trace::{Blobs, EventBody, EventNo, Origin, ToolResult, TurnNo, event::FileChange},
};

/// Who stands behind a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// Files, commands, tests, results of tools: what happened.
    World,
    /// A person's turn, or a decision at a gate.
    Person,
    /// The assistant, or a program that speaks to it: proves only that it was said.
    Said,
}

#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) evidence: Evidence,
    pub(super) voice: Voice,
    pub(super) text: String,
    pub(super) lines: Option<LineRange>,
    /// The number of the command behind it.
    pub(super) command: Option<u32>,
    /// The newest turn in which it was seen.
    pub(super) turn: Option<TurnNo>,
}

pub(crate) struct Resolver<'a> {
    pub(super) history: &'a History,
    pub(super) blobs: &'a dyn Blobs,
    pointers: BTreeMap<String, Result<Rc<Resolved>, RefusalKind>>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(history: &'a History, blobs: &'a dyn Blobs) -> Self {
        Self { history, blobs, pointers: BTreeMap::new() }
    }

    pub(crate) fn resolve(&mut self, pointer: &str) -> Result<Rc<Resolved>, RefusalKind> {
        if let Some(known) = self.pointers.get(pointer) {
            return known.clone();
        }
        let resolved = self.look_up(pointer).map(Rc::new);
        self.pointers.insert(pointer.to_owned(), resolved.clone());
        resolved
    }

    pub(super) fn resolve_all(&mut self, pointers: &[String]) -> Result<Vec<Rc<Resolved>>, RefusalKind> {
        pointers.iter().map(|pointer| self.resolve(pointer)).collect()
    }

    pub(super) fn known_lines(&self, path: &str) -> Arc<Vec<ObservedLine>> {
        self.history.known_lines(path, self.blobs)
    }

    fn look_up(&mut self, text: &str) -> Result<Resolved, RefusalKind> {
        let unresolved = |why: String| RefusalKind::UnresolvedPointer { pointer: text.to_owned(), why };
        let pointer: Pointer = text.trim().parse().map_err(|_| unresolved("it is not a pointer".into()))?;
        if pointer.session.as_deref().is_some_and(|id| id != self.history.id().short() && id != self.history.id().0) {
            return Err(unresolved("it names another session".into()));
        }
        let place = pointer.place;
        let (turn, seen) = match files::lines_at(&place, self.history, self.blobs) {
            Some(lines) => lines,
            None => self.recall(&place).map_err(|error| match error {
                RecallError::OtherExit { number, found, .. } => {
                    RefusalKind::Contradicted { claimed: text.to_owned(), found: format!("cmd#{number}: {found}") }
                }
                other => unresolved(other.to_string()),
            })?,
        };
        let event = self.event_of(&place, turn).ok_or_else(|| unresolved("nothing stands there".into()))?;
        // What a file showed then it can still show; what was said and run is no part of this conversation any more.
        if !matches!(place, Place::File { .. }) && !self.history.is_live(event) {
            return Err(unresolved("it was rolled back".into()));
        }
        Ok(Resolved {
            evidence: Evidence { pointer: place.to_string(), event },
            voice: self.voice_of(&place),
            text: seen,
            lines: match &place {
                Place::File { lines, .. } => *lines,
                _ => None,
            },
            command: self.command_of(&place),
            turn,
        })
    }

    fn recall(&self, place: &Place) -> Result<(Option<TurnNo>, String), RecallError> {
        let recalled = self.history.recall(place, self.blobs)?;
        let talk = match place {
            Place::Turn(turn) => self.talk_in(*turn),
            _ => Vec::new(),
        };
        let pieces = recalled.pieces.iter().filter(|piece| !talk.iter().any(|said| said[..] == piece.bytes[..]));
        let texts: Vec<_> = pieces.map(|piece| lossy(&piece.bytes)).collect();
        Ok((recalled.turn, texts.join("\n")))
    }

    fn voice_of(&self, place: &Place) -> Voice {
        let index = self.history.index();
        let turn = match place {
            Place::File { .. } | Place::Cmd { .. } | Place::Test { .. } => return Voice::World,
            Place::User(_) | Place::Gate(_) => return Voice::Person,
            // A span's goal and outcome are what somebody said about its turns.
            Place::Span(_) | Place::Sub { .. } => return Voice::Said,
            Place::Turn(turn) => *turn,
        };
        match index.turn(turn) {
            Some(TurnRecord::User { event }) => match self.body(*event) {
                EventBody::UserTurn(user) if user.origin != Origin::Machine => Voice::Person,
                _ => Voice::Said,
            },
            Some(TurnRecord::Tool(step)) if self.shows_something(turn, step) => Voice::World,
            _ => Voice::Said,
        }
    }

    /// The board's answer and a todo list are what the assistant wrote, a recall shows what has a pointer of its own: no
    /// sights of the world.
    fn shows_something(&self, turn: TurnNo, step: &ToolTurn) -> bool {
        (0..step.calls.len())
            .filter(|index| result_at(self.history, turn, *index as u32).is_some())
            .any(|index| !only_talks(self.history, step, index))
    }

    /// Results of such calls in a turn that has other calls as well: they must not pass for evidence of those.
    fn talk_in(&self, turn: TurnNo) -> Vec<Vec<u8>> {
        let Some(step) = self.history.index().tool_turn(turn) else { return Vec::new() };
        if !self.shows_something(turn, step) {
            return Vec::new();
        }
        let talk = (0..step.calls.len()).filter(|index| only_talks(self.history, step, *index));
        let results = talk.filter_map(|index| result_at(self.history, turn, index as u32));
        results
            .flat_map(|result| {
                let text = result.text.bytes(self.blobs).map(|bytes| bytes.to_vec()).unwrap_or_default();
                let error =
                    result.error.as_ref().map(|error| format!("{}: {}", error.code, error.message).into_bytes());
                [Some(text), error].into_iter().flatten()
            })
            .collect()
    }

    fn command_of(&self, place: &Place) -> Option<u32> {
        match place {
            Place::Cmd { number, .. } => Some(*number),
            Place::Test { number, .. } => {
                let (turn, index) = *self.history.index().tests.get((*number as usize).checked_sub(1)?)?;
                self.history.index().tool_turn(turn)?.calls.get(index as usize)?.command
            }
            _ => None,
        }
    }

    /// What a stored pointer is bound to (docs/design/model.md, "Pointers"): the event that shows what it names. `seen`
    /// is the newest turn that showed it.
    fn event_of(&self, place: &Place, seen: Option<TurnNo>) -> Option<EventNo> {
        let index = self.history.index();
        let numbered = |number: u32| (number as usize).checked_sub(1);
        let of_turn = |turn: TurnNo| match index.turn(turn)? {
            TurnRecord::User { event } | TurnRecord::Assistant { event } => Some(*event),
            TurnRecord::Tool(step) => Some(step.ended().unwrap_or(step.assistant)),
        };
        let of_call = |(turn, call): (TurnNo, u32)| index.tool_turn(turn)?.calls.get(call as usize)?.result();
        match place {
            Place::Turn(turn) => of_turn(*turn),
            Place::User(number) => of_turn(*index.users.get(numbered(*number)?)?),
            Place::Cmd { number, .. } => of_call(*index.commands.get(numbered(*number)?)?),
            Place::Test { number, .. } => of_call(*index.tests.get(numbered(*number)?)?),
            // Its decision, as long as that was not rolled back.
            Place::Gate(number) => {
                let gate = index.gates.get(numbered(*number)?)?;
                gate.events().rev().find(|event| self.history.is_live(*event)).or(Some(gate.asked))
            }
            Place::Span(_) => self.history.next_event().0.checked_sub(1).map(EventNo),
            Place::File { path, at, lines } => {
                let before = match at {
                    Some(turn) => of_turn(*turn)?,
                    None => self.history.next_event(),
                };
                let live = |event: &&EventNo| **event <= before && (at.is_some() || self.history.is_live(**event));
                let sights = || index.files.get(path).into_iter().flatten().rev().filter(live);
                // The newest sight of the file may show other lines of it.
                let shows_them = |event: &&EventNo| {
                    seen.is_some() && self.turn_of_sight(**event) == seen && self.may_show(**event, *lines)
                };
                // An edit since then may have moved them: their numbers hold from it on.
                let changed = sights().find(|event| matches!(self.body(**event), EventBody::FileChanged(_)));
                sights().find(shows_them).max(changed).or_else(|| sights().next()).copied()
            }
            Place::Sub { .. } => None,
        }
    }

    /// The turn whose result a sight of a file comes from.
    fn turn_of_sight(&self, event: EventNo) -> Option<TurnNo> {
        let source = match self.body(event) {
            EventBody::FileObserved(observed) => observed.source,
            EventBody::FileChanged(changed) => match changed.change {
                FileChange::Edited { source } | FileChange::Written { source } => source,
                FileChange::Outside { .. } => return None,
            },
            _ => return None,
        };
        match self.body(source) {
            EventBody::ToolResult { turn, .. } => Some(*turn),
            _ => None,
        }
    }

    /// Of two sights in one turn: one whose lines lie elsewhere did not show these. Edits can have moved them since.
    fn may_show(&self, event: EventNo, lines: Option<LineRange>) -> bool {
        match (self.body(event), lines) {
            (EventBody::FileObserved(observed), Some(lines)) => {
                let shown = observed.first_line..observed.first_line.saturating_add(observed.line_count);
                let is_search = observed.form.is_none();
                let path = &observed.path;
                let moved = self.history.index().files.get(path).into_iter().flatten().rev();
                let moved = moved.take_while(|other| **other > event);
                let moved = moved.into_iter().any(|other| matches!(self.body(*other), EventBody::FileChanged(_)));
                is_search || moved || (lines.first < shown.end && shown.start <= lines.last)
            }
            _ => true,
        }
    }

    fn body(&self, event: EventNo) -> &'a EventBody {
        &self.history.events()[event.0 as usize].event
    }
}

fn result_at(history: &History, turn: TurnNo, index: u32) -> Option<&ToolResult> {
    let event = history.index().tool_turn(turn)?.calls.get(index as usize)?.result()?;
    match &history.events().get(event.0 as usize)?.event {
        EventBody::ToolResult { result, .. } => Some(result),
        _ => None,
    }
}
