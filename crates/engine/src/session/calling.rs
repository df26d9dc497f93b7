//! Before a call: what has changed is shown, and what does not fit is made to fit, or the call is refused.

use std::collections::BTreeMap;

use super::Session;
use crate::{
    configuration::SettleWhen,
    context::Context,
    edits::{archive, draft::FoldDraft, fold, settle, walls::Walls, window, zone},
    error::{FoldRefused, SessionError, expect_idle},
    history::index::TurnRecord,
    planner::Asked,
    recorder::{Book, turns},
    trace::{
        CallNo, EventBody,
        decision::TurnRange,
        event::{CallDetails, NoteKind},
    },
    view::{
        Entry, Source,
        recap::{render_interrupted, render_rules_changed, render_todo_recap},
    },
};

/// What a provider said of a prompt that it called too long, in its own tokens, as far as it said anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overflow {
    /// How long the prompt was.
    pub sent: Option<u64>,
    /// How long it may be.
    pub limit: Option<u64>,
}

/// Whether the view got any shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It did: the call may be tried again.
    Made,
    /// There is nothing left to take away.
    NotFound,
}

impl Session {
    /// Appends what has changed since the last call, checks the window, and opens a call. When the window is exceeded the
    /// refusal itself is recorded.
    pub fn start_call(&mut self, context: &Context<'_>) -> Result<CallNo, SessionError> {
        expect_idle(&self.history)?;
        if self.is_guest() {
            return self.open_call(None, context);
        }
        if self.ends_with_assistant() {
            if !self.state.last_stop.is_interrupted() {
                return Err(SessionError::NothingToAnswer);
            }
            self.note(NoteKind::Interrupted, "", render_interrupted(self.state.last_stop), context)?;
        } else if self.view().entries().iter().all(|entry| matches!(entry.source, Source::Note | Source::Board)) {
            return Err(SessionError::NothingToAnswer);
        }
        self.show_changed_notes(context)?;
        // `always`: before the next round's first call (docs/seeds.md A2).
        if self.settles() == SettleWhen::Always {
            let due = settle::due_settle(self.desk(), context)?;
            self.settle_due(due, None, context)?;
        }
        self.make_it_fit(context)?;
        if let Err(exceeded) = self.check_window() {
            self.error("window_exceeded", exceeded.to_string(), context)?;
            return Err(SessionError::WindowExceeded(exceeded));
        }
        self.open_call(None, context)
    }

    pub(super) fn open_call(
        &mut self,
        details: Option<Box<CallDetails>>,
        context: &Context<'_>,
    ) -> Result<CallNo, SessionError> {
        let cold = self.desk().cold(context.now);
        let rents = std::mem::take(&mut self.policy.coming_rents);
        turns::start_call(self, rents, cold, details, context)
    }

    pub(super) fn settles(&self) -> SettleWhen {
        self.policy.configuration.settle.when_in(self.state.layout)
    }

    fn ends_with_assistant(&self) -> bool {
        // Neither a board entry nor the request for one is something to answer.
        let says_something = |entry: &&Entry| match entry.source {
            Source::Board => false,
            Source::Note => !matches!(
                self.history.body_of(entry.revision),
                EventBody::NoteShown { kind: NoteKind::BoardRequest, .. }
            ),
            _ => true,
        };
        match self.view().entries().iter().rev().find(says_something).map(|entry| entry.source) {
            Some(Source::Turn(turn)) => {
                matches!(self.history.index().turn(turn), Some(TurnRecord::Assistant { .. }))
            }
            _ => false,
        }
    }

    /// Reminders and the todo recap are appended when they change, and left where they were first sent.
    fn show_changed_notes(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        // What an edit of the view took away is shown again.
        let gone = self.state.notes.iter().filter(|((kind, _), note)| *kind == NoteKind::Reminder && !note.in_view);
        let mut due: BTreeMap<(NoteKind, String), String> =
            gone.map(|(key, note)| (key.clone(), note.text.clone())).collect();
        due.append(&mut self.reminders);
        let rules = (NoteKind::RulesChanged, String::new());
        let told = self.state.notes.get(&rules).is_some_and(|note| note.in_view);
        if self.state.pending_rules.as_ref().is_some_and(|pending| !pending.announced || !told) {
            due.insert(rules, render_rules_changed());
        }
        let recap = (NoteKind::TodoRecap, String::new());
        if !self.state.todo.is_empty() || self.state.notes.contains_key(&recap) {
            due.insert(recap, render_todo_recap(&self.state.todo, &self.policy.configuration.notes));
        }
        for ((kind, key), text) in due {
            let shown = self.state.notes.get(&(kind, key.clone()));
            let same = shown.is_some_and(|note| note.in_view && note.text == text);
            // Rules that change twice are announced twice, in the same words.
            if !same || kind == NoteKind::RulesChanged {
                self.note(kind, key, text, context)?;
            }
        }
        Ok(())
    }

    fn fits(&self) -> bool {
        window::fits(self.desk(), self.view().tokens())
    }

    /// The window is law (docs/design/model.md): settle; fold to the newest step; archive rounds, then steps; fold to the
    /// end of what the model has seen. Each only if what came before it did not suffice.
    fn make_it_fit(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        if self.fits() {
            return Ok(());
        }
        let due = settle::due_settle(self.desk(), context)?;
        self.settle_due(due, None, context)?;
        if !self.fits() {
            let decision = fold::ask_planner(self.desk(), Asked::Window, None, &Walls::default(), context);
            let draft = fold::draft_of(self.desk(), &decision, None);
            draft.map_or(Ok(()), |draft| self.try_fold(&draft, context))?;
        }
        if !self.fits()
            && let Some(planned) = archive::archive_for_window(self.desk(), context)
        {
            self.record_archive(planned, context)?;
        }
        if !self.fits() {
            let draft = self.all_that_was_seen();
            draft.map_or(Ok(()), |draft| self.try_fold(&draft, context))?;
        }
        Ok(())
    }

    /// A result that the model has not seen stays.
    fn all_that_was_seen(&self) -> Option<FoldDraft> {
        let desk = self.desk();
        let unseen = zone::unseen_results(desk);
        let cuts = zone::cuts(desk, None, &Walls::default());
        let cut = cuts.iter().rev().find(|cut| Some(cut.end) != unseen)?;
        Some(FoldDraft {
            range: TurnRange { first: zone::hot_turns(desk.bench()).next()?, last: cut.end },
            reach: Default::default(),
            budget: self.policy.configuration.fold.block_least as u32,
            focus: None,
            trigger: "window".into(),
            decision: None,
        })
    }

    /// A fold that is refused leaves the view as it was; the next means may help.
    fn try_fold(&mut self, draft: &FoldDraft, context: &Context<'_>) -> Result<(), SessionError> {
        match self.fold_by_rules(draft, context) {
            Ok(_) | Err(SessionError::Fold(FoldRefused::Admission(_) | FoldRefused::TooLittle { .. })) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// A provider called a prompt too long that we thought would fit: room is made once, by the same means and in the same
    /// order as for the window, and what was learned of the window is written down. To be called between two calls,
    /// before the prompt is tried once more: where no room was found, the same prompt would be refused again.
    pub fn make_room(&mut self, overflow: Overflow, context: &Context<'_>) -> Result<Room, SessionError> {
        expect_idle(&self.history)?;
        let before = self.view().tokens();
        self.learn_window(overflow, context)?;
        self.policy.room = Some(self.room_after(overflow, before));
        let made = self.make_it_fit(context);
        self.policy.room = None;
        made?;
        Ok(if self.view().tokens() < before { Room::Made } else { Room::NotFound })
    }

    /// A window that is smaller than the card says is known from now on.
    fn learn_window(&mut self, overflow: Overflow, context: &Context<'_>) -> Result<(), SessionError> {
        let Some(limit) = overflow.limit.and_then(|limit| u32::try_from(limit).ok()).filter(|limit| *limit > 0) else {
            return Ok(());
        };
        let in_use = &self.state.model;
        if limit >= in_use.window {
            return Ok(());
        }
        let changed = EventBody::ModelChanged {
            model: in_use.name.as_str().into(),
            provider: in_use.provider,
            window: limit,
            output_reserve: self.policy.configuration.window.output_reserve(Some(in_use.reserve), limit),
            alternation: in_use.alternation,
            plain_thinking: in_use.plain_thinking,
            pictures: in_use.pictures,
            thinking: Default::default(),
        };
        self.record(changed, context)
    }

    /// In our count. The answer needs room, too.
    fn room_after(&self, overflow: Overflow, counted: u64) -> u64 {
        match (overflow.sent.filter(|sent| *sent > 0), overflow.limit) {
            (Some(sent), Some(limit)) => {
                let reserve = u64::from(self.state.model.reserve).min(limit / 2);
                counted.saturating_mul(limit - reserve) / sent
            }
            _ => counted * u64::from(self.policy.configuration.window.room_without_sizes) / 100,
        }
    }
}
