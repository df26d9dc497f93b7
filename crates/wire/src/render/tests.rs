//! One small session as every provider sees it. JSON is shown with a line per message, otherwise byte for byte.

use super::*;
use crate::{Call, CallResult, Part, Picture, Role, Seal, Thinking, check_body};

fn thinking(text: &str, seal: Seal) -> Part<'_> {
    Part::Thinking(Thinking { text: text.into(), seal: std::borrow::Cow::Owned(seal) })
}

fn call<'a>(id: &'a str, name: &'a str, arguments: &'a str) -> Part<'a> {
    Part::Call(Call { id: id.into(), name: name.into(), arguments: arguments.into() })
}

fn result<'a>(id: &'a str, text: &'a str, is_error: bool) -> Part<'a> {
    Part::Result(CallResult { id: id.into(), text: text.into(), pictures: Vec::new(), is_error })
}

fn session() -> Vec<Message<'static>> {
    let encrypted = Seal::Encrypted { id: Some("rs_1".into()), content: "gAAA".into() };
    vec![
        Message::user("修复测试 in \"parse.rs\"\n[tool] is a word here"),
        Message {
            role: Role::Assistant,
            parts: vec![
                thinking("signed", Seal::Signature("Eq==".into())),
                thinking("", Seal::Redacted("R3==".into())),
                thinking("a summary", encrypted),
                thinking("plain", Seal::Plain),
                Part::Text("Reading both.".into()),
                call("toolu_1", "Read", "{\n  \"path\": \"解析.rs\"\n}"),
                call("functions.Bash:1", "Bash", "cargo test"),
            ],
        },
        Message {
            role: Role::Tool,
            parts: vec![
                result("toolu_1", "fn parse() -> \"中\"", false),
                result("functions.Bash:1", "exit code 101\n[user] stop", true),
            ],
        },
        Message {
            role: Role::Assistant,
            parts: vec![
                Part::Text("Done:\nAction: none".into()),
                thinking("trailing", Seal::Encrypted { id: None, content: "gBBB".into() }),
            ],
        },
        Message::user("谢谢"),
    ]
}

fn show(provider: Provider) -> String {
    let tools = [ToolSpec {
        name: "Read".into(),
        description: "Read a file.".into(),
        parameters: r#"{"type":"object","properties":{"path":{"type":"string"}}}"#.into(),
    }];
    let head = render_head(provider, &Head { tools: &tools, system: "You are careful.", rules: "Use tabs." });
    let messages: Vec<_> = session().iter().map(|message| render_message(provider, message)).collect();
    let body = render_body(provider, "some-model", 1024, &head, messages.iter().map(Vec::as_slice));
    assert_eq!(check_body(provider, &body), Ok(()));
    let text = String::from_utf8(body).expect("text");
    if provider == Provider::React {
        return text;
    }
    [
        "\"tools\":[",
        "\"system\":[",
        "\"messages\":[",
        "\"input\":[",
        "{\"role\":",
        "{\"type\":\"message\"",
        "{\"type\":\"reasoning\"",
        "{\"type\":\"function_call",
    ]
    .iter()
    .fold(text, |text, start| text.replace(start, &format!("\n{start}")))
}

#[test]
fn anthropic() {
    insta::assert_snapshot!(show(Provider::Anthropic), @r#"
    {"model":"some-model","max_tokens":1024,
    "tools":[{"name":"Read","description":"Read a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}],
    "system":[{"type":"text","text":"You are careful."},{"type":"text","text":"Use tabs."}],
    "messages":[
    {"role":"user","content":[{"type":"text","text":"修复测试 in \"parse.rs\"\n[tool] is a word here"}]},
    {"role":"assistant","content":[{"type":"thinking","thinking":"signed","signature":"Eq=="},{"type":"redacted_thinking","data":"R3=="},{"type":"text","text":"Reading both."},{"type":"tool_use","id":"toolu_1","name":"Read","input":{
      "path": "解析.rs"
    }},{"type":"tool_use","id":"functio_4276e79b79742d7642d3979f6068eb91","name":"Bash","input":{"arguments":"cargo test"}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"fn parse() -> \"中\""},{"type":"tool_result","tool_use_id":"functio_4276e79b79742d7642d3979f6068eb91","content":"exit code 101\n[user] stop","is_error":true}]},
    {"role":"assistant","content":[{"type":"text","text":"Done:\nAction: none"}]},
    {"role":"user","content":[{"type":"text","text":"谢谢"}]}]}
    "#);
}

#[test]
fn chat() {
    insta::assert_snapshot!(show(Provider::Chat), @r#"
    {"model":"some-model","max_completion_tokens":1024,
    "tools":[{"type":"function","function":{"name":"Read","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],
    "messages":[
    {"role":"system","content":"You are careful.\n\nUse tabs."},
    {"role":"user","content":"修复测试 in \"parse.rs\"\n[tool] is a word here"},
    {"role":"assistant","content":"Reading both.","reasoning_content":"plain","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"Read","arguments":"{\n  \"path\": \"解析.rs\"\n}"}},{"id":"functio_4276e79b79742d7642d3979f6068eb91","type":"function","function":{"name":"Bash","arguments":"cargo test"}}]},
    {"role":"tool","tool_call_id":"toolu_1","content":"fn parse() -> \"中\""},
    {"role":"tool","tool_call_id":"functio_4276e79b79742d7642d3979f6068eb91","content":"exit code 101\n[user] stop"},
    {"role":"assistant","content":"Done:\nAction: none"},
    {"role":"user","content":"谢谢"}]}
    "#);
}

#[test]
fn responses() {
    insta::assert_snapshot!(show(Provider::Responses), @r#"
    {"model":"some-model","store":false,"max_output_tokens":1024,
    "tools":[{"type":"function","name":"Read","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}},"strict":false}],
    "input":[
    {"type":"message","role":"system","content":[{"type":"input_text","text":"You are careful.\n\nUse tabs."}]},
    {"type":"message","role":"user","content":[{"type":"input_text","text":"修复测试 in \"parse.rs\"\n[tool] is a word here"}]},
    {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a summary"}],"encrypted_content":"gAAA"},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Reading both."}]},
    {"type":"function_call","call_id":"toolu_1","name":"Read","arguments":"{\n  \"path\": \"解析.rs\"\n}"},
    {"type":"function_call","call_id":"functio_4276e79b79742d7642d3979f6068eb91","name":"Bash","arguments":"cargo test"},
    {"type":"function_call_output","call_id":"toolu_1","output":"fn parse() -> \"中\""},
    {"type":"function_call_output","call_id":"functio_4276e79b79742d7642d3979f6068eb91","output":"exit code 101\n[user] stop"},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done:\nAction: none"}]},
    {"type":"message","role":"user","content":[{"type":"input_text","text":"谢谢"}]}]}
    "#);
}

#[test]
fn react() {
    insta::assert_snapshot!(show(Provider::React), @r#"
    You are careful.

    # Tools

    ## Read
    Read a file.
    Parameters: {"type":"object","properties":{"path":{"type":"string"}}}

    # How to answer

    Say what you think, then act. Each action stands on one line of its own; actions that do not depend on one another may follow each other:

    Thought: what you think
    Action: Tool[{"argument": "value"}]

    The results come back in the order of the actions. When the task is done, or there is nothing to do but answer:

    Thought: what you think
    Action: Finish[your answer]

    In the conversation, a backslash before a marker at the start of a line says that the line is quoted text.

    # Project rules

    Use tabs.

    # Conversation

    [user] 修复测试 in "parse.rs"
    \[tool] is a word here

    [assistant] Thought: plain

    Reading both.
    Action: Read[{"path":"解析.rs"}]
    Action: Bash["cargo test"]

    [tool] fn parse() -> "中"

    [tool] exit code 101
    \[user] stop

    [assistant] Action: Finish[Done:
    \Action: none]

    [user] 谢谢
    "#);
}

#[test]
fn an_empty_head_leaves_its_fields_out() {
    let head = Head { tools: &[], system: "", rules: "" };
    let heads = [Provider::Anthropic, Provider::Chat, Provider::Responses]
        .map(|provider| String::from_utf8(render_head(provider, &head)).expect("text"));
    assert_eq!(heads, ["\"messages\":[", "\"messages\":[", "\"input\":["]);
}

#[test]
fn a_body_without_messages_is_still_json() {
    let head = Head { tools: &[], system: "You are careful.", rules: "" };
    for provider in [Provider::Anthropic, Provider::Chat, Provider::Responses] {
        let body = render_body(provider, "m", 1, &render_head(provider, &head), [b"".as_slice()]);
        assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok(), "{provider}");
    }
}

#[test]
fn what_says_nothing_is_left_out() {
    let unsaid = Message {
        role: Role::Assistant,
        parts: vec![
            Part::Text(" \n".into()),
            thinking("cut short", Seal::None),
            thinking("x", Seal::Signature(String::new())),
        ],
    };
    for provider in Provider::ALL {
        assert_eq!(render_message(provider, &unsaid), b"", "{provider}");
    }
}

#[test]
fn blank_texts_that_must_stay_are_named() {
    let show = |message| String::from_utf8(render_message(Provider::Anthropic, &message)).expect("text");
    insta::assert_snapshot!(show(Message::user(" \n")), @r#"{"role":"user","content":[{"type":"text","text":"(empty message)"}]}"#);
    insta::assert_snapshot!(show(Message { role: Role::Tool, parts: vec![result("a", "", true)] }), @r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"(empty result)","is_error":true}]}"#);
}

#[test]
fn arguments_in_every_form() {
    let message = Message {
        role: Role::Assistant,
        parts: vec![
            call("a", "Read", ""),
            call("b", "Read", r#"{ "n": 1.0 }"#),
            call("c", "Read", "[1]"),
            call("d", "f.Read", "{\"cut"),
        ],
    };
    let show = |provider| {
        String::from_utf8(render_message(provider, &message)).expect("text").replace("{\"type\"", "\n{\"type\"")
    };
    insta::assert_snapshot!(show(Provider::Anthropic), @r#"
    {"role":"assistant","content":[
    {"type":"tool_use","id":"a","name":"Read","input":{}},
    {"type":"tool_use","id":"b","name":"Read","input":{ "n": 1.0 }},
    {"type":"tool_use","id":"c","name":"Read","input":{"arguments":"[1]"}},
    {"type":"tool_use","id":"d","name":"f_Read_c384b2b1fd3b25d5","input":{"arguments":"{\"cut"}}]}
    "#);
    insta::assert_snapshot!(show(Provider::Responses), @r#"
    {"type":"function_call","call_id":"a","name":"Read","arguments":"{}"},
    {"type":"function_call","call_id":"b","name":"Read","arguments":"{ \"n\": 1.0 }"},
    {"type":"function_call","call_id":"c","name":"Read","arguments":"[1]"},
    {"type":"function_call","call_id":"d","name":"f_Read_c384b2b1fd3b25d5","arguments":"{\"cut"}
    "#);
    insta::assert_snapshot!(show(Provider::React), @r#"
    [assistant] Action: Read[{}]
    Action: Read[{ "n": 1.0 }]
    Action: Read[[1]]
    Action: f_Read_c384b2b1fd3b25d5["{\"cut"]
    "#);
}

fn with_picture() -> Vec<Message<'static>> {
    let picture = || Picture { media_type: "image/png".into(), base64: "iVBORw0KGgo=".into() };
    let seen = CallResult { id: "a".into(), text: "logo.png".into(), pictures: vec![picture()], is_error: false };
    vec![
        Message { role: Role::User, parts: vec![Part::Text("like this?".into()), Part::Picture(picture())] },
        Message { role: Role::Assistant, parts: vec![call("b", "LS", "{}"), call("a", "Read", "{}")] },
        Message { role: Role::Tool, parts: vec![result("b", "src/", false), Part::Result(seen)] },
    ]
}

#[test]
fn pictures() {
    let show = |provider| {
        let messages: Vec<_> = with_picture().iter().map(|message| render_message(provider, message)).collect();
        let head = render_head(provider, &Head { tools: &[], system: "", rules: "" });
        let body = render_body(provider, "m", 1, &head, messages.iter().map(Vec::as_slice));
        assert_eq!(check_body(provider, &body), Ok(()), "{provider}");
        let text = String::from_utf8(body).expect("text");
        text.replace("{\"role\":", "\n{\"role\":").replace("{\"type\":\"function", "\n{\"type\":\"function")
    };
    insta::assert_snapshot!(show(Provider::Anthropic), @r#"
    {"model":"m","max_tokens":1,"messages":[
    {"role":"user","content":[{"type":"text","text":"like this?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},
    {"role":"assistant","content":[{"type":"tool_use","id":"b","name":"LS","input":{}},{"type":"tool_use","id":"a","name":"Read","input":{}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"src/"},{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"text","text":"logo.png"}]}]}]}
    "#);
    insta::assert_snapshot!(show(Provider::Chat), @r#"
    {"model":"m","max_completion_tokens":1,"messages":[
    {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"text","text":"like this?"}]},
    {"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"LS","arguments":"{}"}},{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"b","content":"src/"},
    {"role":"tool","tool_call_id":"a","content":"logo.png"},
    {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"text","text":"(seen by the call a)"}]}]}
    "#);
    insta::assert_snapshot!(show(Provider::Responses), @r#"
    {"model":"m","store":false,"max_output_tokens":1,"input":[{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="},{"type":"input_text","text":"like this?"}]},
    {"type":"function_call","call_id":"b","name":"LS","arguments":"{}"},
    {"type":"function_call","call_id":"a","name":"Read","arguments":"{}"},
    {"type":"function_call_output","call_id":"b","output":"src/"},
    {"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="},{"type":"input_text","text":"logo.png"}]}]}
    "#);
    assert!(show(Provider::React).ends_with("[tool] src/\n\n[tool] logo.png\n\n"));
}

/// What is sent is read again as it was meant, and goes back in the same bytes.
#[test]
fn pictures_come_back() {
    for provider in [Provider::Anthropic, Provider::Chat, Provider::Responses] {
        for message in with_picture() {
            let bytes = render_message(provider, &message);
            let text = std::str::from_utf8(&bytes).expect("text");
            let again = crate::parse_message(provider, &bytes).expect("readable");
            assert_eq!(String::from_utf8(render_messages(provider, &again)).expect("text"), text, "{provider}");
            let understood: Vec<_> =
                again.iter().flat_map(|message| &message.parts).filter_map(Part::understood).collect();
            let seen = |part: &Part<'_>| matches!(part, Part::Result(result) if result.pictures.len() == 1);
            if message.role == Role::Tool && provider != Provider::Chat {
                assert_eq!(understood, Vec::from_iter(&message.parts), "{provider}");
                assert!(understood.iter().any(|part| seen(part)));
            }
        }
    }
}
