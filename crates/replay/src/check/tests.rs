use lookback_engine::{
    NewPart,
    trace::{Origin, Stop},
};

use super::*;
use crate::{
    measure::example,
    recording::{CallItem, Compaction, CompactionKind, Item, Recording, UserItem},
};

fn cards() -> Cards {
    let units = "rule = \"prefix\"\nunit = 64\nminimum = 64\ncovers = \"prompt_and_answer\"";
    let prices = "input = 1.0\ncached_read = 0.1\n";
    example::cards(&[
        example::card("units", units, &format!("{prices}cache_write = 1.0\noutput = 4.0")),
        example::card(
            "marks",
            example::MARKS,
            &format!("{prices}cache_write = 1.25\ncache_write_1h = 2.0\noutput = 5.0"),
        ),
    ])
}

const MINUTE: i64 = 60_000;

/// A call at a minute with a prompt of so many tokens, so many of them cached.
fn call(model: &str, minute: i64, prompt: u64, read: u64) -> Item {
    let billed = Billed { uncached: prompt - read, read, written: 0, output: 100, written_1h: 0 };
    Item::Call(Box::new(CallItem {
        id: None,
        at: Some(Timestamp(minute * MINUTE)),
        model: Some(model.into()),
        parts: vec![NewPart::Text("Yes.".into())],
        stop: Stop::End,
        results: Vec::new(),
        billed: Some(billed),
        unpriced: Default::default(),
    }))
}

fn user() -> Item {
    Item::User(UserItem { text: "Go on.".into(), origin: Origin::Person, at: None })
}

fn checked(items: Vec<Item>) -> Checked {
    let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
    let conversation = Conversation::new(&recording, &|text| text.len() as u32);
    check(&conversation, &cards(), &BTreeSet::new()).unwrap()
}

#[test]
fn the_example() {
    let unit = |minute, prompt, read| call("other/units", minute, prompt, read);
    let found = checked(vec![user(), unit(0, 10_000, 0), unit(1, 11_000, 10_048), unit(2, 12_000, 11_008)]);
    assert_eq!(found.check.calls, 2);
    assert_eq!(found.check.predicted_cached, 10_048 + 11_072);
    assert_eq!((found.check.error_tokens, found.check.billed_cached), (64, 21_056));
    assert_eq!(found.check.apart, Apart { calls: 1, billed_cached: 0 });
    assert_eq!((found.billed.calls, found.billed.input_tokens, found.billed.cached_tokens), (3, 33_000, 21_056));
    assert_eq!(found.predicted.cached_tokens, 21_120);
    assert!((found.billed.cost - found.predicted.cost - 64.0 * 0.9).abs() < 1e-9, "64 tokens more at full price");

    let missed = checked(vec![user(), unit(0, 10_000, 0), unit(1, 11_000, 10_048), unit(2, 12_000, 0)]);
    assert_eq!(missed.check.unexplained, Misses { count: 1, tokens: 11_072 });
    assert_eq!(missed.check.error(), Some(0.0));
}

#[test]
fn a_pause_explains_a_miss_and_a_recorded_hour_does_not() {
    let items = |written_1h| {
        let mut items = vec![user(), call("marks", 0, 10_000, 0), call("marks", 10, 11_000, 0)];
        for item in &mut items {
            if let Item::Call(call) = item
                && let Some(billed) = &mut call.billed
            {
                billed.written_1h = written_1h;
            }
        }
        items
    };
    assert_eq!(checked(items(0)).check.unexplained.count, 0);
    assert_eq!(checked(items(1)).check.unexplained, Misses { count: 1, tokens: 10_000 });
}

#[test]
fn an_hour_is_paid_for() {
    for (written_1h, cost) in [(0, 12_500.0 + 500.0), (10_000, 20_000.0 + 500.0)] {
        let mut item = call("marks", 0, 10_000, 0);
        if let Item::Call(call) = &mut item {
            call.billed = Some(Billed { written: 10_000, output: 100, written_1h, ..Billed::default() });
        }
        assert_eq!(checked(vec![user(), item]).billed.cost, cost);
    }
}

#[test]
fn another_model_reads_anew_and_the_first_one_is_still_held() {
    let found = checked(vec![
        user(),
        call("marks", 0, 10_000, 0),
        call("units", 1, 10_500, 0),
        call("marks", 2, 11_000, 10_000),
    ]);
    assert_eq!((found.check.calls, found.check.error_tokens), (2, 0));
}

#[test]
fn a_call_after_a_compaction_stands_apart() {
    let compaction = Item::Compaction(Compaction { kind: CompactionKind::Head, at: None, billed: None });
    let found = checked(vec![
        user(),
        call("marks", 0, 50_000, 0),
        compaction,
        call("marks", 1, 9_000, 4_000),
        call("marks", 2, 9_500, 9_000),
    ]);
    assert_eq!(found.check.apart, Apart { calls: 2, billed_cached: 4_000 });
    assert_eq!((found.check.calls, found.check.error_tokens), (1, 0));
}

/// A round of three calls, then one with a shorter prompt, of which so much was read.
fn shorter_round(model: &str, reads: [u64; 4]) -> Check {
    let sizes = [9_000, 9_500, 10_000, 9_800, 9_900];
    let mut items = vec![user(), call(model, 0, sizes[0], 0)];
    for (at, read) in reads.into_iter().enumerate() {
        if at == 2 {
            items.push(user());
        }
        items.push(call(model, 1, sizes[at + 1], read));
    }
    checked(items).check
}

#[test]
fn a_round_that_lost_its_thinking_is_shared_up_to_its_beginning() {
    // In units of 64, answers of 100 included where nothing was cut.
    let found = shorter_round("units", [9_088, 9_600, 8_960, 9_856]);
    assert_eq!((found.calls, found.error_tokens), (4, 0), "{found:?}");
}

#[test]
fn thinking_that_is_no_longer_counted_is_still_read() {
    let found = shorter_round("marks", [9_000, 9_500, 9_800, 9_800]);
    assert_eq!((found.calls, found.error_tokens), (4, 0), "{found:?}");
}

#[test]
fn after_a_rewind_the_older_prompt_is_shared() {
    let found = checked(vec![
        user(),
        call("marks", 0, 9_000, 0),
        user(),
        call("marks", 1, 20_000, 9_000),
        Item::Rewind { last: Some(1) },
        user(),
        call("marks", 2, 12_000, 9_000),
    ]);
    assert_eq!((found.check.calls, found.check.error_tokens), (2, 0));
}

#[test]
fn a_call_that_was_given_up_is_passed_over() {
    let found =
        checked(vec![user(), call("marks", 0, 10_000, 0), call("marks", 1, 0, 0), call("marks", 2, 11_000, 10_000)]);
    assert_eq!((found.check.calls, found.check.error_tokens, found.billed.calls), (1, 0, 2));
}

#[test]
fn checks_add_up() {
    let items = || vec![user(), call("units", 0, 10_000, 0), call("units", 1, 11_000, 9_984)];
    let one = checked(items()).check;
    let mut both = one;
    both += one;
    assert_eq!((both.calls, both.error_tokens, both.error()), (2, 2 * one.error_tokens, one.error()));
}
