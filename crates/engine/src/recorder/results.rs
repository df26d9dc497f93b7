//! Recording tool calls and their complete results, and what they show of files, tests and the todo list.

use bytes::Bytes;

use super::{
    Book,
    changes::{changed_files_unseen, file_changed_outside, todo},
    files::file_events,
    pictures::which_fit,
};
use crate::{
    board::Board,
    context::Context,
    error::SessionError,
    evidence::{
        lines::split_lines,
        placing::{lacks_place, place},
        recognise::recognise,
    },
    history::{History, index::ToolTurn},
    recall::observed_lines,
    shell::{Reading, Script},
    trace::{
        EventBody, Output, ResultData, Status, ToolKind, ToolResult, TurnNo,
        event::{FollowedAnchor, Shown},
        result::EditData,
        start::Pictures,
    },
    view::{
        large::{Admitted, Candidate, plan_results},
        result_text::{live_bytes, lossy},
    },
};

/// A tool begins to run. Runs get their `cmd#N` here, in the order in which they begin.
pub(crate) fn tool_call(
    book: &mut impl Book,
    id: &str,
    kind: ToolKind,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    let open = open_call(book.history(), id).ok_or_else(|| SessionError::NoSuchCall(id.to_owned()))?;
    if open.started {
        return Err(SessionError::AlreadyStarted(id.to_owned()));
    }
    record_start(book, open.turn, open.index, kind, context)
}

/// A tool ended. The last result of a step ends the step. A result for a call that was given up stays an event only.
pub(crate) fn tool_result(
    book: &mut impl Book,
    id: &str,
    result: ToolResult,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    match open_call(book.history(), id) {
        Some(open) => {
            record_result(book, open, result, context)?;
            end_step_if_complete(book, open.turn, context)
        }
        None => record_late_result(book, id, result, context),
    }
}

/// The calls of the open step that still wait for a result, in order.
pub(crate) fn waiting_calls(history: &History) -> Vec<&str> {
    let Some(step) = history.index().open_step().and_then(|turn| history.index().tool_turn(turn)) else {
        return Vec::new();
    };
    let waiting = step.calls.iter().enumerate().filter(|(_, call)| call.result().is_none());
    waiting.filter_map(|(index, _)| Some(history.call_of(step, index)?.0)).collect()
}

/// Records `interrupted` for what is missing of the open step, and ends it.
pub(super) fn end_interrupted_step(book: &mut impl Book, context: &Context<'_>) -> Result<(), SessionError> {
    let index = book.history().index();
    let Some(turn) = index.open_step() else { return Ok(()) };
    let Some(step) = index.tool_turn(turn) else { return Ok(()) };
    let missing = step.calls.iter().enumerate().filter(|(_, call)| call.result().is_none());
    let missing: Vec<(usize, bool)> = missing.map(|(index, call)| (index, call.started)).collect();
    for (index, began) in missing {
        let result = Box::new(if began { ToolResult::interrupted() } else { ToolResult::never_ran() });
        book.record(EventBody::ToolResult { turn, index: index as u32, result }, context)?;
    }
    end_step_if_complete(book, turn, context)
}

/// A call that waits for its result.
#[derive(Clone, Copy)]
struct OpenCall {
    turn: TurnNo,
    index: u32,
    started: bool,
    numbered: bool,
}

/// By the id that [`RecordedTurn`](super::RecordedTurn) gave.
fn open_call(history: &History, id: &str) -> Option<OpenCall> {
    let turn = history.index().open_step()?;
    let (_, index) = history.index().call(id).filter(|(of, _)| *of == turn)?;
    let call = history.index().tool_turn(turn)?.calls.get(index as usize)?;
    let open = OpenCall { turn, index, started: call.started, numbered: call.command.is_some() };
    call.result().is_none().then_some(open)
}

fn record_start(
    book: &mut impl Book,
    turn: TurnNo,
    index: u32,
    kind: ToolKind,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    let cmd = (kind == ToolKind::Run).then(|| book.history().index().commands.len() as u32 + 1);
    book.record(EventBody::ToolCall { turn, index, kind, cmd }, context)
}

fn record_result(
    book: &mut impl Book,
    open: OpenCall,
    mut result: ToolResult,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    let OpenCall { turn, index, started, numbered } = open;
    let kind = result.data.kind();
    // A result tells better than its announcement what kind of thing ran, and every run has a number.
    let unannounced = !started || (kind == ToolKind::Run && !numbered);
    if unannounced && result.status != Status::Interrupted {
        record_start(book, turn, index, kind, context)?;
    }
    let script = script_of(&result.data);
    let files = read_result(book, turn, &mut result, script.as_ref(), context)?;
    let seen = matches!(result.status, Status::Success | Status::Partial);
    let items = match &result.data {
        ResultData::Todo { items } if seen => Some(items.clone()),
        _ => None,
    };
    let unseen = changed_files_unseen(book.history(), &result.data, script.as_ref());
    book.record(EventBody::ToolResult { turn, index, result: Box::new(result) }, context)?;
    // A command shows what it prints after it has changed what it changes.
    for path in unseen {
        file_changed_outside(book, path, None, context)?;
    }
    for event in files {
        book.record(event, context)?;
    }
    match items {
        Some(items) => todo(book, items, context),
        None => Ok(()),
    }
}

/// Reads what a result shows: places edits by the lines that they replace, recognises test runs, and gives the events of
/// its files, with what they do to the board's anchors where there is a board.
fn read_result(
    book: &impl Book,
    turn: TurnNo,
    result: &mut ToolResult,
    script: Option<&Script>,
    context: &Context<'_>,
) -> Result<Vec<EventBody>, SessionError> {
    let text = result.text.bytes(context.blobs)?;
    let seen = matches!(result.status, Status::Success | Status::Partial);
    place_edit(book.history(), result, context);
    let source = book.history().next_event();
    let mut files = if seen { file_events(result, script, &text, source) } else { Vec::new() };
    if let Some(view) = book.view() {
        for event in &mut files {
            match event {
                EventBody::FileChanged(changed) => {
                    changed.anchors = follow_anchors(view.board(), &changed.path, &result.data, turn, context)?.into();
                }
                EventBody::FileObserved(seen) if view.board().shows(&seen.path) => {
                    let lines = observed_lines(seen, &result.data, &text);
                    seen.anchors = view.board().follow_sight(&seen.path, &lines, turn).into();
                }
                _ => {}
            }
        }
    }
    if let (ResultData::Run(run), Some(script)) = (&mut result.data, script) {
        let reading = Reading::of(script);
        run.reading = Some(reading);
        // A command that printed a file ran no tests, whatever the file says about tests.
        let report = if files.is_empty() { recognise(script, &lossy(&text)) } else { None };
        run.tests = report.map(Box::new);
    }
    Ok(files)
}

/// The command of a run, read once for all who ask about it.
fn script_of(data: &ResultData) -> Option<Script> {
    if let ResultData::Run(run) = data { Some(Script::parse(&run.command)) } else { None }
}

/// Where an edit changed its file, if its tool did not say.
fn place_edit(history: &History, result: &mut ToolResult, context: &Context<'_>) {
    let edits: Vec<&mut EditData> = match &mut result.data {
        ResultData::Edit(edit) => vec![edit],
        ResultData::Patch(patch) => patch.files.iter_mut().map(|file| &mut file.edit).collect(),
        _ => Vec::new(),
    };
    for edit in edits.into_iter().filter(|edit| lacks_place(&edit.hunks)) {
        edit.hunks = place(&edit.hunks, &history.known_lines(&edit.path, context.blobs));
    }
}

/// What an edit or a write did to the anchors of its file.
pub(crate) fn follow_anchors(
    board: &Board,
    path: &str,
    data: &ResultData,
    turn: TurnNo,
    context: &Context<'_>,
) -> Result<Vec<FollowedAnchor>, SessionError> {
    if !board.shows(path) {
        return Ok(Vec::new());
    }
    Ok(match data {
        ResultData::Write(write) if matches!(write.content, Output::Beyond(_)) => board.follow_unseen(path),
        ResultData::Write(write) => {
            let bytes = write.content.bytes(context.blobs)?;
            let lines: Vec<_> = split_lines(&bytes).map(String::from_utf8_lossy).collect();
            board.follow_write(path, &lines, turn)
        }
        data => data.edit_of(path).map(|edit| board.follow_edit(path, &edit.hunks, turn)).unwrap_or_default(),
    })
}

/// Its text is not shown, but the files were changed all the same.
fn record_late_result(
    book: &mut impl Book,
    id: &str,
    mut result: ToolResult,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    let unknown = || SessionError::NoSuchCall(id.to_owned());
    let (turn, index) = book.history().index().call(id).ok_or_else(unknown)?;
    let unseen = changed_files_unseen(book.history(), &result.data, script_of(&result.data).as_ref());
    place_edit(book.history(), &mut result, context);
    let did = matches!(result.status, Status::Success | Status::Partial);
    let mut changed = match &result.data {
        ResultData::Edit(_) | ResultData::Patch(_) | ResultData::Write(_) if did => {
            file_events(&result, None, &[], book.history().next_event())
        }
        _ => Vec::new(),
    };
    if let Some(view) = book.view() {
        for event in &mut changed {
            if let EventBody::FileChanged(changed) = event {
                changed.anchors = follow_anchors(view.board(), &changed.path, &result.data, turn, context)?.into();
            }
        }
    }
    book.record(EventBody::ToolResult { turn, index, result: Box::new(result) }, context)?;
    unseen.into_iter().try_for_each(|path| file_changed_outside(book, path, None, context))?;
    changed.into_iter().try_for_each(|event| book.record(event, context))
}

fn end_step_if_complete(book: &mut impl Book, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
    let Some(step) = book.history().index().tool_turn(turn) else { return Ok(()) };
    if step.calls.iter().any(|call| call.result().is_none()) {
        return Ok(());
    }
    let shown = plan_step(book, turn, step, context)?;
    book.record(EventBody::StepEnded { turn, shown }, context)
}

/// How the results of a step are shown: whole, or by their ends where the window has no room for more.
fn plan_step(
    book: &impl Book,
    turn: TurnNo,
    step: &ToolTurn,
    context: &Context<'_>,
) -> Result<Box<[Shown]>, SessionError> {
    let history = book.history();
    let results: Vec<&ToolResult> = (0..step.calls.len()).filter_map(|index| history.result_at(step, index)).collect();
    let texts = results.iter().map(|result| live_bytes(result, context.blobs)).collect::<Result<Vec<Bytes>, _>>()?;
    let sees = book.view().is_some_and(|view| view.model.pictures == Pictures::Shown);
    let pictures = |result: &ToolResult| if sees { context.count_pictures(result) } else { Ok(0) };
    let pictures = results.iter().map(|result| pictures(result)).collect::<Result<Vec<u32>, _>>()?;
    let fit = match pictures.iter().any(|tokens| *tokens > 0) {
        true => which_fit(book, &results, context)?,
        false => vec![true; results.len()],
    };
    let admitted: Vec<_> = match book.room() {
        None => {
            let whole = |bytes: &Bytes| (context.count)(lossy(bytes).as_bytes());
            texts.iter().map(|bytes| Admitted { tokens: whole(bytes), cut: None, pictures: 0 }).collect()
        }
        Some(room) => {
            let candidates: Vec<Candidate<'_>> = texts
                .iter()
                .enumerate()
                .zip(&pictures)
                .map(|((index, bytes), pictures)| Candidate {
                    bytes,
                    pictures: *pictures,
                    pictures_fit: fit[index],
                    pointer: history.result_pointer(turn, index),
                })
                .collect();
            plan_results(&candidates, room, &book.configuration().results, context.count)
        }
    };
    let mut test = history.index().tests.len() as u32;
    let shown = admitted.into_iter().zip(results).zip(pictures).map(|((admitted, result), pictures)| {
        let is_test = matches!(&result.data, ResultData::Run(run) if run.tests.is_some());
        test += u32::from(is_test);
        let Admitted { tokens, cut, pictures: seen } = admitted;
        Shown { tokens, cut, pictures: (pictures > 0).then_some(seen), test: is_test.then_some(test) }
    });
    Ok(shown.collect())
}
