//! A session of the engine that is fed a recording, for strategies that let the engine act or write.
//!
//! Its turns are not numbered as the conversation's: a step that was given up has results all the same, a client that
//! went on by itself says so here, and going back to the very beginning takes a new session. So tables lead from pieces
//! to turns and back. What the session does between two calls is its owner's.

use std::{collections::BTreeSet, ops::Range};

use lookback_engine::{
    Context, ModelChoice, Session, SessionError, SessionSetup, as_it_ran,
    card::{Card, Lifetime},
    report::FoldReport,
    session::{FoldNeed, GuestFold},
    trace::{NoBlobs, Origin, Timestamp, TurnNo, event::Interruption, start::ClientRecall},
};

use lookback_wire::Role;

use crate::{
    conversation::Conversation,
    recording::{CallItem, Item},
};

/// What a turn that the client did not write says, where it went on without one.
const GO_ON: &str = "Go on.";

/// What the session takes a text's tokens to be.
pub(super) type Count<'a> = Box<dyn Fn(&[u8]) -> u32 + 'a>;

pub(super) struct Fed<'a> {
    conversation: &'a Conversation<'a>,
    count: Count<'a>,
    setup: SessionSetup,
    card: Option<(Card, Lifetime)>,
    session: Session,
    /// Sessions that ended where the person went back to the very beginning, oldest first.
    left: Vec<Session>,
    /// How many of the recording's items the session has.
    fed: usize,
    call: CallState,
    /// The last turn of each user and call; none where it was fed to a session that was left.
    ends: Vec<Option<TurnNo>>,
    /// By turn of the session: its pieces, and whether they are all that it shows.
    turns: Vec<Pieces>,
    /// By piece: its turn in the session to which it was fed.
    turn_of: Vec<TurnNo>,
    /// Pieces before this one were fed to a session that was left.
    first: usize,
    /// Of a guest, since they were last asked for.
    folds: Vec<FoldReport>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallState {
    Closed,
    Open,
}

/// What a turn of the session is in the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    pub(super) range: Range<usize>,
    /// A result that never came is shown as such: then there is more to the turn than its pieces.
    pub(super) whole: bool,
}

impl std::fmt::Debug for Fed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fed").field("fed", &self.fed).field("left", &self.left.len()).finish_non_exhaustive()
    }
}

impl<'a> Fed<'a> {
    pub(super) fn new(
        conversation: &'a Conversation<'a>,
        setup: SessionSetup,
        card: Option<(Card, Lifetime)>,
        count: Count<'a>,
    ) -> Self {
        let session = start(&setup, card.as_ref(), &context(&*count, None));
        Self {
            conversation,
            count,
            setup,
            card,
            session,
            left: Vec::new(),
            fed: 0,
            call: CallState::Closed,
            ends: Vec::new(),
            turns: Vec::new(),
            turn_of: Vec::new(),
            first: 0,
            folds: Vec::new(),
        }
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Which session it is: 0 until the person goes back to the very beginning.
    pub(super) fn number(&self) -> usize {
        self.left.len()
    }

    /// All sessions, those that were left first.
    pub(super) fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.left.iter().chain([&self.session])
    }

    /// The session, to do something with it at a call's time.
    pub(super) fn at(&mut self, call: usize) -> (&mut Session, Context<'_>) {
        let now = self.conversation.calls[call].at;
        (&mut self.session, context(&*self.count, now))
    }

    pub(super) fn count(&self, text: &[u8]) -> u32 {
        (self.count)(text)
    }

    /// What a turn of the session is in the conversation; none where the client said nothing.
    pub(super) fn pieces(&self, turn: TurnNo) -> Option<&Pieces> {
        self.turns.get(turn.0 as usize).filter(|pieces| !pieces.range.is_empty())
    }

    /// The turn of a piece; none where the session does not have it.
    pub(super) fn turn(&self, piece: usize) -> Option<TurnNo> {
        self.turn_of.get(piece).copied().filter(|_| piece >= self.first)
    }

    /// Records everything before a call: answers with their results, turns, rewinds.
    pub(super) fn feed(&mut self, call: usize) -> Result<(), SessionError> {
        let recording = self.conversation.recording;
        while self.fed < self.conversation.calls[call].item {
            let item = &recording.items[self.fed];
            self.fed += 1;
            match item {
                Item::User(user) => {
                    let context = context(&*self.count, user.at);
                    let turn = self.session.user_turn(user.text.as_str(), user.origin, &context)?;
                    self.add_pieces(turn, 1, 1);
                    self.end_item(turn);
                }
                Item::Call(call) => self.answer(call)?,
                // The conversation is whole.
                Item::Compaction(_) => {}
                Item::Rewind { last } => self.rewind(*last)?,
            }
        }
        Ok(())
    }

    /// What a guest's prompt does not fit for is folded before it is sent again; the refused one costs nothing.
    pub(super) fn fold_to_fit(&mut self, call: usize) -> Result<(), SessionError> {
        if self.session.check_window().is_err() {
            let (session, context) = self.at(call);
            let folds = session.tidy_guest(&as_gateway(FoldNeed::ToFit), &context)?;
            self.folds.extend(folds);
        }
        Ok(())
    }

    /// The folds of a guest since this was last asked.
    pub(super) fn take_folds(&mut self) -> Vec<FoldReport> {
        std::mem::take(&mut self.folds)
    }

    /// Another model answers from this call on. The window stays that of all sessions.
    pub(super) fn change_model(
        &mut self,
        call: usize,
        model: &str,
        card: (Card, Lifetime),
    ) -> Result<(), SessionError> {
        self.session.use_card(card.0.clone(), card.1);
        self.card = Some(card);
        let SessionSetup { provider, window, max_output, alternation, plain_thinking, pictures, .. } = self.setup;
        let model = model.to_owned();
        let choice = ModelChoice { model, provider, window, max_output, alternation, plain_thinking, pictures };
        let (session, context) = self.at(call);
        session.model_changed(choice, &context)
    }

    /// Opens a call, so that what [`Self::feed`] records next is its answer. Calls that their owner does not open are opened
    /// when their answer comes.
    pub(super) fn open(&mut self, call: usize) -> Result<(), SessionError> {
        self.open_at(self.conversation.calls[call].at)
    }

    fn open_at(&mut self, at: Option<Timestamp>) -> Result<(), SessionError> {
        let context = context(&*self.count, at);
        if self.session.is_guest() && !self.has_something_to_answer() {
            self.session.user_turn(GO_ON, Origin::Machine, &context)?;
        }
        match self.session.start_call(&context) {
            // The client went on by itself, or began with an answer; a session wants to be told.
            Err(SessionError::NothingToAnswer) => {
                self.session.user_turn(GO_ON, Origin::Machine, &context)?;
                self.session.start_call(&context)?;
            }
            started => drop(started?),
        }
        self.call = CallState::Open;
        Ok(())
    }

    /// A guest is asked whatever its client asks; a provider would refuse this.
    fn has_something_to_answer(&self) -> bool {
        let last = self.session.view().entries().last();
        last.is_some_and(|entry| self.session.message(entry, &NoBlobs).is_ok_and(|it| it.role != Role::Assistant))
    }

    /// The answer to a call and the results of its calls, at the time at which it was sent: recordings do not say when a
    /// result came.
    fn answer(&mut self, call: &CallItem) -> Result<(), SessionError> {
        if self.call == CallState::Closed {
            self.open_at(call.at)?;
        }
        self.call = CallState::Closed;
        let context = context(&*self.count, call.at);
        let (parts, stop) = as_it_ran(call.parts.clone(), call.stop, &call.results);
        let recorded = self.session.assistant_turn(parts, stop, &context)?;
        if self.session.is_guest() {
            self.folds.extend(self.session.tidy_guest(&as_gateway(FoldNeed::WhatPays), &context)?);
        }
        for (id, result) in recorded.calls.iter().zip(&call.results) {
            self.session.tool_result(id, result.clone(), &context)?;
        }
        // What is missing of the step was given up.
        self.session.interrupt(Interruption::Cancelled, &context)?;
        self.add_pieces(recorded.turn, 1, 1);
        let results = if recorded.calls.is_empty() { recorded.turn } else { TurnNo(recorded.turn.0 + 1) };
        self.add_pieces(results, call.results.len(), recorded.calls.len());
        self.end_item(results);
        Ok(())
    }

    /// As the conversation does it: what was live at that item is so again.
    fn rewind(&mut self, last: Option<usize>) -> Result<(), SessionError> {
        let context = context(&*self.count, None);
        match last.and_then(|last| *self.ends.get(last)?) {
            Some(turn) => self.session.return_to(turn, &context),
            None => {
                self.ends.fill(None);
                let session = start(&self.setup, self.card.as_ref(), &context);
                self.left.push(std::mem::replace(&mut self.session, session));
                self.turns.clear();
                self.first = self.turn_of.len();
                Ok(())
            }
        }
    }

    /// The next pieces of the conversation are those of this turn, which shows so many.
    fn add_pieces(&mut self, turn: TurnNo, pieces: usize, shown: usize) {
        if pieces == 0 {
            return;
        }
        let first = self.turn_of.len();
        self.turn_of.resize(first + pieces, turn);
        let place = turn.0 as usize;
        if self.turns.len() <= place {
            self.turns.resize(place + 1, Pieces::default());
        }
        // Results that no call asked for are never shown: they stay with the answer's turn, which has its piece already.
        let of_turn = &mut self.turns[place];
        if of_turn.range.is_empty() {
            *of_turn = Pieces { range: first..first + pieces, whole: pieces == shown };
        }
    }

    fn end_item(&mut self, turn: TurnNo) {
        self.ends.push(Some(turn));
    }
}

/// Recordings do not say what their client sent in one message.
fn as_gateway(need: FoldNeed) -> GuestFold<'static> {
    static NOTHING: BTreeSet<TurnNo> = BTreeSet::new();
    GuestFold { joined: &NOTHING, recall: ClientRecall::Absent, need }
}

fn start(setup: &SessionSetup, card: Option<&(Card, Lifetime)>, context: &Context<'_>) -> Session {
    let mut session = Session::start(setup.clone(), context).expect("an empty trace takes its first event");
    if let Some((card, lifetime)) = card {
        session.use_card(card.clone(), *lifetime);
    }
    session
}

fn context<'a>(count: &'a dyn Fn(&[u8]) -> u32, at: Option<Timestamp>) -> Context<'a> {
    Context { now: at.unwrap_or(Timestamp(0)), count, blobs: &NoBlobs }
}
