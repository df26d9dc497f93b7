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
        event::{FileChange, FileChanged, Gate, GateAnswer, SpanId},
        result::TodoItem,
    },
};

/// The known files that a command changed without showing how. One that failed may have come so far.
pub(super) fn changed_files_unseen(history: &History, data: &ResultData, script: Option<&Script>) -> Vec<String> {
    let (ResultData::Run(run), Some(script)) = (data, script) else { return Vec::new() };
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
    let ModelChoice { model, provider, window, max_output, alternation } = choice;
    let output_reserve = book.configuration().window.output_reserve(max_output, window);
    let changed = EventBody::ModelChanged { model, provider, window, output_reserve, alternation, thinking };
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
    book.record(EventBody::SpanStarted { span: span.clone(), goal, turn }, context)?;
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
        book.record(EventBody::SpanEnded { span: inner.clone(), outcome, turn }, context)?;
    }
    book.record(EventBody::SpanEnded { span: span.clone(), outcome, turn }, context)
}

/// A question that was put to the lead or the user, with its answers. Gives `gate#N`.
pub(crate) fn gate(
    book: &mut impl Book,
    question: String,
    options: Vec<String>,
    answers: Vec<GateAnswer>,
    decision: Option<String>,
    context: &Context<'_>,
) -> Result<u32, SessionError> {
    let number = book.history().index().gates.len() as u32 + 1;
    let gate = Gate { number, question, options, answers, decision };
    book.record(EventBody::Gate(Box::new(gate)), context)?;
    Ok(number)
}
