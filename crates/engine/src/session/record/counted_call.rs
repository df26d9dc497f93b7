//! Parts of an answer with their counts, each call under an id of its own.

use super::NewPart;
use crate::{
    session::Context,
    trace::{AssistantPart, TurnNo},
};

/// `is_taken` knows the ids of all earlier answers.
pub(in crate::session) fn count_parts(
    parts: Vec<NewPart>,
    turn: TurnNo,
    is_taken: &dyn Fn(&str) -> bool,
    context: &Context<'_>,
) -> Vec<AssistantPart> {
    let mut counted = Vec::with_capacity(parts.len());
    for part in parts {
        let part = match part {
            NewPart::Text(text) => {
                let tokens = (context.count)(text.as_bytes());
                AssistantPart::Text { text, tokens }
            }
            NewPart::Thinking { text, seal } => {
                let tokens = (context.count)(text.as_bytes());
                AssistantPart::Thinking { text, seal, tokens }
            }
            NewPart::Call { id, name, arguments } => {
                let id = unique_call_id(id, turn, is_taken, &counted);
                let tokens = count_call(&name, &arguments, context);
                AssistantPart::Call { id, name, arguments, tokens, unfinished: false }
            }
            NewPart::UnfinishedCall { id, name, arguments } => {
                let tokens = count_call(&name, &arguments, context);
                AssistantPart::Call { id, name, arguments, tokens, unfinished: true }
            }
        };
        counted.push(part);
    }
    counted
}

/// Some providers count call ids from zero in each answer, or leave them empty; a conversation may hold each only once.
fn unique_call_id(id: String, turn: TurnNo, is_taken: &dyn Fn(&str) -> bool, before: &[AssistantPart]) -> String {
    let is_taken = |id: &str| is_taken(id) || finished_calls(before).any(|other| other == id);
    let mut unique = id;
    while is_taken(&unique) {
        unique = format!("{unique}_t{turn}");
    }
    unique
}

pub(in crate::session) fn finished_calls(parts: &[AssistantPart]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        AssistantPart::Call { id, unfinished: false, .. } => Some(id.as_str()),
        _ => None,
    })
}

/// Design 2-model, "Tokens": a call's plain text is the tool's name and its arguments.
fn count_call(name: &str, arguments: &str, context: &Context<'_>) -> u32 {
    (context.count)(format!("{name}{arguments}").as_bytes())
}
