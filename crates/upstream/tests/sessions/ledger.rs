//! What the ledger expects of a provider's cache, call by call, against what a provider bills that was written apart from
//! it. Every fold keeps what lies before the seam cached.

use lookback_engine::{Configuration, Miss, cache::CacheRule, card::ThinkingHabit, configuration::CacheChoice};
use lookback_wire::Provider;

use crate::harness::*;

const CALLS: usize = 60;
const FOLDS: [usize; 5] = [12, 23, 34, 45, 56];

async fn sixty_calls(model: &'static str, api: Provider) {
    let card = card(model);
    let thinks = if card.thinking == ThinkingHabit::Required { Thinks::Yes } else { Thinks::No };
    let mut driven = Driven::start(Setting { api: Some(api), ..Setting::new(model, script(CALLS, thinks)) }).await;
    driven.user("bring the ledger in order, part by part");
    let mut before_seam = None;
    let mut folds = 0;
    for number in 1..=CALLS {
        let called = driven.step().await;
        let log = driven.log();
        let counted = log.last().and_then(|logged| logged.counted).expect("it was taken");
        let expected = driven.session.expected_bill(called.call).expect("the call ended");
        assert_eq!(
            (u64::from(counted.cached), counted.prompt()),
            (expected.read, expected.tokens()),
            "{model} by {api}, call {number}: the upstream bills (cached, all), the ledger expects"
        );
        if let Some(before) = before_seam.take() {
            let least = before - unit(card.cache).min(before);
            let cached = u64::from(counted.cached);
            assert!(cached >= least, "{model} by {api}, call {number}: {cached} of {before} cached");
        }
        if called.turn.calls.is_empty() && number < CALLS {
            driven.user("go on");
        }
        if FOLDS.contains(&number) {
            let report = driven.fold();
            before_seam = Some(report.before).filter(|_| card.cache != CacheRule::None);
            folds += 1;
        }
    }
    assert_eq!((driven.log().len(), folds), (CALLS, FOLDS.len()));
    assert_eq!(driven.refusals(), Vec::<String>::new());
}

/// The tokens that a cache may leave out at the end of what it holds.
fn unit(rule: CacheRule) -> u64 {
    match rule {
        CacheRule::None | CacheRule::Marks { .. } => 0,
        CacheRule::Prefix { unit, .. } | CacheRule::Breakpoints { unit, .. } => u64::from(unit),
    }
}

#[tokio::test]
async fn marks_of_anthropic() {
    sixty_calls("claude-sonnet-4-6", Provider::Anthropic).await;
}

#[tokio::test]
async fn marks_in_chat() {
    sixty_calls("qwen3-coder-plus", Provider::Chat).await;
}

#[tokio::test]
async fn breakpoints_in_responses() {
    sixty_calls("gpt-5.6", Provider::Responses).await;
}

#[tokio::test]
async fn breakpoints_in_chat() {
    sixty_calls("gpt-5.6", Provider::Chat).await;
}

#[tokio::test]
async fn prefixes_in_units_of_the_prompt() {
    sixty_calls("gpt-5.1", Provider::Responses).await;
}

#[tokio::test]
async fn prefixes_in_units_of_prompt_and_answer() {
    sixty_calls("deepseek-chat", Provider::Chat).await;
}

#[tokio::test]
async fn prefixes_token_by_token() {
    sixty_calls("gemini-3-pro", Provider::Chat).await;
}

const MINUTE: i64 = 60_000;

/// Calls before which somebody was away, and for how long: within an hour twice, longer once.
const PAUSES: [(usize, i64); 3] = [(20, 10 * MINUTE), (30, 40 * MINUTE), (40, 90 * MINUTE)];

/// The same with pauses and entries of two lifetimes. What the planner does at a cold cache is done: old blocks become
/// stubs among it.
async fn with_pauses(choice: CacheChoice) -> Vec<(usize, u32, u32)> {
    let model = "claude-sonnet-4-6";
    let mut driven = Driven::start(Setting::new(model, script(CALLS, Thinks::No))).await;
    let mut configuration = Configuration { cache: choice, ..Configuration::default() };
    configuration.fold.whole_blocks = 1;
    driven.session.configure(configuration);
    driven.user("bring the ledger in order, part by part");
    let mut pauses = Vec::new();
    for number in 1..=CALLS {
        let pause = PAUSES.iter().find(|(call, _)| *call == number).map(|(_, pause)| *pause);
        if let Some(pause) = pause {
            driven.pass(pause);
            driven.with(|session, context| session.tidy(context)).expect("between steps");
        }
        let called = driven.step().await;
        let counted = driven.log().last().and_then(|logged| logged.counted).expect("it was taken");
        let expected = driven.session.expected_bill(called.call).expect("the call ended");
        assert_eq!(
            [counted.cached, counted.written, counted.written_1h].map(u64::from),
            [expected.read, expected.written, expected.written_1h],
            "{choice:?}, call {number}: the upstream bills (cached, written, for an hour), the ledger expects"
        );
        let line = driven.session.ledger().iter().find(|line| line.call == called.call).expect("a line");
        if pause.is_some() {
            assert!(line.reasons.iter().any(|reason| matches!(reason, Miss::Cold(_))) || choice == CacheChoice::Hour);
            assert_eq!(line.reused.tokens, u64::from(counted.cached), "{choice:?}, call {number}");
            pauses.push((number, counted.cached, counted.written_1h));
        }
        if called.turn.calls.is_empty() && number < CALLS {
            driven.user("go on");
        }
        if FOLDS.contains(&number) {
            driven.fold();
        }
    }
    assert_eq!(driven.refusals(), Vec::<String>::new());
    let stubs = driven.session.trace().iter().filter(|event| event.event.name() == "stub").count();
    assert!(stubs > 0, "an old block became a stub");
    pauses
}

#[tokio::test]
async fn entries_of_two_lifetimes() {
    let found = |pauses: &[(usize, u32, u32)]| pauses.iter().map(|(_, cached, _)| *cached > 0).collect::<Vec<_>>();
    let hours = |pauses: &[(usize, u32, u32)]| pauses.iter().map(|(.., hour)| *hour > 0).collect::<Vec<_>>();
    let short = with_pauses(CacheChoice::FiveMinutes).await;
    assert_eq!((found(&short), hours(&short)), (vec![false; 3], vec![false; 3]));
    // From the first pause on: it is written for an hour there, found after the second, and written again after the third.
    let auto = with_pauses(CacheChoice::Auto).await;
    assert_eq!((found(&auto), hours(&auto)), (vec![false, true, false], vec![true, false, true]));
    let base = with_pauses(CacheChoice::HourForBase).await;
    assert_eq!((found(&base), hours(&base)), (vec![true, true, false], vec![false, false, true]));
    let long = with_pauses(CacheChoice::Hour).await;
    assert_eq!(found(&long), [true, true, false]);
}
