//! What a person typed while a round ran.
//!
//! The client notes when something enters the queue and how it leaves: `dequeue` begins a round (a line with the turn
//! follows), `remove` delivers it inside the running one (no turn stands in the file, newer clients write an attachment),
//! `popAll` gives it back to the person.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::parameters::HELD;

use super::lines::{parse_blocks, parse_some, text_of};

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<String>,
    /// Delivered by an operation: the attachment that may follow says the same.
    removed: VecDeque<String>,
    /// Delivered by an attachment: the operation that may follow says the same.
    attached: VecDeque<String>,
}

#[derive(Deserialize)]
struct Attachment<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow, default)]
    prompt: Option<&'a RawValue>,
}

impl Queue {
    /// What this operation delivers into the running round.
    pub(super) fn operate(&mut self, operation: &str, content: Option<String>) -> Option<String> {
        match operation {
            "enqueue" => push(&mut self.waiting, content?),
            "dequeue" => drop(self.take(content)),
            "popAll" => self.waiting.clear(),
            "remove" => {
                let text = self.take(content)?;
                if take(&mut self.attached, &text) {
                    return None;
                }
                push(&mut self.removed, text.clone());
                return Some(text);
            }
            _ => {}
        }
        None
    }

    /// What this attachment delivers into the running round.
    pub(super) fn attached(&mut self, raw: Option<&RawValue>) -> Option<String> {
        let attachment: Attachment<'_> = serde_json::from_str(raw?.get()).ok()?;
        if attachment.kind != "queued_command" {
            return None;
        }
        let text = match parse_some::<String>(attachment.prompt) {
            Some(text) => text,
            None => text_of(&parse_blocks(attachment.prompt).ok()?),
        };
        if text.is_empty() || take(&mut self.removed, &text) {
            return None;
        }
        push(&mut self.attached, text.clone());
        Some(text)
    }

    fn take(&mut self, content: Option<String>) -> Option<String> {
        match content {
            Some(content) => take(&mut self.waiting, &content).then_some(content),
            None => self.waiting.pop_front(),
        }
    }
}

fn push(texts: &mut VecDeque<String>, text: String) {
    texts.push_back(text);
    if texts.len() > HELD {
        texts.pop_front();
    }
}

fn take(texts: &mut VecDeque<String>, text: &str) -> bool {
    let at = texts.iter().position(|known| known == text);
    at.is_some_and(|at| texts.remove(at).is_some())
}
