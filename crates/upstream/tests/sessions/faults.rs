//! A provider at its worst: what comes of a call that is refused, cut, stopped or cancelled, and that the next request is
//! one that providers take.

use std::time::Duration;

use lookback_engine::trace::{EventBody, Stop};
use lookback_models::{
    ErrorKind, Progress,
    driving::{CallError, Repair},
};
use lookback_upstream::Chunks;
use lookback_wire::Provider;

use crate::harness::*;

const APIS: [(&str, Provider); 4] = [
    ("claude-sonnet-4-6", Provider::Anthropic),
    ("gpt-5.6", Provider::Chat),
    ("gpt-5.6", Provider::Responses),
    ("deepseek-reasoner", Provider::Chat),
];

async fn driven(model: &'static str, api: Provider, script: &str) -> Driven {
    let setting = Setting {
        api: Some(api),
        chunks: Chunks::Odd,
        idle: Duration::from_millis(400),
        ..Setting::new(model, script.to_owned())
    };
    let mut driven = Driven::start(setting).await;
    driven.user("go");
    driven
}

const CALL: &str = "calls = [{ name = \"Bash\", arguments = { what = \"make\" } }]\n";

#[tokio::test]
async fn what_fails_before_any_content_is_tried_again_and_told() {
    for (model, api) in APIS {
        let faults = "faults = [\"429 retry-after=0\", \"529\", \"500\", \"cut\"]\n";
        let mut driven = driven(model, api, &format!("[[step]]\ntext = \"at last\"\n{faults}")).await;
        let called = driven.call().await.unwrap_or_else(|error| panic!("{api}: {error}"));
        assert_eq!((called.stop, called.turn.calls.len()), (Stop::End, 0));
        let retries = driven.outside.seen.iter().filter(|seen| matches!(seen, Progress::Retrying { .. })).count();
        assert_eq!((retries, driven.log().len()), (4, 5), "{api}: {:?}", driven.outside.seen);
        assert_eq!(driven.session.last_call().0, 1, "one call, however often it was sent");
    }
}

/// Words were shown; the stream breaks; nothing is sent again by itself.
#[tokio::test]
async fn a_cut_answer_stays_as_far_as_it_came_and_the_next_request_is_valid() {
    for (model, api) in APIS {
        let step = format!(
            "[[step]]\nthinking = \"hm\"\ntext = \"a first sentence, and a second one\"\n{CALL}faults = [\"cut after=12\"]\n"
        );
        let mut driven = driven(model, api, &format!("{step}[[step]]\ntext = \"done\"\n")).await;
        let called = driven.call().await.unwrap_or_else(|error| panic!("{api}: {error}"));
        assert_eq!(called.stop, Stop::Cut, "{api}");
        assert_eq!(called.broken.expect("it broke").kind, ErrorKind::CutStream);
        assert_eq!(driven.log().len(), 1, "{api}: never again without saying so");
        let again = driven.step().await;
        assert_eq!((again.stop, again.turn.calls.len()), (Stop::End, 1), "{api}: the step is played again");
        assert_eq!(driven.step().await.stop, Stop::End);
        assert_eq!(driven.refusals(), Vec::<String>::new(), "{api}");
    }
}

#[tokio::test]
async fn an_answer_that_reached_its_limit_in_the_middle_of_a_call_is_followed_by_a_valid_request() {
    for (model, api) in APIS {
        let calls = "calls = [{ name = \"Bash\", arguments = { what = \"make\" } }, { name = \"Bash\", arguments = \"{\\\"what\\\": \\\"te\", unfinished = true }]\n";
        let step = format!("[[step]]\ntext = \"two calls\"\nstop = \"limit\"\n{calls}[[step]]\ntext = \"done\"\n");
        let mut driven = driven(model, api, &step).await;
        let called = driven.call().await.unwrap_or_else(|error| panic!("{api}: {error}"));
        assert_eq!(called.stop, Stop::Limit, "{api}");
        let next = driven.call().await.unwrap_or_else(|error| panic!("{api}: {error}"));
        assert!(next.repairs.is_empty());
        let body = String::from_utf8_lossy(&driven.log().pop().expect("a request").body).into_owned();
        assert!(!body.contains("\\\"te\""), "{api}: the unfinished call is never shown again");
        assert_eq!(driven.refusals(), Vec::<String>::new(), "{api}");
    }
}

#[tokio::test]
async fn a_cancelled_answer_is_followed_by_a_valid_request() {
    for (model, api) in APIS {
        let step = format!(
            "[[step]]\nthinking = \"hm\"\ntext = \"{}\"\n{CALL}piece_ms = 5\n",
            words(3, 60).replace('\n', " ")
        );
        let mut driven = driven(model, api, &format!("{step}[[step]]\ntext = \"done\"\n")).await;
        driven.cancel_after(3);
        let called = driven.call().await.unwrap_or_else(|error| panic!("{api}: {error}"));
        assert_eq!(called.stop, Stop::Cancelled, "{api}");
        let (canceller, cancel) = lookback_models::driving::Canceller::new();
        (driven.cancel, driven.canceller) = (cancel, canceller);
        driven.user("go on then");
        driven.step().await;
        assert_eq!(driven.refusals(), Vec::<String>::new(), "{api}");
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_anything_came_leaves_the_session_as_it_was() {
    let mut driven =
        driven("claude-sonnet-4-6", Provider::Anthropic, "[[step]]\ntext = \"slow\"\nfirst_byte_ms = 300\n").await;
    let before = driven.session.view().tokens();
    driven.canceller.cancel();
    assert!(matches!(driven.call().await, Err(CallError::Cancelled)));
    assert_eq!(driven.session.view().tokens(), before);
}

#[tokio::test]
async fn a_stalled_stream_ends_and_says_so() {
    for (model, api) in APIS {
        let mut driven =
            driven(model, api, "[[step]]\ntext = \"half of it never comes\"\nfaults = [\"stall after=8\"]\n").await;
        let called = driven.call().await.unwrap_or_else(|error| panic!("{api}: {error}"));
        assert_eq!(called.stop, Stop::Cut, "{api}");
        assert!(called.broken.is_some());
        assert_eq!(driven.step().await.stop, Stop::End, "{api}: and the session goes on");
    }
}

#[tokio::test]
async fn nonsense_is_an_error_that_leaves_a_session_which_can_go_on() {
    for (model, api) in APIS {
        let faults = ["\"wrong-json\""; 8].join(", ");
        let mut driven = driven(model, api, &format!("[[step]]\ntext = \"never\"\nfaults = [{faults}]\n")).await;
        let error = driven.call().await.expect_err("no JSON");
        assert!(matches!(&error, CallError::Model(error) if error.kind == ErrorKind::Nonsense), "{api}: {error:?}");
        let last = &driven.session.trace().last().expect("an event").event;
        assert!(matches!(last, EventBody::CallInterrupted { .. }), "{api}: {last:?}");
        assert_eq!(driven.outside.kept, driven.session.trace().len(), "and it is stored");
    }
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_answered_by_one_fold_and_one_more_try() {
    for (model, api) in APIS {
        let mut script = script(8, Thinks::Yes);
        script += "[[step]]\ntext = \"it fits\"\nfaults = [\"overflow\"]\n";
        let mut driven = driven(model, api, &script).await;
        for _ in 0..8 {
            driven.step().await;
        }
        let called = driven.call().await.unwrap_or_else(|error| panic!("{api}: {error}"));
        let [Repair::MadeRoom { before, after }] = called.repairs[..] else { panic!("{api}: {:?}", called.repairs) };
        assert!(after < before, "{api}");
        let folds = driven.session.trace().iter().filter(|event| matches!(event.event, EventBody::Fold(_))).count();
        assert_eq!(folds, 1, "{api}");
        assert_eq!(driven.refusals(), Vec::<String>::new(), "{api}");
    }
}

/// The window that the card promises is larger than what the server really has.
#[tokio::test]
async fn a_provider_with_a_smaller_window_than_its_card_is_learned_from() {
    let mut driven = Driven::start(Setting {
        window: Some(1_000_000),
        ..Setting::new(
            "claude-sonnet-4-6",
            script(8, Thinks::No) + "[[step]]\ntext = \"still too long\"\nfaults = [\"overflow\", \"overflow\"]\n",
        )
    })
    .await;
    driven.user("go");
    for _ in 0..8 {
        driven.step().await;
    }
    let error = driven.call().await.expect_err("once, not twice");
    assert!(
        matches!(&error, CallError::Model(error) if matches!(error.kind, ErrorKind::PromptTooLong { .. })),
        "{error:?}"
    );
}
