//! The conversation up to a turn, as the rules look at it: newest first, and nothing that a rollback took away.

use std::sync::Arc;

use super::{
    errors::error_lines,
    follows::follows_up,
    sentences::sentences,
    turns::{Kind, is_question, kind_of, own_words, tone, wanted},
};
use crate::{
    configuration::standing::{ERROR_LINES, LAST_SENTENCES, TURNS_BACK},
    configuration::written::QUOTE_TOKENS,
    evidence::{output::edges, pointer::Place},
    history::{History, LiveTurn, Tone},
    text::shorten_quotation,
    trace::{
        AssistantPart, BlobError, Blobs, EventBody, EventNo, Origin, ResultData, Status, ToolResult, TurnNo, UserTurn,
        claim::{Evidence, Quote},
        decision::TurnRange,
        result::RunData,
    },
};

#[derive(Clone, Copy)]
pub(crate) struct Past<'a> {
    pub(super) history: &'a History,
    /// The last turn considered.
    pub(super) last: TurnNo,
    pub(super) blobs: &'a dyn Blobs,
}

/// One result of a tool, with its call.
pub(super) struct Done<'a> {
    pub(super) turn: TurnNo,
    /// `cmd#N`.
    pub(super) command: Option<u32>,
    pub(super) event: EventNo,
    pub(super) tool: &'a str,
    pub(super) result: &'a ToolResult,
}

/// One text of the assistant.
pub(super) struct Said<'a> {
    pub(super) turn: TurnNo,
    /// Its place among the parts of the turn.
    pub(super) part: usize,
    pub(super) text: &'a str,
    /// It ended the round.
    pub(super) answers: bool,
}

impl Said<'_> {
    /// Whether it ends a round with a question.
    pub(super) fn asks(&self) -> bool {
        let last = || sentences(self.text).into_iter().rev().take(LAST_SENTENCES);
        self.answers && last().any(|sentence| is_question(sentence.text))
    }
}

impl<'a> Past<'a> {
    pub(crate) fn new(history: &'a History, last: TurnNo, blobs: &'a dyn Blobs) -> Self {
        Self { history, last, blobs }
    }

    /// What people typed to begin a round. The work is for these.
    pub(super) fn users(self) -> impl DoubleEndedIterator<Item = &'a UserTurn> {
        self.typed().filter(|user| user.origin == Origin::Person)
    }

    /// All that people typed. What reaches a round that runs begins nothing, and yet objects, asks and answers.
    pub(super) fn typed(self) -> impl DoubleEndedIterator<Item = &'a UserTurn> {
        let turns = self.history.index().users.iter().rev().filter(move |turn| **turn <= self.last);
        turns.filter_map(move |turn| match self.history.live_turn(*turn)? {
            LiveTurn::User(user) if user.origin != Origin::Machine => Some(user),
            _ => None,
        })
    }

    /// What a person's turn is. Each is read once.
    pub(super) fn kind(self, user: &UserTurn) -> Kind {
        self.history.kind_of(user.turn, || kind_of(own_words(&user.text)))
    }

    /// How it is meant.
    pub(super) fn tone(self, user: &UserTurn) -> Tone {
        self.history.tone_of(user.turn, || tone(own_words(&user.text)))
    }

    /// Whether it goes on with the work that it found.
    pub(super) fn follows(self, user: &UserTurn) -> bool {
        self.history.follows_up(user.turn, || follows_up(own_words(&user.text)))
    }

    /// What it asks for, in its own words.
    pub(super) fn wanted(self, user: &UserTurn) -> Option<Arc<str>> {
        self.history.wanted(user.turn, || wanted(own_words(&user.text)).map(Into::into))
    }

    pub(super) fn said(self) -> impl Iterator<Item = Said<'a>> {
        self.turns_from(self.lately()).rev().flat_map(move |(turn, live)| {
            let parts = match live {
                LiveTurn::Assistant(assistant) => &assistant.parts[..],
                _ => &[],
            };
            let answers = !parts.iter().any(|part| matches!(part, AssistantPart::Call { .. }));
            parts.iter().enumerate().rev().filter_map(move |(part, said)| match said {
                AssistantPart::Text { text, .. } => Some(Said { turn, part, text, answers }),
                _ => None,
            })
        })
    }

    /// The results of the newest turns: what ran longer ago says nothing about now.
    pub(super) fn done(self) -> impl DoubleEndedIterator<Item = Done<'a>> {
        self.done_from(self.lately())
    }

    /// From where on turns are looked at.
    fn lately(self) -> TurnNo {
        TurnNo(self.last.0.min(self.history.turns()).saturating_sub(TURNS_BACK))
    }

    /// The results of the turns from `first` on.
    pub(super) fn done_from(self, first: TurnNo) -> impl DoubleEndedIterator<Item = Done<'a>> {
        self.turns_from(first).rev().flat_map(move |(turn, live)| {
            let step = match live {
                LiveTurn::Tool(step) => Some(step),
                _ => None,
            };
            let calls = step.into_iter().flat_map(|step| step.calls.iter().enumerate().rev().map(move |at| (step, at)));
            calls.filter_map(move |(step, (index, call))| {
                let (event, (_, tool, _)) = (call.result()?, self.history.call_of(step, index)?);
                match self.history.live_body(event)? {
                    EventBody::ToolResult { result, .. } if result.status != Status::Interrupted => {
                        Some(Done { turn, command: call.command, event, tool, result })
                    }
                    _ => None,
                }
            })
        })
    }

    /// What people typed since the last answer, the newest first. What came while a round ran is answered by the next text.
    pub(super) fn unanswered_turns(self) -> impl Iterator<Item = &'a UserTurn> {
        let answered = self.said().find(|said| said.answers).map(|said| said.turn);
        let spoken = self.said().next().map(|said| said.turn);
        let since = self.typed().take_while(move |user| answered.is_none_or(|answered| user.turn > answered));
        since.filter(move |user| user.origin == Origin::Person || spoken.is_none_or(|spoken| user.turn > spoken))
    }

    /// The newest of them that asks or says something.
    pub(super) fn unanswered(self) -> Option<&'a UserTurn> {
        self.unanswered_turns().find(|user| self.kind(user).says_something())
    }

    /// Whether a call of this turn has no result, or one that says nothing of its end.
    pub(super) fn has_unknown_end(self, turn: TurnNo) -> bool {
        let parts = match self.history.live_turn(turn) {
            Some(LiveTurn::Assistant(assistant)) => &assistant.parts[..],
            _ => &[],
        };
        let calls = parts.iter().filter(|part| matches!(part, AssistantPart::Call { .. })).count();
        self.done_from(turn).filter(|done| done.turn.0 == turn.0 + 1).count() < calls
    }

    /// Whether the newest round waits for the next step and not for the user.
    pub(super) fn is_under_way(self) -> bool {
        let newest = self.turns_from(TurnNo(0)).next_back();
        newest.is_some_and(|(_, live)| match live {
            // One that only thought was cut off.
            LiveTurn::Assistant(turn) => {
                let answers = |part: &AssistantPart| matches!(part, AssistantPart::Text { .. });
                let calls = |part: &AssistantPart| matches!(part, AssistantPart::Call { .. });
                turn.parts.iter().any(calls) || !turn.parts.iter().any(answers)
            }
            LiveTurn::User(_) | LiveTurn::Tool(_) => true,
        })
    }

    fn turns_from(self, first: TurnNo) -> impl DoubleEndedIterator<Item = (TurnNo, LiveTurn<'a>)> {
        self.history.live_turns(TurnRange { first, last: self.last })
    }

    /// Two runs with the same key ran the same thing.
    pub(super) fn run_key(self, done: &Done<'_>, run: &RunData) -> Arc<str> {
        self.history.run_key(done.event, run)
    }

    /// The lines of a result that say what went wrong, each behind the other.
    pub(super) fn errors(self, done: &Done<'_>) -> Result<Arc<str>, BlobError> {
        let read = || Ok(error_lines(&self.output(done.result)?, ERROR_LINES).join("\n").into());
        self.history.errors(done.event, read)
    }

    /// What a result shows, both ends of it where it is very long.
    pub(super) fn output(self, result: &ToolResult) -> Result<String, BlobError> {
        Ok(edges(&result.text.bytes(self.blobs)?))
    }

    /// Words of an assistant's or a user's turn, with their place.
    pub(super) fn quote(self, text: &str, place: &Place) -> Option<Quote> {
        let event = match place {
            Place::Turn(turn) => self.history.index().event_of(*turn)?,
            Place::User(number) => {
                let turn = self.history.index().users.get((*number as usize).checked_sub(1)?)?;
                self.history.index().event_of(*turn)?
            }
            _ => return None,
        };
        let text = crate::text::one_line(text);
        let text = shortened(&text);
        (!text.is_empty()).then(|| Quote { text, evidence: Evidence { pointer: place.to_string(), event } })
    }
}

impl<'a> Done<'a> {
    pub(super) fn run(&self) -> Option<(u32, &'a RunData)> {
        match &self.result.data {
            ResultData::Run(run) => Some((self.command?, run)),
            _ => None,
        }
    }

    /// The files that a patch took away.
    pub(super) fn deleted(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let did = self.result.status == Status::Success;
        let data = &self.result.data;
        did.then(|| data.deleted_paths()).into_iter().flatten()
    }

    /// The files that it edited or wrote.
    pub(super) fn changed(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let did = self.result.status == Status::Success;
        let data = &self.result.data;
        did.then(|| data.changed_paths()).into_iter().flatten()
    }
}

pub(super) fn shortened(text: &str) -> String {
    shorten_quotation(text, QUOTE_TOKENS)
}
