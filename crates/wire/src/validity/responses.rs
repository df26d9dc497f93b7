//! The rules of OpenAI Responses, for requests that carry their whole input. Items of kinds not named here (searches,
//! references) are taken as the model's own and passed over.

#[cfg(test)]
mod tests;

use serde::Deserialize;

use super::{
    Rule, Violation,
    json::{Calls, Text, check_names, parse},
};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, default)]
    input: Vec<Item<'a>>,
    store: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    /// May be left out for messages.
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    role: Text<'a>,
    call_id: Text<'a>,
    name: Text<'a>,
    encrypted_content: Option<Text<'a>>,
}

/// Whose item it is: what the model made, or what it was given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Model,
    Reasoning,
    Given,
}

struct Check<'a> {
    violations: Vec<Violation>,
    calls: Calls<'a>,
    stored: bool,
    in_conversation: bool,
}

pub(super) fn check(body: &[u8]) -> Result<Vec<Violation>, Violation> {
    let body: Body<'_> = parse(0, body)?;
    let mut check = Check {
        violations: Vec::new(),
        calls: Calls::default(),
        stored: body.store.unwrap_or(true),
        in_conversation: false,
    };
    let sides: Vec<_> = body.input.into_iter().enumerate().map(|(at, item)| check.item(at, item)).collect();
    check.calls.report_open(&mut check.violations);
    for (at, side) in sides.iter().enumerate() {
        if *side == Side::Reasoning && matches!(sides.get(at + 1), None | Some(Side::Given)) {
            check.add(at, Rule::ReasoningAlone);
        }
    }
    match sides.last() {
        _ if !check.in_conversation => check.add(0, Rule::NoMessages),
        None | Some(Side::Given) => {}
        Some(_) => check.add(sides.len() - 1, Rule::LastNotUser),
    }
    Ok(check.violations)
}

impl<'a> Check<'a> {
    fn add(&mut self, at: usize, rule: Rule) {
        self.violations.push(Violation::new(at, rule));
    }

    fn item(&mut self, at: usize, item: Item<'a>) -> Side {
        let kind = item.kind.as_ref().map_or("message", |kind| kind.0.as_ref());
        match (kind, item.role.0.as_ref()) {
            ("message", "system" | "developer") if self.in_conversation => self.add(at, Rule::SystemInConversation),
            // Tools that a client declares in the input belong to the head, too.
            ("message", "system" | "developer") | ("additional_tools", _) => {}
            _ => self.in_conversation = true,
        }
        match kind {
            "message" => self.message(at, &item.role.0),
            "function_call" => {
                self.call(at, item);
                Side::Model
            }
            "function_call_output" => {
                self.calls.answer(at, &item.call_id, &mut self.violations);
                Side::Given
            }
            "reasoning" => {
                // What was not stored cannot be looked up by its id.
                if !self.stored && item.encrypted_content.is_none_or(|content| content.0.is_empty()) {
                    self.add(at, Rule::UnsignedThinking);
                }
                Side::Reasoning
            }
            kind if kind.ends_with("_output") => Side::Given,
            _ => Side::Model,
        }
    }

    fn message(&mut self, at: usize, role: &str) -> Side {
        match role {
            "assistant" => return Side::Model,
            "user" | "system" | "developer" => self.calls.report_open(&mut self.violations),
            _ => self.add(at, Rule::UnknownRole { role: role.to_owned() }),
        }
        Side::Given
    }

    fn call(&mut self, at: usize, item: Item<'a>) {
        check_names(at, &item.call_id.0, &item.name.0, &mut self.violations);
        if self.calls.open(at, item.call_id.clone()) {
            self.add(at, Rule::DuplicateCall { id: item.call_id.0.into_owned() });
        }
    }
}
