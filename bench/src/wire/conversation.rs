//! A conversation with an agent as a body: tools, questions, answers with calls, and what the tools printed.

use std::sync::Arc;

use lookback_wire::{
    Call, CallResult, Head, Message, Part, Provider, Role, ToolSpec, render_body, render_head, render_message,
};

use crate::text::{Text, Vocabulary};

const TOOLS: [&str; 8] = ["Read", "Edit", "Write", "Bash", "Grep", "Glob", "TodoWrite", "Recall"];
/// Bytes of results: mostly some lines, one in eight a long file or log.
const LONG_RESULT: usize = 12_000;

/// A body of at least so many bytes.
pub(super) fn body(provider: Provider, bytes: usize, vocabulary: &Arc<Vocabulary>) -> Vec<u8> {
    let mut text = Text::new(Arc::clone(vocabulary), bytes as u64);
    let tools: Vec<ToolSpec> = TOOLS.iter().map(|name| tool(name, &mut text)).collect();
    let system = text.sentence(900);
    let head = render_head(provider, &Head { tools: &tools, system: &system, rules: "" });
    let mut messages = vec![render_message(provider, &Message::user(text.sentence(40)))];
    let mut size = head.len();
    for step in 0.. {
        if size >= bytes {
            break;
        }
        for message in one_step(step, &mut text) {
            let rendered = render_message(provider, &message);
            size += rendered.len() + 1;
            messages.push(rendered);
        }
    }
    render_body(provider, "a-model", 8_192, &head, messages.iter().map(Vec::as_slice))
}

fn tool(name: &str, text: &mut Text) -> ToolSpec {
    let parameters: Vec<String> = (0..5)
        .map(|_| format!(r#""{}":{{"type":"string","description":"{}"}}"#, text.identifier(), text.sentence(12)))
        .collect();
    ToolSpec {
        name: name.to_owned(),
        description: text.sentence(120),
        parameters: format!(r#"{{"type":"object","properties":{{{}}}}}"#, parameters.join(",")),
    }
}

fn one_step(step: usize, text: &mut Text) -> [Message<'static>; 2] {
    let id = format!("call_{step}");
    let name = *text.random.pick(&TOOLS);
    let long = text.random.below(8) == 0;
    let size = if long { LONG_RESULT } else { text.random.between(300, 2_500) };
    let arguments = format!(r#"{{"path":"{}","pattern":"{}"}}"#, text.path().to_owned(), text.identifier());
    let call = Call { id: id.clone().into(), name: name.into(), arguments: arguments.into() };
    let result = CallResult { id: id.into(), text: text.output(size).into(), pictures: Vec::new(), is_error: false };
    [
        Message { role: Role::Assistant, parts: vec![Part::Text(text.sentence(20).into()), Part::Call(call)] },
        Message { role: Role::Tool, parts: vec![Part::Result(result)] },
    ]
}
