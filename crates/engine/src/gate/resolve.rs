//! Pointers resolved once per admission: what stands there, who says it, and the event it is bound to.
//!
//! Everything comes from the raw trace through recall. Whether a claim follows from it is not known here.

mod files;

use std::{collections::BTreeMap, rc::Rc};

use super::RefusalKind;
use crate::{
    claim::Evidence,
    evidence::{
        observed::ObservedLine,
        pointer::{LineRange, Place, Pointer},
    },
    recall::RecallError,
    session::{
        Session,
        index::{ToolTurn, TurnRecord},
    },
    trace::{Blobs, EventBody, EventNo, Origin, ResultData, ToolResult, TurnNo, result::RunData},
};

/// Who stands behind a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// Files, commands, tests, results of tools: what happened.
    World,
    /// A person's turn, or a decision at a gate.
    User,
    /// The assistant, or a program that speaks to it: proves only that it was said.
    Said,
}

#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) evidence: Evidence,
    pub(super) voice: Voice,
    pub(super) text: String,
    pub(super) lines: Option<LineRange>,
    /// The number of the command behind it.
    pub(super) command: Option<u32>,
    /// The newest turn in which it was seen.
    pub(super) turn: Option<TurnNo>,
}

pub(super) struct Resolver<'a> {
    pub(super) session: &'a Session,
    blobs: &'a dyn Blobs,
    pointers: BTreeMap<String, Result<Rc<Resolved>, RefusalKind>>,
    files: files::Files<'a>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(session: &'a Session, blobs: &'a dyn Blobs) -> Self {
        Self { session, blobs, pointers: BTreeMap::new(), files: files::Files::new(session, blobs) }
    }

    /// These pointers will be asked for: what they show of one file is then looked up together.
    pub(super) fn expect(&mut self, pointers: &[String]) {
        for pointer in pointers {
            if let Ok(Pointer { place: Place::File { path, lines: Some(lines), at: None }, .. }) =
                pointer.trim().parse()
            {
                self.files.expect(path, lines);
            }
        }
    }

    pub(super) fn resolve(&mut self, pointer: &str) -> Result<Rc<Resolved>, RefusalKind> {
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

    pub(super) fn known_lines(&mut self, path: &str) -> Rc<Vec<ObservedLine>> {
        self.files.whole(path)
    }

    /// The run behind `cmd#N`.
    pub(super) fn run(&self, number: u32) -> Option<&'a RunData> {
        let (turn, index) = *self.session.index().commands.get((number as usize).checked_sub(1)?)?;
        match &result_at(self.session, turn, index)?.data {
            ResultData::Run(run) => Some(run),
            _ => None,
        }
    }

    fn look_up(&mut self, text: &str) -> Result<Resolved, RefusalKind> {
        let unresolved = |why: String| RefusalKind::UnresolvedPointer { pointer: text.to_owned(), why };
        let pointer: Pointer = text.trim().parse().map_err(|_| unresolved("it is not a pointer".into()))?;
        if pointer.session.as_deref().is_some_and(|id| id != self.session.id().short() && id != self.session.id().0) {
            return Err(unresolved("it names another session".into()));
        }
        let place = pointer.place;
        let (turn, seen) = match self.files.lines_at(&place) {
            Some(lines) => lines,
            None => self.recall(&place).map_err(|error| match error {
                RecallError::OtherExit { number, found, .. } => {
                    RefusalKind::OtherExit { pointer: format!("cmd#{number}"), found }
                }
                other => unresolved(other.to_string()),
            })?,
        };
        let event = self.event_of(&place).ok_or_else(|| unresolved("nothing stands there".into()))?;
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
        let recalled = self.session.recall(place, self.blobs)?;
        let texts: Vec<_> = recalled.pieces.iter().map(|piece| String::from_utf8_lossy(&piece.bytes)).collect();
        Ok((recalled.turn, texts.join("\n")))
    }

    fn voice_of(&self, place: &Place) -> Voice {
        let index = self.session.index();
        let turn = match place {
            Place::File { .. } | Place::Cmd { .. } | Place::Test { .. } => return Voice::World,
            Place::User(_) | Place::Gate(_) => return Voice::User,
            // A span's goal and outcome are what somebody said about its turns.
            Place::Span(_) | Place::Sub { .. } => return Voice::Said,
            Place::Turn(turn) => *turn,
        };
        match index.turn(turn) {
            Some(TurnRecord::User { event }) => match self.body(*event) {
                EventBody::UserTurn(user) if user.origin != Origin::Machine => Voice::User,
                _ => Voice::Said,
            },
            Some(TurnRecord::Tool(step)) if self.shows_something(turn, step) => Voice::World,
            _ => Voice::Said,
        }
    }

    /// A todo list comes back as the assistant wrote it: no sight of the world.
    fn shows_something(&self, turn: TurnNo, step: &ToolTurn) -> bool {
        (0..step.calls.len() as u32)
            .filter_map(|index| result_at(self.session, turn, index))
            .any(|result| !matches!(result.data, ResultData::Todo(_)))
    }

    fn command_of(&self, place: &Place) -> Option<u32> {
        match place {
            Place::Cmd { number, .. } => Some(*number),
            Place::Test { number, .. } => {
                let (turn, index) = *self.session.index().tests.get((*number as usize).checked_sub(1)?)?;
                self.session.index().tool_turn(turn)?.calls.get(index as usize)?.command
            }
            _ => None,
        }
    }

    /// What a stored pointer is bound to (design 2-model): the event that shows what it names.
    fn event_of(&self, place: &Place) -> Option<EventNo> {
        let index = self.session.index();
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
            Place::Gate(number) => index.gates.get(numbered(*number)?).copied(),
            Place::Span(_) => self.session.next_event().0.checked_sub(1).map(EventNo),
            Place::File { path, at, .. } => {
                let before = match at {
                    Some(turn) => of_turn(*turn)?,
                    None => self.session.next_event(),
                };
                let mut seen = index.files.get(path)?.iter().rev();
                seen.find(|event| **event <= before && (at.is_some() || self.session.is_live(**event))).copied()
            }
            Place::Sub { .. } => None,
        }
    }

    fn body(&self, event: EventNo) -> &'a EventBody {
        &self.session.trace()[event.0 as usize].event
    }
}

fn result_at(session: &Session, turn: TurnNo, index: u32) -> Option<&ToolResult> {
    let event = session.index().tool_turn(turn)?.calls.get(index as usize)?.result()?;
    match &session.trace().get(event.0 as usize)?.event {
        EventBody::ToolResult { result, .. } => Some(result),
        _ => None,
    }
}
