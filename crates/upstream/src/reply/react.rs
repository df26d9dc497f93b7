//! The `react` layout: a reply to such a prompt is one text, calls and all.

use lookback_wire::{Call, Message, Part, Provider, ReplyContent, Role, Seal, Thinking, render_message};

/// How an answer begins in a prompt, where it is written in front of the text itself.
const ENTRY: &str = "[assistant] ";

const EMPTY: &str = "{}";

pub(crate) fn render_react(parts: &[ReplyContent]) -> String {
    let shown = parts.iter().filter_map(|part| match part {
        ReplyContent::Text(text) => Some(Part::Text(text.into())),
        ReplyContent::Thinking { text, .. } => {
            Some(Part::Thinking(Thinking { text: text.into(), seal: std::borrow::Cow::Owned(Seal::None) }))
        }
        ReplyContent::Call { id, name, arguments } => {
            Some(Part::Call(Call { id: id.into(), name: name.into(), arguments: arguments.into() }))
        }
        ReplyContent::UnfinishedCall { id, name, .. } => {
            Some(Part::Call(Call { id: id.into(), name: name.into(), arguments: EMPTY.into() }))
        }
        ReplyContent::Unknown => None,
    });
    let message = Message { role: Role::Assistant, parts: shown.collect() };
    let text = String::from_utf8_lossy(&render_message(Provider::React, &message)).into_owned();
    let text = text.strip_prefix(ENTRY).unwrap_or(&text).trim_end();
    match parts.last() {
        // It stops within its brackets.
        Some(ReplyContent::UnfinishedCall { arguments, .. }) => {
            let begun = text.strip_suffix("{}]").unwrap_or(text);
            format!("{begun}{arguments}")
        }
        _ => text.to_owned(),
    }
}
