//! Reading a file again after a fold: once in full, then only what changed (docs/design/folding.md, "Committing").
//!
//! A fold takes lines out of the view, so each line may be read again once. After that, lines that are as they were and
//! still stand in the view get a stub that names the turn which showed them.

use serde_json::json;

use crate::{
    board::Board,
    evidence::{
        lines::{lines_in, split_lines},
        pointer::{LineRange, Place},
    },
    history::History,
    recall::{self, RecallError, TraceLookup},
    state::{Bench, State},
    trace::{Blobs, EventBody, EventNo, ResultData, Status, ToolResult, TurnNo, result::ReadData},
};

/// The result of a read as the model is to see it. A stub is no `Read`: its text holds no line of the file, so nothing
/// counts as observed.
pub(crate) fn without_what_stands(bench: Bench<'_>, result: ToolResult, blobs: &dyn Blobs) -> ToolResult {
    let Some((stub, read)) = stub_for(bench, &result, blobs) else { return result };
    let data = json!({
        "path": read.path,
        "first_line": read.first_line,
        "line_count": read.line_count,
        "unchanged_since": format!("turn#{}", stub.turn),
    });
    ToolResult { text: stub.text.into(), data: ResultData::Other(data), ..result }
}

/// Only where nothing is lost: the tool gave all that was asked and said nothing before it, and a stub is shorter.
fn stub_for<'a>(bench: Bench<'_>, result: &'a ToolResult, blobs: &dyn Blobs) -> Option<(Stub, &'a ReadData)> {
    let ResultData::Read(read) = &result.data else { return None };
    if result.status != Status::Success || read.truncated {
        return None;
    }
    let text = result.text.bytes(blobs).ok()?;
    let lines = lines_in(&text, &read.form, read.first_line);
    let begins = lines_in(split_lines(&text).next()?, &read.form, read.first_line).first() == lines.first();
    if !begins || lines.len() != read.line_count as usize {
        return None;
    }
    let lines: Vec<_> = lines.into_iter().map(|(_, line)| line).collect();
    // In doubt the lines are shown.
    let stub = plan_reread(bench, &read.path, read.first_line, &lines, blobs).ok()??;
    (stub.text.len() < text.len()).then_some((stub, read))
}

/// What stands in the place of lines that are in the view.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stub {
    /// The newest turn that showed them.
    turn: TurnNo,
    text: String,
}

/// None: the lines that a tool just read from disk have to be shown. A stub is given only for lines that the model was
/// shown whole since the newest fold or archive and still sees, of a file that nothing changed since they were shown.
fn plan_reread(
    Bench { history, state }: Bench<'_>,
    path: &str,
    first_line: u32,
    lines: &[impl AsRef<str>],
    blobs: &dyn Blobs,
) -> Result<Option<Stub>, RecallError> {
    let (Some(fold), Some(range)) = (state.last_fold, range_of(first_line, lines.len())) else { return Ok(None) };
    let sights = sights_since(history, path, fold);
    if !sights.iter().any(|event| is_read(history, *event)) {
        return Ok(None);
    }
    // Line numbers of before a change are not those of today, so the newest change is where looking back ends.
    let is_change = |event: &&EventNo| matches!(history.body_at(**event), Some(EventBody::FileChanged(_)));
    let since = sights.iter().rfind(is_change).copied().unwrap_or(EventNo(fold.0 + 1));
    let Some(seen) = recall::lines_since(path, range, since, history, blobs)? else { return Ok(None) };
    let is_same = seen.iter().zip(lines).all(|(seen, line)| seen.text == without_carriage_return(line.as_ref()));
    if !is_same || seen.iter().any(|line| is_cut(history, state, line.turn)) {
        return Ok(None);
    }
    let newest = seen.iter().map(|line| line.turn).max();
    Ok(newest.map(|turn| Stub { turn, text: render_stub(path, range, turn, lines, &state.board) }))
}

fn render_stub(path: &str, range: LineRange, turn: TurnNo, lines: &[impl AsRef<str>], board: &Board) -> String {
    let place = |at| Place::File { path: path.to_owned(), lines: Some(range), at };
    let pointer = place(None).to_string();
    let name = pointer.strip_prefix("file:").unwrap_or(&pointer);
    let mut text = format!("{name} unchanged since turn#{turn} · Recall {} gives the lines", place(Some(turn)));
    let anchors = anchors_inside(path, range, lines, board);
    if !anchors.is_empty() {
        text.push_str(&format!(" · on the board: {}", anchors.join(", ")));
    }
    text
}

/// Anchors that show these very lines: `a3 L42-L44`.
fn anchors_inside(path: &str, range: LineRange, lines: &[impl AsRef<str>], board: &Board) -> Vec<String> {
    let shows = |first: u32, snippet: &str| {
        let from = (first - range.first) as usize;
        let here = lines[from..].iter().map(|line| without_carriage_return(line.as_ref()));
        snippet.split('\n').eq(here.take(snippet.split('\n').count()))
    };
    let anchors = board.anchors().iter().filter(|entry| {
        let anchor = &entry.value;
        let inside = range.first <= anchor.first_line && anchor.last_line <= range.last;
        anchor.path == path
            && inside
            && anchor.first_line <= anchor.last_line
            && shows(anchor.first_line, &anchor.snippet)
    });
    let lines_of = |first, last| LineRange { first, last };
    anchors.map(|entry| format!("{} {}", entry.id, lines_of(entry.value.first_line, entry.value.last_line))).collect()
}

fn range_of(first: u32, count: usize) -> Option<LineRange> {
    let last = first.checked_add(u32::try_from(count).ok()?.checked_sub(1)?)?;
    (first > 0).then_some(LineRange { first, last })
}

/// What was seen of a file, and how it changed, behind the fold.
fn sights_since(history: &History, path: &str, fold: EventNo) -> Vec<EventNo> {
    let mut sights = history.seen(path).unwrap_or_default();
    sights.retain(|event| *event > fold && history.is_live(*event));
    sights
}

fn is_read(history: &History, event: EventNo) -> bool {
    let Some(EventBody::FileObserved(seen)) = history.body_at(event) else { return false };
    match history.body_at(seen.source) {
        Some(EventBody::ToolResult { result, .. }) => matches!(result.data, ResultData::Read(_)),
        _ => false,
    }
}

/// Of a result that was too large the model saw the ends only, of one in its short form it sees less now, and of a step
/// that still runs it saw nothing yet. Which of a step's results it was does not matter: in doubt the lines are shown.
fn is_cut(history: &History, state: &State, turn: TurnNo) -> bool {
    if state.settled.range((turn, 0)..=(turn, u32::MAX)).next().is_some() {
        return true;
    }
    let ended = history.index().tool_turn(turn).and_then(|step| history.body_at(step.ended()?));
    match ended {
        Some(EventBody::StepEnded { shown, .. }) => shown.iter().any(|shown| shown.cut.is_some()),
        _ => true,
    }
}

fn without_carriage_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests;
