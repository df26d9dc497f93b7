//! Who reads foreign text, each as a function of a text.

use std::hint::black_box;

use lookback_engine::{
    Context, ModelChoice, Recorder, Session, SessionSetup, WholeStep,
    card::Cards,
    configuration::place,
    evidence::pointer::Pointer,
    trace::{Event, NoBlobs, SessionId, Timestamp, upgrade::TraceReader},
};
use lookback_models::script::Script;
use lookback_replay::{
    conversation::Conversation,
    import::{detect, importer, parse_document},
    recording::{Format, Item, Recording},
};
use lookback_tokens::count_o200k;
use lookback_wire::{Body, Provider, ReplyReader, SseParser, mend_halves, parse_reply};
use serde_json::{Value, json};

pub(super) type Read = Box<dyn Fn(&str)>;
pub(super) type ReadMany = Box<dyn Fn(usize)>;

/// Where texts are not looked at closely: a turn and an answer are read in the same way in every format.
pub(super) fn is_coarse(reader: &str) -> bool {
    let again = !reader.starts_with("Claude Code") && !reader.starts_with("a fold");
    reader.ends_with(", raw") || again && (reader.ends_with(", a turn") || reader.ends_with(", an answer"))
}

/// The small sessions of the tests say the same things in every format.
const SAID: [(&str, &str); 4] = [
    ("a turn", "why does it fail?"),
    ("a command", "pytest -q"),
    ("an output", "1 failed, 1 passed in 0.1s"),
    ("an answer", "balance() is always 0."),
];

const SESSIONS: [(Format, &str); 7] = [
    (Format::ClaudeCode, include_str!("../../../fixtures/sessions/claude-code.jsonl")),
    (Format::Codex, include_str!("../../../fixtures/sessions/codex.jsonl")),
    (Format::SweAgent, include_str!("../../../fixtures/sessions/swe-agent.traj")),
    (Format::MiniSweAgent, include_str!("../../../fixtures/sessions/mini-swe-agent.traj.json")),
    (Format::Opencode, include_str!("../../../fixtures/sessions/opencode.json")),
    (Format::Pi, include_str!("../../../fixtures/sessions/pi.jsonl")),
    (Format::GeminiCli, include_str!("../../../fixtures/sessions/gemini-cli.json")),
];

const TRACE: &str = include_str!("../../../fuzz/seeds/trace/imported");

pub(super) fn readers() -> Vec<(String, Read)> {
    let mut readers: Vec<(String, Read)> = Vec::new();
    for (format, session) in SESSIONS {
        for (place, said) in SAID {
            let read = move |text: &str| drop(record(format, &with(session, said, text)));
            readers.push((format!("{}, {place}", format.label()), Box::new(read)));
        }
        readers.push((format!("{}, raw", format.label()), Box::new(move |text| drop(record(format, text)))));
    }
    for (place, said) in SAID {
        readers.push((format!("Lookback, {place}"), Box::new(move |text| replay(&with(TRACE, said, text)))));
        readers.push((format!("a fold, {place}"), Box::new(move |text| fold(&with(SESSIONS[0].1, said, text)))));
    }
    readers.push(("Lookback, raw".into(), Box::new(replay)));
    readers.push(("which format".into(), Box::new(|text| _ = black_box(detect(text.as_bytes())))));
    readers.push(("tokens".into(), Box::new(|text| _ = black_box(count_o200k(text.as_bytes())))));
    readers.push(("a pointer".into(), Box::new(|text| drop(text.parse::<Pointer>()))));
    readers.push(("cards".into(), Box::new(|text| drop(Cards::parse(text)))));
    readers.push(("places in settings".into(), Box::new(|text| _ = black_box(place::line_of(text, "a.b.c")))));
    readers.push(("a script".into(), Box::new(|text| drop(Script::parse(text)))));
    readers.push(("halves".into(), Box::new(|text| drop(mend_halves(text.as_bytes())))));
    readers.push((
        "events of a stream".into(),
        Box::new(|text| {
            let mut parser = SseParser::with_limit(1 << 20);
            text.as_bytes().chunks(64).for_each(|chunk| drop(parser.push(chunk)));
        }),
    ));
    for provider in [Provider::Anthropic, Provider::Chat, Provider::Responses, Provider::React] {
        readers.push((
            format!("a {provider} stream"),
            Box::new(move |text| {
                let mut reader = ReplyReader::new(provider);
                text.as_bytes().chunks(64).for_each(|chunk| drop(reader.push(chunk)));
                drop(reader.finish());
            }),
        ));
        readers
            .push((format!("a {provider} reply"), Box::new(move |text| drop(parse_reply(provider, text.as_bytes())))));
        readers.push((
            format!("a {provider} body"),
            Box::new(move |text| drop(Body::parse(provider, text.as_bytes().to_vec()))),
        ));
    }
    readers
}

/// The session with a text in the place of what was said.
fn with(session: &str, said: &str, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap_or_default();
    session.replace(said, &text[1..text.len() - 1])
}

/// As an import does it: read, then written down.
fn record(format: Format, session: &str) -> Vec<Event> {
    let mut recording = Recording::new(format);
    match importer(format) {
        Some(mut importer) => {
            (1..)
                .zip(session.lines())
                .for_each(|(number, line)| importer.line(number, line.as_bytes(), &mut recording));
            importer.finish(&mut recording);
        }
        None => drop(parse_document(format, session.as_bytes(), &mut recording)),
    }
    let count = |bytes: &[u8]| bytes.len().div_ceil(4) as u32;
    let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    let setup = SessionSetup { window: 1 << 30, ..SessionSetup::new(SessionId("linear000000".into())) };
    let Ok(mut recorder) = Recorder::start(setup, &context) else { return Vec::new() };
    for item in recording.items {
        let recorded = match item {
            Item::User(user) => recorder.user_turn(user.text, user.origin, &context).map(drop),
            Item::Call(call) => {
                let step = WholeStep { parts: call.parts, stop: call.stop, results: call.results, bill: None };
                let choice = ModelChoice::new("m", Provider::Chat, 1 << 30);
                recorder.model_changed(choice, &context).and_then(|_| recorder.step(step, &context)).map(drop)
            }
            _ => Ok(()),
        };
        if recorded.is_err() {
            break;
        }
    }
    recorder.take_events()
}

/// Its step is folded, behind it stand others.
fn fold(session: &str) {
    let filler = include_str!("../../../fixtures/sessions/claude-code.jsonl");
    let more: String = (0..12)
        .map(|part| {
            ["u1", "u2", "u3", "u4", "u5", "u6", "u9", "m1", "m2", "m3", "t1", "t2"]
                .iter()
                .fold(filler.to_owned(), |text, id| text.replace(&format!("\"{id}\""), &format!("\"{id}-{part}\"")))
        })
        .collect();
    let events = record(Format::ClaudeCode, &format!("{session}{more}"));
    let count = |bytes: &[u8]| bytes.len().div_ceil(4) as u32;
    let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    if let Ok(mut session) = Session::replay(events, &NoBlobs)
        && let Ok(draft) = session.draft_fold(None, &context)
    {
        let _ = session.fold_by_rules(&draft, &context);
    }
}

/// As an import of our own traces does it.
fn replay(trace: &str) {
    let mut reader = TraceReader::default();
    let events = trace.lines().map(|line| reader.event(line.as_bytes())).collect::<Result<Vec<Event>, _>>();
    let count = |bytes: &[u8]| bytes.len().div_ceil(4) as u32;
    let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    let _ = events.map(|events| Session::replay_checked(events, &context));
}

/// What a replay finds in steps before it runs any strategy: commands with what they printed.
fn steps(steps: impl Iterator<Item = (String, String)>) {
    let mut recording = Recording::new(Format::ClaudeCode);
    let Some(mut importer) = importer(Format::ClaudeCode) else { return };
    let mut number = 0;
    let mut line = |message: &str, content: Value| {
        number += 1;
        let message = json!({"isSidechain": false, "cwd": "/w", "sessionId": "s", "uuid": format!("x{number}"), "type": message,
            "message": {"id": format!("m{number}"), "role": message, "content": [content]}});
        importer.line(number, message.to_string().as_bytes(), &mut recording);
    };
    for (number, (command, output)) in steps.enumerate() {
        let id = format!("t{number}");
        line("assistant", json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}));
        line("user", json!({"type": "tool_result", "tool_use_id": id, "content": output}));
    }
    importer.finish(&mut recording);
    drop(Conversation::new(&recording, &|bytes| bytes.len().div_ceil(4) as u32));
}

fn chat(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{{delta}}}}}]}}"#)
}

/// Files and streams of many small things, by their number.
pub(super) fn many() -> Vec<(&'static str, ReadMany)> {
    let line = |number: usize, message: &str, rest: &str| {
        format!(
            r#"{{"isSidechain":false,"cwd":"/w","sessionId":"s","uuid":"x{number}","type":"{message}","message":{rest}}}"#
        ) + "\n"
    };
    let calls = move |name: &'static str, input: &'static str, output: &'static str| -> ReadMany {
        Box::new(move |count| {
            let call = |number| {
                let block = format!(r#"{{"type":"tool_use","id":"t{number}","name":"{name}","input":{input}}}"#);
                line(number, "assistant", &format!(r#"{{"id":"m","role":"assistant","content":[{block}]}}"#))
            };
            let result = |number| {
                let block = format!(r#"{{"type":"tool_result","tool_use_id":"t{number}","content":"{output}"}}"#);
                line(number + count, "user", &format!(r#"{{"role":"user","content":[{block}]}}"#))
            };
            drop(record(Format::ClaudeCode, &(0..count).map(call).chain((0..count).map(result)).collect::<String>()));
        })
    };
    let stream = |provider, event: fn(usize) -> String| -> ReadMany {
        Box::new(move |count| {
            let mut reader = ReplyReader::new(provider);
            for number in 0..count {
                drop(reader.push(format!("data: {}\n\n", event(number)).as_bytes()));
            }
            drop(reader.finish());
        })
    };
    let codex = |kind: &str, payload: &str| format!(r#"{{"type":"{kind}","payload":{payload}}}"#) + "\n";
    vec![
        ("commands of one response", calls("Bash", r#"{"command":"make"}"#, "done")),
        ("files of one response", calls("Read", r#"{"file_path":"/w/a.py"}"#, "1\\tx")),
        ("edits of one response", calls("Edit", r#"{"file_path":"/w/a.py","old_string":"a","new_string":"b"}"#, "ok")),
        (
            "turns",
            Box::new(move |count| {
                let turn = |number| line(number, "user", r#"{"role":"user","content":"go on, please"}"#);
                drop(record(Format::ClaudeCode, &(0..count).map(turn).collect::<String>()));
            }),
        ),
        (
            "turns with responses that were broken off",
            Box::new(move |count| {
                let turn = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}"#;
                let nothing = r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#;
                let pair = [codex("response_item", turn), codex("response_item", nothing)].concat();
                drop(record(Format::Codex, &pair.repeat(count)));
            }),
        ),
        (
            "results that are cleared later",
            Box::new(|count| {
                let message = |number| {
                    format!(
                        r#"{{"info":{{"role":"assistant","time":{{"created":{number}}}}},"parts":[{{"type":"tool","tool":"bash","callID":"c{number}","state":{{"time":{{"compacted":{}}}}}}}]}}"#,
                        9_000_000 - number
                    )
                };
                let messages = (0..count).map(message).collect::<Vec<_>>().join(",");
                drop(record(Format::Opencode, &format!(r#"{{"info":{{"id":"ses_1"}},"messages":[{messages}]}}"#)));
            }),
        ),
        (
            "failed tests, and steps behind them",
            Box::new(|count| {
                let list = |before: &str, behind: &str| -> String {
                    (0..count).map(|n| format!("{before}a::b{n}{behind}\n")).collect()
                };
                let (failed, again) = (list("test ", " ... FAILED"), list("    ", ""));
                let end =
                    format!("test result: FAILED. 0 passed; {count} failed; 0 ignored; 0 measured; 0 filtered out\n");
                let first = ("cargo test".to_owned(), format!("{failed}\nfailures:\n{again}\n{end}"));
                steps(std::iter::once(first).chain((0..count).map(|n| (format!("ls a{n}"), "x".to_owned()))));
            }),
        ),
        (
            "names that were listed, and then in a command",
            Box::new(|count| {
                let names = |end: &str| (0..20 * count).map(|n| format!("f{n}{end}")).collect::<String>();
                let removed = ("rm ".to_owned() + &names(" ") + &names(".rs "), String::new());
                steps([("ls".to_owned(), names("\n") + &names(".rs\n")), removed].into_iter());
            }),
        ),
        (
            "places that were printed, and others asked for",
            Box::new(|count| {
                let printed = (0..20 * count).map(|n| format!("a.rs:{n}:x\n")).collect();
                let asked = (0..count).map(|n| format!("sed -n {},{}p a.rs; ", 90_000 + n, 90_100 + n)).collect();
                steps([("grep -rn x .".to_owned(), printed), (asked, String::new())].into_iter());
            }),
        ),
        (
            "calls of a stream",
            stream(Provider::Chat, |n| {
                chat(&format!(r#""tool_calls":[{{"index":{n},"id":"c{n}","function":{{"name":"f"}}}}]"#))
            }),
        ),
        (
            "calls of a stream without indexes",
            stream(Provider::Chat, |n| chat(&format!(r#""tool_calls":[{{"id":"c{n}","function":{{"name":"f"}}}}]"#))),
        ),
        (
            "details of a stream",
            stream(Provider::Chat, |n| chat(&format!(r#""reasoning_details":[{{"index":{n},"text":"x"}}]"#))),
        ),
        (
            "details of a stream within details",
            stream(Provider::Chat, |n| {
                chat(&format!(r#""details":[{{"index":0,"more":[{{"index":{n},"text":"x"}}]}}]"#))
            }),
        ),
        ("names of a stream", stream(Provider::Chat, |n| chat(&format!(r#""x{n}":1"#)))),
        (
            "items of a stream",
            stream(Provider::Responses, |n| {
                let item = r#"{"type":"message","content":[]}"#;
                format!(r#"{{"type":"response.output_item.done","output_index":{n},"item":{item}}}"#)
            }),
        ),
        (
            "items of a stream without indexes",
            stream(Provider::Responses, |n| {
                let item = format!(r#"{{"type":"message","id":"i{n}","content":[]}}"#);
                format!(r#"{{"type":"response.output_item.done","item":{item}}}"#)
            }),
        ),
        (
            "blocks of a stream",
            stream(Provider::Anthropic, |n| {
                let block = r#"{"type":"text","text":"x"}"#;
                format!(r#"{{"type":"content_block_start","index":{n},"content_block":{block}}}"#)
            }),
        ),
        (
            "stops of a stream's blocks",
            stream(Provider::Anthropic, |n| match n % 2 {
                0 => format!(r#"{{"type":"content_block_start","index":{n},"content_block":{{"type":"x"}}}}"#),
                // The first ones, so that all others lie behind them.
                _ => format!(r#"{{"type":"content_block_stop","index":{}}}"#, n / 4 * 2),
            }),
        ),
    ]
}
