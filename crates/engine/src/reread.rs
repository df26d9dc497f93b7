//! Reading a file again after a fold: once in full, then only what changed (docs/design/folding.md, "Committing").
//!
//! A fold takes lines out of the view, so each line may be read again once. After that, lines that are as they were get
//! a stub that names the turn which showed them. The disk is not known here: the tool brings what it just read, and
//! whoever asks knows where the newest fold is.

use serde_json::json;

use crate::{
    board::Board,
    evidence::pointer::{LineRange, Place},
    history::History,
    recall::{self, RecallError, TraceLookup},
    trace::{Blobs, EventBody, EventNo, ResultData, ToolResult, TurnNo},
};

/// What a read answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reread {
    /// The lines, as the tool read them.
    Whole,
    /// [`stub_result`] in their place.
    Unchanged {
        /// The newest turn that showed them.
        turn: TurnNo,
        /// What the tool answers.
        text: String,
    },
}

/// Whether lines that a tool just read from disk have to be shown. `last_fold` is the newest fold or archive that the
/// view has; without one every read is shown. A stub is given only for lines that the model was shown whole since then,
/// of a file that nothing changed since they were shown.
pub(crate) fn plan_reread(
    history: &History,
    path: &str,
    first_line: u32,
    lines: &[impl AsRef<str>],
    board: &Board,
    last_fold: Option<EventNo>,
    blobs: &dyn Blobs,
) -> Result<Reread, RecallError> {
    let (Some(fold), Some(range)) = (last_fold, range_of(first_line, lines.len())) else { return Ok(Reread::Whole) };
    let sights = sights_since(history, path, fold);
    if !sights.iter().any(|event| is_read(history, *event)) {
        return Ok(Reread::Whole);
    }
    // Line numbers of before a change are not those of today, so the newest change is where looking back ends.
    let is_change = |event: &&EventNo| matches!(body(history, **event), Some(EventBody::FileChanged(_)));
    let since = sights.iter().rfind(is_change).copied().unwrap_or(EventNo(fold.0 + 1));
    let Some(seen) = recall::lines_since(path, range, since, history, blobs)? else { return Ok(Reread::Whole) };
    let is_same = seen.iter().zip(lines).all(|(seen, line)| seen.text == without_carriage_return(line.as_ref()));
    if !is_same || seen.iter().any(|line| is_cut(history, line.turn)) {
        return Ok(Reread::Whole);
    }
    Ok(match seen.iter().map(|line| line.turn).max() {
        Some(turn) => Reread::Unchanged { turn, text: render_stub(path, range, turn, lines, board) },
        None => Reread::Whole,
    })
}

/// The result of a read that showed nothing. It is not a `Read`: its text holds no line of the file, so nothing counts
/// as observed.
pub fn stub_result(path: &str, first_line: u32, line_count: u32, turn: TurnNo, text: &str) -> ToolResult {
    let data = json!({
        "path": path,
        "first_line": first_line,
        "line_count": line_count,
        "unchanged_since": format!("turn#{turn}"),
    });
    ToolResult::success(text, ResultData::Other(data))
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
    let Some(EventBody::FileObserved(seen)) = body(history, event) else { return false };
    match body(history, seen.source) {
        Some(EventBody::ToolResult { result, .. }) => matches!(result.data, ResultData::Read(_)),
        _ => false,
    }
}

/// Of a result that was too large the model saw the ends only, and of a step that still runs nothing yet. Which of a
/// step's results it was does not matter: in doubt the lines are shown.
fn is_cut(history: &History, turn: TurnNo) -> bool {
    let ended = history.index().tool_turn(turn).and_then(|step| body(history, step.ended()?));
    match ended {
        Some(EventBody::StepEnded { shown, .. }) => shown.iter().any(|shown| shown.cut.is_some()),
        _ => true,
    }
}

fn body(history: &History, event: EventNo) -> Option<&EventBody> {
    history.events().get(event.0 as usize).map(|event| &event.event)
}

fn without_carriage_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests;
