//! Worked examples of each rule. Parts are 100 tokens unless said otherwise.

use proptest::prelude::*;

use super::*;

const MINUTE: i64 = 60_000;
const ANTHROPIC: CacheRule = CacheRule::Marks { marks: 4, look_back: 20, minimum: 1_024 };
const OPENAI_OLD: CacheRule = CacheRule::Prefix { unit: 128, minimum: 1_024, covers: Covers::Prompt };
const OPENAI_NEW: CacheRule = CacheRule::Breakpoints { marks: 4, considered: 80, unit: 256, minimum: 1_024 };
const DEEPSEEK: CacheRule = CacheRule::Prefix { unit: 64, minimum: 64, covers: Covers::PromptAndAnswer };
const LLAMA: CacheRule = CacheRule::Prefix { unit: 1, minimum: 0, covers: Covers::PromptAndAnswer };

fn chain(parts: impl IntoIterator<Item = u64>) -> PromptChain {
    let mut chain = PromptChain::default();
    parts.into_iter().for_each(|part| chain.push(PartId(part), 100));
    chain
}

fn call(state: &mut CacheState, prompt: &PromptChain, marks: &[usize], minutes: i64) -> Split {
    state.apply_call(&CachedCall { prompt, marks, hour: 0, answer: &[], now: Timestamp(minutes * MINUTE) })
}

fn split(read: u64, written: u64, uncached: u64) -> Split {
    Split { read, written, uncached, ..Split::default() }
}

#[test]
fn a_common_prefix_counts_in_units_of_128_from_1024_on() {
    let mut state = CacheState::new(OPENAI_OLD, None);
    assert_eq!(call(&mut state, &chain(0..20), &[], 0), split(0, 1_920, 80));
    assert_eq!(call(&mut state, &chain(0..25), &[], 1), split(1_920, 512, 68), "2,000 in common: 15 × 128");
    assert_eq!(call(&mut state, &chain((0..12).chain(90..95)), &[], 2), split(1_152, 512, 36), "cut at 1,200: 9 × 128");
    assert_eq!(call(&mut state, &chain((0..10).chain(80..85)), &[], 3), split(0, 1_408, 92), "1,000 is below 1,024");
}

#[test]
fn a_stored_prefix_covers_the_answer_too() {
    let mut state = CacheState::new(DEEPSEEK, None);
    let prompt = chain(0..10);
    let answer = [(PartId(10), 100)];
    state.apply_call(&CachedCall { prompt: &prompt, marks: &[], hour: 0, answer: &answer, now: Timestamp(0) });
    assert_eq!(call(&mut state, &chain(0..12), &[], 1), split(1_088, 64, 48), "1,100 in common: 17 × 64");
}

#[test]
fn a_local_slot_counts_single_tokens() {
    let mut state = CacheState::new(LLAMA, None);
    assert_eq!(call(&mut state, &chain(0..3), &[], 0), split(0, 300, 0));
    assert_eq!(call(&mut state, &chain([0, 1, 7]), &[], 1), split(200, 100, 0));
}

#[test]
fn a_base_for_an_hour_outlives_a_pause_and_has_its_own_price() {
    let mut state = CacheState::new(ANTHROPIC, Some(5 * MINUTE)).with_hour(Some(60 * MINUTE));
    let prompt = chain(0..30);
    let mut send = |hour: usize, minutes: i64| {
        let now = Timestamp(minutes * MINUTE);
        state.apply_call(&CachedCall { prompt: &prompt, marks: &[20, 30], hour, answer: &[], now })
    };
    assert_eq!(send(20, 0), Split { written_1h: 2_000, ..split(0, 3_000, 0) });
    assert_eq!(send(20, 4), split(3_000, 0, 0));
    assert_eq!(send(20, 30), split(2_000, 1_000, 0), "five minutes are over, the hour is not");
    assert_eq!(send(0, 80), split(2_000, 1_000, 0), "whoever asks for less keeps what is there");
    assert_eq!(send(0, 141), split(0, 3_000, 0), "all is gone, and nothing asks for an hour");
}

#[test]
fn a_branch_that_was_left_is_found_while_it_lives() {
    let mut state = CacheState::new(LLAMA, Some(5 * MINUTE));
    call(&mut state, &chain(0..10), &[], 0);
    call(&mut state, &chain([0, 1, 50]), &[], 4);
    assert_eq!(call(&mut state, &chain(0..10), &[], 5).read, 1_000, "left at minute 0, five minutes ago");
    call(&mut state, &chain([0, 1, 50]), &[], 6);
    call(&mut state, &chain([0, 1, 50]), &[], 9);
    assert_eq!(call(&mut state, &chain(0..10), &[], 11).read, 200, "left at minute 5, six minutes ago");
}

#[test]
fn marks_write_and_read_up_to_themselves() {
    let mut state = CacheState::new(ANTHROPIC, Some(5 * MINUTE));
    assert_eq!(call(&mut state, &chain(0..20), &[12, 20], 0), split(0, 2_000, 0));
    assert_eq!(
        call(&mut state, &chain(0..25), &[12, 24], 1),
        split(2_000, 400, 100),
        "read + write of the call before"
    );
    assert_eq!(call(&mut state, &chain((0..12).chain(90..95)), &[12, 17], 2), split(1_200, 500, 0), "the seam's entry");
    assert_eq!(call(&mut state, &chain((0..11).chain(90..95)), &[11, 16], 3), split(0, 1_600, 0), "no entry at 11");
}

#[test]
fn a_prompt_below_the_minimum_is_neither_read_nor_written() {
    let mut state = CacheState::new(ANTHROPIC, None);
    assert_eq!(call(&mut state, &chain(0..10), &[10], 0), split(0, 0, 1_000));
    assert_eq!(call(&mut state, &chain(0..11), &[10], 1), split(0, 0, 1_100));
    assert_eq!(call(&mut state, &chain(0..11), &[11], 2), split(0, 1_100, 0));
}

#[test]
fn a_mark_looks_back_over_twenty_places_counting_its_own() {
    for (parts, read) in [(39, 2_000), (40, 0)] {
        let mut state = CacheState::new(ANTHROPIC, None);
        call(&mut state, &chain(0..20), &[20], 0);
        assert_eq!(call(&mut state, &chain(0..parts), &[parts as usize], 1).read, read, "{parts} parts");
    }
    let mut state = CacheState::new(ANTHROPIC, None);
    call(&mut state, &chain(0..20), &[20], 0);
    assert_eq!(call(&mut state, &chain(0..60), &[20, 60], 1).read, 2_000, "a mark at the old tail finds it");
}

#[test]
fn only_the_newest_four_marks_count() {
    let mut state = CacheState::new(ANTHROPIC, None);
    call(&mut state, &chain(0..60), &[12, 20, 30, 40, 60], 0);
    assert_eq!(call(&mut state, &chain((0..12).chain([99])), &[13], 1).read, 0, "12 was the fifth from the end");
}

#[test]
fn hits_refresh_an_entry_and_a_pause_ends_it() {
    let mut state = CacheState::new(ANTHROPIC, Some(5 * MINUTE));
    let prompt = chain(0..20);
    for (minutes, read) in [(0, 0), (5, 2_000), (10, 2_000), (16, 0), (20, 2_000)] {
        assert_eq!(state.is_cold(Timestamp(minutes * MINUTE)), read == 0);
        assert_eq!(call(&mut state, &prompt, &[20], minutes).read, read, "minute {minutes}");
    }
}

#[test]
fn an_entry_without_a_mark_grows_old_while_others_stay() {
    let mut state = CacheState::new(ANTHROPIC, Some(5 * MINUTE));
    call(&mut state, &chain(0..40), &[12, 40], 0);
    call(&mut state, &chain(0..41), &[41], 4);
    call(&mut state, &chain(0..42), &[42], 8);
    assert_eq!(call(&mut state, &chain((0..12).chain([99])), &[12, 13], 9).read, 0, "the seam was not kept warm");
}

#[test]
fn breakpoints_match_exactly_or_not_at_all() {
    let mut state = CacheState::new(OPENAI_NEW, None);
    assert_eq!(call(&mut state, &chain(0..20), &[12], 0), split(0, 1_792, 208));
    assert_eq!(call(&mut state, &chain(0..60), &[12], 1), split(1_792, 4_096, 112), "at the last end, 7 × 256");
    assert_eq!(call(&mut state, &chain((0..18).chain([99])), &[12], 2), split(1_024, 768, 108), "1,200, not 1,800");
    assert_eq!(call(&mut state, &chain((0..11).chain([99])), &[], 3).read, 0, "nothing was written below 12 parts");
}

#[test]
fn only_the_newest_breakpoints_are_considered() {
    let rule = CacheRule::Breakpoints { marks: 4, considered: 2, unit: 128, minimum: 1_024 };
    let mut state = CacheState::new(rule, None);
    for parts in [20, 30, 40] {
        call(&mut state, &chain(0..parts), &[], 0);
    }
    assert_eq!(call(&mut state, &chain(0..21), &[], 1).read, 0);
}

#[test]
fn without_a_cache_all_is_read_anew_and_a_changed_model_forgets() {
    let mut none = CacheState::new(CacheRule::None, None);
    assert_eq!(call(&mut none, &chain(0..20), &[20], 0), split(0, 0, 2_000));
    assert_eq!(call(&mut none, &chain(0..20), &[20], 1), split(0, 0, 2_000));
    let mut state = CacheState::new(LLAMA, None);
    call(&mut state, &chain(0..20), &[], 0);
    assert!(!state.is_cold(Timestamp(i64::MAX)), "a card without a lifetime is never cold");
    state.forget();
    assert!(state.is_cold(Timestamp(0)));
    assert_eq!(call(&mut state, &chain(0..20), &[], 1).read, 0);
}

/// The prefix rule as its definition says it: compare part by part with every prompt of the past.
fn longest_common(past: &[(Vec<u64>, i64)], now: &[u64], at: i64, lifetime: i64) -> u64 {
    past.iter()
        .filter(|(_, used)| at - used <= lifetime)
        .map(|(parts, _)| parts.iter().zip(now).take_while(|(one, other)| one == other).count() as u64 * 100)
        .max()
        .unwrap_or(0)
}

proptest! {
    #[test]
    fn the_prefix_rule_equals_its_definition(
        prompts in prop::collection::vec((prop::collection::vec(0_u64..3, 0..8), 0_i64..4), 1..20),
    ) {
        let mut state = CacheState::new(LLAMA, Some(5 * MINUTE));
        let (mut past, mut minutes) = (Vec::new(), 0);
        for (parts, pause) in prompts {
            minutes += pause;
            let read = call(&mut state, &chain(parts.iter().copied()), &[], minutes).read;
            prop_assert_eq!(read, longest_common(&past, &parts, minutes * MINUTE, 5 * MINUTE));
            past.push((parts, minutes * MINUTE));
        }
    }

    #[test]
    fn every_token_is_billed_once(
        prompts in prop::collection::vec((prop::collection::vec(0_u64..2, 1..40), 0_i64..8), 1..20),
        rule in prop::sample::select(vec![ANTHROPIC, OPENAI_OLD, OPENAI_NEW, DEEPSEEK, LLAMA, CacheRule::None]),
    ) {
        let mut state = CacheState::new(rule, Some(5 * MINUTE));
        let mut minutes = 0;
        for (parts, pause) in prompts {
            minutes += pause;
            let prompt = chain(parts);
            let split = call(&mut state, &prompt, &[prompt.parts() / 2, prompt.parts()], minutes);
            prop_assert_eq!(split.tokens(), prompt.tokens());
        }
    }
}
