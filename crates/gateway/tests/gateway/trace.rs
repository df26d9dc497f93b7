//! What is recorded is what the client has: after it went back, after something went unrecorded.

use std::{path::Path, time::Duration};

use lookback_engine::{
    Session,
    trace::{AssistantPart, EventBody, Status},
};
use lookback_gateway::Mode;
use lookback_store::Store;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    conversation::{Conversation, is_block},
    faults::walk_to_database,
    provider::{Answers, Provider},
    started::start,
};

/// Every text, call and result of a client's messages, in order.
fn said(messages: &[Value]) -> Vec<String> {
    let piece = |block: &Value| match block["type"].as_str() {
        Some("text") => block["text"].as_str().map(str::to_owned),
        Some("tool_use") => Some(block["input"].to_string()),
        Some("tool_result") => block["content"].as_str().map(str::to_owned),
        _ => None,
    };
    let pieces = |message: &Value| match &message["content"] {
        Value::String(text) => vec![text.clone()],
        content => content.as_array().into_iter().flatten().filter_map(piece).collect(),
    };
    messages.iter().flat_map(pieces).collect()
}

/// The same of every stored session as it stands. What was never answered has no result in a client's history.
fn recorded(home: &Path) -> Vec<Vec<String>> {
    let store = Store::open(home).unwrap();
    let pieces = |session: Session| {
        let live = session.trace().iter().filter(|event| session.history().is_live(event.seq));
        let pieces = live.flat_map(|event| match &event.event {
            EventBody::UserTurn(user) => vec![user.text.clone()],
            EventBody::AssistantTurn(answer) => {
                let part = |part: &AssistantPart| match part {
                    AssistantPart::Text { text, .. } => Some(text.clone()),
                    AssistantPart::Call { arguments, .. } => Some(arguments.clone()),
                    _ => None,
                };
                answer.parts.iter().filter_map(part).collect()
            }
            EventBody::ToolResult { result, .. } if result.status != Status::Interrupted => {
                vec![String::from_utf8(result.text.bytes(&store).unwrap().to_vec()).unwrap()]
            }
            _ => Vec::new(),
        });
        pieces.collect()
    };
    let sessions = store.sessions().unwrap().into_iter();
    sessions.map(|session| pieces(Session::replay(store.events(&session.id).unwrap(), &store).unwrap())).collect()
}

/// Until a session says what a request said that was just sent, and at most the answer to it.
pub(crate) async fn wait_for(home: &Path, messages: &[Value]) {
    let expected = said(messages);
    let mut found = Vec::new();
    for _ in 0..300 {
        found = recorded(home);
        if found.iter().any(|said| said.starts_with(&expected) && said.len() <= expected.len() + 2) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nowhere recorded: {expected:#?}, but {found:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newest_result_that_is_written_otherwise_is_recorded_so() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 3).await;
    gateway.ask(&conversation.body()).await;
    conversation.messages.last_mut().unwrap()["content"][0]["content"] = "EDITED ".repeat(200).into();
    let sent = conversation.messages.clone();
    conversation.step(&gateway).await;
    wait_for(home.path(), &sent).await;
    conversation.steps(&gateway, 12).await;
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    assert!(provider.last().messages().iter().any(is_block));
    gateway.stop().await;
}

/// The client says something otherwise while nothing can be written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_went_unrecorded_is_recorded_with_the_next_request() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 4).await;
    conversation.messages.push(json!({"role": "user", "content": "this way"}));
    gateway.ask(&conversation.body()).await;
    wait_for(home.path(), &conversation.messages).await;
    let database = Connection::open(walk_to_database(home.path())).unwrap();
    let full = "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END";
    database.execute_batch(full).unwrap();
    conversation.messages.last_mut().unwrap()["content"] = "otherwise".into();
    for _ in 0..6 {
        conversation.step(&gateway).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    assert!(gateway.figure("unrecorded_total").await > 0);
    database.execute_batch("DROP TRIGGER full").unwrap();
    for _ in 0..4 {
        conversation.step(&gateway).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    gateway.ask(&conversation.body()).await;
    wait_for(home.path(), &conversation.messages).await;
    gateway.stop().await;
}

/// A client that gave up a call says so in no message; another process finds the turns all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_without_a_result_moves_no_turn_of_the_next_process() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 2).await;
    conversation.messages.pop();
    conversation.messages.push(json!({"role": "user", "content": "no, otherwise"}));
    conversation.steps(&gateway, 2).await;
    gateway.stop().await;
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    conversation.step(&gateway).await;
    for words in ["this way", "otherwise"] {
        conversation.messages.truncate(10);
        conversation.messages.push(json!({"role": "user", "content": words}));
        gateway.ask(&conversation.body()).await;
        wait_for(home.path(), &conversation.messages).await;
    }
    gateway.stop().await;
}

/// Clients cut an answer short, or put their own in its place.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_the_client_keeps_in_other_words_is_recorded_so() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 2).await;
    provider.answers(Answers::Says("All tests pass now.\n"));
    for kept in ["I stopped here.", "All tests pass now."] {
        gateway.ask(&conversation.body()).await;
        conversation.messages.push(json!({"role": "assistant", "content": kept}));
        conversation.messages.push(json!({"role": "user", "content": "go on"}));
    }
    provider.answers(Answers::Call);
    conversation.step(&gateway).await;
    let said = || recorded(home.path()).concat();
    for _ in 0..300 {
        if said().iter().filter(|said| *said == "go on").count() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let said = said();
    assert!(said.contains(&"I stopped here.".to_owned()), "{said:?}");
    let streamed: Vec<&String> = said.iter().filter(|said| said.starts_with("All tests")).collect();
    assert_eq!(streamed, ["All tests pass now.\n"], "spaces make no other words");
    gateway.stop().await;
}
