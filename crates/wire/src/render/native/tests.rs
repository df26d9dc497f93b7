//! What each provider is shown of parts that are in one provider's own bytes.

use super::*;
use crate::{Call, Thinking, render_message};

#[test]
fn members_are_read_as_they_were_written() {
    let Some(Own::Member { name, value }) = parse_member(r#" "a\"b" : [1.0, {}]"#) else { panic!("a member") };
    assert_eq!((name.as_str(), value.get()), ("a\"b", "[1.0, {}]"));
    for broken in ["", "\"a\"", "\"a\":", "\"a\":1,\"b\":2", "\"a\":\"\\ud800\"", "1:2"] {
        assert!(parse_member(broken).is_none(), "{broken}");
    }
}

fn thinking(text: &str, seal: Seal) -> Part<'_> {
    Part::Thinking(Thinking { text: text.into(), seal: Cow::Owned(seal) })
}

fn call<'a>(id: &'a str, name: &'a str, arguments: &'a str) -> Part<'a> {
    Part::Call(Call { id: id.into(), name: name.into(), arguments: arguments.into() })
}

fn native<'a>(provider: Provider, raw: &'a str, plain: Option<Part<'a>>) -> Part<'a> {
    Part::Native(Native { provider, raw: raw.into(), plain: plain.map(Box::new) })
}

/// An answer of each API with parts that say more than we understand, as all of them are shown it.
fn show_natives(from: Provider, parts: &[Part<'_>]) -> String {
    let message = Message { role: Role::Assistant, parts: parts.to_vec() };
    let shown = Provider::ALL.map(|to| {
        let rendered = String::from_utf8(render_message(to, &message)).expect("text");
        format!("{to}{}: {}", if to == from { " (its own)" } else { "" }, rendered.trim_end())
    });
    shown.join("\n")
}

#[test]
fn native_blocks_go_back_as_they_came() {
    let search = r#"{"type": "server_tool_use", "id": "srvtoolu_1", "input": {"query": 1.0}}"#;
    let cited = r#"{"type":"text","text":"Found.","citations":[{"url":"u"}]}"#;
    let programmed = r#"{"type":"tool_use","id":"toolu_1","name":"Read","input":{},"caller":{"type":"direct"}}"#;
    insta::assert_snapshot!(show_natives(Provider::Anthropic, &[
        native(Provider::Anthropic, search, None),
        native(Provider::Anthropic, cited, Some(Part::Text("Found.".into()))),
        native(Provider::Anthropic, programmed, Some(call("toolu_1", "Read", "{}"))),
    ]), @r#"
    anthropic (its own): {"role":"assistant","content":[{"type": "server_tool_use", "id": "srvtoolu_1", "input": {"query": 1.0}},{"type":"text","text":"Found.","citations":[{"url":"u"}]},{"type":"tool_use","id":"toolu_1","name":"Read","input":{},"caller":{"type":"direct"}}]}
    chat: {"role":"assistant","content":"Found.","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"Read","arguments":"{}"}}]}
    responses: {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Found."}]},{"type":"function_call","call_id":"toolu_1","name":"Read","arguments":"{}"}
    react: [assistant] Thought: Found.
    Action: Read[{}]
    "#);
}

#[test]
fn native_items_go_back_as_they_came() {
    let said =
        r#"{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Hm."}]}"#;
    let thought = r#"{"type":"reasoning","summary":[],"encrypted_content":"gA","status":null,"content":[]}"#;
    let sealed = Seal::Encrypted { id: None, content: "gA".into() };
    let search = r#"{"type":"web_search_call","id":"ws_1","status":"completed"}"#;
    insta::assert_snapshot!(show_natives(Provider::Responses, &[
        native(Provider::Responses, thought, Some(thinking("", sealed.clone()))),
        native(Provider::Responses, search, None),
        native(Provider::Responses, said, Some(Part::Text("Hm.".into()))),
        native(Provider::Responses, thought, Some(thinking("", sealed))),
    ]), @r#"
    anthropic: {"role":"assistant","content":[{"type":"text","text":"Hm."}]}
    chat: {"role":"assistant","content":"Hm."}
    responses (its own): {"type":"reasoning","summary":[],"encrypted_content":"gA","status":null,"content":[]},{"type":"web_search_call","id":"ws_1","status":"completed"},{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Hm."}]}
    react: [assistant] Action: Finish[Hm.]
    "#);
}

#[test]
fn native_calls_and_members_go_back_as_they_came() {
    let signed = r#"{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"},"extra_content":{"s":1}}"#;
    let renamed = signed.replace("\"a\"", "\"functions.Read:0\"");
    insta::assert_snapshot!(show_natives(Provider::Chat, &[
        native(Provider::Chat, r#""reasoning" : "why""#, Some(thinking("why", Seal::Plain))),
        native(Provider::Chat, signed, Some(call("a", "Read", "{}"))),
        native(Provider::Chat, &renamed, Some(call("functions.Read:0", "Read", "{}"))),
        native(Provider::Chat, r#""reasoning_details":[{"type":"reasoning.text"}]"#, None),
        native(Provider::Chat, r#""reasoning_details":[]"#, None),
        native(Provider::Chat, r#""role":"user""#, None),
    ]), @r#"
    anthropic: {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Read","input":{}},{"type":"tool_use","id":"functio_f5d7e323081ee521e27e33dca29cc6a7","name":"Read","input":{}}]}
    chat (its own): {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"},"extra_content":{"s":1}},{"id":"functio_f5d7e323081ee521e27e33dca29cc6a7","type":"function","function":{"name":"Read","arguments":"{}"}}],"reasoning":"why","reasoning_details":[{"type":"reasoning.text"}]}
    responses: {"type":"function_call","call_id":"a","name":"Read","arguments":"{}"},{"type":"function_call","call_id":"functio_f5d7e323081ee521e27e33dca29cc6a7","name":"Read","arguments":"{}"}
    react: [assistant] Thought: why
    Action: Read[{}]
    Action: Read[{}]
    "#);
}

#[test]
fn native_bytes_that_would_be_refused_are_not_sent() {
    let blank = r#"{"type":"text","text":" ","citations":[]}"#;
    let unsigned = r#"{"type":"thinking","thinking":"x","signature":""}"#;
    let message = Message {
        role: Role::Assistant,
        parts: vec![
            native(Provider::Anthropic, blank, Some(Part::Text(" ".into()))),
            native(Provider::Anthropic, unsigned, Some(thinking("x", Seal::None))),
            native(Provider::Anthropic, r#"{"cut"#, None),
            native(Provider::Anthropic, r#"{"cut"#, Some(Part::Text("understood".into()))),
        ],
    };
    let rendered = String::from_utf8(render_message(Provider::Anthropic, &message)).expect("text");
    insta::assert_snapshot!(rendered, @r#"{"role":"assistant","content":[{"type":"text","text":"understood"}]}"#);
}

#[test]
fn whole_messages_of_others_stand_alone() {
    let system = r#"{"role":"system", "content":"be brief"}"#;
    for provider in [Provider::Anthropic, Provider::Chat] {
        let between = [Part::Text("a".into()), native(provider, system, None), Part::Text("b".into())];
        let rendered = render_message(provider, &Message { role: Role::User, parts: between.to_vec() });
        let alone = [&between[0], &between[2]].map(|part| {
            let message = Message { role: Role::User, parts: vec![part.clone()] };
            String::from_utf8(render_message(provider, &message)).expect("text")
        });
        assert_eq!(String::from_utf8(rendered).expect("text"), [&alone[0], system, &alone[1]].join(","));
    }
}
