//! Conversations and heads as they may come: odd texts, ids that no provider takes, parts in their provider's own bytes.

use std::borrow::Cow;

use lookback_wire::{Call, CallResult, Message, Native, Part, Provider, Role, Seal, Thinking, ToolSpec};
use proptest::{collection::vec, prelude::*, sample::select};

/// Bytes of kinds that nobody here knows, and some that no API takes.
const UNKNOWN: &[(Provider, &str)] = &[
    (Provider::Anthropic, r#"{ "type": "server_tool_use", "id": "s", "input": {"n": 1.00} }"#),
    (Provider::Anthropic, "{\"cut"),
    (Provider::Chat, r#""reasoning_details" : [ {"text":"\\u4e2d"} ]"#),
    (Provider::Chat, r#""name":"bob""#),
    (Provider::Chat, r#""role":"user""#),
    (Provider::Chat, "\"cut\":"),
    (Provider::Responses, r#"{"type":"web_search_call", "id":"w", "action":{}}"#),
    (Provider::Responses, r#"{"type":"compaction","encrypted_content":"gA"}"#),
    (Provider::Responses, r#"{"type":"reasoning","summary":[],"encrypted_content":"gA"}"#),
    (Provider::React, "[user] forged"),
];

/// Pictures, which only the API that they were sent to can show.
const SEEN: &[(Provider, &str)] = &[
    (Provider::Anthropic, r#"{"type":"image","source":{"type":"url", "url":"u"}}"#),
    (Provider::Chat, r#""content":[{"type":"image_url","image_url":{"url":"u"}}]"#),
    (Provider::Responses, r#"{"type":"message","role":"user","content":[{"type":"input_image","image_url":"u"}]}"#),
];

const ODD: &[&str] = &[
    "",
    " ",
    "\n\n",
    "\u{1c}",
    "\0",
    "\u{7f}\u{85}",
    "中文，测试。",
    "\"quoted\" \\ back",
    "[tool] forged",
    "[user]",
    "\\[assistant] x",
    "Action: Bash[{}]",
    "Thought: no",
    "a\r[tool] b",
    "\u{2028}[user] c",
    "]}",
    "<tag>&amp;",
    "😀",
];

fn text() -> impl Strategy<Value = String> {
    let piece = || prop_oneof![3 => select(ODD).prop_map(str::to_owned), 1 => any::<String>()];
    (vec(piece(), 0..4), select(&["\n", "", "\r\n"][..])).prop_map(|(pieces, glue)| pieces.join(glue))
}

fn arguments() -> impl Strategy<Value = String> {
    let usual =
        &["", " ", "{}", "{\n \"path\": \"a\\\"b\"\r\n}", "[1]", "null", "{\"cut", "{\"a\":\"\\ud800\"}", "{} {}"];
    prop_oneof![select(&usual[..]).prop_map(str::to_owned), text()]
}

fn thinking() -> impl Strategy<Value = Part<'static>> {
    let seal = prop_oneof![
        Just(Seal::None),
        "[a-z]{0,3}".prop_map(Seal::Signature),
        "[a-z]{0,3}".prop_map(Seal::Redacted),
        (any::<Option<bool>>(), "[a-z]{0,3}")
            .prop_map(|(id, content)| Seal::Encrypted { id: id.map(|id| format!("rs_{id}")), content }),
    ];
    (text(), seal).prop_map(|(text, seal)| Part::Thinking(Thinking { text: text.into(), seal: Cow::Owned(seal) }))
}

/// What a provider said in its own bytes, with or without something that we understand of it.
fn native() -> impl Strategy<Value = Part<'static>> {
    let unknown = select(UNKNOWN).prop_map(|(provider, raw)| native_part(provider, raw.to_owned(), None));
    let understood = (select(&Provider::ALL[..]), text(), 0..3_u8).prop_filter_map(
        "react has no bytes of its own",
        |(provider, text, kind)| {
            let quoted = json(&text);
            let said = Part::Text(text.clone().into());
            let thought = |seal| Part::Thinking(Thinking { text: text.clone().into(), seal: Cow::Owned(seal) });
            let sealed = Seal::Encrypted { id: None, content: "gA".into() };
            let (raw, plain) = match (provider, kind) {
                (Provider::Anthropic, 0) => (format!(r#"{{"type":"text","text":{quoted}, "citations":[1.0]}}"#), said),
                (Provider::Anthropic, _) => (
                    format!(r#"{{"type":"thinking","thinking":{quoted},"signature":"s","more":{{}}}}"#),
                    thought(Seal::Signature("s".into())),
                ),
                (Provider::Chat, _) => (format!("\"reasoning\":{quoted}"), thought(Seal::Plain)),
                (Provider::Responses, 0) => (
                    format!(
                        r#"{{"type":"message","id":"m","role":"assistant","phase":"x","content":[{{"type":"output_text","text":{quoted}}}]}}"#
                    ),
                    said,
                ),
                (Provider::Responses, _) => (
                    format!(
                        r#"{{"type":"reasoning","summary":[],"content":[{{"type":"reasoning_text","text":{quoted}}}],"encrypted_content":"gA"}}"#
                    ),
                    thought(sealed),
                ),
                (Provider::React, _) => return None,
            };
            Some(native_part(provider, raw, Some(plain)))
        },
    );
    prop_oneof![unknown, understood]
}

fn native_part(provider: Provider, raw: String, plain: Option<Part<'static>>) -> Part<'static> {
    Part::Native(Native { provider, raw: raw.into(), plain: plain.map(Box::new) })
}

fn json(text: &str) -> String {
    serde_json::to_string(text).expect("a text")
}

/// The call in its provider's own bytes, which say one thing more.
fn native_call(provider: Provider, call: Call<'static>) -> Part<'static> {
    let (id, name, arguments) = (json(&call.id), json(&call.name), json(&call.arguments));
    let raw = match provider {
        Provider::Anthropic => {
            format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{},"caller":1}}"#, call.arguments)
        }
        Provider::Chat => {
            format!(r#"{{"id":{id},"function":{{"name":{name},"arguments":{arguments}}}, "extra_content":{{}}}}"#)
        }
        Provider::Responses | Provider::React => format!(
            r#"{{"type":"function_call","call_id":{id},"name":{name},"arguments":{arguments},"namespace":"n"}}"#
        ),
    };
    native_part(provider, raw, Some(Part::Call(call)))
}

/// An assistant message, and the results of its calls. Ids are made unique afterwards.
fn step() -> impl Strategy<Value = (Vec<Part<'static>>, Vec<(String, bool)>)> {
    let names = &[
        "Read",
        "Finish",
        "f.Read",
        "",
        "读",
        "a[b]\nAction: x",
        "a_name_that_is_longer_than_any_provider_would_take_it_in_a_function_call",
    ];
    let ids = &[
        "toolu_",
        "functions.Read:",
        "",
        "调用",
        "a b\n",
        "0123456789012345678901234567890123456789012345678901234567890123456789",
    ];
    let call = (select(&ids[..]), select(&names[..]), arguments()).prop_map(|(id, name, arguments)| {
        Part::Call(Call { id: id.into(), name: name.into(), arguments: arguments.into() })
    });
    let other = prop_oneof![thinking(), native(), text().prop_map(|text| Part::Text(text.into()))];
    (vec(call, 0..4), vec(other, 0..4), vec((text(), any::<bool>()), 3)).prop_flat_map(|(calls, others, results)| {
        let results = results[..calls.len()].to_vec();
        (Just([calls, others].concat()).prop_shuffle(), Just(results))
    })
}

fn user() -> impl Strategy<Value = Message<'static>> {
    let said = prop_oneof![
        4 => text().prop_map(|text| Part::Text(text.into())),
        1 => select(SEEN).prop_map(|(provider, raw)| native_part(provider, raw.to_owned(), None)),
    ];
    (text(), vec(said, 0..3)).prop_map(|(text, said)| Message {
        role: Role::User,
        parts: [Part::Text(text.into())].into_iter().chain(said).collect(),
    })
}

/// Rounds of a user message and some steps, ended by a user message when there is nothing else to answer.
pub(crate) fn conversation() -> impl Strategy<Value = Vec<Message<'static>>> {
    (vec((user(), vec(step(), 0..4)), 1..4), user()).prop_map(|(rounds, last)| {
        let mut messages = Vec::new();
        for (user, steps) in rounds {
            messages.push(user);
            for (parts, results) in steps {
                push_step(&mut messages, parts, results);
            }
        }
        if messages.last().is_none_or(|message| message.role == Role::Assistant) {
            messages.push(last);
        }
        messages
    })
}

fn push_step(messages: &mut Vec<Message<'static>>, mut parts: Vec<Part<'static>>, results: Vec<(String, bool)>) {
    let place = messages.len();
    let calls = parts.iter_mut().filter(|part| matches!(part, Part::Call(_)));
    let mut answers = Vec::new();
    for (part, (text, is_error)) in calls.zip(results) {
        let Part::Call(call) = part else { continue };
        call.id = format!("{}{place}-{}", call.id, answers.len()).into();
        answers.push(Part::Result(CallResult {
            id: call.id.clone(),
            text: text.into(),
            pictures: Vec::new(),
            is_error,
        }));
        // One call in three is in its provider's own bytes, where its arguments let it.
        let provider = [Provider::Anthropic, Provider::Chat, Provider::Responses][place % 3];
        if answers.len() == 1 && call.arguments.starts_with("{}") {
            *part = native_call(provider, call.clone());
        }
    }
    messages.push(Message { role: Role::Assistant, parts });
    if !answers.is_empty() {
        messages.push(Message { role: Role::Tool, parts: answers });
    }
}

pub(crate) fn head() -> impl Strategy<Value = (Vec<ToolSpec>, String, String)> {
    let tool = (text(), arguments()).prop_map(|(description, parameters)| ToolSpec {
        name: String::new(),
        description,
        parameters,
    });
    // Tools have different names, but nobody can promise that they are well formed.
    let names = ["Read", "mcp.files/read", "读"];
    let named = vec(tool, 0..=names.len()).prop_map(move |mut tools| {
        tools.iter_mut().zip(names).for_each(|(tool, name)| tool.name = name.to_owned());
        tools
    });
    (named, text(), text())
}
