use lookback_engine::{
    NewPart,
    card::{Card, Cards, Lifetime},
    trace::{Origin, ResultData, Stop, Timestamp, ToolResult},
};

use super::*;
use crate::recording::{CallItem, Format, Item, Recording, UserItem};

/// Counts are bytes and 4 for the message.
fn conversation(recording: &Recording) -> Conversation<'_> {
    Conversation::new(recording, &|text| text.len() as u32)
}

fn user(text: &str) -> Item {
    Item::User(UserItem { text: text.into(), origin: Origin::Person, at: None })
}

fn call(minute: i64, answer: &str, results: &[&str]) -> Item {
    let result = |text: &&str| ToolResult::success(*text, ResultData::Other(serde_json::Value::Null));
    Item::Call(Box::new(CallItem {
        id: None,
        at: Some(Timestamp(minute * 60_000)),
        model: None,
        parts: vec![NewPart::Text(answer.into())],
        stop: Stop::End,
        results: results.iter().map(result).collect(),
        billed: None,
        unpriced: Default::default(),
    }))
}

fn tariff(model: &str) -> simulate::Tariff {
    let text = [
        include_str!("../../../../../../prices/anthropic.toml"),
        include_str!("../../../../../../prices/deepseek.toml"),
        include_str!("../../../../../../prices/local.toml"),
    ];
    let mut cards = Cards::default();
    text.into_iter().for_each(|text| cards.add(Cards::parse(text).expect("a card")));
    let card: Card = cards.find(model).expect("a known model").clone();
    let rates =
        card.rates(Lifetime::Usual).unwrap_or(lookback_engine::card::Rates { read: 0.0, write: 0.0, output: 0.0 });
    simulate::Tariff::new(card, Lifetime::Usual, rates)
}

fn recording(items: Vec<Item>) -> Recording {
    let mut recording = Recording::new(Format::ClaudeCode);
    recording.items = items;
    recording
}

#[test]
fn a_step_is_an_answer_with_its_results_and_a_pause_is_cold() {
    let items = vec![
        user("123456"),                // 10
        call(0, "12", &["1234", "1"]), // 6 + 8 + 5
        call(4, "123", &[]),           // 7
        user("1"),                     // 5
        call(10, "1234", &["123456"]), // 8 + 10
    ];
    let recording = recording(items);
    let conversation = conversation(&recording);
    let steps = Steps::of(&conversation, &tariff("claude-opus-4-5")).expect("calls");
    assert_eq!(steps.ends, [0, 29, 36, 59]);
    let calls: Vec<_> = steps.calls.iter().map(|call| (call.sent, call.held, call.warmth)).collect();
    assert_eq!(calls, [(10, 10, Warmth::Cold), (29, 29, Warmth::Warm), (41, 41, Warmth::Cold)]);
    assert_eq!((steps.base, steps.output), (f64::from(conversation.scale.base), 21));

    // DeepSeek's cache never expires here and holds the answer, too.
    let steps = Steps::of(&conversation, &tariff("deepseek-chat")).expect("calls");
    let calls: Vec<_> = steps.calls.iter().map(|call| (call.sent, call.held, call.warmth)).collect();
    assert_eq!(calls, [(10, 16, Warmth::Cold), (29, 36, Warmth::Warm), (41, 49, Warmth::Warm)]);
}

#[test]
fn what_a_person_went_back_from_is_left_out() {
    let kept = [user("1"), call(0, "1", &["12345678"])];
    let left = [user("1234567890"), call(1, "12345", &["123"]), Item::Rewind { last: Some(1) }];
    let then = [user("123"), call(2, "12", &[])];
    let with = recording([&kept[..], &left[..], &then[..]].concat());
    let without = recording([&kept[..], &then[..]].concat());
    let tariff = tariff("claude-opus-4-5");
    assert_eq!(Steps::of(&conversation(&with), &tariff), Steps::of(&conversation(&without), &tariff));
}

#[test]
fn without_prices_or_calls_there_is_no_ratio() {
    let configuration = lookback_engine::Configuration::default();
    let ask = |items: Vec<Item>, model: &str| {
        let recording = recording(items);
        super::super::competitive(&conversation(&recording), &tariff(model), &configuration)
    };
    assert!(ask(vec![user("1"), call(0, "1", &[])], "claude-opus-4-5").is_some_and(|found| found.ratio == 1.0));
    assert_eq!(ask(vec![user("1"), call(0, "1", &[])], "llama"), None);
    assert_eq!(ask(vec![user("1")], "claude-opus-4-5"), None);
}
