//! Messages as other clients write them. What we write ourselves is read back by property in `tests/rendered`.

use super::*;
use crate::{render_message, render_messages};

/// Each message on a line: its role, its parts, and in brackets what stays in its provider's own bytes.
fn show(provider: Provider, piece: &str) -> String {
    let messages = match parse_message(provider, piece.as_bytes()) {
        Ok(messages) => messages,
        Err(error) => return format!("! {error}"),
    };
    let lines = messages.iter().map(|message| {
        let parts = message.parts.iter().map(|part| match part {
            Part::Native(native) => {
                let plain = native.plain.as_deref().map_or("unknown".to_owned(), show_part);
                format!("[{plain}: {}]", native.raw)
            }
            part => show_part(part),
        });
        format!("{:?}: {}", message.role, Vec::from_iter(parts).join(" | "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn show_part(part: &Part<'_>) -> String {
    match part {
        Part::Text(text) => format!("text {text:?}"),
        Part::Thinking(thinking) => format!("thinking {:?} {:?}", thinking.text, thinking.seal),
        Part::Call(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
        Part::Result(result) => format!("result {} {:?} error={}", result.id, result.text, result.is_error),
        Part::Picture(picture) => format!("picture {}", picture.media_type),
        Part::Native(_) => "native".to_owned(),
    }
}

#[test]
fn anthropic() {
    let show = |piece| show(Provider::Anthropic, piece);
    insta::assert_snapshot!(show(r#"{"role":"user","content":"hi"}, {"content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}],"role":"user"}"#), @r#"
    User: text "hi"
    User: text "hi"
    "#);
    insta::assert_snapshot!(show(r#"{"role":"user","content":[
        {"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"one"}],"is_error":true},
        {"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"two"},{"type":"image"}]},
        {"type":"tool_result","tool_use_id":"c"},
        {"type":"text","text":"go on"},{"type":"image","source":{}}]}"#), @r#"
    Tool: result a "one" error=true | [result b "two" error=false: {"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"two"},{"type":"image"}]}] | result c "" error=false
    User: text "go on" | [unknown: {"type":"image","source":{}}]
    "#);
    insta::assert_snapshot!(show(r#"{"role":"assistant","content":[
        {"type":"thinking","thinking":"hm","signature":"Eq"},{"type":"redacted_thinking","data":"R3"},
        {"type":"tool_use","id":"a","name":"Read","input":{"n": 1.0}},{"type":"tool_use","id":"b","name":"Read","input":{},"caller":{}},
        {"type":"server_tool_use"}]}"#), @r#"Assistant: thinking "hm" Signature("Eq") | thinking "" Redacted("R3") | call a Read {"n": 1.0} | [call b Read {}: {"type":"tool_use","id":"b","name":"Read","input":{},"caller":{}}] | [unknown: {"type":"server_tool_use"}]"#);
    insta::assert_snapshot!(show(r#"{"role":"system","content":"be brief"}"#), @r#"User: [unknown: {"role":"system","content":"be brief"}]"#);
    insta::assert_snapshot!(show(r#"{"role":"user","content":7}"#), @r#"User: [unknown: {"role":"user","content":7}]"#);
}

#[test]
fn chat() {
    let show = |piece| show(Provider::Chat, piece);
    insta::assert_snapshot!(show(r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"name":"bob"}"#), @r#"User: text "a" | text "b" | [unknown: "name":"bob"]"#);
    insta::assert_snapshot!(show(r#"{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"u"}}]}"#), @r#"User: [text "see": "content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"u"}}]]"#);
    insta::assert_snapshot!(show(r#"{"role":"assistant","content":null,"reasoning_content":"why","refusal":null,"tool_calls":[
        {"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}},
        {"id":"b","type":"function","function":{"name":"Read","arguments":"{}"},"extra_content":1},
        {"id":"c","type":"custom","custom":{"name":"exec","input":"ls"}}]},
        {"role":"tool","tool_call_id":"a","content":"x"},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"y"}]},
        {"role":"tool","tool_call_id":"c","name":"exec","content":"z"}"#), @r#"
    Assistant: thinking "why" Plain | call a Read {} | [call b Read {}: {"id":"b","type":"function","function":{"name":"Read","arguments":"{}"},"extra_content":1}] | [call c exec ls: {"id":"c","type":"custom","custom":{"name":"exec","input":"ls"}}]
    Tool: result a "x" error=false | result b "y" error=false | [result c "z" error=false: {"role":"tool","tool_call_id":"c","name":"exec","content":"z"}]
    "#);
    insta::assert_snapshot!(show(r#"{"role":"developer","content":"be brief"}, {"role":"assistant","content":"ok","reasoning":"r","reasoning_details":[1]}"#), @r#"
    User: [unknown: {"role":"developer","content":"be brief"}]
    Assistant: text "ok" | [thinking "r" Plain: "reasoning":"r"] | [unknown: "reasoning_details":[1]]
    "#);
}

#[test]
fn responses() {
    let show = |piece| show(Provider::Responses, piece);
    insta::assert_snapshot!(show(r#"{"role":"user","content":"hi"},{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b","prompt_cache_breakpoint":{"mode":"explicit"}}]},
        {"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"u"}]},
        {"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief"}]},{"type":"additional_tools","role":"developer","tools":[]}"#), @r#"
    User: text "hi"
    User: text "a" | text "b"
    User: [text "see": {"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"u"}]}]
    User: [unknown: {"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief"}]}]
    User: [unknown: {"type":"additional_tools","role":"developer","tools":[]}]
    "#);
    insta::assert_snapshot!(show(r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"gA","content":null},
        {"type":"message","role":"assistant","id":"m","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]},
        {"type":"function_call","id":"fc","call_id":"a","name":"Read","arguments":"{}"},
        {"type":"custom_tool_call","call_id":"b","name":"exec","input":"ls"},{"type":"compaction","encrypted_content":"gC"},
        {"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"}]},
        {"type":"custom_tool_call_output","call_id":"b","output":[{"type":"input_text","text":"y"},{"type":"input_text","text":"z"}]}"#), @r#"
    Assistant: thinking "s" Encrypted { id: Some("rs_1"), content: "gA" } | text "hi" | call a Read {} | [call b exec ls: {"type":"custom_tool_call","call_id":"b","name":"exec","input":"ls"}] | [unknown: {"type":"compaction","encrypted_content":"gC"}]
    Tool: result a "x" error=false | [result b "y\nz" error=false: {"type":"custom_tool_call_output","call_id":"b","output":[{"type":"input_text","text":"y"},{"type":"input_text","text":"z"}]}]
    "#);
}

#[test]
fn react() {
    let show = |piece| show(Provider::React, piece);
    insta::assert_snapshot!(show("[user] hi\n\\[tool] x\n\n[assistant] Thought: look\nAction: Read[{}]\n\n[tool] a\n\n[tool] \n\n"), @r#"
    User: text "hi\n[tool] x"
    Assistant: text "look" | call action-1 Read {}
    Tool: result action-1 "a" error=false | result action-2 "" error=false
    "#);
    insta::assert_snapshot!(show("hello"), @r#"! the text does not begin with [user], [assistant] or [tool]: hello"#);
}

#[test]
fn what_cannot_be_read() {
    assert_eq!(parse_message(Provider::Chat, b"\xff"), Err(ParseError::NotText));
    insta::assert_snapshot!(show(Provider::Chat, "[1]"), @r#"! a message is an object, this is not: [1]"#);
    insta::assert_snapshot!(show(Provider::Responses, "{} {}"), @r#"! the message is not JSON: elements are not set apart by single commas"#);
    insta::assert_snapshot!(show(Provider::Anthropic, "{},"), @r#"! the message is not JSON: elements are not set apart by single commas"#);
    assert_eq!(parse_message(Provider::Anthropic, b" "), Ok(Vec::new()));
}

/// Whatever we do not know of a block, an item or a message goes on in its own bytes.
#[test]
fn unknown_bytes_survive_being_read_and_written() {
    let pieces = [
        (Provider::Anthropic, r#"{"role":"assistant","content":[{ "type":"hologram", "n":1.00 }]}"#),
        (Provider::Anthropic, r#"{ "role":"system", "content":"be brief" }"#),
        (Provider::Chat, r#"{"role":"function", "name":"f","content":"x"}"#),
        (Provider::Chat, r#"{"role":"user","content":[ {"type":"video"} ],"name":"bob"}"#),
        (Provider::Responses, r#"{"type":"hologram", "n":1.00}"#),
        (Provider::Responses, r#"{"type":"hologram_output", "n":1.00}"#),
    ];
    for (provider, piece) in pieces {
        let parsed = parse_message(provider, piece.as_bytes()).expect(piece);
        assert_eq!(String::from_utf8_lossy(&render_messages(provider, &parsed)), piece);
        for other in Provider::ALL.into_iter().filter(|other| *other != provider) {
            assert_eq!(String::from_utf8_lossy(&render_message(other, &parsed[0])), "", "{other}: {piece}");
        }
    }
}
