//! Past turns as text to be summarised: each under the pointer that a summary can cite.
//!
//! No line of a turn can pass for the heading of another. Thinking never goes in.

use std::fmt::Write;

use crate::{
    history::{LiveTurn, index::ToolTurn},
    state::Bench,
    trace::{
        AssistantPart, AssistantTurn, BlobError, Blobs, EventBody, EventNo, ResultData, ToolResult, TurnNo,
        decision::TurnRange,
    },
    view::{
        Source,
        result_text::{live_bytes, lossy},
        visible::visible_parts,
    },
};

/// How much of the turns a summary is made from (docs/design/folding.md, "Archive").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Complete results, whatever the view shows of them.
    Raw,
    /// As the view has them: cut and settled results, and blocks in the place of folded turns.
    View,
}

/// Turns for a model that does not have them in its prompt.
pub(crate) fn turns_as_text(
    bench: Bench<'_>,
    range: TurnRange,
    detail: Detail,
    blobs: &dyn Blobs,
) -> Result<String, BlobError> {
    let mut text = String::new();
    match detail {
        Detail::Raw => {
            for (turn, content) in bench.history.live_turns(range) {
                match content {
                    LiveTurn::Tool(step) => push_results(&mut text, bench, turn, step, blobs)?,
                    said => push_said(&mut text, turn, &said),
                }
            }
        }
        Detail::View => push_view(&mut text, bench, range, blobs)?,
    }
    Ok(text.trim_end().to_owned())
}

fn push_view(text: &mut String, bench: Bench<'_>, range: TurnRange, blobs: &dyn Blobs) -> Result<(), BlobError> {
    for entry in bench.state.view.entries() {
        match entry.source {
            Source::Turn(turn) if (range.first..=range.last).contains(&turn) => match bench.history.live_turn(turn) {
                Some(LiveTurn::Tool(step)) => {
                    let message = bench.message(entry, blobs)?;
                    for (index, part) in message.parts.iter().enumerate() {
                        if let lookback_wire::Part::Result(result) = part {
                            push(text, &result_heading(bench, turn, step, index), &result.text);
                        }
                    }
                }
                Some(said) => push_said(text, turn, &said),
                None => {}
            },
            Source::Block(_) => {
                if let Some(EventBody::Fold(fold)) = body(bench, entry.revision)
                    && fold.range.first <= range.last
                    && range.first <= fold.range.last
                {
                    let heading = format!("turn#{} to turn#{} folded", fold.range.first, fold.range.last);
                    push(text, &heading, &fold.content.text);
                }
            }
            // Summaries and the dialogue stay as they are, the board is not history, and notes were for the moment.
            Source::Turn(_) | Source::Archived(_) | Source::Dialogue | Source::Board | Source::Note => {}
        }
    }
    Ok(())
}

fn push_said(text: &mut String, turn: TurnNo, said: &LiveTurn<'_>) {
    match said {
        LiveTurn::User(user) => {
            let who = user.user.map_or_else(|| "a program".to_owned(), |number| format!("user#{number}"));
            push(text, &format!("turn#{turn} {who}"), &user.text);
        }
        LiveTurn::Assistant(assistant) => push(text, &format!("turn#{turn} assistant"), &words_and_calls(assistant)),
        LiveTurn::Tool(_) => {}
    }
}

fn words_and_calls(turn: &AssistantTurn) -> String {
    let parts = visible_parts(turn).into_iter().filter_map(|part| match part {
        AssistantPart::Text { text, .. } => Some(text.trim().to_owned()),
        AssistantPart::Call { name, arguments, .. } => Some(format!("call {name} {arguments}")),
        AssistantPart::Thinking { .. } | AssistantPart::Unknown { .. } => None,
    });
    parts.collect::<Vec<_>>().join("\n")
}

fn push_results(
    text: &mut String,
    bench: Bench<'_>,
    turn: TurnNo,
    step: &ToolTurn,
    blobs: &dyn Blobs,
) -> Result<(), BlobError> {
    for index in 0..step.calls.len() {
        if let Some(result) = result_of(bench, step, index) {
            push(text, &result_heading(bench, turn, step, index), &lossy(&live_bytes(result, blobs)?));
        }
    }
    Ok(())
}

/// `turn#8 cmd#2 exit=0 test#1`, or `turn#6 result of Read`.
fn result_heading(bench: Bench<'_>, turn: TurnNo, step: &ToolTurn, index: usize) -> String {
    let mut heading = format!("turn#{turn}");
    let Some(call) = step.calls.get(index) else { return heading };
    // Writing to a string cannot fail.
    let _ = match call.command {
        Some(number) => write!(heading, " cmd#{number}"),
        None => write!(heading, " result"),
    };
    let run = result_of(bench, step, index).and_then(|result| match &result.data {
        ResultData::Run(run) => run.exit_code,
        _ => None,
    });
    if let Some(code) = run {
        let _ = write!(heading, " exit={code}");
    }
    if let Some(EventBody::StepEnded { shown, .. }) = step.ended().and_then(|event| body(bench, event))
        && let Some(number) = shown.get(index).and_then(|shown| shown.test)
    {
        let _ = write!(heading, " test#{number}");
    }
    if let Some(EventBody::AssistantTurn(assistant)) = body(bench, step.assistant)
        && let Some(AssistantPart::Call { name, .. }) = assistant.parts.get(call.part as usize)
    {
        let _ = write!(heading, " of {name}");
    }
    heading
}

fn result_of<'a>(bench: Bench<'a>, step: &ToolTurn, index: usize) -> Option<&'a ToolResult> {
    match body(bench, step.calls.get(index)?.result()?)? {
        EventBody::ToolResult { result, .. } => Some(result),
        _ => None,
    }
}

fn body(bench: Bench<'_>, event: EventNo) -> Option<&EventBody> {
    bench.history.events().get(event.0 as usize).map(|event| &event.event)
}

/// A line that reads like a heading gets a backslash: what a tool printed cannot begin a turn of the user.
fn push(text: &mut String, heading: &str, content: &str) {
    let content = content.trim_end_matches(['\n', '\r']);
    if content.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[{heading}]");
    for line in content.split('\n') {
        let line = line.replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], " ");
        let escape = if line.trim_start().starts_with("[turn#") { "\\" } else { "" };
        let _ = writeln!(text, "{escape}{line}");
    }
    text.push('\n');
}
