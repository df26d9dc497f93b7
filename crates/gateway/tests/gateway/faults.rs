//! Bad days: the client's session goes on, and the trace is whole after its next request.

use std::time::Duration;

use lookback_gateway::Mode;
use lookback_store::Store;
use rusqlite::Connection;
use tokio::io::AsyncWriteExt;

use crate::{
    conversation::Conversation,
    provider::{Answers, Provider},
    started::{results, start},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_provider_refuses_reaches_the_client() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 3).await;
    for status in [429, 500, 529, 400] {
        provider.answers(Answers::Status(status));
        let response = gateway.post("/v1/messages").body(conversation.body().to_string()).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status);
        assert!(response.text().await.unwrap().contains("Overloaded"));
    }
    provider.answers(Answers::Call);
    conversation.steps(&gateway, 3).await;
    gateway.stop().await;
    assert_eq!(results(home.path()), [5], "every result of the conversation so far is there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_stream_is_cut_for_the_client_too() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 2).await;
    provider.answers(Answers::Cut);
    let mut response = gateway.post("/v1/messages").body(conversation.body().to_string()).send().await.unwrap();
    let mut outcome = response.chunk().await;
    while let Ok(Some(_)) = outcome {
        outcome = response.chunk().await;
    }
    assert!(outcome.is_err(), "no end is made up");
    provider.answers(Answers::Call);
    conversation.steps(&gateway, 2).await;
    gateway.stop().await;
    assert_eq!(Store::open(home.path()).unwrap().sessions().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_leaves_in_the_middle_comes_back() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 2).await;
    provider.answers(Answers::Slowly);
    let mut response = gateway.post("/v1/messages").body(conversation.body().to_string()).send().await.unwrap();
    response.chunk().await.unwrap();
    drop(response);
    provider.answers(Answers::Call);
    conversation.steps(&gateway, 3).await;
    gateway.stop().await;
    assert_eq!(Store::open(home.path()).unwrap().sessions().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_there_is_said_in_the_provider_s_form() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let mut gone = provider;
    gone.url = "http://127.0.0.1:9".to_owned();
    let gateway = start(home.path(), &gone, Mode::Fold).await;
    let response = gateway.post("/v1/messages").body(Conversation::new("hi").body().to_string()).send().await.unwrap();
    assert_eq!(response.status(), 502);
    let text = response.text().await.unwrap();
    assert!(
        text.starts_with(r#"{"error":{"message":"lookback gateway: http://127.0.0.1:9 cannot be reached"#)
            || text.contains(r#""type":"error""#),
        "{text}"
    );
    gateway.stop().await;
}

/// Somebody else writes into the store for a while: no request waits for that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_busy_holds_nobody_up() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 2).await;
    let database = walk_to_database(home.path());
    let other = Connection::open(database).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = std::time::Instant::now();
    conversation.steps(&gateway, 10).await;
    assert!(begun.elapsed() < Duration::from_secs(4), "requests waited for the store");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    tokio::time::sleep(Duration::from_millis(300)).await;
    conversation.step(&gateway).await;
    gateway.stop().await;
    let most = results(home.path()).into_iter().max();
    assert_eq!(most, Some(12), "the trace has the whole conversation again");
}

/// Whoever never leaves the keeper a moment to itself keeps no conversation from being found after the worst of ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_client_keeps_no_place_from_being_remembered() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let busy = Conversation::new("read everything").body().to_string();
    let busy = [(); 4].map(|()| {
        let request = gateway.post("/v1/messages").body(busy.clone());
        tokio::spawn(async move {
            while let Some(request) = request.try_clone() {
                request.send().await.unwrap().bytes().await.unwrap();
            }
        })
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    gateway.ask(&Conversation::new("another one").body()).await;
    let database = Connection::open(walk_to_database(home.path())).unwrap();
    let places = "SELECT count(DISTINCT session) FROM guest_links";
    let begun = std::time::Instant::now();
    while database.query_one(places, [], |row| row.get::<_, u32>(0)).unwrap() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(5), "nobody would find it again");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    busy.iter().for_each(|task| task.abort());
    gateway.stop().await;
}

pub(crate) fn walk_to_database(home: &std::path::Path) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|end| end == "db" || end == "sqlite")).expect("a database")
}

/// Somebody sent half a request and says nothing more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_head_holds_up_no_end() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut half = tokio::net::TcpStream::connect(gateway.running.address()).await.unwrap();
    half.write_all(b"POST /v1/messages HTTP/1.1\r\nHost: 127.0").await.unwrap();
    Conversation::new("read everything").step(&gateway).await;
    let begun = std::time::Instant::now();
    gateway.running.stop(Duration::from_secs(60)).await;
    assert!(begun.elapsed() < Duration::from_secs(30), "the end waited for {:?}", begun.elapsed());
}
