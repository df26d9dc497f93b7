//! The part of a session that a rollback takes back: the view, the open call and step, rounds, todo, rules.
//!
//! It is a function of the live events alone, in their order, and decides nothing: rebuilding it from the trace gives the
//! same state again.

use std::collections::BTreeMap;

use lookback_wire::Provider;

use super::{
    index::Index,
    visible::{part_tokens, visible_parts},
};
use crate::{
    tight,
    trace::{
        CallNo, Event, EventBody, EventNo, Layout, Origin, SessionStarted, Stop, TurnNo,
        event::{Effect, Interruption, NoteKind, SpanId},
        result::TodoItem,
        start::Counted,
        turn::AssistantTurn,
    },
    view::{Entry, Head, Source, TOKENS_PER_MESSAGE, View},
};

#[derive(Debug)]
pub struct State {
    pub(crate) view: View,
    pub(crate) model: ModelInUse,
    pub(crate) layout: Layout,
    /// The model call under way.
    pub(crate) call: Option<CallNo>,
    /// The tool turn that still waits for results.
    pub(crate) step: Option<TurnNo>,
    /// How the last assistant turn ended.
    pub(crate) last_stop: Stop,
    pub(crate) steps: Vec<Step>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) open_spans: Vec<SpanId>,
    pub(crate) todo: Vec<TodoItem>,
    /// The last text of each kind and key of note.
    pub(crate) notes: BTreeMap<(NoteKind, String), String>,
    pub(crate) pending_rules: Option<PendingRules>,
    /// What each block replaced, for unfold.
    pub(crate) folded: BTreeMap<u32, Vec<Entry>>,
    /// Results in their short form: the settle event and the place in it.
    pub(crate) settled: BTreeMap<(TurnNo, u32), (EventNo, u32)>,
}

/// What is asked, through which API, and how much it takes. A person's choice: a rollback leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInUse {
    pub provider: Provider,
    pub name: String,
    pub window: u32,
    pub reserve: u32,
}

/// Rules that changed on disk and are not in the view yet.
#[derive(Debug, Clone)]
pub(crate) struct PendingRules {
    pub(crate) rules: Counted,
    /// Whether the model was told.
    pub(crate) announced: bool,
}

/// One model call with the results of its tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub assistant: TurnNo,
    /// None: an answer without tool calls.
    pub tool: Option<TurnNo>,
}

/// From a person's turn to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    pub first: TurnNo,
    pub state: RoundState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundState {
    Running,
    Ended,
}

impl State {
    pub fn model(&self) -> &ModelInUse {
        &self.model
    }

    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn new(start: &SessionStarted) -> Self {
        let head =
            Head { frozen_tokens: start.system.tokens.saturating_add(start.tools_tokens), rules: start.rules.clone() };
        let model = ModelInUse {
            provider: start.provider,
            name: start.model.clone(),
            window: start.window,
            reserve: start.output_reserve,
        };
        Self {
            view: View::new(head),
            model,
            layout: start.layout,
            call: None,
            step: None,
            last_stop: Stop::End,
            steps: Vec::new(),
            rounds: Vec::new(),
            open_spans: Vec::new(),
            todo: Vec::new(),
            notes: BTreeMap::new(),
            pending_rules: None,
            folded: BTreeMap::new(),
            settled: BTreeMap::new(),
        }
    }

    /// Applies a recorded event. `Err` says why no session can have written it.
    pub(crate) fn apply(&mut self, event: &Event, index: &Index) -> Result<(), String> {
        let seq = event.seq;
        match &event.event {
            EventBody::UserTurn(turn) => {
                self.expect_idle("a user turn")?;
                self.begin_turn(turn.origin, turn.turn);
                self.show(Source::Turn(turn.turn), seq, turn.tokens);
            }
            EventBody::AssistantTurn(turn) => {
                self.expect_whole_step("an assistant turn")?;
                self.apply_assistant_turn(turn, seq, index);
            }
            EventBody::CallStarted { call, .. } => {
                self.expect_idle("a call")?;
                self.call = Some(*call);
            }
            EventBody::StepInterrupted { reason, .. } => {
                if *reason == Interruption::Cancelled {
                    self.end_round();
                }
            }
            EventBody::CallEnded { .. } => self.call = None,
            EventBody::CallInterrupted { reason, .. } => {
                self.call = None;
                if *reason == Interruption::Cancelled {
                    self.end_round();
                }
            }
            EventBody::StepEnded { turn, shown } => {
                if self.step != Some(*turn) {
                    return Err(format!("the step of turn {turn} is not the open one"));
                }
                self.step = None;
                self.show(Source::Turn(*turn), seq, sum(shown.iter().map(|shown| shown.tokens)));
            }
            EventBody::SpanStarted { span, .. } => self.open_spans.push(span.clone()),
            EventBody::SpanEnded { span, .. } => self.open_spans.retain(|open| open != span),
            EventBody::Todo { items } => self.todo.clone_from(items),
            EventBody::NoteShown { kind, key, content } => {
                self.expect_idle("a note")?;
                self.notes.insert((*kind, key.clone()), content.text.clone());
                if let (NoteKind::RulesChanged, Some(pending)) = (kind, &mut self.pending_rules) {
                    pending.announced = true;
                }
                self.show(Source::Note, seq, content.tokens);
            }
            EventBody::RulesChanged { rules, effect: Effect::Now } => {
                self.pending_rules = None;
                self.view.set_rules(rules.clone());
            }
            EventBody::RulesChanged { rules, effect: Effect::Later } => {
                self.pending_rules = Some(PendingRules { rules: rules.clone(), announced: false });
            }
            EventBody::ModelChanged { model, provider, window, output_reserve } => {
                self.model =
                    ModelInUse { provider: *provider, name: model.clone(), window: *window, reserve: *output_reserve };
            }
            EventBody::LayoutChanged { layout } => self.layout = *layout,
            EventBody::StateDelta(delta) => {
                self.expect_whole_step("a state delta")?;
                self.show(Source::Board, seq, delta.entry.tokens);
            }
            EventBody::Fold(fold) => self.apply_fold(fold, seq)?,
            EventBody::Unfold { block } => self.apply_unfold(*block)?,
            EventBody::Settle(settle) => self.apply_settle(settle, seq, index)?,
            EventBody::Archive(archive) => self.apply_archive(archive, seq)?,
            // Facts of the trace that the view does not show.
            EventBody::SessionStarted(_)
            | EventBody::Forked { .. }
            | EventBody::RolledBack { .. }
            | EventBody::Usage(_)
            | EventBody::ToolCall { .. }
            | EventBody::ToolResult { .. }
            | EventBody::FileObserved(_)
            | EventBody::FileChanged(_)
            | EventBody::Gate(_)
            | EventBody::ConfigurationChanged { .. }
            | EventBody::Error { .. } => {}
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
            self.show(Source::Turn(turn.turn), seq, tokens);
        }
        let is_answer = turn.stop == Stop::End && !waits;
        if is_answer || turn.stop == Stop::Cancelled {
            self.end_round();
        }
    }

    /// After a rollback: the model in use stays, and rules that came later wait to take effect again.
    pub(crate) fn keep_what_was_chosen(&mut self, before: &State) {
        self.model = before.model.clone();
        let rules = match &before.pending_rules {
            Some(pending) => &pending.rules,
            None => &before.view.head().rules,
        };
        if *rules != self.view.head().rules {
            self.pending_rules = Some(PendingRules { rules: rules.clone(), announced: false });
        }
    }

    /// A step's calls and its results stand together.
    fn expect_whole_step(&self, what: &str) -> Result<(), String> {
        match self.step {
            Some(turn) => Err(format!("{what} stands between the calls and the results of turn {turn}")),
            None => Ok(()),
        }
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

    fn show(&mut self, source: Source, revision: EventNo, tokens: u32) {
        self.view.push(Entry { source, revision, tokens: tokens.saturating_add(TOKENS_PER_MESSAGE) });
    }
}

/// A trace from outside can claim any number of tokens; no view of that size is ever sent.
fn sum(tokens: impl Iterator<Item = u32>) -> u32 {
    tokens.fold(0, u32::saturating_add)
}
