//! Streams as providers send them, written by hand: what is shown while they come, and the reply at the end.

mod anthropic;
mod chat;
mod react;
mod responses;

use std::fmt::Write;

use super::*;
use crate::{
    CallResult, Head, Message, Part, ReplyContent, ReplyPart, ReplyStop, Role, TokenUsage, check_body, render_body,
    render_head, render_message,
};

/// Events as a person writes them down: one JSON object on a line, `[DONE]` as it is.
fn stream(events: &str) -> Vec<u8> {
    let lines = events.lines().map(str::trim).filter(|line| !line.is_empty());
    let sse = lines.map(|line| match Members::parse(line).and_then(|event| event.text("type").map(Cow::into_owned)) {
        Some(kind) => format!("event: {kind}\ndata: {line}\n\n"),
        None => format!("data: {line}\n\n"),
    });
    sse.collect::<String>().into_bytes()
}

/// What a person sees of an answer: the deltas, then the reply part by part.
fn show(provider: Provider, events: &str) -> String {
    let bytes = stream(events);
    let mut reader = ReplyReader::new(provider);
    let mut shown = String::new();
    for chunk in bytes.chunks(7) {
        match reader.push(chunk) {
            Ok(deltas) => deltas.iter().for_each(|delta| writeln!(shown, "> {delta:?}").expect("a text")),
            Err(error) => {
                writeln!(shown, "! {error}").expect("a text");
                break;
            }
        }
    }
    let state = format!("complete: {}, content: {}", reader.is_complete(), reader.has_content());
    let reply = reader.finish();
    if let Ok(at_once) = read(provider, [bytes.as_slice()]) {
        assert_eq!(at_once.1, reply, "in one piece");
    }
    shown + &show_reply(&reply) + &state
}

fn show_reply(reply: &Reply) -> String {
    let mut shown = String::new();
    for ReplyPart { content, native } in &reply.parts {
        let content = match content {
            ReplyContent::Text(text) => format!("text {text:?}"),
            ReplyContent::Thinking { text, seal } => format!("thinking {text:?} {seal:?}"),
            ReplyContent::Call { id, name, arguments } => format!("call {id} {name} {arguments}"),
            ReplyContent::UnfinishedCall { id, name, arguments } => format!("unfinished {id} {name} {arguments}"),
            ReplyContent::Unknown => "unknown".to_owned(),
        };
        writeln!(shown, "{content}").expect("a text");
        if let Some(native) = native {
            writeln!(shown, "    native {native}").expect("a text");
        }
    }
    let usage = reply.usage.map(|TokenUsage { uncached, cached, written, output, .. }| {
        format!("{uncached} uncached, {cached} cached, {written} written, {output} out")
    });
    let (id, model) = (reply.id.as_deref().unwrap_or("-"), reply.model.as_deref().unwrap_or("-"));
    writeln!(shown, "{:?}; {}; {id}, {model}", reply.stop, usage.as_deref().unwrap_or("no usage")).expect("a text");
    shown
}

fn show_body(provider: Provider, body: &str) -> String {
    match parse_reply(provider, body.as_bytes()) {
        Ok(reply) => show_reply(&reply),
        Err(error) => format!("! {error}"),
    }
}

/// All that was shown, joined, and the reply.
fn read<'a>(
    provider: Provider,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Result<(Vec<Delta>, Reply), StreamError> {
    let mut reader = ReplyReader::new(provider);
    let mut shown: Vec<Delta> = Vec::new();
    for chunk in chunks {
        for delta in reader.push(chunk)? {
            match (shown.last_mut(), delta) {
                (Some(Delta::Text(last)), Delta::Text(more)) | (Some(Delta::Thinking(last)), Delta::Thinking(more)) => {
                    *last += &more;
                }
                (_, delta) => shown.push(delta),
            }
        }
    }
    Ok((shown, reader.finish()))
}

/// Whatever the cuts, the same is shown, and the same reply comes out; and wherever a stream ends, what came of it goes
/// into the next request without being refused.
fn assert_equal_under_every_chunking(provider: Provider, events: &str) {
    let bytes = stream(events);
    let whole = read(provider, [bytes.as_slice()]);
    for size in 1..40 {
        assert_eq!(read(provider, bytes.chunks(size)), whole, "chunks of {size}");
    }
    for end in 0..bytes.len() {
        let (_, reply) = read(provider, [&bytes[..end]]).expect("no error before the end");
        assert_goes_back(provider, &reply);
    }
}

/// The answer as it stands in the next request, its calls answered, and the user's next words.
fn assert_goes_back(provider: Provider, reply: &Reply) {
    let parts: Vec<_> = reply.parts.iter().filter_map(|part| part.to_part(provider)).collect();
    let results = parts.iter().filter_map(|part| match part.understood() {
        Some(Part::Call(call)) => Some(Part::Result(CallResult {
            id: call.id.clone(),
            text: "ok".into(),
            pictures: Vec::new(),
            is_error: false,
        })),
        _ => None,
    });
    let results = Message { role: Role::Tool, parts: results.collect() };
    let messages = [Message::user("hi"), Message { role: Role::Assistant, parts }, results, Message::user("go on")];
    let head = render_head(provider, &Head { tools: &[], system: "", rules: "" });
    let rendered = messages.map(|message| render_message(provider, &message));
    let body = render_body(provider, "m", 1, &head, rendered.iter().map(Vec::as_slice));
    assert_eq!(check_body(provider, &body), Ok(()), "{}", String::from_utf8_lossy(&body));
}

#[test]
fn halves_of_characters_are_replaced() {
    let text = r#""\ud83d\ude00 \ud83d \udc00\ud800\\ud800 \u4e2d\"#;
    assert_eq!(readable(text.as_bytes()), r#""\ud83d\ude00 \ufffd \ufffd\ufffd\\ud800 \u4e2d\"#);
    assert_eq!(readable(b"\\ud8"), "\\ud8");
}

#[test]
fn nonsense_is_named_with_an_excerpt() {
    for provider in Provider::ALL {
        let mut reader = ReplyReader::new(provider);
        let error = reader.push(b"data: {\"type\":\"mess\n\n").expect_err("cut JSON");
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @r#"the provider's answer cannot be read (EOF while parsing a string at line 1 column 13): {"type":"mess"#);
        }
        assert!(matches!(parse_reply(provider, b"<html>"), Err(StreamError::Nonsense { .. })));
        assert!(matches!(parse_reply(provider, b"{}"), Err(StreamError::Nonsense { .. })));
    }
}

#[test]
fn events_of_unknown_kinds_are_passed_over() {
    for provider in Provider::ALL {
        let (shown, reply) =
            read(provider, [&b": hello\n\ndata: {\"type\":\"new\",\"x\":1}\n\nevent: ping\n\n"[..]]).expect("no error");
        assert_eq!((shown, reply), (Vec::new(), Reply::default()), "{provider}");
    }
}

#[test]
fn what_stands_behind_an_error_is_not_read_however_it_was_cut() {
    let bytes =
        b"data: {\"error\":{}}\n\ndata: {\"id\":\"late\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}";
    for size in [1, bytes.len()] {
        let mut reader = ReplyReader::new(Provider::Chat);
        assert!(bytes.chunks(size).any(|chunk| reader.push(chunk).is_err()));
        assert_eq!(reader.finish(), Reply::default(), "in chunks of {size}");
    }
}

/// Pieces in the form of an answer keep a stream going only as far as they add to it.
#[test]
fn pieces_that_add_nothing_are_no_content() {
    let delta = |delta: &str| format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
    let grown = |delta: &str| format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#);
    let start =
        |kind: &str| format!(r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"{kind}"}}}}"#);
    let call = |id: &str, arguments: &str| {
        delta(&format!(r#"{{"tool_calls":[{{"index":0,{id}"function":{{"arguments":"{arguments}"}}}}]}}"#))
    };
    let said = |kind: &str, rest: &str| format!(r#"{{"type":"response.{kind}","output_index":0,{rest}}}"#);
    let item = said("output_item.done", r#""item":{"type":"message","content":[]}"#);
    let arguments = |text: &str| said("function_call_arguments.delta", &format!(r#""delta":"{text}""#));
    let (chat, anthropic, responses) = (Provider::Chat, Provider::Anthropic, Provider::Responses);
    for (provider, first, nothing, more) in [
        (chat, call(r#""id":"c","#, ""), call("", ""), call("", "x")),
        (chat, call(r#""id":"c","#, ""), call(r#""id":"c","#, ""), call(r#""id":"d","#, "")),
        (
            chat,
            delta(r#"{"content":"x"}"#),
            delta(r#"{"content":[{"type":"text","text":""}]}"#),
            delta(r#"{"content":"x"}"#),
        ),
        (chat, delta(r#"{"foo":"bar"}"#), delta(r#"{"foo":"bar"}"#), delta(r#"{"new":"bar"}"#)),
        (
            anthropic,
            start("tool_use"),
            grown(r#"{"type":"input_json_delta","partial_json":""}"#),
            grown(r#"{"type":"input_json_delta","partial_json":"x"}"#),
        ),
        (
            anthropic,
            start("thinking"),
            grown(r#"{"type":"signature_delta","signature":""}"#),
            grown(r#"{"type":"signature_delta","signature":"x"}"#),
        ),
        (
            anthropic,
            start("text"),
            grown(r#"{"type":"text_delta","text":""}"#),
            grown(r#"{"type":"text_delta","text":"x"}"#),
        ),
        (anthropic, start("x"), grown(r#"{"type":"x"}"#), start("x").replace("\"index\":0", "\"index\":1")),
        (anthropic, start("text"), start("text"), grown(r#"{"type":"text_delta","text":"x"}"#)),
        (anthropic, start("tool_use"), start("tool_use"), start("tool_use").replace("\"index\":0", "\"index\":1")),
        (responses, arguments("x"), arguments(""), arguments("x")),
        (responses, item.clone(), item.clone(), item.replace(":0,", ":1,")),
        (responses, item.clone(), said("unknown.delta", r#""delta":{"foo":"bar"}"#), arguments("x")),
    ] {
        let mut reader = ReplyReader::new(provider);
        let mut after = |event: &str| {
            reader.push(format!("data: {event}\n\n").as_bytes()).expect("a stream");
            reader.lines_without_content()
        };
        let shown = [&first, &nothing, &nothing, &more].map(|event| after(event));
        assert!(shown[0] < shown[1] && shown[1] < shown[2] && shown[3] == shown[0], "{nothing}: {shown:?}");
    }
}
