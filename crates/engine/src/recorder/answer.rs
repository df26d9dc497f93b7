//! Parts of an answer with their counts, each call under an id of its own.

use super::NewPart;
use crate::{
    context::Context,
    trace::{AssistantPart, TurnNo, turn::NativePart},
};

/// An answer as it is recorded.
#[derive(Default)]
pub(super) struct CountedParts {
    pub(super) parts: Vec<AssistantPart>,
    pub(super) native: Vec<NativePart>,
}

/// `is_taken` knows the ids of all earlier answers.
pub(super) fn count_parts(
    parts: Vec<NewPart>,
    turn: TurnNo,
    is_taken: &dyn Fn(&str) -> bool,
    context: &Context<'_>,
) -> CountedParts {
    let mut counted = CountedParts::default();
    for part in parts {
        let NewPart::Native { provider, raw, plain } = part else {
            let part = count_part(part, turn, is_taken, &counted.parts, context);
            counted.parts.push(part);
            continue;
        };
        let Some(plain) = plain else {
            counted.native.push(NativePart { part: counted.parts.len() as u32, provider, raw: raw.clone() });
            counted.parts.push(AssistantPart::Unknown { tokens: (context.count)(raw.as_bytes()) });
            continue;
        };
        let given = call_id(&plain).map(str::to_owned);
        let part = count_part(*plain, turn, is_taken, &counted.parts, context);
        // Under another id the provider's bytes would name a call without a result.
        let renamed = matches!(&part, AssistantPart::Call { id, unfinished: false, .. } if given.as_ref() != Some(id));
        if !renamed {
            counted.native.push(NativePart { part: counted.parts.len() as u32, provider, raw });
        }
        counted.parts.push(part);
    }
    counted
}

fn call_id(part: &NewPart) -> Option<&str> {
    match part {
        NewPart::Call { id, .. } => Some(id),
        _ => None,
    }
}

fn count_part(
    part: NewPart,
    turn: TurnNo,
    is_taken: &dyn Fn(&str) -> bool,
    before: &[AssistantPart],
    context: &Context<'_>,
) -> AssistantPart {
    // Texts of streams grew piece by piece; what is kept as long as the session needs no room to grow.
    let exact = |text: String| text.into_boxed_str().into_string();
    match part {
        NewPart::Text(text) => {
            let tokens = (context.count)(text.as_bytes());
            AssistantPart::Text { text: exact(text), tokens }
        }
        NewPart::Thinking { text, seal } => {
            let tokens = (context.count)(text.as_bytes());
            AssistantPart::Thinking { text: exact(text), seal, tokens }
        }
        NewPart::Call { id, name, arguments } => {
            let id = unique_call_id(id, turn, is_taken, before);
            let tokens = count_call(&name, &arguments, context);
            AssistantPart::Call { id, name, arguments: exact(arguments), tokens, unfinished: false }
        }
        NewPart::UnfinishedCall { id, name, arguments } => {
            let tokens = count_call(&name, &arguments, context);
            AssistantPart::Call { id, name, arguments, tokens, unfinished: true }
        }
        // A native part inside another adds nothing.
        NewPart::Native { plain: Some(plain), .. } => count_part(*plain, turn, is_taken, before, context),
        NewPart::Native { raw, .. } => AssistantPart::Unknown { tokens: (context.count)(raw.as_bytes()) },
    }
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

pub(super) fn finished_calls(parts: &[AssistantPart]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        AssistantPart::Call { id, unfinished: false, .. } => Some(id.as_str()),
        _ => None,
    })
}

/// docs/design/model.md, "Tokens": a call's plain text is the tool's name and its arguments.
pub(crate) fn count_call(name: &str, arguments: &str, context: &Context<'_>) -> u32 {
    (context.count)(format!("{name}{arguments}").as_bytes())
}
