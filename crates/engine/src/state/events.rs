//! What each event does to the state.

use super::{ModelInUse, Note, PendingRules, Round, RoundState, State, Step};
use crate::{
    history::{History, index::Index},
    ledger::Miss,
    reconcile::Reconciled,
    tight,
    trace::{
        Event, EventBody, EventNo, Origin, Stop, TurnNo,
        decision::{StateDelta, ThinkingBehind},
        event::{Effect, FollowedAnchor, Interruption, NoteKind, Usage},
        turn::AssistantTurn,
    },
    view::{
        Source,
        visible::{part_tokens, visible_parts},
    },
};

impl State {
    /// Applies a recorded event. `Err` says why no session can have written it.
    pub(crate) fn apply(&mut self, event: &Event, past: &History) -> Result<(), String> {
        let seq = event.seq;
        match &event.event {
            EventBody::UserTurn(turn) => {
                self.expect_idle("a user turn")?;
                self.begin_turn(turn.origin, turn.turn);
                self.show(Source::Turn(turn.turn), seq, turn.tokens, past.index());
            }
            EventBody::AssistantTurn(turn) => {
                self.expect_whole_step("an assistant turn")?;
                self.apply_assistant_turn(turn, seq, past.index());
            }
            // Told when it was over: nothing of it is under way.
            EventBody::CallStarted { details: Some(details), .. } if details.over.is_some() => {}
            EventBody::CallStarted { call, rents, input_tokens, details, .. } => {
                self.expect_idle("a call")?;
                self.call = Some(*call);
                if details.as_ref().is_some_and(|details| !details.kind.leaves_turn()) {
                    self.aside = Some(*call);
                    return Ok(());
                }
                self.input_tokens = (*call, *input_tokens);
                if let Some(rents) = rents {
                    self.rents.pay(rents);
                }
            }
            EventBody::StepInterrupted { reason, .. } => {
                if *reason == Interruption::Cancelled {
                    self.end_round();
                }
            }
            EventBody::CallEnded { .. } => self.call = None,
            EventBody::CallInterrupted { call, reason } => {
                self.call = None;
                if *reason == Interruption::Cancelled && self.aside != Some(*call) {
                    self.end_round();
                }
            }
            EventBody::StepEnded { turn, shown } => {
                if self.step != Some(*turn) {
                    return Err(format!("the step of turn {turn} is not the open one"));
                }
                self.step = None;
                self.show(Source::Turn(*turn), seq, sum(shown.iter().map(|shown| shown.tokens)), past.index());
            }
            EventBody::SpanStarted { span, .. } => self.open_spans.push((**span).clone()),
            EventBody::SpanEnded { span, .. } => self.open_spans.retain(|open| *open != **span),
            EventBody::Todo { items } => self.todo.clone_from(items),
            EventBody::NoteShown { kind, key, content } => {
                self.expect_idle("a note")?;
                let note = Note { text: content.text.clone(), event: seq, in_view: true };
                self.notes.insert((*kind, key.to_string()), note);
                if *kind == NoteKind::BoardRequest {
                    self.delta_asked = Some((self.board.version(), seq));
                }
                if let (NoteKind::RulesChanged, Some(pending)) = (kind, &mut self.pending_rules) {
                    pending.announced = true;
                }
                self.show(Source::Note, seq, content.tokens, past.index());
            }
            EventBody::RulesChanged { rules, effect: Effect::Now, thinking } => {
                self.pending_rules = None;
                self.view.set_rules((**rules).clone());
                self.apply_thinking(*thinking, 0, seq, past);
            }
            EventBody::RulesChanged { rules, effect: Effect::Later, .. } => {
                self.pending_rules = Some(PendingRules { rules: (**rules).clone(), announced: false });
            }
            EventBody::ModelChanged {
                model,
                provider,
                window,
                output_reserve,
                alternation,
                plain_thinking,
                pictures,
                thinking,
            } => {
                // What one model refuses another may need.
                self.thinking_refused &= *self.model.name == **model;
                self.model = ModelInUse {
                    provider: *provider,
                    name: model.to_string(),
                    window: *window,
                    reserve: *output_reserve,
                    alternation: *alternation,
                    plain_thinking: *plain_thinking,
                    pictures: *pictures,
                };
                if let Some(place) = self.apply_thinking(*thinking, 0, seq, past) {
                    self.view.note_change(place, Miss::ThinkingDropped);
                }
                self.reconciled = Reconciled::default();
                self.last_usage = None;
                if let Some(first) = self.separate_users(0..self.view.entries().len(), past.index()) {
                    self.view.note_change(first, Miss::ModelChanged);
                }
            }
            // The prompts of other calls say nothing about the conversation's.
            EventBody::Usage(usage) if self.aside == Some(usage.call) => {}
            EventBody::Usage(usage) => self.apply_usage(*usage, seq),
            EventBody::ThinkingRefused => {
                self.thinking_refused = true;
                self.view.note_change(0, Miss::ThinkingDropped);
                self.apply_thinking(ThinkingBehind::Dropped, 0, seq, past);
            }
            EventBody::HeadChanged(head) => {
                self.head_changed = Some(seq);
                self.view.set_frozen_tokens(head.system.tokens.saturating_add(head.tools_tokens));
            }
            EventBody::Pinned(pinned) => {
                self.board.pin(&pinned.pointer);
                self.pins.push((seq, (**pinned).clone()));
            }
            EventBody::Unpinned { pointer } => {
                self.board.unpin(pointer);
                self.pins.retain(|(_, pinned)| *pinned.pointer != **pointer);
            }
            EventBody::StateDelta(delta) => self.apply_delta(delta, seq, past)?,
            EventBody::LayoutChanged(change) => self.apply_layout(change, seq, past)?,
            EventBody::Fold(fold) => self.apply_fold(fold, seq, past)?,
            EventBody::Unfold(unfold) => self.apply_unfold(unfold, seq, past)?,
            EventBody::Settle(settle) => self.apply_settle(settle, seq, past)?,
            EventBody::Stub(stub) => self.apply_stub(stub, seq, past)?,
            EventBody::Archive(archive) => self.apply_archive(archive, seq, past)?,
            EventBody::FileChanged(changed) => self.follow_anchors(&changed.path, &changed.anchors, past.index()),
            EventBody::FileObserved(seen) => self.follow_anchors(&seen.path, &seen.anchors, past.index()),
            // Events that do not change the view.
            EventBody::SessionStarted(_)
            | EventBody::Forked { .. }
            | EventBody::RolledBack { .. }
            | EventBody::ToolCall { .. }
            | EventBody::ToolResult { .. }
            | EventBody::ConfigurationChanged { .. }
            | EventBody::ChildStarted(_)
            | EventBody::ClientCompacted(_)
            | EventBody::SnapshotTaken(_)
            | EventBody::SnapshotUndone(_)
            | EventBody::JobStarted(_)
            | EventBody::JobEnded(_)
            | EventBody::GateAsked(_)
            | EventBody::GateDecided(_)
            | EventBody::PermissionAsked(_)
            | EventBody::PermissionDecided(_)
            | EventBody::Error { .. } => {}
            EventBody::TextRefused(_) => self.texts_refused += 1,
        }
        Ok(())
    }

    fn apply_assistant_turn(&mut self, turn: &AssistantTurn, seq: EventNo, index: &Index) {
        self.call = None;
        self.last_stop = turn.stop;
        let tool = TurnNo(turn.turn.0 + 1);
        let waits = index.tool_turn(tool).is_some_and(|step| step.assistant == seq);
        self.step = waits.then_some(tool);
        tight::push(&mut self.steps, Step { assistant: turn.turn, tool: self.step });
        let visible = visible_parts(turn);
        if !visible.is_empty() {
            let tokens = sum(visible.iter().map(|part| part_tokens(part)));
            self.show(Source::Turn(turn.turn), seq, tokens, index);
        }
        let is_answer = turn.stop == Stop::End && !waits;
        if is_answer || turn.stop == Stop::Cancelled {
            self.end_round();
        }
    }

    fn follow_anchors(&mut self, path: &str, anchors: &[FollowedAnchor], index: &Index) {
        let turn = TurnNo(index.next_turn().0.saturating_sub(1));
        self.board.apply_followed(path, anchors, turn);
    }

    fn apply_usage(&mut self, usage: Usage, event: EventNo) {
        self.last_usage = Some((usage, event));
        let (call, counted) = self.input_tokens;
        if usage.call == call {
            self.reconciled.apply_bill(u64::from(counted), usage.billed.prompt());
        }
    }

    fn apply_delta(&mut self, delta: &StateDelta, event: EventNo, past: &History) -> Result<(), String> {
        if delta.version != self.board.version() + 1 {
            return Err(format!("STATE_DELTA v{} does not follow v{}", delta.version, self.board.version()));
        }
        match (&delta.entry, self.step) {
            (Some(entry), _) => {
                self.expect_whole_step("a state delta")?;
                self.show(Source::Board, event, entry.tokens, past.index());
            }
            (None, Some(turn)) => {
                self.board_calls.push(turn);
                if delta.delta.task.is_some() || delta.delta.now.is_some() {
                    self.named = [delta.delta.task.clone(), delta.delta.now.clone()];
                }
            }
            (None, None) => return Err("a state delta without an entry stands outside of a step".into()),
        }
        self.board.apply(&delta.delta);
        Ok(())
    }

    fn expect_idle(&self, what: &str) -> Result<(), String> {
        self.expect_whole_step(what)?;
        match self.call {
            Some(call) => Err(format!("{what} stands inside of call {call}")),
            None => Ok(()),
        }
    }

    fn begin_turn(&mut self, origin: Origin, turn: TurnNo) {
        let running = self.rounds.last().is_some_and(|round| round.state == RoundState::Running);
        let begins = match origin {
            Origin::Person => true,
            Origin::Queued => !running,
            Origin::Machine => false,
        };
        if begins {
            self.end_round();
            self.rounds.push(Round { first: turn, state: RoundState::Running });
        }
    }

    fn end_round(&mut self) {
        if let Some(round) = self.rounds.last_mut() {
            round.state = RoundState::Ended;
        }
    }
}

/// A trace from outside can claim any number of tokens; no view of that size is ever sent.
fn sum(tokens: impl Iterator<Item = u32>) -> u32 {
    tokens.fold(0, u32::saturating_add)
}
