//! Thinking under each value of the card: nothing that we send is refused, before and after folds, and what is sealed goes
//! back unaltered.

use lookback_engine::{card::ThinkingHabit, trace::EventBody};
use lookback_models::driving::Repair;
use lookback_wire::Provider;

use crate::harness::*;

async fn with_folds(model: &'static str, api: Provider, habit: ThinkingHabit) -> Driven {
    assert_eq!(card(model).thinking, habit, "{model}");
    let mut driven = Driven::start(Setting { api: Some(api), ..Setting::new(model, script(30, Thinks::Yes)) }).await;
    driven.user("think about the ledger, part by part");
    for number in 1..=30 {
        let called = driven.step().await;
        assert_eq!(called.repairs, [], "{model}, call {number}");
        if called.turn.calls.is_empty() && number < 30 {
            driven.user("go on");
        }
        if number % 9 == 0 {
            driven.fold();
        }
    }
    assert_eq!(driven.refusals(), Vec::<String>::new(), "{model} by {api}");
    driven
}

/// How often thinking stands in the last prompt.
fn thoughts(driven: &Driven) -> usize {
    let body = driven.log().pop().expect("a request").body;
    let body = String::from_utf8_lossy(&body).into_owned();
    ["\"type\":\"thinking\"", "\"type\":\"reasoning\"", "\"reasoning_content\""]
        .iter()
        .map(|kind| body.matches(kind).count())
        .sum()
}

#[tokio::test]
async fn kept_thinking_stays_sealed_through_folds() {
    let driven = with_folds("claude-sonnet-4-6", Provider::Anthropic, ThinkingHabit::Keep).await;
    assert!(thoughts(&driven) > 3, "{}", thoughts(&driven));
}

#[tokio::test]
async fn encrypted_reasoning_stays_with_what_follows_it() {
    let driven = with_folds("gpt-5.6", Provider::Responses, ThinkingHabit::Keep).await;
    assert!(thoughts(&driven) > 3, "{}", thoughts(&driven));
}

#[tokio::test]
async fn thinking_that_is_bound_to_its_history_goes_with_a_fold() {
    let driven = with_folds("claude-opus-5-5", Provider::Anthropic, ThinkingHabit::Drop).await;
    assert!(thoughts(&driven) > 0, "what came after the last fold is still there");
}

#[tokio::test]
async fn required_thinking_is_sent_back_always() {
    let driven = with_folds("deepseek-reasoner", Provider::Chat, ThinkingHabit::Required).await;
    assert!(thoughts(&driven) > 3, "{}", thoughts(&driven));
}

/// The card says that thinking may stay, and the provider binds it to its history all the same.
#[tokio::test]
async fn a_refusal_by_surprise_is_repaired_once_and_recorded() {
    let mut script = script(9, Thinks::Yes);
    script += "[[step]]\ntext = \"after all\"\nfaults = [\"refuse-thinking\"]\n";
    let mut driven = Driven::start(Setting::new("claude-sonnet-4-6", script)).await;
    driven.user("go");
    for _ in 0..9 {
        driven.step().await;
    }
    let called = driven.call().await.expect("a second try");
    assert_eq!(called.repairs, [Repair::DroppedThinking]);
    let body = driven.log().pop().expect("a request").body;
    assert!(!String::from_utf8_lossy(&body).contains("\"type\":\"thinking\""));
    let recorded = driven.session.trace().iter().filter(|event| matches!(event.event, EventBody::ThinkingRefused));
    assert_eq!(recorded.count(), 1);
}

#[tokio::test]
async fn a_second_refusal_of_thinking_is_an_error() {
    let script = "[[step]]\ntext = \"never\"\nfaults = [\"refuse-thinking\", \"refuse-thinking\"]\n".to_owned();
    let mut driven = Driven::start(Setting::new("claude-sonnet-4-6", script)).await;
    driven.user("go");
    let error = driven.call().await.expect_err("it was refused twice");
    assert!(error.to_string().contains("thinking"), "{error}");
    assert_eq!(driven.log().len(), 2);
}

/// Its refusal means that thinking is missing: leaving out more of it would end the session.
#[tokio::test]
async fn required_thinking_is_never_left_out_as_a_repair() {
    let script = script(3, Thinks::Yes) + "[[step]]\ntext = \"never\"\nfaults = [\"refuse-thinking\"]\n";
    let mut driven = Driven::start(Setting::new("deepseek-reasoner", script)).await;
    driven.user("go");
    for _ in 0..3 {
        driven.step().await;
    }
    driven.call().await.expect_err("it was refused");
    assert_eq!(driven.log().len(), 4, "and not tried again");
    assert!(thoughts(&driven) > 0);
    assert!(!driven.session.trace().iter().any(|event| matches!(event.event, EventBody::ThinkingRefused)));
}
