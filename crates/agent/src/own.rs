//! The tools that act on the session itself: the todo list, the board, and what was seen before.

use std::time::Duration;

use lookback_engine::{
    Session, SessionError,
    evidence::pointer::Pointer,
    trace::{
        EventBody, Output, ResultData, ToolResult,
        result::{TodoItem, TodoState},
    },
};
use lookback_models::driving::CallError;
use lookback_tools::{
    ToolName,
    envelope::{Code, Done, Failure, envelope},
};
use serde_json::{Value, json};

use crate::house::{AgentError, House, recorded};

/// Bytes that one Recall shows; an offset shows what follows.
const MOST_RECALLED: usize = 64 << 10;

/// None for a tool that is no business of the session's.
pub(crate) fn run(
    session: &mut Session,
    tool: ToolName,
    text: &str,
    arguments: &Value,
    house: &mut dyn House,
) -> Option<Result<ToolResult, AgentError>> {
    let outcome = match tool {
        ToolName::TodoWrite => Ok(todo(arguments)),
        ToolName::Board => board(session, text, house),
        ToolName::Recall => Ok(recall(session, arguments, house)),
        _ => return None,
    };
    let root = session.start_of().root.clone();
    Some(outcome.map(|outcome| envelope(outcome, arguments, &root, Duration::ZERO)))
}

fn done(text: impl Into<Output>, data: ResultData) -> Done {
    Done { text: text.into(), data, is_partial: false, path: None }
}

fn todo(arguments: &Value) -> Result<Done, Failure> {
    let invalid = |message: &str| Failure::new(Code::InvalidParam, message);
    let given = arguments["todos"].as_array().ok_or_else(|| invalid("todos is a list of {content, status}"))?;
    let mut items = Vec::with_capacity(given.len());
    for item in given {
        let text = item["content"].as_str().ok_or_else(|| invalid("each todo has a content"))?.to_owned();
        let state = match item["status"].as_str() {
            Some("pending") | None => TodoState::Pending,
            Some("in_progress") => TodoState::InProgress,
            Some("completed") => TodoState::Done,
            Some(_) => return Err(invalid("a status is pending, in_progress or completed")),
        };
        items.push(TodoItem { text, state });
    }
    if items.iter().filter(|item| item.state == TodoState::InProgress).count() > 1 {
        return Err(invalid("only one todo can be in_progress"));
    }
    let count = items.len();
    Ok(done(format!("{count} todos are set"), ResultData::Todo { items }))
}

fn board(session: &mut Session, text: &str, house: &mut dyn House) -> Result<Result<Done, Failure>, AgentError> {
    match recorded(house, |context| session.delta_from_text(text, context)) {
        Ok(report) => {
            let data = json!({ "version": report.version, "refused": report.refused.len() });
            Ok(Ok(done(report.to_string(), ResultData::Other(data))))
        }
        Err(CallError::Session(SessionError::Board(refused))) => {
            Ok(Err(Failure::new(Code::InvalidParam, refused.to_string())))
        }
        Err(error) => Err(error.into()),
    }
}

/// `job-1` is what the model knows a command in the background by: the command that started it.
fn command_of_job(session: &Session, pointer: &str) -> Option<String> {
    let number: u32 = pointer.strip_prefix("job-")?.parse().ok()?;
    let (turn, index) = session.trace().iter().find_map(|event| match &event.event {
        EventBody::JobStarted(job) if job.number == number => Some((job.turn, job.index)),
        _ => None,
    })?;
    session.trace().iter().find_map(|event| match event.event {
        EventBody::ToolCall { turn: of, index: at, cmd: Some(cmd), .. } if (of, at) == (turn, index) => {
            Some(format!("cmd#{cmd}"))
        }
        _ => None,
    })
}

fn recall(session: &Session, arguments: &Value, house: &dyn House) -> Result<Done, Failure> {
    let pointer =
        arguments["pointer"].as_str().ok_or_else(|| Failure::new(Code::InvalidParam, "pointer is missing"))?;
    let of_job = command_of_job(session, pointer);
    let parsed: Result<Pointer, _> = of_job.as_deref().unwrap_or(pointer).parse();
    let parsed = parsed.map_err(|error| Failure::new(Code::InvalidParam, format!("{error}")))?;
    if let Some(other) = parsed.session.as_ref().filter(|named| !session.id().0.starts_with(named.as_str())) {
        return Err(Failure::new(Code::AccessDenied, format!("{other} is another session: only this one is recalled")));
    }
    let recalled = session.recall(&parsed.place, house.blobs());
    let recalled = recalled.map_err(|error| Failure::new(Code::NotFound, error.to_string()))?;
    let offset = arguments["offset"].as_u64().map_or(0, |offset| offset as usize);
    let (mut text, mut all) = (Vec::new(), 0);
    for piece in &recalled.pieces {
        let heading = format!("── {}\n", piece.label);
        let end: &[u8] = if piece.bytes.is_empty() || piece.bytes.ends_with(b"\n") { b"" } else { b"\n" };
        let picture = format!("[{} bytes: Read the file to see it]", piece.bytes.len());
        let bytes = if piece.label.starts_with("image/") { picture.as_bytes() } else { &piece.bytes };
        // Of a large output no more is copied than is shown.
        for part in [heading.as_bytes(), bytes, end] {
            let wanted = part.get(offset.saturating_sub(all)..).unwrap_or_default();
            text.extend_from_slice(&wanted[..wanted.len().min(MOST_RECALLED - text.len())]);
            all += part.len();
        }
    }
    if offset > 0 && offset >= all {
        return Err(Failure::new(
            Code::InvalidParam,
            format!("offset {offset} lies beyond the end: there are {all} bytes"),
        ));
    }
    let shown = offset + text.len();
    let is_partial = shown < all;
    if is_partial {
        let more = format!("\n… bytes {offset} to {shown} of {all}: offset {shown} shows what follows\n");
        text.extend_from_slice(more.as_bytes());
    }
    let data = ResultData::Other(json!({ "pointer": pointer, "truncated": is_partial }));
    Ok(Done { is_partial, ..done(Output::new(text), data) })
}
