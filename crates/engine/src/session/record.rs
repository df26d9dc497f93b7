//! Recording: what happened becomes events.
//!
//! Everything that has to be decided (token counts, numbers, which results are cut, which notes are shown) is decided
//! here, once, and written into the event; applying only follows. A method that fails has recorded nothing
//! unless it says so.

mod archive;
mod board;
mod calls;
mod compaction;
pub(super) mod counted_call;
mod fold;
mod fold_text;
mod history;
mod layout;
mod notes;
mod overflow;
mod questions;
mod settle;
mod tidy;
mod tools;
mod turns;
mod unfold;
mod window;

pub use archive::ArchiveDraft;
pub(super) use archive::ArchivePlan;
pub use fold::{FoldDraft, ModelAttempt};
pub use overflow::{Overflow, Room};
pub(super) use settle::ShortForms;
pub use tidy::{Tidied, Wish};
pub(super) use tools::file_events;

use lookback_wire::{Provider, Seal, ToolSpec};

use super::{Context, Session, SessionError};
use crate::{
    card::{Alternation, PlainThinking},
    configuration::Configuration,
    trace::{
        Event, EventBody, EventNo, Layout, SessionId, SessionStarted, TurnNo,
        ids::BlobHash,
        start::{Counted, Decisions, EVENT_SCHEMA, RENDERER, RecordedBy},
    },
};

/// What a session begins with. The counts are taken when it starts.
#[derive(Debug, Clone)]
pub struct SessionSetup {
    pub session: SessionId,
    pub recorded_by: RecordedBy,
    pub system: String,
    pub tools: Vec<ToolSpec>,
    pub rules: String,
    pub provider: Provider,
    pub model: String,
    pub window: u32,
    /// The model's maximum output, where it is known.
    pub max_output: Option<u32>,
    pub layout: Layout,
    /// Whether the model refuses two user messages in a row: its card knows.
    pub alternation: Alternation,
    /// Whether it gets its plain thinking back: its card knows.
    pub plain_thinking: PlainThinking,
    pub tokenizer: String,
    pub root: String,
    pub price_card: Option<BlobHash>,
    pub prompts: Option<BlobHash>,
    pub parent: Option<SessionId>,
    /// What the session decides by from its first event on. It is not recorded: what it decided is.
    pub configuration: Configuration,
}

/// Another model, or the same with another window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    pub model: String,
    pub provider: Provider,
    pub window: u32,
    pub max_output: Option<u32>,
    pub alternation: Alternation,
    pub plain_thinking: PlainThinking,
}

/// A part of an answer, as it came from the model.
#[derive(Debug, Clone, PartialEq, Eq)]
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
            tokenizer: String::new(),
            root: String::new(),
            price_card: None,
            prompts: None,
            parent: None,
            configuration,
        }
    }
}

impl Session {
    /// Begins a session: its trace has one event.
    pub fn start(setup: SessionSetup, context: &Context<'_>) -> Result<Self, SessionError> {
        let configuration = setup.configuration.clone();
        let (event, _) = first_event(setup, context);
        let mut session = Self::from_first(event, None)?;
        session.configure(configuration);
        Ok(session)
    }

    fn record(&mut self, body: EventBody, context: &Context<'_>) -> Result<(), SessionError> {
        let event = Event { seq: self.next_event(), at: context.now, event: body };
        self.apply(event, context.blobs)
    }

    /// Between steps, with no call under way: where turns and notes may be appended.
    fn expect_idle(&self) -> Result<(), SessionError> {
        match (self.state.step, self.state.call) {
            (Some(turn), _) => Err(SessionError::StepOpen(turn)),
            (None, Some(_)) => Err(SessionError::CallOpen),
            (None, None) => Ok(()),
        }
    }
}

/// What begins a trace, and the tokens of the head that it says.
pub(super) fn first_event(setup: SessionSetup, context: &Context<'_>) -> (Event, u64) {
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
        tokenizer: setup.tokenizer,
        root: setup.root,
        price_card: setup.price_card,
        prompts: setup.prompts,
        parent: setup.parent,
    };
    let head = [start.system.tokens, start.tools_tokens, start.rules.tokens].map(u64::from).iter().sum();
    (Event { seq: EventNo(0), at: context.now, event: EventBody::SessionStarted(Box::new(start)) }, head)
}

impl Context<'_> {
    /// Tools are one part: what a provider is told of them, whatever punctuation it puts around it.
    fn count_tools(&self, tools: &[ToolSpec]) -> u32 {
        let declared = tools
            .iter()
            .map(|tool| format!("{}\n{}\n{}\n", tool.name, tool.description, tool.parameters))
            .collect::<String>();
        (self.count)(declared.as_bytes())
    }

    fn counted(&self, text: String) -> Counted {
        Counted { tokens: (self.count)(text.as_bytes()), text }
    }
}
