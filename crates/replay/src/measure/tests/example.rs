//! The session of `docs/measuring.md`: four calls, folded before the third.

use lookback_engine::{
    NewPart,
    cache::{CacheRule, Split},
    card::{Cards, Lifetime, Rates},
    trace::{Origin, Stop},
};

use crate::{
    conversation::{Conversation, Need, NeedKind},
    recording::{CallItem, Format, Item, Recording, UserItem},
    shown::{Did, Evidence, Reach},
    simulate::{CallRun, Found, Run, Signal, Tariff},
};

/// A cache by marks, as on a card.
pub(crate) const MARKS: &str = r#"rule = "marks"
marks = 4
look_back = 20
minimum = 1024
lifetime = "5m""#;

/// A card that says nothing special but how its model's cache works and what its tokens cost.
pub(crate) fn card(model: &str, cache: &str, prices: &str) -> String {
    format!(
        r#"
[[card]]
models = ["{model}"]
api = "chat"
window = 200_000
max_output = 8_000
thinking = "keep"
tail = "free"
alternation = "free"
images = false
tool_calling = true
usage_in_stream = "always"
[card.cache]
{cache}
[card.prices]
date = "2026-11"
source = "example"
{prices}
"#
    )
}

/// A provider with these cards.
pub(crate) fn cards(cards: &[String]) -> Cards {
    Cards::parse(&format!("provider = \"example\"{}", cards.concat())).unwrap()
}

pub(crate) fn tariff() -> Tariff {
    let prices = "input = 5.0\ncached_read = 0.5\ncache_write = 6.25\noutput = 25.0";
    let card = cards(&[card("example", MARKS, prices)]).all()[0].clone();
    assert!(matches!(card.cache, CacheRule::Marks { .. }));
    let rates = Rates { read: 0.1, write: 1.25, output: 5.0 };
    Tariff::new(card, Lifetime::Usual, rates)
}

pub(crate) fn need(kind: NeedKind, text: &str, tokens: u32) -> Need {
    Need { kind, text: text.into(), tokens, seen: [0].into_iter().collect() }
}

fn call(split: (u64, u64), needs: Vec<Found>, signal: f64) -> CallRun {
    CallRun {
        split: Split { read: split.0, written: split.1, uncached: 0, ..Split::default() },
        output_tokens: 100,
        compactor_cost: 0.0,
        compactor_tokens: Default::default(),
        needs,
        did: Vec::new(),
        invalid: None,
        cold: false,
        // All but the base of 1,000 tokens.
        signal: Signal { needed_tokens: signal, all_tokens: (split.0 + split.1) as f64 - 1_000.0 },
    }
}

pub(crate) fn with(test: impl FnOnce(&mut Run, &mut Conversation<'_>, &Tariff)) {
    let answer = || {
        Item::Call(Box::new(CallItem {
            id: None,
            at: None,
            model: None,
            parts: vec![NewPart::Text("On it.".into())],
            stop: Stop::End,
            results: Vec::new(),
            billed: None,
            unpriced: Default::default(),
        }))
    };
    let user = Item::User(UserItem { text: "Mend the door.".into(), origin: Origin::Person, at: None });
    let items = std::iter::once(user).chain(std::iter::repeat_with(answer).take(4)).collect();
    let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
    let mut conversation = Conversation::new(&recording, &|text| text.len() as u32 / 4);
    let door = || need(NeedKind::Path, "door.rs", 3);
    conversation.calls[1].needs = vec![door()];
    conversation.calls[2].needs =
        vec![door(), need(NeedKind::EditLine, "let hinge = oil();", 8), need(NeedKind::Symbol, "open_door", 2)];
    conversation.calls[3].needs = vec![need(NeedKind::Symbol, "lock_door", 2)];
    let reached = Found::Reached;
    let mut calls = vec![
        call((0, 2_000), vec![], 100.0),
        call((2_000, 1_000), vec![Found::InView], 400.0),
        call((1_000, 600), vec![Found::InView, reached(Reach::Direct), Found::InView], 240.0),
        call((1_600, 400), vec![reached(Reach::Range)], 500.0),
    ];
    calls[2].did.push(Did {
        what: "fold",
        before_tokens: 2_000,
        after_tokens: 300,
        note: "turns 1–4 into block 1".into(),
    });
    let mut run = Run { calls, evidence: Evidence { resolved: 4, all: 4, refused: 1 } };
    test(&mut run, &mut conversation, &tariff());
}
