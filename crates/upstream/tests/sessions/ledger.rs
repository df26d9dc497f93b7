//! What the ledger expects of a provider's cache, call by call, against what a provider bills that was written apart from
//! it. Every fold keeps what lies before the seam cached.

use lookback_engine::{cache::CacheRule, card::ThinkingHabit};
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
