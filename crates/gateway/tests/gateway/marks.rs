//! Marks that a client sets itself: what is valid without a block of ours is valid with it.

use lookback_gateway::Mode;
use serde_json::{Value, json};

use crate::{
    conversation::{Conversation, is_block},
    provider::Provider,
    started::start,
};

/// The marks of a body as its provider reads them: tools, system, messages, and the one of the whole body at the end.
fn marks(body: &Value) -> Vec<Value> {
    let lists = [&body["tools"], &body["system"], &body["messages"]];
    let entries = lists.into_iter().flat_map(|list| list.as_array().into_iter().flatten());
    let places =
        entries.flat_map(|entry| std::iter::once(entry).chain(entry["content"].as_array().into_iter().flatten()));
    let all = places.chain([body]).map(|place| place["cache_control"].clone());
    all.filter(|mark| !mark.is_null()).collect()
}

async fn bodies_with(marked: impl Fn(&mut Value)) -> Vec<Value> {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    for _ in 0..18 {
        let mut body = conversation.body();
        marked(&mut body);
        let reply = gateway.ask(&body).await;
        conversation.take(&reply);
    }
    gateway.wait_for_folds(1).await;
    let mut body = conversation.body();
    marked(&mut body);
    gateway.ask(&body).await;
    gateway.stop().await;
    let with_blocks = provider.got().into_iter().filter(|got| got.messages().iter().any(is_block));
    let bodies: Vec<Value> = with_blocks.map(|got| got.json()).collect();
    assert!(!bodies.is_empty());
    bodies
}

fn mark_last(body: &mut Value, mark: &Value) {
    let last = body["messages"].as_array_mut().unwrap().last_mut().unwrap();
    match last["content"].as_array_mut() {
        Some(blocks) => blocks.last_mut().unwrap()["cache_control"] = mark.clone(),
        None => last["content"] = json!([{"type": "text", "text": last["content"], "cache_control": mark}]),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ours_lasts_as_long_as_those_behind_it() {
    let hour = json!({"type": "ephemeral", "ttl": "1h"});
    let usual = json!({"type": "ephemeral"});
    for (tools, last) in [(&hour, &hour), (&hour, &usual), (&usual, &usual)] {
        let bodies = bodies_with(|body| {
            body["tools"][0]["cache_control"] = tools.clone();
            mark_last(body, last);
        });
        for body in bodies.await {
            assert_eq!(marks(&body), [tools, last, last].map(Clone::clone), "no mark for an hour behind a shorter one");
        }
    }
    let of_all = bodies_with(|body| body["cache_control"] = hour.clone()).await;
    assert!(of_all.iter().all(|body| marks(body) == [hour.clone(), hour.clone()]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_on_the_whole_body_takes_a_place() {
    let usual = json!({"type": "ephemeral"});
    let bodies = bodies_with(|body| {
        body["cache_control"] = usual.clone();
        body["tools"][0]["cache_control"] = usual.clone();
        body["system"] = json!([{"type": "text", "text": body["system"], "cache_control": usual}]);
        mark_last(body, &usual);
    });
    for body in bodies.await {
        assert_eq!(marks(&body).len(), 4, "the client has used them all");
    }
}
