//! Recording machine-made lines, todo lists, spans, gates and changed settings.

use serde_json::Value;

use lookback_wire::Provider;

use crate::{
    session::{Context, Session, SessionError},
    trace::{
        EventBody, Layout,
        event::{Effect, FileChange, FileChanged, Gate, GateAnswer, NoteKind, SpanId},
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
        self.record(EventBody::NoteShown { kind, key: key.into(), content: context.counted(text) }, context)
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
        let rules = context.counted(rules);
        self.record(EventBody::RulesChanged { rules, effect: Effect::Later }, context)
    }

    pub fn model_changed(
        &mut self,
        model: String,
        provider: Provider,
        window: u32,
        max_output: Option<u32>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        self.expect_idle()?;
        let output_reserve = self.configuration.window.output_reserve(max_output, window);
        self.record(EventBody::ModelChanged { model, provider, window, output_reserve }, context)
    }

    pub fn layout_changed(&mut self, layout: Layout, context: &Context<'_>) -> Result<(), SessionError> {
        self.expect_idle()?;
        self.record(EventBody::LayoutChanged { layout }, context)
    }

    pub fn configuration_changed(&mut self, configuration: Value, context: &Context<'_>) -> Result<(), SessionError> {
        self.record(EventBody::ConfigurationChanged { configuration }, context)
    }

    /// Somebody else changed a file that this session knows.
    pub fn file_changed_outside(
        &mut self,
        path: String,
        mtime: Option<i64>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let changed = FileChanged { path, change: FileChange::Outside { mtime } };
        self.record(EventBody::FileChanged(Box::new(changed)), context)
    }

    pub fn error(
        &mut self,
        kind: impl Into<String>,
        message: impl Into<String>,
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
        self.record(EventBody::SpanStarted { span: span.clone(), goal: goal.into(), turn }, context)?;
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
            self.record(EventBody::SpanEnded { span: inner, outcome, turn }, context)?;
        }
        self.record(EventBody::SpanEnded { span: span.clone(), outcome: outcome.into(), turn }, context)
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
        let number = self.index.gates.len() as u32 + 1;
        let gate = Gate { number, question, options, answers, decision };
        self.record(EventBody::Gate(Box::new(gate)), context)?;
        Ok(number)
    }

    /// Reminders and the todo recap are appended when they change, and left where they were first sent.
    pub(super) fn show_changed_notes(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let mut due = std::mem::take(&mut self.reminders);
        if self.state.pending_rules.as_ref().is_some_and(|pending| !pending.announced) {
            due.insert((NoteKind::RulesChanged, String::new()), render_rules_changed());
        }
        let recap = (NoteKind::TodoRecap, String::new());
        if !self.state.todo.is_empty() || self.state.notes.contains_key(&recap) {
            due.insert(recap, render_todo_recap(&self.state.todo, &self.configuration.notes));
        }
        for ((kind, key), text) in due {
            let same = self.state.notes.get(&(kind, key.clone())) == Some(&text);
            // Rules that change twice are announced twice, in the same words.
            if !same || kind == NoteKind::RulesChanged {
                self.note(kind, key, text, context)?;
            }
        }
        Ok(())
    }
}
