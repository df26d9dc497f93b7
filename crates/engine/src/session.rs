//! A session: the state machine around one trace.
//!
//! Recording methods ([`record`]) turn what happened into events and apply them; [`Session::replay`] applies events that
//! were recorded before. Applying is the only way the state changes, and it decides nothing. The session does not know
//! where its events are stored or how prompts are sent.

mod bill;
mod edit;
pub mod error;
pub mod index;
pub(crate) mod live;
mod lookup;
mod message;
mod readings;
pub mod record;
mod refused;
mod reported;
mod request;
mod rolled_back;
mod sent;
pub mod state;
pub mod transcript;
pub(crate) mod visible;
mod watch;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use lookback_wire::Provider;

pub use error::{SessionError, TraceError, WindowExceeded};
pub use record::{
    ArchiveDraft, FoldDraft, ModelAttempt, ModelChoice, NewPart, Overflow, RecordedTurn, Room, SessionSetup, Tidied,
    Wish,
};
pub use refused::{ArchiveRefused, BoardRefused, FoldRefused, LayoutRefused, UnfoldRefused};
pub use request::Schema;

use crate::{
    card::{Card, Lifetime},
    configuration::Configuration,
    ledger::{Ledger, LedgerLine, Miss},
    planner::Compactor,
    session::{
        bill::Bill,
        index::Index,
        readings::Readings,
        record::{ArchivePlan, ShortForms},
        reported::Reports,
        rolled_back::RolledBack,
        state::{ModelInUse, Past, State},
        watch::Watch,
    },
    tight,
    trace::{
        Blobs, Event, EventBody, EventNo, SessionId, SessionStarted, Timestamp, TurnNo,
        decision::ThinkingBehind,
        event::{BoardIds, CallKind, Interruption, NoteKind, Rents},
        start::{EVENT_SCHEMA, RENDERER},
    },
    view::{Source, View, rendering::Rendering},
};

/// What a recording method needs from outside.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub now: Timestamp,
    /// Tokens of a text; the session's `tokenizer` names it.
    pub count: &'a dyn Fn(&[u8]) -> u32,
    pub blobs: &'a dyn Blobs,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("now", &self.now).finish_non_exhaustive()
    }
}

/// One session. When a recording method fails with [`SessionError::Trace`] or [`SessionError::Blob`], the store behind it
/// is damaged: drop the session and replay what was stored.
#[derive(Debug)]
pub struct Session {
    trace: Vec<Event>,
    start: Box<SessionStarted>,
    id: SessionId,
    index: Index,
    state: State,
    rolled_back: RolledBack,
    rendering: Rendering,
    /// What the last prompt was sent to, and the event that said so.
    sent_to: Option<(ModelInUse, EventNo)>,
    ledger: Ledger,
    /// Reminders that wait for the next call.
    reminders: BTreeMap<(NoteKind, String), String>,
    /// Writes every prompt for this provider instead of the recorded one.
    provider: Option<Provider>,
    /// What recording decides by. No part of the state: replay never asks it. So is all that follows.
    configuration: Configuration,
    card: Option<CardInUse>,
    bill: Option<Bill>,
    reports: Reports,
    compactor: Compactor,
    watch: Watch,
    short_forms: RefCell<ShortForms>,
    archive_plan: Cell<ArchivePlan>,
    readings: RefCell<Readings>,
    /// What the coming call pays because the planner held.
    coming_rents: Rents,
    /// The size of the hot zone when a block for it was refused.
    refused_at: Option<u64>,
    /// The most that a prompt may count while room is made for one that the provider called too long.
    room: Option<u64>,
    /// The request for a delta that the rules have answered, as far as they could.
    delta_answered: Option<EventNo>,
}

/// What the model in use costs and how it behaves.
#[derive(Debug, Clone)]
struct CardInUse {
    card: Card,
    lifetime: Lifetime,
}

/// A replay that takes its events one by one, so that a long trace need not be in memory twice.
pub struct Replay<'a> {
    session: Option<Session>,
    provider: Option<Provider>,
    card: Option<CardInUse>,
    blobs: &'a dyn Blobs,
}

impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replay").field("session", &self.session).finish_non_exhaustive()
    }
}

impl<'a> Replay<'a> {
    /// Prompts are written for `provider`, or for the recorded one.
    pub fn new(provider: Option<Provider>, blobs: &'a dyn Blobs) -> Self {
        Self { session: None, provider, card: None, blobs }
    }

    /// Bills every call by this card from the first on.
    pub fn billed_by(self, card: Card, lifetime: Lifetime) -> Self {
        Self { card: Some(CardInUse { card, lifetime }), ..self }
    }

    /// Bills the calls from here on by this card: the model changed. Before the first event it is the card of all.
    pub fn use_card(&mut self, card: Card, lifetime: Lifetime) {
        match &mut self.session {
            Some(session) => session.use_card(card, lifetime),
            None => self.card = Some(CardInUse { card, lifetime }),
        }
    }

    pub fn push(&mut self, event: Event) -> Result<(), SessionError> {
        match &mut self.session {
            Some(session) => session.apply(event, self.blobs),
            None => {
                let mut session = Session::from_first(event, self.provider)?;
                if let Some(CardInUse { card, lifetime }) = self.card.take() {
                    session.use_card(card, lifetime);
                }
                self.session = Some(session);
                Ok(())
            }
        }
    }

    /// The session as it stood after the last event; none before the first.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    pub fn finish(self) -> Result<Session, SessionError> {
        Ok(self.session.ok_or(TraceError::Empty)?)
    }
}

impl Session {
    /// Applies a recorded trace. No trigger, rule or counter runs again.
    pub fn replay(events: impl IntoIterator<Item = Event>, blobs: &dyn Blobs) -> Result<Self, SessionError> {
        Self::replay_for(events, None, blobs)
    }

    /// The same, with prompts written for another provider than the recorded one.
    pub fn replay_for(
        events: impl IntoIterator<Item = Event>,
        provider: Option<Provider>,
        blobs: &dyn Blobs,
    ) -> Result<Self, SessionError> {
        let mut replay = Replay::new(provider, blobs);
        events.into_iter().try_for_each(|event| replay.push(event))?;
        replay.finish()
    }

    fn from_first(event: Event, provider: Option<Provider>) -> Result<Self, TraceError> {
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
        let state = State::new(start);
        Ok(Self {
            id: start.session.clone(),
            rendering: Rendering::new(provider.unwrap_or(state.model.provider)),
            start: start.clone(),
            state,
            trace: vec![event],
            index: Index::default(),
            rolled_back: RolledBack::default(),
            sent_to: None,
            ledger: Ledger::default(),
            reminders: BTreeMap::new(),
            provider,
            configuration: Configuration::default(),
            card: None,
            bill: None,
            reports: Reports::default(),
            compactor: Compactor::Rules,
            watch: Watch::default(),
            short_forms: RefCell::default(),
            archive_plan: Cell::default(),
            readings: RefCell::default(),
            coming_rents: Rents::default(),
            refused_at: None,
            room: None,
            delta_answered: None,
        })
    }

    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// All events. What a recording method added stands at the end.
    pub fn trace(&self) -> &[Event] {
        &self.trace
    }

    /// The number that the next event gets.
    pub fn next_event(&self) -> EventNo {
        EventNo(self.trace.len() as u64)
    }

    pub fn view(&self) -> &View {
        &self.state.view
    }

    pub fn start_of(&self) -> &SessionStarted {
        &self.start
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The prompt of the last call, as it was sent.
    pub fn sent(&self) -> &Rendering {
        &self.rendering
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// From now on decisions are made by these settings; what was decided before stays. A replayed session begins with
    /// the defaults.
    pub fn configure(&mut self, configuration: Configuration) {
        self.watch.forget();
        self.short_forms.borrow_mut().clear();
        self.configuration = configuration;
    }

    /// How many turns were ever appended.
    pub fn turns(&self) -> u32 {
        self.index.next_turn().0
    }

    /// Applies one event: the only way in which a session changes.
    fn apply(&mut self, event: Event, blobs: &dyn Blobs) -> Result<(), SessionError> {
        let misfit = |reason| TraceError::Misfit { event: event.seq, reason };
        if event.seq != self.next_event() {
            return Err(TraceError::OutOfOrder { expected: self.next_event(), found: event.seq }.into());
        }
        self.index.apply(&event).map_err(misfit)?;
        if self.bill.is_some() {
            self.note_report(&event.event);
        }
        match &event.event {
            EventBody::SessionStarted(start) => return Err(TraceError::StartedTwice(start.session.clone()).into()),
            EventBody::Forked { session, parent, turn } => {
                self.check_fork(session, parent, *turn, event.seq).map_err(misfit)?;
                self.id = (**session).clone();
            }
            EventBody::RolledBack { turn, board_ids, .. } => self.apply_rollback(*turn, *board_ids, event.seq)?,
            _ => self.state.apply(&event, Past { trace: &self.trace, index: &self.index }).map_err(misfit)?,
        }
        let started = match &event.event {
            EventBody::CallStarted { call, cold, details, .. } => {
                let kind = details.as_ref().map_or(&CallKind::Main, |details| &details.kind);
                kind.leaves_turn().then(|| (*call, event.at, cold.as_deref().copied()))
            }
            _ => None,
        };
        let answer = match &event.event {
            EventBody::AssistantTurn(turn) => Some(Source::Turn(turn.turn)),
            _ => None,
        };
        let failed = matches!(&event.event, EventBody::CallInterrupted { call, reason: Interruption::Failed(_) }
            if self.state.aside != Some(*call));
        tight::push(&mut self.trace, event);
        if let Some(bill) = self.bill.as_mut().filter(|_| failed) {
            bill.failed();
        }
        if let (Some(bill), Some(answer)) = (&mut self.bill, answer) {
            bill.close(self.state.view.entries().last().filter(|entry| entry.source == answer));
        }
        if let Some((call, at, cold)) = started {
            let (reused, written, reasons) = self.sync_rendering((call, at), cold, blobs)?;
            self.ledger.push(LedgerLine { call, at, reused, written, reasons });
        }
        self.note_compactor(blobs)?;
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

    fn apply_rollback(&mut self, turn: TurnNo, board_ids: BoardIds, event: EventNo) -> Result<(), SessionError> {
        let end = self.end_of_turn(turn)?;
        self.rolled_back.push(end, event);
        let mut state = State::new(&self.start);
        for past in &self.trace[1..=end.0 as usize] {
            if self.is_live(past.seq) {
                let misfit = |reason| TraceError::Misfit { event: past.seq, reason };
                state.apply(past, Past { trace: &self.trace, index: &self.index }).map_err(misfit)?;
            }
        }
        // What the rebuilt view went through is history; the one edit of the prompt is this rollback.
        state.view.take_change();
        state.view.note_change(0, Miss::RolledBack);
        state.keep_what_was_chosen(&self.state);
        if board_ids == BoardIds::GoOn {
            state.board.go_on_from(&self.state.board);
        }
        let past = Past { trace: &self.trace, index: &self.index };
        if state.thinking_refused {
            state.apply_thinking(ThinkingBehind::Dropped, 0, event, past);
        }
        state.separate_users(0..state.view.entries().len(), &self.index);
        self.archive_plan.set(None);
        self.state = state;
        Ok(())
    }

    /// Whether an event is part of the conversation, or was taken out by a rollback.
    pub fn is_live(&self, event: EventNo) -> bool {
        self.rolled_back.is_live(event)
    }
}
