//! A session: the state machine around one trace.
//!
//! Recording methods ([`record`]) turn what happened into events and apply them; [`Session::replay`] applies events that
//! were recorded before. Applying is the only way the state changes, and it decides nothing. The session does not know
//! where its events are stored or how prompts are sent.

mod edit;
pub mod error;
pub mod index;
mod lookup;
mod message;
pub mod record;
mod rolled_back;
pub mod state;
mod visible;

use std::{borrow::Cow, collections::BTreeMap};

use lookback_wire::Provider;

pub use error::{SessionError, TraceError, WindowExceeded};
pub use record::{NewPart, RecordedTurn, SessionSetup};

use crate::{
    configuration::Configuration,
    ledger::{Ledger, LedgerLine, Miss, Size},
    session::{
        index::Index,
        rolled_back::RolledBack,
        state::{ModelInUse, State},
    },
    tight,
    trace::{
        BlobError, Blobs, Event, EventBody, EventNo, SessionId, SessionStarted, Timestamp, TurnNo,
        event::NoteKind,
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
    /// What recording decides by. No part of the state: replay never asks it.
    configuration: Configuration,
}

/// A replay that takes its events one by one, so that a long trace need not be in memory twice.
pub struct Replay<'a> {
    session: Option<Session>,
    provider: Option<Provider>,
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
        Self { session: None, provider, blobs }
    }

    pub fn push(&mut self, event: Event) -> Result<(), SessionError> {
        match &mut self.session {
            Some(session) => session.apply(event, self.blobs),
            None => {
                self.session = Some(Session::from_first(event, self.provider)?);
                Ok(())
            }
        }
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
        match &event.event {
            EventBody::SessionStarted(start) => return Err(TraceError::StartedTwice(start.session.clone()).into()),
            EventBody::Forked { session, parent, turn } => {
                self.check_fork(session, parent, *turn, event.seq).map_err(misfit)?;
                self.id = session.clone();
            }
            EventBody::RolledBack { turn } => self.apply_rollback(*turn, event.seq)?,
            _ => self.state.apply(&event, &self.index).map_err(misfit)?,
        }
        let started = match event.event {
            EventBody::CallStarted { call, .. } => Some((call, event.at)),
            _ => None,
        };
        tight::push(&mut self.trace, event);
        if let Some((call, at)) = started {
            let (reused, written, reasons) = self.sync_rendering(blobs)?;
            self.ledger.push(LedgerLine { call, at, reused, written, reasons });
        }
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

    fn apply_rollback(&mut self, turn: TurnNo, event: EventNo) -> Result<(), SessionError> {
        let end = self.end_of_turn(turn)?;
        self.rolled_back.push(end, event);
        let mut state = State::new(&self.start);
        for past in &self.trace[1..=end.0 as usize] {
            if self.is_live(past.seq) {
                let misfit = |reason| TraceError::Misfit { event: past.seq, reason };
                state.apply(past, &self.index).map_err(misfit)?;
            }
        }
        // What the rebuilt view went through is history; the one edit of the prompt is this rollback.
        state.view.take_change();
        state.view.note_change(0, Miss::RolledBack);
        state.keep_what_was_chosen(&self.state);
        self.state = state;
        Ok(())
    }

    /// Whether an event is part of the conversation, or was taken out by a rollback.
    pub fn is_live(&self, event: EventNo) -> bool {
        self.rolled_back.is_live(event)
    }

    /// Brings the bytes up to date before a call: what of the last prompt is reused, what is new, and why.
    fn sync_rendering(&mut self, blobs: &dyn Blobs) -> Result<(Size, Size, Cow<'static, [Miss]>), BlobError> {
        let change = self.state.view.take_change();
        let provider = self.prompt_provider();
        let last_call = self.sent_to.as_ref().map(|(_, event)| *event);
        // Another model has another cache: nothing of the old prompt is worth anything there.
        let same_model = self.sent_to.as_ref().is_some_and(|(model, _)| {
            model.provider == self.state.model.provider && model.name == self.state.model.name
        });
        let mut rendering = std::mem::replace(&mut self.rendering, Rendering::new(provider));
        let before = rendering.size();
        if !same_model {
            rendering = Rendering::new(provider);
        }
        let render = |provider, entry: Option<&_>| self.render_part(provider, entry, blobs);
        let reused = rendering.sync(&self.state.view, &change, &render);
        let written = reused.as_ref().map(|reused| rendering.size() - *reused);
        self.rendering = rendering;
        self.sent_to = Some((self.state.model.clone(), EventNo(self.trace.len() as u64 - 1)));
        let (reused, written) = (reused.clone()?, written.map_err(Clone::clone)?);
        let mut reasons = match last_call {
            None => vec![Miss::FirstCall],
            Some(_) if !same_model => vec![Miss::ModelChanged],
            // An edit of what was never sent costs nothing.
            Some(_) if reused == before => Vec::new(),
            Some(_) => change.reasons,
        };
        let newest = self.state.view.entries().last();
        let appended = newest.is_some_and(|entry| {
            matches!(entry.source, Source::Turn(_) | Source::Note) && Some(entry.revision) > last_call
        });
        if last_call.is_some() && written.tokens > 0 && (appended || reasons.is_empty()) {
            reasons.push(Miss::NewTurns);
        }
        // Nearly every line of a long session says the same.
        let reasons =
            if reasons == [Miss::NewTurns] { Cow::Borrowed(&[Miss::NewTurns][..]) } else { Cow::Owned(reasons) };
        Ok((reused, written, reasons))
    }
}
