//! Recording machine-made lines, todo lists, spans, gates and changed settings.

use std::collections::BTreeMap;

use serde_json::Value;

use lookback_wire::ToolSpec;

use super::ModelChoice;
use crate::{
    session::{Context, Session, SessionError},
    trace::{
        EventBody,
        decision::ThinkingBehind,
        event::{
            DecidedBy, Effect, FileChange, FileChanged, GateAnswer, GateAsked, GateDecided, GateOutcome, HeadChange,
            NoteKind, SpanId,
        },
        result::TodoItem,
    },
    view::recap::{render_reminder, render_rules_changed, render_todo_recap},
};

impl Session {
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
        self.expect_idle()?;
        self.record(
            EventBody::NoteShown { kind, key: key.into().into(), content: Box::new(context.counted(text)) },
            context,
        )
    }

    /// A new todo list. Its recap follows before the next call.
    pub fn todo(&mut self, items: Vec<TodoItem>, context: &Context<'_>) -> Result<(), SessionError> {
        if items == self.state.todo {
            return Ok(());
        }
        self.record(EventBody::Todo { items }, context)
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

    /// Rules that wait take effect: at an archive, a cold cache or a resume.
    pub(super) fn let_rules_take_effect(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let Some(rules) = self.state.pending_rules.as_ref().map(|pending| Box::new(pending.rules.clone())) else {
            return Ok(());
        };
        let thinking = self.thinking_behind();
        self.record(EventBody::RulesChanged { rules, effect: Effect::Now, thinking }, context)
    }

    pub fn model_changed(&mut self, choice: ModelChoice, context: &Context<'_>) -> Result<(), SessionError> {
        self.expect_idle()?;
        let ModelChoice { model, provider, window, max_output, alternation, plain_thinking } = choice;
        let output_reserve = self.configuration.window.output_reserve(max_output, window);
        // Its card is the one in use: it says what becomes of the thinking of the model before.
        let thinking = self.thinking_behind();
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

    pub fn configuration_changed(&mut self, configuration: Value, context: &Context<'_>) -> Result<(), SessionError> {
        self.record(EventBody::ConfigurationChanged { configuration: Box::new(configuration) }, context)
    }

    /// Somebody else changed a file that this session knows.
    pub fn file_changed_outside(
        &mut self,
        path: String,
        mtime: Option<i64>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let anchors = self.state.board.follow_unseen(&path);
        let changed = FileChanged { path, change: FileChange::Outside { mtime }, anchors: anchors.into() };
        self.record(EventBody::FileChanged(Box::new(changed)), context)
    }

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
        let span = SpanId { name: name.into(), number: self.index.spans.len() as u32 + 1 };
        let turn = self.index.next_turn();
        self.record(EventBody::SpanStarted { span: Box::new(span.clone()), goal: goal.into().into(), turn }, context)?;
        Ok(span)
    }

    pub fn end_span(
        &mut self,
        span: &SpanId,
        outcome: impl Into<String>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let open = &self.state.open_spans;
        let Some(place) = open.iter().position(|other| other == span) else {
            return Err(SessionError::NoSuchSpan(format!("{}#{}", span.name, span.number)));
        };
        // Spans nest: what was opened inside ends with it.
        let inner: Vec<SpanId> = open[place + 1..].to_vec();
        let turn = self.index.next_turn();
        for inner in inner.into_iter().rev() {
            let outcome = format!("ended with {}#{}", span.name, span.number);
            let with = Some(Box::new(span.clone()));
            self.record(EventBody::SpanEnded { span: Box::new(inner), outcome: outcome.into(), turn, with }, context)?;
        }
        let span = Box::new(span.clone());
        self.record(EventBody::SpanEnded { span, outcome: outcome.into().into(), turn, with: None }, context)
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
        let number = self.index.gates.len() as u32 + 1;
        let gate = GateAsked { number, question, options, recommendation, outcome: None };
        self.record(EventBody::GateAsked(Box::new(gate)), context)?;
        Ok(number)
    }

    /// What came of a gate that was asked before.
    pub fn decide_gate(
        &mut self,
        number: u32,
        outcome: GateOutcome,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        if number == 0 || number as usize > self.index.gates.len() {
            return Err(SessionError::NoSuchGate(number));
        }
        self.record(EventBody::GateDecided(Box::new(GateDecided { number, outcome })), context)
    }

    /// Reminders and the todo recap are appended when they change, and left where they were first sent.
    pub(super) fn show_changed_notes(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
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
            due.insert(recap, render_todo_recap(&self.state.todo, &self.configuration.notes));
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
}
