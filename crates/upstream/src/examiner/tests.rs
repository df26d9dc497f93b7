//! Requests as a client sends them, taken or refused. A token is a byte here.

use lookback_engine::card::{Card, Cards};
use lookback_wire::{Provider, Reply, ReplyContent, ReplyPart, Seal};
use serde_json::{Value, json};

use super::*;

mod refused;
mod taken;
mod thinking;

fn card(provider: &str, thinking: &str, alternation: &str) -> Card {
    let text = format!(
        "provider = \"{provider}\"\n[[card]]\nmodels = [\"*\"]\napi = \"chat\"\nwindow = 2000\nmax_output = 500\nthinking = \"{thinking}\"\n\
         tail = \"free\"\nalternation = \"{alternation}\"\nimages = false\ntool_calling = true\nusage_in_stream = \"always\"\n\
         [card.cache]\nrule = \"prefix\"\nunit = 1\nminimum = 0\ncovers = \"prompt_and_answer\"\n"
    );
    Cards::parse(&text).expect("a card").all()[0].clone()
}

/// One of the cards that the program has.
fn known(file: &str, model: &str) -> Card {
    Cards::parse(file).expect("cards").find(model).expect("a card").clone()
}

const ANTHROPIC: &str = include_str!("../../../../prices/anthropic.toml");
const OPENAI: &str = include_str!("../../../../prices/openai.toml");

fn examiner(card: Card) -> Examiner {
    Examiner::new(card, Box::new(|bytes| bytes.len() as u32))
}

fn examine(examiner: &mut Examiner, api: Provider, body: &Value) -> Result<Billed, Refused> {
    examiner.examine(api, body.to_string().as_bytes(), 0)
}

fn anthropic(messages: Value) -> Value {
    json!({ "model": "m", "max_tokens": 100, "messages": messages })
}

fn chat(messages: Value) -> Value {
    json!({ "model": "m", "messages": messages })
}

fn responses(input: Value) -> Value {
    json!({ "model": "m", "store": false, "input": input })
}

fn reply(contents: Vec<ReplyContent>) -> Reply {
    let parts = contents.into_iter().map(|content| ReplyPart { content, native: None });
    Reply { parts: parts.collect(), ..Reply::default() }
}

fn call(id: &str) -> ReplyContent {
    ReplyContent::Call { id: id.into(), name: "Read".into(), arguments: r#"{"path":"a"}"#.into() }
}
