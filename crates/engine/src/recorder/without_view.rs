//! A session that happened elsewhere, written down: events, and no view.
//!
//! What another program has recorded is decided already: every result was shown as it stands, nothing is folded, and no
//! window is law. The index is kept, a few bytes for each turn, and so much of the newest text as edits without line
//! numbers are placed by; events are given out as they come. So a file of any length can be brought into a store. They
//! are the events that a session with room for everything would have recorded, without the notes that it would have
//! added to what the model was shown.

use lookback_wire::TokenUsage;

use super::{Book, ModelChoice, NewPart, SessionSetup, changes, first_event, results, turns};
use crate::{
    configuration::{Configuration, memory::RECORDER_HOLDS},
    context::Context,
    error::{SessionError, expect_idle},
    history::{History, held_size},
    state::State,
    trace::{
        Blobs, Event, EventBody, Origin, Stop, ToolResult, TurnNo,
        decision::ThinkingBehind,
        event::{BoardIds, ClientCompacted, Rents, Usage},
        result::TodoItem,
    },
    view::{
        TOKENS_PER_MESSAGE,
        large::Room,
        visible::{part_tokens, visible_parts},
    },
};

/// Records without a view, in constant memory.
#[derive(Debug)]
pub struct Recorder {
    history: History,
    configuration: Configuration,
    /// Recorded and not yet taken.
    new: Vec<Event>,
    model: String,
    /// The size of what the model was shown, now and after each turn.
    tokens: u64,
    tokens_after: Vec<u64>,
    head_tokens: u64,
    /// What is known of the todo list; after a rollback nothing is.
    todo: Option<Vec<TodoItem>>,
    /// Bytes that came since old events were let go.
    grown: usize,
}

/// A call to a model with everything that came of it.
#[derive(Debug, Clone)]
pub struct WholeStep {
    /// The answer.
    pub parts: Vec<NewPart>,
    /// How it ended.
    pub stop: Stop,
    /// For the finished calls, in their order. What is missing never ran.
    pub results: Vec<ToolResult>,
    /// What the provider reported.
    pub bill: Option<TokenUsage>,
}

impl Recorder {
    /// Begins a session: one event.
    pub fn start(setup: SessionSetup, context: &Context<'_>) -> Result<Self, SessionError> {
        let (model, configuration) = (setup.model.clone(), setup.configuration.clone());
        let event = first_event(setup, context);
        let history = History::begin(event.clone())?;
        let start = history.start();
        let head_tokens = [start.system.tokens, start.tools_tokens, start.rules.tokens].map(u64::from).iter().sum();
        Ok(Self {
            history,
            configuration,
            new: vec![event],
            model,
            tokens: head_tokens,
            tokens_after: Vec::new(),
            head_tokens,
            todo: Some(Vec::new()),
            grown: 0,
        })
    }

    /// What was recorded since this was asked last.
    pub fn take_events(&mut self) -> Vec<Event> {
        if self.grown > RECORDER_HOLDS && expect_idle(&self.history).is_ok() {
            self.history.keep_newest(RECORDER_HOLDS);
            self.grown = 0;
        }
        std::mem::take(&mut self.new)
    }

    /// How many turns there are.
    pub fn turns(&self) -> u32 {
        self.history.turns()
    }

    /// Somebody, or a program in a person's place, said something.
    pub fn user_turn(&mut self, text: String, origin: Origin, context: &Context<'_>) -> Result<TurnNo, SessionError> {
        turns::user_turn(self, (text, None), origin, context)
    }

    /// Another model answers from now on.
    pub fn model_changed(&mut self, choice: ModelChoice, context: &Context<'_>) -> Result<(), SessionError> {
        if choice.model == self.model {
            return Ok(());
        }
        self.model.clone_from(&choice.model);
        changes::model_changed(self, choice, ThinkingBehind::Kept, context)
    }

    /// A call, its answer and its results. Returns the last turn of it.
    pub fn step(&mut self, step: WholeStep, context: &Context<'_>) -> Result<TurnNo, SessionError> {
        self::step(self, step, context)
    }

    /// The client made its own prompt shorter.
    pub fn client_compacted(&mut self, compacted: ClientCompacted, context: &Context<'_>) -> Result<(), SessionError> {
        client_compacted(self, compacted, context)
    }

    /// The conversation goes on from this turn, be it one of a branch that was left. No event is removed, no number used
    /// again.
    pub fn return_to(&mut self, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
        return_to(self, turn, context)
    }
}

pub(crate) fn client_compacted(
    book: &mut impl Book,
    compacted: ClientCompacted,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    expect_idle(book.history())?;
    book.record(EventBody::ClientCompacted(Box::new(compacted)), context)
}

pub(crate) fn return_to(book: &mut impl Book, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
    expect_idle(book.history())?;
    book.history().end_of_any_turn(turn)?;
    book.record(EventBody::RolledBack { turn, board_ids: BoardIds::GoOn, files: Box::default() }, context)
}

/// A call, its answer and its results. Returns the last turn of it.
pub(crate) fn step(book: &mut impl Book, step: WholeStep, context: &Context<'_>) -> Result<TurnNo, SessionError> {
    let call = turns::start_call(book, Rents::default(), None, None, context)?;
    let (parts, stop) = as_it_ran(step.parts, step.stop, &step.results);
    let answer = turns::assistant_turn(book, parts, stop, context)?;
    if let Some(billed) = step.bill {
        turns::usage(book, Usage { call, billed }, context)?;
    }
    for (id, result) in answer.calls.iter().zip(step.results) {
        results::tool_result(book, id, result, context)?;
    }
    results::end_interrupted_step(book, context)?;
    Ok(if answer.calls.is_empty() { answer.turn } else { TurnNo(answer.turn.0 + 1) })
}

/// An answer whose calls have results was not cut off before they ran, whatever its stop says.
pub fn as_it_ran(mut parts: Vec<NewPart>, stop: Stop, results: &[ToolResult]) -> (Vec<NewPart>, Stop) {
    if results.is_empty() || !stop.is_interrupted() {
        return (parts, stop);
    }
    parts.retain(|part| !matches!(part, NewPart::UnfinishedCall { .. }));
    (parts, Stop::End)
}

impl Book for Recorder {
    fn history(&self) -> &History {
        &self.history
    }

    fn view(&self) -> Option<&State> {
        None
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn todo(&self) -> Option<&[TodoItem]> {
        self.todo.as_deref()
    }

    fn tokens(&self) -> u64 {
        self.tokens
    }

    fn room(&self) -> Option<Room> {
        None
    }

    fn write(&mut self, event: Event, _: &dyn Blobs) -> Result<(), SessionError> {
        self.history.push(event.clone())?;
        match &event.event {
            EventBody::UserTurn(turn) => self.end_turn(Some(turn.tokens)),
            EventBody::AssistantTurn(turn) => {
                let visible = visible_parts(turn);
                let tokens = visible.iter().map(|part| part_tokens(part)).fold(0, u32::saturating_add);
                self.end_turn((!visible.is_empty()).then_some(tokens));
            }
            EventBody::StepEnded { shown, .. } => {
                self.end_turn(Some(shown.iter().map(|shown| shown.tokens).fold(0, u32::saturating_add)));
            }
            EventBody::Todo { items } => self.todo = Some(items.clone()),
            EventBody::RolledBack { turn, .. } => {
                self.tokens = self.tokens_after.get(turn.0 as usize).copied().unwrap_or(self.head_tokens);
                self.todo = None;
            }
            _ => {}
        }
        self.grown += held_size(&event.event);
        self.new.push(event);
        Ok(())
    }
}

impl Recorder {
    /// A turn that shows nothing adds nothing.
    fn end_turn(&mut self, shown: Option<u32>) {
        self.tokens += shown.map_or(0, |tokens| u64::from(tokens.saturating_add(TOKENS_PER_MESSAGE)));
        self.tokens_after.push(self.tokens);
    }
}
