//! Bodies of the three APIs as nobody sends them: odd white space, escapes, orders, duplicates, numbers, nesting.

use lookback_wire::Provider;
use proptest::{collection::vec, prelude::*, sample::Index, sample::select};

const BLANKS: &[&str] = &["", "", "", " ", "\n", "\r\n\t", "   \n"];
const PIECES: &[&str] = &[
    "plain text",
    "\\n",
    "\\\"",
    "\\\\",
    "\\/",
    "\\u0041",
    "\\u4e2d",
    "\\uD83D\\uDE00",
    "中文，测试",
    "😀",
    "\u{7f}\u{2028}",
    "{\\\"role\\\":\\\"user\\\"},",
    "],[",
    "}",
    "a run of some length, so that more than one word of it is plain",
];
const SCALARS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1.0",
    "1.50E+2",
    "-1e-999",
    "1e400",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
    "\"\\ud800\"",
    "[]",
    "{}",
];
const NAMES: &[&str] = &[
    "messages",
    "input",
    "tools",
    "system",
    "instructions",
    "model",
    "stream",
    "store",
    "metadata",
    "temperature",
    "mess\\u0061ges",
    "inp\\u0075t",
    "prompt_cache_key",
    "previous_response_id",
    "",
    "名",
    "cache_control",
    "x",
];
const INNER_NAMES: &[&str] = &[
    "role",
    "content",
    "type",
    "output",
    "cache_control",
    "prompt_cache_breakpoint",
    "text",
    "id",
    "c\\u006fntent",
    "tool_calls",
    "input",
    "x",
    "",
];
const WORDS: &[&str] = &["user", "assistant", "system", "tool", "\\u0075ser", "message", "text", "tool_result"];

fn blank() -> impl Strategy<Value = &'static str> {
    select(BLANKS)
}

fn quoted(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    inner.prop_map(|text| format!("\"{text}\""))
}

fn string() -> impl Strategy<Value = String> {
    quoted(vec(select(PIECES), 0..5).prop_map(|pieces| pieces.concat()))
}

fn joined(open: char, close: char, items: Vec<(&str, String, &str)>, inner: &str) -> String {
    let items: Vec<_> = items.into_iter().map(|(before, item, after)| format!("{before}{item}{after}")).collect();
    if items.is_empty() { format!("{open}{inner}{close}") } else { format!("{open}{}{close}", items.join(",")) }
}

fn list(item: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = String> {
    (vec((blank(), item, blank()), 0..most), blank()).prop_map(|(items, inner)| joined('[', ']', items, inner))
}

fn object(member: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = String> {
    (vec((blank(), member, blank()), 0..most), blank()).prop_map(|(items, inner)| joined('{', '}', items, inner))
}

fn member(name: impl Strategy<Value = String>, value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (name, blank(), blank(), value)
        .prop_map(|(name, before, after, value)| format!("\"{name}\"{before}:{after}{value}"))
}

fn one_of(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(names).prop_map(str::to_owned)
}

fn any_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![one_of(SCALARS), string()];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![list(inner.clone(), 3), object(member(one_of(INNER_NAMES), inner), 3)]
    })
}

fn block() -> impl Strategy<Value = String> {
    let inner = prop_oneof![
        2 => member(Just("type".into()), quoted(one_of(WORDS))),
        2 => member(Just("text".into()), string()),
        1 => member(Just("content".into()), list(any_value(), 3)),
        1 => member(Just("cache_control".into()), Just(r#"{"type": "ephemeral"}"#.into())),
        1 => member(one_of(INNER_NAMES), any_value()),
    ];
    prop_oneof![9 => object(inner, 5), 1 => any_value()]
}

fn message() -> impl Strategy<Value = String> {
    let content = prop_oneof![string(), list(block(), 4), any_value()];
    let inner = prop_oneof![
        2 => member(Just("role".into()), quoted(one_of(WORDS))),
        3 => member(prop_oneof![3 => Just("content"), 1 => Just("output")].prop_map(str::to_owned), content),
        1 => member(one_of(INNER_NAMES), any_value()),
    ];
    prop_oneof![9 => object(inner, 5), 1 => any_value()]
}

/// An API, and a body that is at least in its shape.
pub(crate) fn body() -> impl Strategy<Value = (Provider, String)> {
    select(&[Provider::Anthropic, Provider::Chat, Provider::Responses][..]).prop_flat_map(|provider| {
        let messages = if provider == Provider::Responses { "input" } else { "messages" };
        let messages = member(Just(messages.into()), prop_oneof![9 => list(message(), 7), 1 => string()]);
        let others = vec((blank(), member(one_of(NAMES), any_value()), blank()), 0..5);
        (Just(provider), (blank(), messages, blank()), others, any::<Index>(), blank()).prop_map(
            |(provider, messages, mut others, at, around)| {
                let at = at.index(others.len() + 1);
                others.insert(at, messages);
                (provider, format!("{around}{}{around}", joined('{', '}', others, "")))
            },
        )
    })
}

/// Something that happens to bytes on their way.
#[derive(Debug, Clone)]
pub(crate) enum Damage {
    Cut,
    Remove,
    Put(u8),
}

pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    let bytes = b"{}[],:\"\\ \n0-.eEtu\x00\x1f\x7f\x80\xc3\xff";
    prop_oneof![
        1 => Just(Damage::Cut),
        4 => Just(Damage::Remove),
        8 => select(&bytes[..]).prop_map(Damage::Put),
        1 => any::<u8>().prop_map(Damage::Put),
    ]
}

impl Damage {
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>, at: Index) {
        if bytes.is_empty() {
            return;
        }
        let at = at.index(bytes.len());
        match self {
            Self::Cut => bytes.truncate(at),
            Self::Remove => drop(bytes.remove(at)),
            Self::Put(byte) => bytes[at] = *byte,
        }
    }
}
