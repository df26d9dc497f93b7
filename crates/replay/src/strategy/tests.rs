//! Small conversations, and what each strategy shows of them.

mod clear_tools;
mod driven;
mod fed;
mod head_summary;
mod mask;
mod models;
mod names;
mod oracle;
mod validity;

use lookback_engine::{
    NewPart,
    card::{Cards, Lifetime},
    trace::{Origin, ResultData, Stop, Timestamp, ToolResult},
};
use serde_json::Value;

use super::{Counter, Strategy};
use crate::{
    conversation::Conversation,
    recording::{CallItem, Format, Item, Recording, UserItem},
    shown::{Part, Shown, Stands},
    simulate::Tariff,
};

/// One token for each byte: sizes in these tests can be read off their texts.
const COUNT: fn(&[u8]) -> u32 = |text| text.len() as u32;

fn counter() -> Counter<'static> {
    &COUNT
}

/// A recording, said in a few words.
struct Story(Recording);

impl Story {
    fn new() -> Self {
        Self(Recording::new(Format::ClaudeCode))
    }

    fn of(format: Format) -> Self {
        Self(Recording::new(format))
    }

    fn user(mut self, text: &str) -> Self {
        self.0.items.push(Item::User(UserItem { text: text.into(), origin: Origin::Person, at: None }));
        self
    }

    /// A step with one call for each output.
    fn step(self, outputs: &[&str]) -> Self {
        let number = self.0.items.len();
        let call = |place: usize| NewPart::Call {
            id: format!("call_{number}_{place}"),
            name: "run".into(),
            arguments: "{}".into(),
        };
        self.call((0..outputs.len()).map(call).collect(), outputs)
    }

    /// A call whose parts and results are given; they need not fit together.
    fn call(mut self, parts: Vec<NewPart>, outputs: &[&str]) -> Self {
        let results = outputs.iter().map(|text| ToolResult::success(*text, ResultData::Other(Value::Null)));
        let call = CallItem {
            id: None,
            at: None,
            model: None,
            parts,
            stop: Stop::End,
            results: results.collect(),
            billed: None,
            unpriced: Default::default(),
        };
        self.0.items.push(Item::Call(Box::new(call)));
        self
    }

    fn say(self, text: &str) -> Self {
        self.call(vec![NewPart::Text(text.into())], &[])
    }

    fn steps(self, count: usize, output: &str) -> Self {
        (0..count).fold(self, |story, _| story.step(&[output]))
    }

    fn rewind(mut self, last: usize) -> Self {
        self.0.items.push(Item::Rewind { last: Some(last) });
        self
    }

    fn rewind_to_the_beginning(mut self) -> Self {
        self.0.items.push(Item::Rewind { last: None });
        self
    }

    /// The newest answer was broken off.
    fn cancelled(mut self) -> Self {
        if let Some(Item::Call(call)) = self.0.items.last_mut() {
            call.stop = Stop::Cancelled;
        }
        self
    }

    /// The newest call was made so many seconds after the beginning.
    fn at(mut self, seconds: i64) -> Self {
        if let Some(Item::Call(call)) = self.0.items.last_mut() {
            call.at = Some(Timestamp(seconds * 1000));
        }
        self
    }

    fn conversation(&self) -> Conversation<'_> {
        let mut conversation = Conversation::new(&self.0, &COUNT);
        conversation.scale.base = 0;
        conversation
    }
}

fn show(strategy: &mut dyn Strategy, call: usize) -> Vec<String> {
    describe(&strategy.show(call).shown)
}

/// Raw pieces by their numbers, what was made with its text.
fn describe(shown: &Shown) -> Vec<String> {
    let describe = |part: &Part| match part {
        Part::Raw(piece) => piece.to_string(),
        Part::Made(made) => match made.stands {
            Stands::ForResult(piece) => format!("{piece}: {}", made.text),
            Stands::ForAnswer(piece) => format!("answer {piece}: {}", made.text),
            Stands::Alone | Stands::Board => made.text.clone(),
        },
    };
    shown.parts.iter().map(describe).collect()
}

fn raw(pieces: impl IntoIterator<Item = usize>) -> Vec<String> {
    pieces.into_iter().map(|piece| piece.to_string()).collect()
}

fn tariff() -> Tariff {
    let cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).unwrap();
    let card = cards.find("claude-opus-4-6").unwrap().clone();
    let rates = card.rates(Lifetime::Usual).unwrap();
    Tariff::new(card, Lifetime::Usual, rates)
}
