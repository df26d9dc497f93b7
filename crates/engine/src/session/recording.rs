//! What happened, recorded: each method says something to the recorder and keeps the view in step.

use lookback_wire::ToolSpec;

use super::{Session, ShownResults};
use crate::{
    context::Context,
    error::{SessionError, expect_idle},
    recorder::{
        Book, ModelChoice, NewPart, RecordedTurn, SessionSetup, WholeStep, changes, first_event,
        results::{self, waiting_calls},
        turns, without_view,
    },
    trace::{
        AsCame, CamePart, EventBody, Origin, Output, Stop, ToolKind, ToolResult, TurnNo,
        decision::ThinkingBehind,
        event::{
            BoardIds, ClientCompacted, DecidedBy, Effect, GateAnswer, GateOutcome, HeadChange, Interruption, NoteKind,
            SpanId, Usage,
        },
        result::TodoItem,
    },
    view::recap::render_reminder,
};

impl Session {
    /// Begins a session: its trace has one event.
    pub fn start(setup: SessionSetup, context: &Context<'_>) -> Result<Self, SessionError> {
        let configuration = setup.configuration.clone();
        let mut session = Self::from_first(first_event(setup, context), None)?;
        session.configure(configuration);
        Ok(session)
    }

    /// Somebody, or a program in a person's place, said something.
    pub fn user_turn(
        &mut self,
        text: impl Into<String>,
        origin: Origin,
        context: &Context<'_>,
    ) -> Result<TurnNo, SessionError> {
        turns::user_turn(self, (text.into(), None), origin, context)
    }

    /// The same of several parts, or with the bytes as they came. A part without a plain reading is one that no fold takes
    /// away.
    pub fn user_parts(
        &mut self,
        parts: Vec<CamePart>,
        raw: Option<Output>,
        origin: Origin,
        context: &Context<'_>,
    ) -> Result<TurnNo, SessionError> {
        turns::user_turn(self, AsCame::of(parts, raw), origin, context)
    }

    /// The answer to the call under way. Interrupted answers may be partial; their finished calls do not run.
    pub fn assistant_turn(
        &mut self,
        parts: Vec<NewPart>,
        stop: Stop,
        context: &Context<'_>,
    ) -> Result<RecordedTurn, SessionError> {
        turns::assistant_turn(self, parts, stop, context)
    }

    /// What the provider billed for a call.
    pub fn usage(&mut self, usage: Usage, context: &Context<'_>) -> Result<(), SessionError> {
        turns::usage(self, usage, context)
    }

    /// A tool begins to run. Runs get their `cmd#N` here, in the order in which they begin.
    pub fn tool_call(&mut self, id: &str, kind: ToolKind, context: &Context<'_>) -> Result<(), SessionError> {
        results::tool_call(self, id, kind, context)
    }

    /// A tool ended. The last result of a step ends the step. A result for a call that was given up stays an event only.
    pub fn tool_result(&mut self, id: &str, result: ToolResult, context: &Context<'_>) -> Result<(), SessionError> {
        results::tool_result(self, id, result, context)
    }

    /// The calls of the open step that still wait for a result, in order.
    pub fn waiting_calls(&self) -> Vec<&str> {
        waiting_calls(&self.history)
    }

    /// Ends what is open: the call without an answer, the step with `interrupted` for every result that is missing.
    pub fn interrupt(&mut self, reason: Interruption, context: &Context<'_>) -> Result<(), SessionError> {
        turns::interrupt(self, reason, context)
    }

    /// To be called when a session is opened again: ends what a dead process left open, lets changed rules take effect,
    /// and where the cache is cold renders the history as the four parts of the `execute` layout.
    pub fn resume(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        if self.is_guest() {
            // The results of an open step come with the client's next request.
            let is_open = self.history.index().open_call().is_some();
            return if is_open { self.interrupt(Interruption::Killed, context) } else { Ok(()) };
        }
        self.interrupt(Interruption::Killed, context)?;
        self.end_lost_jobs(context)?;
        self.let_rules_take_effect(context)?;
        self.enter_execute_when_cold(context)
    }

    /// View and board become what they were when `turn` was appended. No event is removed, no number used again.
    pub fn roll_back(&mut self, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
        expect_idle(&self.history)?;
        self.history.end_of_turn(turn)?;
        self.record(EventBody::RolledBack { turn, board_ids: BoardIds::GoOn, files: Box::default() }, context)?;
        self.policy.forget_what_was_rolled_back();
        Ok(())
    }

    /// The same for a turn of a branch that was left, too: that branch is taken up again, as it was then.
    pub fn return_to(&mut self, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
        without_view::return_to(self, turn, context)?;
        self.policy.forget_what_was_rolled_back();
        Ok(())
    }

    /// A step that happened elsewhere, decided as it was there: nothing is tidied before it, and its results are shown
    /// whole. Returns the last turn of it.
    pub fn whole_step(&mut self, step: WholeStep, context: &Context<'_>) -> Result<TurnNo, SessionError> {
        self.results = ShownResults::Whole;
        let recorded = without_view::step(self, step, context);
        self.results = ShownResults::AsThereIsRoom;
        recorded
    }

    /// The client that the session comes from made its own prompt shorter.
    pub fn client_compacted(&mut self, compacted: ClientCompacted, context: &Context<'_>) -> Result<(), SessionError> {
        without_view::client_compacted(self, compacted, context)
    }

    /// Sets a reminder. It is appended before the next call, unless the one with this key already says the same.
    pub fn remind(&mut self, key: impl Into<String>, text: &str) {
        self.reminders.insert((NoteKind::Reminder, key.into()), render_reminder(text));
    }

    /// A line for the model that is shown once, now.
    pub fn note(
        &mut self,
        kind: NoteKind,
        key: impl Into<String>,
        text: String,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        expect_idle(&self.history)?;
        let content = Box::new(context.counted(text));
        self.record(EventBody::NoteShown { kind, key: key.into().into(), content }, context)
    }

    /// A new todo list. Its recap follows before the next call.
    pub fn todo(&mut self, items: Vec<TodoItem>, context: &Context<'_>) -> Result<(), SessionError> {
        changes::todo(self, items, context)
    }

    /// The rules changed on disk. They wait for the next archive, cold cache or resume; a note says so at once.
    pub fn rules_changed(&mut self, rules: String, context: &Context<'_>) -> Result<(), SessionError> {
        let pending = self.state.pending_rules.as_ref().map(|pending| &pending.rules);
        if pending.unwrap_or(&self.view().head().rules).text == rules {
            return Ok(());
        }
        let rules = Box::new(context.counted(rules));
        let effect = Effect::Later;
        self.record(EventBody::RulesChanged { rules, effect, thinking: ThinkingBehind::Kept }, context)
    }

    /// Another model answers from now on. Its card is the one in use: it says what becomes of the thinking of the model
    /// before.
    pub fn model_changed(&mut self, choice: ModelChoice, context: &Context<'_>) -> Result<(), SessionError> {
        let thinking = self.desk().thinking_behind();
        changes::model_changed(self, choice, thinking, context)
    }

    /// A provider refused the thinking of earlier steps: it goes from all of the view, and edits drop it from now on
    /// (docs/design/folding.md, "Thinking").
    pub fn drop_thinking(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        expect_idle(&self.history)?;
        self.record(EventBody::ThinkingRefused, context)
    }

    /// L1 is no longer what it was: the next prompt has this one, and the ledger says so.
    pub fn head_changed(
        &mut self,
        system: String,
        tools: Vec<ToolSpec>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let system = context.counted(system);
        let head = HeadChange { system, tools_tokens: context.count_tools(&tools), tools };
        self.record(EventBody::HeadChanged(Box::new(head)), context)
    }

    /// Somebody else changed a file that this session knows.
    pub fn file_changed_outside(
        &mut self,
        path: String,
        mtime: Option<i64>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        changes::file_changed_outside(self, path, mtime, context)
    }

    /// Something went wrong that is worth remembering.
    pub fn error(
        &mut self,
        kind: impl Into<Box<str>>,
        message: impl Into<Box<str>>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        self.record(EventBody::Error { kind: kind.into(), message: message.into() }, context)
    }

    /// Opens a span: a named stretch of turns with a goal. Spans nest.
    pub fn start_span(
        &mut self,
        name: impl Into<String>,
        goal: impl Into<String>,
        context: &Context<'_>,
    ) -> Result<SpanId, SessionError> {
        changes::start_span(self, name.into(), goal.into(), context)
    }

    /// Ends a span, and what was opened inside of it.
    pub fn end_span(
        &mut self,
        span: &SpanId,
        outcome: impl Into<String>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let open = self.state.open_spans.clone();
        changes::end_span(self, &open, span, outcome.into(), context)
    }

    /// A question that was put to the lead or the user, with its answers. Gives `gate#N`.
    pub fn gate(
        &mut self,
        question: String,
        options: Vec<String>,
        answers: Vec<GateAnswer>,
        decision: Option<String>,
        context: &Context<'_>,
    ) -> Result<u32, SessionError> {
        let number = self.ask_gate(question, options, None, context)?;
        if decision.is_some() || !answers.is_empty() {
            self.decide_gate(number, GateOutcome { answers, decision, by: DecidedBy::Unsaid }, context)?;
        }
        Ok(number)
    }

    /// A question for the lead or the user, who has not decided yet. Gives `gate#N`.
    pub fn ask_gate(
        &mut self,
        question: String,
        options: Vec<String>,
        recommendation: Option<String>,
        context: &Context<'_>,
    ) -> Result<u32, SessionError> {
        changes::ask_gate(self, question, options, recommendation, context)
    }

    /// What came of a gate that was asked before.
    pub fn decide_gate(
        &mut self,
        number: u32,
        outcome: GateOutcome,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        changes::decide_gate(self, number, outcome, context)
    }
}
