//! The store with its folds is lost, or a long conversation comes here for the first time: it is folded before it goes on,
//! and nothing else is.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use lookback_gateway::Mode;
use lookback_store::Store;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    conversation::{Conversation, folded, is_block},
    faults::walk_to_database,
    provider::Provider,
    started::{Started, results, start_with_most},
};

/// Above this a conversation would have folds: that of 16 steps has more than twice as many tokens.
const MOST: u64 = 4_000;

/// A conversation of some steps as it is without the gateway.
async fn long(provider: &Provider) -> Conversation {
    let home = tempfile::tempdir().unwrap();
    let gateway = start_with_most(home.path(), provider, Mode::Off, MOST).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 16).await;
    gateway.stop().await;
    conversation
}

fn blocks(provider: &Provider) -> Vec<String> {
    let got = provider.last().messages();
    got.iter().filter(|message| is_block(message)).map(|block| block["content"][0]["text"].to_string()).collect()
}

fn lose_the_store(home: &Path) {
    for entry in fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
}

async fn fold_here(home: &Path, provider: &Provider) -> Started {
    start_with_most(home, provider, Mode::Fold, MOST).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stood_in_a_lost_store_is_folded_afresh_before_it_goes_on() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = fold_here(home.path(), &provider).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 16).await;
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    assert!(!blocks(&provider).is_empty());
    gateway.stop().await;

    lose_the_store(home.path());
    let gateway = fold_here(home.path(), &provider).await;
    let sent = conversation.messages.clone();
    conversation.step(&gateway).await;
    let got = provider.last();
    assert_eq!(folded(&sent, &got.messages()).len(), 1, "the first request has its fold");
    let stand = blocks(&provider);
    // The same request again is the same bytes, and what follows begins with the same block.
    let mut retry = conversation.clone();
    retry.messages.truncate(sent.len());
    gateway.ask(&retry.body()).await;
    assert_eq!(provider.last().body, got.body);
    for _ in 0..3 {
        conversation.step(&gateway).await;
        assert_eq!(blocks(&provider)[..1], stand[..]);
    }
    gateway.stop().await;
    // It is recorded, and outlives the next process as any fold does.
    // Of the request that came twice an answer was given up each time, which leaves a result each.
    assert_eq!(results(home.path()), [20 + 2]);
    let gateway = fold_here(home.path(), &provider).await;
    conversation.step(&gateway).await;
    assert_eq!(blocks(&provider)[..1], stand[..]);
    gateway.stop().await;
}

/// Somebody removes it while the gateway runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_removed_is_begun_anew_with_what_stands() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = fold_here(home.path(), &provider).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 16).await;
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    let stand = blocks(&provider);
    lose_the_store(home.path());
    let begun = Instant::now();
    while !Store::is_in(home.path()) {
        assert!(begun.elapsed().as_secs() < 30, "nobody noticed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(gateway.figure("unrecorded_total").await > 0);
    conversation.step(&gateway).await;
    assert_eq!(blocks(&provider)[..stand.len()], stand[..]);
    gateway.stop().await;
    assert_eq!(results(home.path()), [17], "all of it is there again");
    // Observing makes no block: it is in the store.
    let gateway = start_with_most(home.path(), &provider, Mode::Observe, MOST).await;
    conversation.step(&gateway).await;
    assert_eq!(blocks(&provider)[..stand.len()], stand[..]);
    gateway.stop().await;
    assert_eq!(results(home.path()), [18]);
}

/// After a restart another conversation with the same first message comes first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_namesake_hides_no_lost_conversation() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let mut conversation = long(&provider).await;
    let gateway = fold_here(home.path(), &provider).await;
    Conversation::new("read everything").step(&gateway).await;
    conversation.step(&gateway).await;
    assert_eq!(blocks(&provider).len(), 1);
    gateway.stop().await;
}

/// Where nothing can have been lost, or nothing is the conversation, every byte goes on as it came.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_else_waits_for_a_fold() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let conversation = long(&provider).await;
    let body = conversation.body();
    for (mode, most, path, tools) in [
        (Mode::Fold, 1_000_000, "/v1/messages", true),
        (Mode::Observe, MOST, "/v1/messages", true),
        (Mode::Fold, MOST, "/v1/messages", false),
        (Mode::Fold, MOST, "/v1/messages/count_tokens", true),
    ] {
        lose_the_store(home.path());
        let gateway = start_with_most(home.path(), &provider, mode, most).await;
        let mut body = body.clone();
        if !tools {
            body.as_object_mut().unwrap().remove("tools");
        }
        let sent = body.to_string();
        gateway.post(path).header("x-session-id", "s1").body(sent.clone()).send().await.unwrap();
        assert_eq!(provider.last().body, sent.as_bytes(), "{mode} {most} {path} {tools}");
        gateway.stop().await;
    }
}

/// A client that says the beginning of its history in other words every time has said as much before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_in_front_that_is_always_another_is_folded_once() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let mut conversation = long(&provider).await;
    let gateway = fold_here(home.path(), &provider).await;
    for turn in 0..4 {
        conversation.messages[0]["content"] = format!("read everything; the map: {}", "file ".repeat(9 + turn)).into();
        let sent = conversation.messages.clone();
        conversation.step(&gateway).await;
        assert_eq!(folded(&sent, &provider.last().messages()).len(), usize::from(turn == 0), "{turn}");
    }
    gateway.stop().await;
}

/// One that is longer than all that is kept in mind takes the place of the others: they are found again in the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_was_forgotten_is_found_again() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = fold_here(home.path(), &provider).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 16).await;
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    let stand = blocks(&provider);
    assert!(!stand.is_empty());
    let mut endless = Conversation::new("say x");
    endless
        .messages
        .extend((0..100_001).map(|at| json!({"role": if at % 2 == 0 { "assistant" } else { "user" }, "content": "x"})));
    gateway
        .post("/v1/messages")
        .header("x-lookback-mode", "observe")
        .body(endless.body().to_string())
        .send()
        .await
        .unwrap();
    conversation.step(&gateway).await;
    assert_eq!(blocks(&provider)[..stand.len()], stand[..]);
    gateway.stop().await;
    let mut found = results(home.path());
    found.sort_unstable();
    assert_eq!(found, [0, 17], "it went on in its session");
}

/// What cannot be written in time holds nobody up: the conversation goes on raw, and its fold stands later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_busy_makes_nobody_wait_for_a_fold() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let mut conversation = long(&provider).await;
    let gateway = fold_here(home.path(), &provider).await;
    let other = Connection::open(walk_to_database(home.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (sent, begun): (Vec<Value>, Instant) = (conversation.messages.clone(), Instant::now());
    conversation.step(&gateway).await;
    assert!(begun.elapsed().as_secs() < 4, "the request waited for the store");
    assert_eq!(provider.last().messages(), sent);
    other.execute_batch("ROLLBACK").unwrap();
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    assert!(!blocks(&provider).is_empty());
    gateway.stop().await;
}
