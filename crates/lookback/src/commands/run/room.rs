//! What the loop needs from this program: clock, counter, store, and a person who watches.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use anyhow::Result;
use lookback_agent::{Answer, House, News, Question};
use lookback_engine::{
    Context, Session, SessionError,
    trace::{Blobs, SessionId, Timestamp, event::Interruption},
};
use lookback_models::{
    Progress,
    driving::{Cancel, KeepError, Surroundings},
};
use lookback_store::{Durability, SessionWriter, Store};
use lookback_tools::Keep;

use super::{model::Asked, project::Project, question, shown, workshop::Bench};
use crate::{
    counter::Counter,
    decided::{Decided, Walls},
    opened, screen,
};

pub(super) struct Room<'a> {
    store: &'a Store,
    writer: SessionWriter,
    counter: Counter,
    name: String,
    /// Events go to standard output as they are stored.
    json: bool,
    /// Whoever read them has gone.
    is_closed: bool,
    person: Person,
}

/// Whoever may be asked.
pub(super) struct Person {
    pub(super) root: PathBuf,
    pub(super) decided: Decided,
    pub(super) walls: Walls,
    pub(super) cancel: Cancel,
}

/// Takes large outputs of a session's commands into the store before their results name them.
pub(super) fn keeper(store: &Store, session: &SessionId) -> Keep {
    let (store, session) = (store.clone(), session.clone());
    Box::new(move |hash, _, bytes| store.keep_output(&session, &hash, bytes).map_err(io::Error::other))
}

impl<'a> Room<'a> {
    pub(super) fn new(
        store: &'a Store,
        writer: SessionWriter,
        session: &Session,
        json: bool,
        person: Person,
    ) -> Result<Self> {
        let (counter, name) = (Counter::of(session.start_of())?, store.short_id(session.id())?);
        let room = Self { store, writer, counter, name, json, is_closed: false, person };
        if json {
            let stored = room.writer.next().0 as usize;
            room.print(&session.trace()[..stored])?;
        }
        Ok(room)
    }

    /// The session's, as a person types it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Nobody reads the events any more: there is no reason to go on, and nothing to say.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// One line before the work begins.
    pub(super) fn begin(&self, asked: &Asked, bench: &Bench, project: &Project, is_new: bool) {
        screen::remark(&shown::beginning(asked, bench, project, (!is_new).then_some(self.name())));
    }

    pub(super) fn record<T>(&self, record: impl FnOnce(&Context<'_>) -> Result<T, SessionError>) -> Result<T> {
        let count = |bytes: &[u8]| self.counter.count(bytes);
        Ok(record(&Context { now: self.now(), count: &count, blobs: self.store })?)
    }

    /// Ends what a dead process left open, and stores that.
    /// `rules` are those of today.
    pub(super) fn resume(&mut self, session: &mut Session, rules: String) -> Result<()> {
        let events = session.trace().len();
        self.record(|context| session.rules_changed(rules, context))?;
        if session.trace().len() > events {
            self.tell(&News::RulesChanged);
            session.remind(
                "rules",
                "The project's rules have changed since you last worked: those above are the new ones.",
            );
        }
        if session.turns() > 0 {
            self.record(|context| session.resume(context))?;
        }
        Ok(self.keep(session)?)
    }

    /// What was open when the work broke down is recorded as interrupted.
    pub(super) fn close_broken(&mut self, session: &mut Session) -> Result<()> {
        self.record(|context| session.interrupt(Interruption::Killed, context))?;
        Ok(self.keep(session)?)
    }

    /// The lines of `show ID --trace --json`.
    fn print(&self, events: &[lookback_engine::trace::Event]) -> Result<()> {
        let mut out = screen::bytes();
        for event in events {
            serde_json::to_writer(&mut out, &self.store.inline(event.clone())?)?;
            writeln!(out)?;
        }
        Ok(out.flush()?)
    }
}

impl Surroundings for Room<'_> {
    fn now(&self) -> Timestamp {
        opened::now()
    }

    fn count(&self, bytes: &[u8]) -> u32 {
        self.counter.count(bytes)
    }

    fn blobs(&self) -> &dyn Blobs {
        self.store
    }

    fn keep(&mut self, session: &mut Session) -> Result<(), KeepError> {
        let new = &session.trace()[self.writer.next().0 as usize..];
        if new.is_empty() {
            return Ok(());
        }
        self.writer.append(new, Durability::Durable).map_err(|error| KeepError(Box::new(error)))?;
        if self.json && !self.is_closed {
            let printed = self.print(new);
            self.is_closed = printed.as_ref().is_err_and(screen::is_closed_pipe);
            printed.map_err(|error| KeepError(error.into()))?;
        }
        self.writer.release(session);
        Ok(())
    }

    fn watch(&mut self, progress: &Progress) {
        if let Progress::Retrying { attempt, wait, because } = progress {
            screen::remark(&format!(" {because}; try {attempt} in {:.1} s", wait.as_secs_f64()));
        }
    }
}

impl House for Room<'_> {
    fn tell(&mut self, news: &News<'_>) {
        if let Some(line) = shown::line(news) {
            screen::remark(&line);
        }
    }

    fn ask(&mut self, asked: &Question<'_>) -> Answer {
        let Person { root, decided, walls, cancel } = &mut self.person;
        let (tool, arguments, walls) = (asked.tool, asked.arguments, *walls);
        if decided.covers(tool, arguments, walls) {
            return Answer::Remembered;
        }
        if !screen::can_ask() {
            return Answer::Nobody;
        }
        let can_last = decided.can_last(tool, arguments);
        let mut remember = || decided.remember(tool, arguments, walls);
        question::ask(asked, root, &|| cancel.is_cancelled(), if can_last { Some(&mut remember) } else { None })
    }
}
