//! A session that happened elsewhere, written down: events, and no view.
//!
//! A [`Session`](super::Session) decides by its view and therefore holds all of it. What another program has recorded is
//! decided already: every result was shown as it stands, nothing is folded, and no window is law. So a transcript keeps
//! the index alone, a few bytes for each turn, and its events are given out as they come: a file of any length can be
//! brought into a store. They are the events that a session with room for everything would have recorded, without
//! the notes that it would have added to what the model was shown.

use lookback_wire::TokenUsage;

use super::{
    Context, NewPart, SessionError, SessionSetup,
    index::{Index, TurnRecord},
    record::{
        ModelChoice,
        counted_call::{self, CountedParts},
        file_events, first_event,
    },
    rolled_back::RolledBack,
    visible::{part_tokens, visible_parts},
};
use crate::{
    evidence::{recognise::recognise, shell::changed_files},
    session::error::TraceError,
    trace::{
        AssistantPart, AssistantTurn, CallNo, Event, EventBody, EventNo, Origin, ResultData, Status, Stop, ToolKind,
        ToolResult, TurnNo, UserTurn,
        decision::ThinkingBehind,
        event::{BoardIds, FileChange, FileChanged, Interruption, Shown, Usage},
        result::TodoItem,
    },
    view::{
        TOKENS_PER_MESSAGE,
        result_text::{live_bytes, lossy},
    },
};

#[derive(Debug)]
pub struct Transcript {
    index: Index,
    rolled_back: RolledBack,
    next: EventNo,
    /// Recorded and not yet taken.
    new: Vec<Event>,
    model: String,
    /// The size of the view, now and after each turn.
    tokens: u64,
    tokens_after: Vec<u64>,
    head_tokens: u64,
    /// What is known of the todo list; after a rollback nothing is.
    todo: Option<Vec<TodoItem>>,
}

/// A call to a model with everything that came of it.
#[derive(Debug, Clone)]
pub struct WholeStep {
    pub parts: Vec<NewPart>,
    pub stop: Stop,
    /// For the finished calls, in their order. What is missing never ran.
    pub results: Vec<ToolResult>,
    pub bill: Option<TokenUsage>,
}

impl Transcript {
    pub fn start(setup: SessionSetup, context: &Context<'_>) -> Self {
        let model = setup.model.clone();
        let (event, head_tokens) = first_event(setup, context);
        Self {
            index: Index::default(),
            rolled_back: RolledBack::default(),
            next: EventNo(1),
            new: vec![event],
            model,
            tokens: head_tokens,
            tokens_after: Vec::new(),
            head_tokens,
            todo: Some(Vec::new()),
        }
    }

    /// What was recorded since this was asked last.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.new)
    }

    /// How many turns there are.
    pub fn turns(&self) -> u32 {
        self.index.next_turn().0
    }

    /// The turn that was appended last.
    pub fn last_turn(&self) -> Option<TurnNo> {
        self.turns().checked_sub(1).map(TurnNo)
    }

    pub fn user_turn(&mut self, text: String, origin: Origin, context: &Context<'_>) -> Result<TurnNo, SessionError> {
        let turn = self.index.next_turn();
        let user = (origin != Origin::Machine).then(|| self.index.users.len() as u32 + 1);
        let tokens = (context.count)(text.as_bytes());
        let body = EventBody::UserTurn(Box::new(UserTurn { turn, text, tokens, origin, user, as_came: None }));
        self.record(body, context)?;
        self.end_turn(Some(tokens));
        Ok(turn)
    }

    /// Another model answers from now on.
    pub fn model_changed(&mut self, choice: ModelChoice, context: &Context<'_>) -> Result<(), SessionError> {
        if choice.model == self.model {
            return Ok(());
        }
        self.model.clone_from(&choice.model);
        let ModelChoice { model, provider, window, max_output, alternation, plain_thinking } = choice;
        let output_reserve = crate::Configuration::default().window.output_reserve(max_output, window);
        let thinking = ThinkingBehind::Kept;
        let changed = EventBody::ModelChanged {
            model: model.into(),
            provider,
            window,
            output_reserve,
            alternation,
            plain_thinking,
            thinking,
        };
        self.record(changed, context)
    }

    /// A call, its answer and its results. Returns the last turn of it.
    pub fn step(&mut self, step: WholeStep, context: &Context<'_>) -> Result<TurnNo, SessionError> {
        let call = CallNo(self.index.calls + 1);
        let input_tokens = u32::try_from(self.tokens).unwrap_or(u32::MAX);
        self.record(EventBody::CallStarted { call, input_tokens, rents: None, cold: None, details: None }, context)?;
        let turn = self.index.next_turn();
        let CountedParts { parts, native } = self.count_parts(step.parts, turn, context);
        let is_cut = parts.iter().any(|part| matches!(part, AssistantPart::Call { unfinished: true, .. }));
        let stop = if is_cut && step.stop == Stop::End { Stop::Cut } else { step.stop };
        let ended = match stop {
            Stop::End | Stop::Limit => EventBody::CallEnded { call },
            Stop::Cancelled => EventBody::CallInterrupted { call, reason: Interruption::Cancelled },
            Stop::Cut => EventBody::CallInterrupted { call, reason: Interruption::Failed("stream cut".into()) },
        };
        self.record(ended, context)?;
        let answer = AssistantTurn { turn, call, parts: parts.into(), stop, native: native.into(), raw: None };
        let visible = visible_parts(&answer);
        let shown =
            (!visible.is_empty()).then(|| visible.iter().map(|part| part_tokens(part)).fold(0, u32::saturating_add));
        self.record(EventBody::AssistantTurn(Box::new(answer)), context)?;
        self.end_turn(shown);
        if let Some(billed) = step.bill {
            self.record(EventBody::Usage(Usage { call, billed }), context)?;
        }
        let tool = TurnNo(turn.0 + 1);
        let calls = self.index.tool_turn(tool).map_or(0, |step| step.calls.len());
        if calls == 0 {
            return Ok(turn);
        }
        self.results(tool, calls, step.results, context)?;
        Ok(tool)
    }

    /// The conversation goes on from this turn. No event is removed, no number used again.
    pub fn roll_back(&mut self, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
        let end = self.end_of_turn(turn)?;
        let seq = self.next;
        self.record(EventBody::RolledBack { turn, board_ids: BoardIds::GoOn, files: Box::default() }, context)?;
        self.rolled_back.push(end, seq);
        self.tokens = self.tokens_after.get(turn.0 as usize).copied().unwrap_or(self.head_tokens);
        self.todo = None;
        Ok(())
    }

    fn end_of_turn(&self, turn: TurnNo) -> Result<EventNo, SessionError> {
        let missing = SessionError::NoSuchTurn { turn, turns: self.turns() };
        let end = match self.index.turn(turn).ok_or(missing.clone())? {
            TurnRecord::User { event } | TurnRecord::Assistant { event } => *event,
            TurnRecord::Tool(step) => step.ended().ok_or(missing)?,
        };
        if self.rolled_back.is_live(end) { Ok(end) } else { Err(SessionError::TurnRolledBack(turn)) }
    }

    fn results(
        &mut self,
        turn: TurnNo,
        calls: usize,
        results: Vec<ToolResult>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let mut shown = Vec::with_capacity(calls);
        let mut test = self.index.tests.len() as u32;
        let missing = std::iter::repeat_with(ToolResult::never_ran);
        for (index, result) in results.into_iter().chain(missing).take(calls).enumerate() {
            let tokens = (context.count)(&live_bytes(&result, context.blobs)?);
            let is_test = self.result(turn, index as u32, result, context)?;
            test += u32::from(is_test);
            shown.push(Shown { tokens, cut: None, test: is_test.then_some(test) });
        }
        let tokens = shown.iter().map(|shown| shown.tokens).fold(0, u32::saturating_add);
        self.record(EventBody::StepEnded { turn, shown: shown.into() }, context)?;
        self.end_turn(Some(tokens));
        Ok(())
    }

    /// Whether it was a test run.
    fn result(
        &mut self,
        turn: TurnNo,
        index: u32,
        mut result: ToolResult,
        context: &Context<'_>,
    ) -> Result<bool, SessionError> {
        let kind = result.data.kind();
        if result.status != Status::Interrupted {
            let cmd = (kind == ToolKind::Run).then(|| self.index.commands.len() as u32 + 1);
            self.record(EventBody::ToolCall { turn, index, kind, cmd }, context)?;
        }
        let text = result.text.bytes(context.blobs)?;
        let seen = matches!(result.status, Status::Success | Status::Partial);
        let files = if seen { file_events(&result, &text, self.next) } else { Vec::new() };
        if let ResultData::Run(run) = &mut result.data {
            // A command that printed a file ran no tests, whatever the file says about tests.
            let report = if files.is_empty() { recognise(&run.command, &lossy(&text)) } else { None };
            run.tests = report.map(Box::new);
        }
        let is_test = matches!(&result.data, ResultData::Run(run) if run.tests.is_some());
        let todo = match &result.data {
            ResultData::Todo(todo) if seen && self.todo.as_ref() != Some(&todo.items) => Some(todo.items.clone()),
            _ => None,
        };
        let unseen: Vec<String> = match &result.data {
            ResultData::Run(run) => {
                let changes = changed_files(&run.command, &run.cwd);
                changes.among(&self.index.current).into_iter().map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        self.record(EventBody::ToolResult { turn, index, result: Box::new(result) }, context)?;
        for path in unseen {
            let change = FileChange::Outside { mtime: None };
            let changed = FileChanged { path, change, anchors: Box::default() };
            self.record(EventBody::FileChanged(Box::new(changed)), context)?;
        }
        for event in files {
            self.record(event, context)?;
        }
        if let Some(items) = todo {
            self.todo = Some(items.clone());
            self.record(EventBody::Todo { items }, context)?;
        }
        Ok(is_test)
    }

    fn count_parts(&self, parts: Vec<NewPart>, turn: TurnNo, context: &Context<'_>) -> CountedParts {
        let is_taken = |id: &str| self.index.call(id).is_some();
        counted_call::count_parts(parts, turn, &is_taken, context)
    }

    fn record(&mut self, body: EventBody, context: &Context<'_>) -> Result<(), SessionError> {
        let event = Event { seq: self.next, at: context.now, event: body };
        self.index.apply(&event).map_err(|reason| TraceError::Misfit { event: event.seq, reason })?;
        self.next.0 += 1;
        self.new.push(event);
        Ok(())
    }

    /// A turn that shows nothing adds nothing.
    fn end_turn(&mut self, shown: Option<u32>) {
        self.tokens += shown.map_or(0, |tokens| u64::from(tokens.saturating_add(TOKENS_PER_MESSAGE)));
        self.tokens_after.push(self.tokens);
    }
}
