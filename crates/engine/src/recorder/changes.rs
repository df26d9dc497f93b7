//! Recording what changed around the conversation: files, todo lists, spans, gates, the model in use.

use super::{Book, ModelChoice};
use crate::{
    context::Context,
    error::{SessionError, expect_idle},
    history::History,
    shell::{Script, changed_files},
    trace::{
        EventBody, ResultData,
        decision::ThinkingBehind,
        event::{FileChange, FileChanged, GateAsked, GateDecided, GateOutcome, SpanId},
        result::TodoItem,
    },
};

/// The known files that a command changed without showing how. One that failed may have come so far.
pub(super) fn changed_files_unseen(history: &History, data: &ResultData, script: Option<&Script>) -> Vec<String> {
    let (ResultData::Run(run), Some(script)) = (data, script) else {
        return data.deleted_paths().map(str::to_owned).collect();
    };
    changed_files(script, &run.cwd).among(&history.index().current).into_iter().map(str::to_owned).collect()
}

/// Somebody else changed a file that this session knows.
pub(crate) fn file_changed_outside(
    book: &mut impl Book,
    path: String,
    mtime: Option<i64>,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    let anchors = book.view().map(|view| view.board().follow_unseen(&path)).unwrap_or_default();
    let changed = FileChanged { path, change: FileChange::Outside { mtime }, anchors: anchors.into() };
    book.record(EventBody::FileChanged(Box::new(changed)), context)
}

/// A new todo list. Its recap follows before the next call.
pub(crate) fn todo(book: &mut impl Book, items: Vec<TodoItem>, context: &Context<'_>) -> Result<(), SessionError> {
    if book.todo() == Some(&items) {
        return Ok(());
    }
    book.record(EventBody::Todo { items }, context)
}

/// Another model answers from now on. What becomes of the thinking of the one before is its card's matter.
pub(crate) fn model_changed(
    book: &mut impl Book,
    choice: ModelChoice,
    thinking: ThinkingBehind,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    expect_idle(book.history())?;
    let ModelChoice { model, provider, window, max_output, alternation, plain_thinking, pictures } = choice;
    let output_reserve = book.configuration().window.output_reserve(max_output, window);
    let changed = EventBody::ModelChanged {
        model: model.into(),
        provider,
        window,
        output_reserve,
        alternation,
        plain_thinking,
        pictures,
        thinking,
    };
    book.record(changed, context)
}

/// Opens a span: a named stretch of turns with a goal. Spans nest.
pub(crate) fn start_span(
    book: &mut impl Book,
    name: String,
    goal: String,
    context: &Context<'_>,
) -> Result<SpanId, SessionError> {
    let index = book.history().index();
    let span = SpanId { name, number: index.spans.len() as u32 + 1 };
    let turn = index.next_turn();
    book.record(EventBody::SpanStarted { span: Box::new(span.clone()), goal: goal.into(), turn }, context)?;
    Ok(span)
}

/// Ends a span and what was opened inside of it. `open` are the open ones, outermost first.
pub(crate) fn end_span(
    book: &mut impl Book,
    open: &[SpanId],
    span: &SpanId,
    outcome: String,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    let Some(place) = open.iter().position(|other| other == span) else {
        return Err(SessionError::NoSuchSpan(format!("{}#{}", span.name, span.number)));
    };
    let turn = book.history().index().next_turn();
    for inner in open[place + 1..].iter().rev() {
        let outcome = format!("ended with {}#{}", span.name, span.number);
        let with = Some(Box::new(span.clone()));
        book.record(
            EventBody::SpanEnded { span: Box::new(inner.clone()), outcome: outcome.into(), turn, with },
            context,
        )?;
    }
    book.record(
        EventBody::SpanEnded { span: Box::new(span.clone()), outcome: outcome.into(), turn, with: None },
        context,
    )
}

/// A question for the lead or the user, who has not decided yet. Gives `gate#N`.
pub(crate) fn ask_gate(
    book: &mut impl Book,
    question: String,
    options: Vec<String>,
    recommendation: Option<String>,
    context: &Context<'_>,
) -> Result<u32, SessionError> {
    let number = book.history().index().gates.len() as u32 + 1;
    let gate = GateAsked { number, question, options, recommendation, outcome: None };
    book.record(EventBody::GateAsked(Box::new(gate)), context)?;
    Ok(number)
}

/// What came of a gate that was asked before.
pub(crate) fn decide_gate(
    book: &mut impl Book,
    number: u32,
    outcome: GateOutcome,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    if number == 0 || number as usize > book.history().index().gates.len() {
        return Err(SessionError::NoSuchGate(number));
    }
    book.record(EventBody::GateDecided(Box::new(GateDecided { number, outcome })), context)
}
