//! What the stories are told with: a session and short words for what happens in it.

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    evidence::pointer::Pointer,
    recall::RecallError,
    session::RecordedTurn,
    trace::{EventBody, NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, TurnNo, result::RunData},
};
use lookback_wire::{Provider, ToolSpec};
use serde_json::Value;

pub(crate) fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

pub(crate) const NOW: Context<'static> = Context { now: Timestamp(1_763_200_000_000), count: &count, blobs: &NoBlobs };

pub(crate) fn session() -> Session {
    let setup = SessionSetup {
        system: "SYSTEM".into(),
        tools: vec![ToolSpec { name: "Read".into(), description: "TOOLS".into(), parameters: "{}".into() }],
        rules: "RULES".into(),
        model: "test".into(),
        tokenizer: "bytes/4".into(),
        ..SessionSetup::new(SessionId("story0000000".into()))
    };
    Session::start(setup, &NOW).expect("it starts")
}

pub(crate) fn user(session: &mut Session, text: &str) -> TurnNo {
    session.user_turn(text, Origin::Person, &NOW).expect("idle")
}

pub(crate) fn answer(session: &mut Session, text: &str) -> TurnNo {
    session.start_call(&NOW).expect("a call");
    session.assistant_turn(vec![NewPart::Text(text.into())], Stop::End, &NOW).expect("an answer").turn
}

/// A step with one call and its result.
pub(crate) fn step(session: &mut Session, id: &str, result: ToolResult) -> TurnNo {
    let step = calls(session, &[id]);
    session.tool_result(&step.calls[0], result, &NOW).expect("the call waits");
    TurnNo(step.turn.0 + 1)
}

pub(crate) fn calls(session: &mut Session, ids: &[&str]) -> RecordedTurn {
    session.start_call(&NOW).expect("a call");
    let call = |id: &&str| NewPart::Call { id: (*id).into(), name: "Tool".into(), arguments: "{}".into() };
    session.assistant_turn(ids.iter().map(call).collect(), Stop::End, &NOW).expect("a turn")
}

pub(crate) fn run(command: &str, exit: i32, output: &str) -> ToolResult {
    let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
    ToolResult::success(output, ResultData::Run(data))
}

pub(crate) fn other(text: &str) -> ToolResult {
    ToolResult::success(text, ResultData::Other(Value::Null))
}

pub(crate) fn body(session: &Session, provider: Provider) -> String {
    let body = session.body_for(provider, &NoBlobs).expect("no blobs");
    String::from_utf8(body).expect("prompts are text")
}

pub(crate) fn sent(session: &Session) -> String {
    String::from_utf8(session.body_for(session.sent().provider(), &NoBlobs).expect("no blobs"))
        .expect("prompts are text")
}

pub(crate) fn recall(session: &Session, pointer: &str) -> Result<String, RecallError> {
    let pointer: Pointer = pointer.parse().expect("a pointer");
    let recalled = session.recall(&pointer.place, &NoBlobs)?;
    let texts = recalled.pieces.iter().map(|piece| String::from_utf8_lossy(&piece.bytes).into_owned());
    Ok(texts.collect::<Vec<_>>().join("|"))
}

pub(crate) fn push(events: &mut Vec<lookback_engine::trace::Event>, event: EventBody) {
    let mut next = events.last().expect("a started session").clone();
    next.seq.0 += 1;
    next.event = event;
    events.push(next);
}
