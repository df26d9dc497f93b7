//! The `react` layout: the whole conversation as one text in the user message of a Chat body, without any ids.

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
    for (kind, text) in entries(conversation) {
        match kind {
            Kind::User => said.push(Said::User(text)),
            Kind::Assistant => {
                let calls =
                    text.lines().filter(|line| line.starts_with("Action: ") && !line.starts_with(FINISH)).count();
                said.push(Said::React { text, calls, interrupted: false });
            }
            Kind::Tool => {
                if let Some(Said::React { interrupted, .. }) = said.last_mut() {
                    *interrupted |= is_interrupted(&text);
                }
            }
        }
    }
    said
}

const FINISH: &str = "Action: Finish[";

#[derive(Clone, Copy)]
enum Kind {
    User,
    Assistant,
    Tool,
}

const ENTRIES: [(&str, Kind); 3] =
    [("[user] ", Kind::User), ("[assistant] ", Kind::Assistant), ("[tool] ", Kind::Tool)];

/// An entry begins with its name at the start of a line; quoted ones have a backslash before it.
fn entries(conversation: &str) -> Vec<(Kind, String)> {
    let mut entries: Vec<(Kind, String)> = Vec::new();
    for line in conversation.split_inclusive('\n') {
        let begun = ENTRIES.iter().find_map(|(name, kind)| Some((*kind, line.strip_prefix(name)?)));
        match (begun, entries.last_mut()) {
            (Some((kind, rest)), _) => entries.push((kind, rest.to_owned())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    entries
}
