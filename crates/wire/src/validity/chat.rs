//! The rules of Chat Completions: the results of a step follow its calls at once, one message for each.

#[cfg(test)]
mod tests;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Rule, Violation,
    json::{Calls, Text, check_names, parse},
};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, default)]
    messages: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    role: Text<'a>,
    /// A null is none, too.
    content: Option<&'a RawValue>,
    tool_calls: Option<Vec<Call<'a>>>,
    #[serde(default)]
    tool_call_id: Text<'a>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    /// Tools that take a free text are called `custom`.
    #[serde(alias = "custom")]
    function: Function<'a>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Text<'a>,
}

#[derive(Default)]
struct Check<'a> {
    violations: Vec<Violation>,
    /// Of the current step.
    calls: Calls<'a>,
    in_conversation: bool,
}

pub(super) fn check(body: &[u8]) -> Result<Vec<Violation>, Violation> {
    let body: Body<'_> = parse(0, body)?;
    let last = body.messages.len().saturating_sub(1);
    let last_role = body.messages.last().map(|entry| entry.role.0.clone());
    let mut check = Check::default();
    for (at, entry) in body.messages.into_iter().enumerate() {
        check.entry(at, entry);
    }
    check.calls.close(&mut check.violations);
    if !check.in_conversation {
        check.add(0, Rule::NoMessages);
    } else if last_role.is_some_and(|role| role == "assistant") {
        check.add(last, Rule::LastNotUser);
    }
    Ok(check.violations)
}

impl<'a> Check<'a> {
    fn add(&mut self, at: usize, rule: Rule) {
        self.violations.push(Violation::new(at, rule));
    }

    fn entry(&mut self, at: usize, entry: Entry<'a>) {
        let calls = entry.tool_calls.unwrap_or_default();
        if entry.content.is_none() && calls.is_empty() {
            self.add(at, Rule::EmptyContent);
        }
        if entry.role.0 != "tool" {
            self.calls.close(&mut self.violations);
        }
        match entry.role.0.as_ref() {
            "system" | "developer" if self.in_conversation => self.add(at, Rule::SystemInConversation),
            "system" | "developer" => return,
            "user" => {}
            "assistant" => calls.into_iter().for_each(|call| self.call(at, call)),
            "tool" => self.calls.answer(at, &entry.tool_call_id, &mut self.violations),
            role => self.add(at, Rule::UnknownRole { role: role.to_owned() }),
        }
        self.in_conversation = true;
    }

    fn call(&mut self, at: usize, call: Call<'a>) {
        check_names(at, &call.id.0, &call.function.name.0, &mut self.violations);
        if self.calls.open(at, call.id.clone()) {
            self.add(at, Rule::DuplicateCall { id: call.id.0.into_owned() });
        }
    }
}
