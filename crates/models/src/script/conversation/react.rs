//! The `react` layout: the whole conversation as one text in the user message of a Chat body, without any ids.

use lookback_wire::{Part, Provider, Role, Thinking, parse_message};
use serde_json::Value;

use super::{Said, is_interrupted, list, text_of};

/// Where the conversation begins in a prompt, and what stands before it in every one.
const CONVERSATION: &str = "# Conversation\n\n";
const HOW_TO_ANSWER: &str = "# How to answer\n";

/// Whether a Chat body carries a prompt in the `react` layout: one text that says how to answer, and no tools.
pub fn is_react_prompt(body: &Value) -> bool {
    let messages = list(&body["messages"]);
    let text = messages.last().map(|message| text_of(&message["content"])).unwrap_or_default();
    messages.len() == 1 && body.get("tools").is_none() && text.contains(HOW_TO_ANSWER) && text.contains(CONVERSATION)
}

pub(super) fn read(body: &Value) -> Vec<Said> {
    let Some(text) = list(&body["messages"]).last().map(|message| text_of(&message["content"])) else {
        return Vec::new();
    };
    let conversation = text.split_once(CONVERSATION).map_or("", |(_, conversation)| conversation);
    let mut said = Vec::new();
    for message in parse_message(Provider::React, conversation.as_bytes()).unwrap_or_default() {
        let (mut texts, mut calls) = (Vec::new(), 0);
        for part in &message.parts {
            match part {
                Part::Text(text) | Part::Thinking(Thinking { text, .. }) => texts.push(text.as_ref()),
                Part::Call(_) => calls += 1,
                Part::Result(result) => {
                    if let Some(Said::React { interrupted, .. }) = said.last_mut() {
                        *interrupted |= is_interrupted(&result.text);
                    }
                }
                Part::Picture(_) | Part::Native(_) => {}
            }
        }
        match message.role {
            Role::User => said.push(Said::User(texts.join("\n"))),
            Role::Assistant => said.push(Said::React { text: texts.join("\n"), calls, interrupted: false }),
            Role::Tool => {}
        }
    }
    said
}
