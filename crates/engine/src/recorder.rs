//! Recording: the only place where something that happened becomes events.
//!
//! Numbers, token counts, what a result shows of files and tests: all that has to be decided about what happened is
//! decided here, once, and written into events. With a view behind it ([`crate::Session`]) large results are cut to its
//! window and the board's anchors follow edits; without one ([`Recorder`]) events are given out as they come.
//! A function that fails has recorded nothing unless it says so.

pub(crate) mod answer;
pub(crate) mod changes;
mod files;
mod pictures;
pub(crate) mod results;
pub(crate) mod turns;
pub(crate) mod without_view;

use lookback_wire::{Provider, Seal, ToolSpec};

pub use without_view::{Recorder, WholeStep, as_it_ran};

use crate::{
    card::{Alternation, Pictures, PlainThinking},
    configuration::Configuration,
    context::Context,
    error::SessionError,
    history::History,
    state::State,
    trace::{
        Blobs, Event, EventBody, EventNo, Layout, SessionId, SessionStarted, TurnNo,
        ids::BlobHash,
        result::TodoItem,
        start::{Decisions, EVENT_SCHEMA, RENDERER, RecordedBy},
    },
    view::large::Room,
};

/// Where events are written to.
pub(crate) trait Book {
    fn history(&self) -> &History;

    /// What the model is shown; none where nobody is shown anything.
    fn view(&self) -> Option<&State>;

    fn configuration(&self) -> &Configuration;

    /// The todo list as it stands, as far as it is known.
    fn todo(&self) -> Option<&[TodoItem]>;

    /// The tokens that the model is shown by now.
    fn tokens(&self) -> u64;

    /// How much room there is for results; none where they are shown as they came.
    fn room(&self) -> Option<Room>;

    /// Takes the next event: the only way in which anything changes.
    fn write(&mut self, event: Event, blobs: &dyn Blobs) -> Result<(), SessionError>;

    fn record(&mut self, body: EventBody, context: &Context<'_>) -> Result<(), SessionError> {
        let event = Event { seq: self.history().next_event(), at: context.now, event: body };
        self.write(event, context.blobs)
    }
}

/// What a session begins with. The counts are taken when it starts.
#[derive(Debug, Clone)]
pub struct SessionSetup {
    /// Its id.
    pub session: SessionId,
    /// Who records it.
    pub recorded_by: RecordedBy,
    /// The system prompt.
    pub system: String,
    /// As the model is shown them.
    pub tools: Vec<ToolSpec>,
    /// L2: the rules of the project, which may change.
    pub rules: String,
    /// The API that prompts are written for.
    pub provider: Provider,
    /// By the name that its provider knows.
    pub model: String,
    /// Tokens of prompt and answer together.
    pub window: u32,
    /// The model's maximum output, where it is known.
    pub max_output: Option<u32>,
    /// How the view is laid out.
    pub layout: Layout,
    /// Whether the model refuses two user messages in a row: its card knows.
    pub alternation: Alternation,
    /// Whether it gets its plain thinking back: its card knows.
    pub plain_thinking: PlainThinking,
    /// Whether it is sent pictures: its card knows.
    pub pictures: Pictures,
    /// Who counts: the name of [`Context::count`].
    pub tokenizer: String,
    /// The folder that paths are relative to.
    pub root: String,
    /// Of the price card in use.
    pub price_card: Option<BlobHash>,
    /// Of the prompts in use.
    pub prompts: Option<BlobHash>,
    /// The session whose `Task` call started this one.
    pub parent: Option<SessionId>,
    /// What the session decides by from its first event on. Where it is not the default, the first decision records it.
    pub configuration: Configuration,
}

/// Another model, or the same with another window.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in [`SessionSetup`]")]
pub struct ModelChoice {
    pub model: String,
    pub provider: Provider,
    pub window: u32,
    pub max_output: Option<u32>,
    pub alternation: Alternation,
    pub plain_thinking: PlainThinking,
    pub pictures: Pictures,
}

/// A part of an answer, as it came from the model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in the APIs")]
pub enum NewPart {
    Text(String),
    Thinking {
        text: String,
        seal: Seal,
    },
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    /// A part whose provider said more than we understand, in its own bytes; `plain` is what was understood.
    Native {
        provider: Provider,
        raw: String,
        plain: Option<Box<NewPart>>,
    },
    /// A call that was cut off before its end.
    UnfinishedCall {
        id: String,
        name: String,
        arguments: String,
    },
}

/// An answer in the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedTurn {
    /// Its number.
    pub turn: TurnNo,
    /// The ids of its calls, in order: the model's own unless the session had seen one before.
    pub calls: Vec<String>,
}

impl ModelChoice {
    /// A model whose card says nothing special.
    pub fn new(model: impl Into<String>, provider: Provider, window: u32) -> Self {
        Self {
            model: model.into(),
            provider,
            window,
            max_output: None,
            alternation: Alternation::Free,
            plain_thinking: PlainThinking::LeftOut,
            pictures: Pictures::Named,
        }
    }
}

impl SessionSetup {
    /// Defaults for everything that a caller need not know.
    pub fn new(session: SessionId) -> Self {
        let configuration = Configuration::default();
        Self {
            session,
            recorded_by: RecordedBy::Agent,
            system: String::new(),
            tools: Vec::new(),
            rules: String::new(),
            provider: Provider::Anthropic,
            model: String::new(),
            window: configuration.window.window(None),
            max_output: None,
            layout: Layout::Chat,
            alternation: Alternation::Free,
            plain_thinking: PlainThinking::LeftOut,
            pictures: Pictures::Named,
            tokenizer: String::new(),
            root: String::new(),
            price_card: None,
            prompts: None,
            parent: None,
            configuration,
        }
    }
}

/// What begins a trace.
pub(crate) fn first_event(setup: SessionSetup, context: &Context<'_>) -> Event {
    let start = SessionStarted {
        session: setup.session,
        schema: EVENT_SCHEMA,
        renderer: RENDERER,
        recorded_by: setup.recorded_by,
        decisions: Decisions::Own,
        system: context.counted(setup.system),
        tools_tokens: context.count_tools(&setup.tools),
        tools: setup.tools,
        rules: context.counted(setup.rules),
        provider: setup.provider,
        model: setup.model,
        window: setup.window,
        output_reserve: setup.configuration.window.output_reserve(setup.max_output, setup.window),
        layout: setup.layout,
        alternation: setup.alternation,
        plain_thinking: setup.plain_thinking,
        pictures: setup.pictures,
        tokenizer: setup.tokenizer,
        root: setup.root,
        price_card: setup.price_card,
        prompts: setup.prompts,
        parent: setup.parent,
    };
    Event { seq: EventNo(0), at: context.now, event: EventBody::SessionStarted(Box::new(start)) }
}
