//! The rules of Anthropic Messages. Consecutive messages of one role are one turn to the API, and so they are here.
//! Does not know when thinking is switched on.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::{
    Rule, Violation,
    json::{Calls, Text, check_names, is_object, parse},
};

const MOST_CACHE_MARKS: usize = 4;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Body<'a> {
    #[serde(borrow)]
    tools: Vec<Block<'a>>,
    system: Option<&'a RawValue>,
    messages: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    role: Text<'a>,
    content: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    text: Text<'a>,
    signature: Text<'a>,
    data: Text<'a>,
    id: Text<'a>,
    name: Text<'a>,
    input: Option<&'a RawValue>,
    tool_use_id: Text<'a>,
    content: Option<&'a RawValue>,
    is_error: bool,
    cache_control: Option<IgnoredAny>,
}

pub(super) fn check(body: &[u8]) -> Result<Vec<Violation>, Violation> {
    let body: Body<'_> = parse(0, body)?;
    let mut check = Check::default();
    check.count_marks(0, &body.tools);
    let system = check.blocks(0, body.system);
    check.count_marks(0, &system);
    if system.iter().any(|block| block.kind.0 == "text" && block.text.is_blank()) {
        check.add(0, Rule::EmptyText);
    }
    match (body.messages.first(), body.messages.last()) {
        (Some(first), Some(last)) => {
            if first.role.0 != "user" {
                check.add(0, Rule::FirstNotUser);
            }
            // A system message there breaks a rule of its own.
            if !matches!(last.role.0.as_ref(), "user" | "system") {
                check.add(body.messages.len() - 1, Rule::LastNotUser);
            }
        }
        _ => check.add(0, Rule::NoMessages),
    }
    for (at, entry) in body.messages.iter().enumerate() {
        check.entry(at, entry);
    }
    check.calls.close(&mut check.violations);
    Ok(check.violations)
}

#[derive(Default)]
struct Check<'a> {
    violations: Vec<Violation>,
    marks: usize,
    ids: BTreeSet<Text<'a>>,
    /// Of the latest assistant turn.
    calls: Calls<'a>,
    turn: Turn,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Turn {
    #[default]
    None,
    Assistant,
    /// The user's turn, and all of it so far are results.
    UserResults,
    UserOther,
}

impl<'a> Check<'a> {
    fn add(&mut self, at: usize, rule: Rule) {
        self.violations.push(Violation::new(at, rule));
    }

    fn blocks(&mut self, at: usize, content: Option<&'a RawValue>) -> Vec<Block<'a>> {
        let Some(content) = content else { return Vec::new() };
        let parsed = if content.get().starts_with('"') {
            parse(at, content.get().as_bytes())
                .map(|text| vec![Block { kind: Text("text".into()), text, ..Block::default() }])
        } else {
            parse(at, content.get().as_bytes())
        };
        parsed.unwrap_or_else(|violation| {
            self.violations.push(violation);
            Vec::new()
        })
    }

    fn count_marks(&mut self, at: usize, blocks: &[Block<'_>]) {
        let before = self.marks;
        self.marks += blocks.iter().filter(|block| block.cache_control.is_some()).count();
        if self.marks > MOST_CACHE_MARKS && self.marks > before {
            self.add(at, Rule::TooManyCacheMarks { count: self.marks });
        }
    }

    fn entry(&mut self, at: usize, entry: &Entry<'a>) {
        let blocks = self.blocks(at, entry.content);
        if blocks.is_empty() {
            self.add(at, Rule::EmptyContent);
        }
        self.count_marks(at, &blocks);
        match entry.role.0.as_ref() {
            "user" => {
                if matches!(self.turn, Turn::None | Turn::Assistant) {
                    self.turn = Turn::UserResults;
                }
                blocks.into_iter().for_each(|block| self.user_block(at, block));
            }
            "assistant" => {
                if self.turn != Turn::Assistant {
                    self.calls.close(&mut self.violations);
                    self.turn = Turn::Assistant;
                }
                blocks.into_iter().for_each(|block| self.assistant_block(at, block));
            }
            "system" => self.add(at, Rule::SystemInConversation),
            role => self.add(at, Rule::UnknownRole { role: role.to_owned() }),
        }
    }

    fn user_block(&mut self, at: usize, block: Block<'a>) {
        match block.kind.0.as_ref() {
            "tool_result" => return self.result(at, &block),
            "text" if block.text.is_blank() => self.add(at, Rule::EmptyText),
            kind @ ("tool_use" | "thinking" | "redacted_thinking") => {
                self.add(at, Rule::Misplaced { kind: kind.to_owned() });
            }
            _ => {}
        }
        self.turn = Turn::UserOther;
    }

    fn result(&mut self, at: usize, block: &Block<'a>) {
        if self.turn == Turn::UserOther {
            self.add(at, Rule::ResultNotFirst);
        }
        if block.is_error && block.content.is_none_or(|content| matches!(content.get(), "\"\"" | "[]" | "null")) {
            self.add(at, Rule::EmptyContent);
        }
        self.calls.answer(at, &block.tool_use_id, &mut self.violations);
    }

    fn assistant_block(&mut self, at: usize, block: Block<'a>) {
        match block.kind.0.as_ref() {
            "text" if block.text.is_blank() => self.add(at, Rule::EmptyText),
            "thinking" if block.signature.0.is_empty() => self.add(at, Rule::UnsignedThinking),
            "redacted_thinking" if block.data.0.is_empty() => self.add(at, Rule::UnsignedThinking),
            "tool_use" => self.call(at, block),
            "tool_result" => self.add(at, Rule::Misplaced { kind: "tool_result".to_owned() }),
            _ => {}
        }
    }

    fn call(&mut self, at: usize, block: Block<'a>) {
        check_names(at, &block.id.0, &block.name.0, &mut self.violations);
        if !is_object(block.input) {
            self.add(at, Rule::InputNotObject { id: block.id.0.clone().into_owned() });
        }
        if !self.ids.insert(block.id.clone()) {
            self.add(at, Rule::DuplicateCall { id: block.id.0.clone().into_owned() });
        }
        self.calls.open(at, block.id);
    }
}
