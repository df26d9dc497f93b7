use super::*;
use crate::{cache::Covers, trace::CallNo};

const MARKS: CacheRule = CacheRule::Marks { marks: 4, look_back: 20, minimum: 1_024 };
const PREFIX: CacheRule = CacheRule::Prefix { unit: 128, minimum: 1_024, covers: Covers::Prompt };

/// A prompt of 12,000 counted tokens of which 10,000 are the last prompt, billed at 12,000.
fn expected(rule: CacheRule) -> Expected {
    let split = Split { read: 10_000, written: 2_000, uncached: 0, ..Split::default() };
    Expected { split, rule, earlier: Earlier::Known }
}

fn report(cached: u32, written: u32, uncached: u32) -> Report {
    let mut before = Reconciled::default();
    before.apply_bill(10_000, 12_000);
    let billed = TokenUsage { uncached, cached, written, output: 9, ..TokenUsage::default() };
    let usage = Usage { call: CallNo(2), billed };
    Report { usage, before, caching: Caching::Reported }
}

fn mismatch(difference: Difference, expected: u64, reported: u64) -> Option<CacheVerdict> {
    Some(CacheVerdict::Mismatch(Mismatch { difference, expected, reported }))
}

#[test]
fn what_the_last_bill_was_is_what_can_be_read() {
    assert_eq!(check(&expected(MARKS), &report(12_000, 2_400, 4)), Some(CacheVerdict::AsExpected));
    assert_eq!(check(&expected(PREFIX), &report(11_904, 0, 2_496)), Some(CacheVerdict::AsExpected), "whole units");
}

#[test]
fn differences_are_named_with_both_sizes() {
    let found = |cached, written, uncached| check(&expected(MARKS), &report(cached, written, uncached));
    assert_eq!(found(0, 14_400, 4), mismatch(Difference::Lost, 12_000, 0));
    assert_eq!(found(9_000, 5_400, 4), mismatch(Difference::LessCached, 12_000, 9_000));
    assert_eq!(found(14_000, 404, 0), mismatch(Difference::MoreCached, 12_000, 14_000));
    assert_eq!(found(12_000, 0, 2_404), mismatch(Difference::NotStored, 14_404, 12_000));
}

#[test]
fn words_say_reported_first_and_then_what_was_expected() {
    let lost = Mismatch { difference: Difference::Lost, expected: 11_800, reported: 0 };
    assert_eq!(lost.to_string(), "0 cached, 11.8k expected");
    let not_stored = Mismatch { difference: Difference::NotStored, expected: 11_800, reported: 900 };
    assert_eq!(not_stored.to_string(), "900 stored, 11.8k expected");
}

#[test]
fn servers_that_never_report_are_not_blamed() {
    let silent = Report { caching: Caching::NeverReported, ..report(0, 0, 14_400) };
    assert_eq!(check(&expected(PREFIX), &silent), Some(CacheVerdict::NotReported));
    // Where marks are sent the provider says what became of them: nothing means nothing.
    assert_eq!(check(&expected(MARKS), &silent), mismatch(Difference::Lost, 12_000, 0));
    assert_eq!(check(&expected(PREFIX), &report(0, 0, 14_400)), mismatch(Difference::Lost, 12_000, 0));
}

#[test]
fn what_others_left_in_the_cache_is_no_surprise_in_a_first_call() {
    let split = Split { read: 0, written: 12_000, uncached: 0, ..Split::default() };
    let first = Expected { split, rule: MARKS, earlier: Earlier::Unknown };
    let fresh =
        |cached, written, uncached| Report { before: Reconciled::default(), ..report(cached, written, uncached) };
    assert_eq!(check(&first, &fresh(9_000, 5_000, 4)), Some(CacheVerdict::AsExpected));
    assert_eq!(check(&first, &fresh(0, 14_000, 4)), Some(CacheVerdict::AsExpected));
    assert_eq!(check(&first, &fresh(0, 0, 14_004)), mismatch(Difference::NotStored, 14_004, 0));
    let later = Expected { earlier: Earlier::Known, ..first };
    assert_eq!(check(&later, &report(9_000, 5_400, 4)), mismatch(Difference::MoreCached, 0, 9_000));
}

#[test]
fn near_the_minimum_nobody_knows() {
    let split = Split { read: 0, written: 0, uncached: 1_000, ..Split::default() };
    let small = Expected { split, rule: MARKS, earlier: Earlier::Known };
    let mut before = Reconciled::default();
    before.apply_bill(900, 1_080);
    let billed = TokenUsage { uncached: 10, cached: 1_100, written: 90, output: 9, ..TokenUsage::default() };
    let usage = Usage { call: CallNo(2), billed };
    let report = Report { usage, before, caching: Caching::Reported };
    assert_eq!(check(&small, &report), Some(CacheVerdict::AsExpected));
}

#[test]
fn a_prompt_that_is_billed_quite_otherwise_is_not_judged_by_its_parts() {
    // Thinking of 3,000 tokens was left out of the count: the whole is off by as much.
    assert_eq!(check(&expected(MARKS), &report(9_000, 2_400, 4)), Some(CacheVerdict::AsExpected));
    // A client's own system prompt that no file shows.
    assert_eq!(check(&expected(MARKS), &report(90_000, 2_400, 4)), None);
    assert_eq!(check(&expected(MARKS), &report(0, 0, 0)), None, "nothing was billed");
}

#[test]
fn the_bill_before_says_what_was_there_to_be_read() {
    let since = |cached, uncached| {
        let found = Mismatch::since(12_000, &TokenUsage { cached, uncached, ..TokenUsage::default() });
        found.map(|found| (found.difference, found.expected, found.reported))
    };
    assert_eq!([since(12_000, 500), since(11_800, 700), since(12_400, 100)], [None; 3], "2% are allowed for");
    assert_eq!(since(0, 12_500), Some((Difference::Lost, 12_000, 0)));
    assert_eq!(since(9_000, 3_500), Some((Difference::LessCached, 12_000, 9_000)));
    assert_eq!(since(1_000, 5_000), None, "another prompt");
}
