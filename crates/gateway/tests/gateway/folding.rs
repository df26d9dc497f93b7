//! Blocks: the same bytes for ever, only where the conversation is the same.

use lookback_gateway::Mode;
use lookback_store::Store;
use serde_json::{Value, json};

use crate::{
    conversation::{Conversation, folded, is_block},
    provider::{Answers, Provider, REFUSED, Sent},
    started::{results, start, start_with_card},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_block_stands_and_never_changes() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything, then say what is wrong");
    let mut blocks: Vec<Value> = Vec::new();
    for _ in 0..40 {
        let sent = conversation.messages.clone();
        conversation.step(&gateway).await;
        let got = provider.last().messages();
        let ranges = folded(&sent, &got);
        let stand: Vec<Value> = got.iter().filter(|message| is_block(message)).map(without_marks).collect();
        assert_eq!(stand[..blocks.len()], blocks[..], "what stood stands");
        assert_eq!(ranges.len(), stand.len());
        blocks = stand;
    }
    assert!(blocks.len() >= 2, "40 steps fold more than once: {}", blocks.len());
    gateway.stop().await;
}

fn without_marks(message: &Value) -> Value {
    let mut message = message.clone();
    for block in message["content"].as_array_mut().into_iter().flatten() {
        block.as_object_mut().map(|block| block.remove("cache_control"));
    }
    message
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folds_and_trace_outlive_the_process() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 16).await;
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    let before: Vec<Value> = provider.last().messages().iter().filter(|message| is_block(message)).cloned().collect();
    assert!(!before.is_empty());
    let raw = gateway.stop().await.raw.expect("a block stands");

    let gateway = start(home.path(), &provider, Mode::Fold).await;
    conversation.step(&gateway).await;
    let after: Vec<Value> = provider.last().messages().iter().filter(|message| is_block(message)).cloned().collect();
    assert_eq!(before, after);
    assert!(gateway.stop().await.raw.is_some_and(|now| now > raw), "it is announced as in the process that folded");
    let sessions = Store::open(home.path()).unwrap().sessions().unwrap();
    assert_eq!(sessions.len(), 1, "it is the same conversation");
    assert_eq!(sessions[0].calls, 18);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_is_what_the_first_try_was() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    loop {
        let (sent, before) = (conversation.clone(), gateway.figure("folds_total").await);
        conversation.step(&gateway).await;
        let first = provider.last().body;
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        if gateway.figure("folds_total").await > before {
            gateway.ask(&sent.body()).await;
            assert_eq!(provider.last().body, first);
            break;
        }
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_back_gets_what_was_said() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 18).await;
    gateway.wait_for_folds(1).await;
    let mut back = conversation.clone();
    back.messages.truncate(5);
    back.messages.push(json!({"role": "user", "content": "no, the other way"}));
    let sent = back.messages.clone();
    back.step(&gateway).await;
    assert_eq!(provider.last().messages(), sent, "nothing stands in a branch that begins before the fold's end");
    conversation.step(&gateway).await;
    assert!(provider.last().messages().iter().any(is_block), "and the other one goes on as it was");
    gateway.stop().await;
    let store = Store::open(home.path()).unwrap();
    assert_eq!(store.sessions().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_that_is_too_long_is_folded_and_sent_once_more() {
    for sent in [Sent::Whole, Sent::Pieces, Sent::Gzip] {
        let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
        let gateway = start(home.path(), &provider, Mode::Fold).await;
        let mut conversation = Conversation::new("read everything");
        provider.answers(Answers::TooLongAbove(12, sent));
        conversation.steps(&gateway, 9).await;
        assert!(provider.last().messages().iter().any(is_block), "{sent:?}");
        gateway.stop().await;
    }
}

/// Whatever was read to understand it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_refusal_passes_byte_for_byte() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 3).await;
    for (sent, length, coding) in
        [(Sent::Whole, true, false), (Sent::Pieces, false, false), (Sent::Gzip, true, true), (Sent::Long, false, false)]
    {
        provider.answers(Answers::Refuses(sent));
        let asked = provider.got().len();
        let response = gateway.post("/v1/messages").body(conversation.body().to_string()).send().await.unwrap();
        assert_eq!(response.status(), 400);
        assert_eq!(response.headers()["x-request-id"], "r1");
        assert_eq!(response.headers().contains_key("content-length"), length, "{sent:?}");
        assert_eq!(response.headers().contains_key("content-encoding"), coding, "{sent:?}");
        assert!(response.bytes().await.unwrap() == sent.bytes(REFUSED), "{sent:?}");
        assert_eq!(provider.got().len(), asked + 1, "{sent:?} is sent once");
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traffic_beside_the_conversation_is_no_turn_of_it() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    for step in 0..16 {
        let reply = gateway.post("/v1/messages").header("x-session-id", "s1").body(conversation.body().to_string());
        let reply = reply.send().await.unwrap().bytes().await.unwrap();
        conversation.take(&serde_json::from_slice(&reply).unwrap());
        if step % 4 == 0 {
            let title = json!({"model": "m", "messages": [{"role": "user", "content": "a title, please"}]});
            gateway.post("/v1/messages").header("x-session-id", "s1").body(title.to_string()).send().await.unwrap();
        }
        if step % 5 == 0 {
            let count = gateway.post("/v1/messages/count_tokens").body(conversation.body().to_string());
            count.send().await.unwrap();
        }
    }
    gateway.stop().await;
    let store = Store::open(home.path()).unwrap();
    let sessions = store.sessions().unwrap();
    assert_eq!(sessions.len(), 1);
    let events = store.events(&sessions[0].id).unwrap();
    let kinds = format!("{events:?}");
    assert_eq!(kinds.matches("kind: Side").count(), 4, "each is one event of it");
}

/// A tool may print the words by which clients ask for a summary: this repository has them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_tool_printed_asks_for_no_summary() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut conversation = Conversation::new("read everything");
    conversation.step(&gateway).await;
    conversation.messages[2]["content"][0]["content"] = json!("who.rs: \"anchored summary\",");
    conversation.step(&gateway).await;
    conversation.messages[4]["content"][0]["content"] = json!([{"type": "text", "text": "an anchored summary"}]);
    gateway.ask(&conversation.body()).await;
    let asks = json!({"type": "text", "text": "Update the anchored summary below."});
    conversation.messages[4]["content"].as_array_mut().unwrap().push(asks);
    gateway.ask(&conversation.body()).await;
    gateway.stop().await;
    assert_eq!(results(home.path()), [2]);
    let store = Store::open(home.path()).unwrap();
    let events = store.events(&store.sessions().unwrap()[0].id).unwrap();
    assert_eq!(format!("{events:?}").matches("kind: ClientCompaction").count(), 1, "the client itself does");
}

/// Models that bind what they think to everything before it refuse it behind a fold.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thinking_that_is_bound_to_what_was_folded_goes() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start_with_card(home.path(), &provider, Mode::Fold, "claude-opus-5-5").await;
    provider.answers(Answers::Thinking);
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 24).await;
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    let got = provider.last().messages();
    let place = got.iter().rposition(is_block).expect("a block");
    let has_thinking = |message: &Value| message.to_string().contains("\"thinking\"");
    let behind: Vec<bool> =
        got[place + 1..].iter().filter(|message| message["role"] == "assistant").map(has_thinking).collect();
    assert!(!behind.is_empty() && !behind[0], "what was thought before the fold goes: {behind:?}");
    conversation.steps(&gateway, 2).await;
    let got = provider.last().messages();
    let newest = got.iter().rev().find(|message| message["role"] == "assistant").expect("an answer");
    assert!(has_thinking(newest), "what is thought since stays");
    gateway.stop().await;
}

/// A client goes back behind the fold and on from there in another way: what is thought there was never of the old way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_thought_in_a_branch_behind_the_fold_stays() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let mut gateway = start_with_card(home.path(), &provider, Mode::Fold, "claude-opus-5-5").await;
    provider.answers(Answers::Thinking);
    let mut conversation = Conversation::new("read everything");
    while gateway.figure("folds_total").await == 0 {
        conversation.step(&gateway).await;
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        assert!(conversation.messages.len() < 100);
    }
    let thinks = |message: &Value| message.to_string().contains("\"thinking\"");
    let thoughts = |messages: &[Value]| messages.iter().filter(|message| thinks(message)).count();
    let sent = conversation.messages.clone();
    conversation.step(&gateway).await;
    let got = provider.last().messages();
    let end = folded(&without_thinking(&sent), &without_thinking(&got))[0].end;
    assert!(sent.len() - end >= 4, "some messages stand behind the fold: {end} of {}", sent.len());
    assert!(thoughts(&got) < thoughts(&sent[end..]), "what was thought before the fold goes");
    let mut branch = conversation.clone();
    branch.messages.truncate(end + 2);
    branch.messages.push(json!({"role": "user", "content": "no, the other way"}));
    let old = thoughts(&branch.messages[end..]);
    // The next process knows it, too.
    for restart in [false, true] {
        if restart {
            gateway.stop().await;
            gateway = start_with_card(home.path(), &provider, Mode::Fold, "claude-opus-5-5").await;
        }
        branch.steps(&gateway, 1).await;
        let sent = branch.messages.clone();
        branch.steps(&gateway, 1).await;
        let got = provider.last().messages();
        assert!(got.iter().any(is_block));
        assert_eq!(thoughts(&got), thoughts(&sent[end..]) - old, "{got:?}");
    }
    gateway.stop().await;
}

fn without_thinking(messages: &[Value]) -> Vec<Value> {
    let mut messages = messages.to_vec();
    for message in &mut messages {
        if let Some(blocks) = message["content"].as_array_mut() {
            blocks.retain(|block| block["type"] != "thinking");
        }
    }
    messages
}

/// Another client under another name begins with the whole history, as sub-agents do: it has the same blocks, and its own
/// stand behind them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_branch_goes_on_behind_the_blocks_that_it_began_with() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 18).await;
    gateway.wait_for_folds(1).await;
    let mut branch = conversation.clone();
    let mut most = 0;
    for _ in 0..30 {
        let sent = branch.messages.clone();
        let request = gateway.post("/v1/messages").header("x-session-id", "branch").body(branch.body().to_string());
        let reply: Value = serde_json::from_slice(&request.send().await.unwrap().bytes().await.unwrap()).unwrap();
        let got = provider.last().messages();
        folded(&sent, &got);
        most = most.max(got.len());
        branch.take(&reply);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let blocks = provider.last().messages().iter().filter(|message| is_block(message)).count();
    assert!(blocks >= 2, "its own blocks stand, too: {blocks}");
    assert!(most < 48, "and nothing between them stays raw for ever: {most} messages");
    gateway.stop().await;
}

/// After a restart another conversation with the same first message comes first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_namesake_hides_no_folds() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 18).await;
    gateway.wait_for_folds(1).await;
    gateway.stop().await;
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    Conversation::new("read everything").step(&gateway).await;
    conversation.step(&gateway).await;
    assert!(provider.last().messages().iter().any(is_block));
    gateway.stop().await;
}

/// One client goes to and fro between two processes that share a store: what one of them folded, both send.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_gateways_on_one_store_send_the_same_blocks() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateways = [start(home.path(), &provider, Mode::Fold).await, start(home.path(), &provider, Mode::Fold).await];
    let mut conversation = Conversation::new("read everything");
    for step in 0..30 {
        conversation.step(&gateways[step % 2]).await;
        tokio::time::sleep(std::time::Duration::from_millis(80)).await;
    }
    let mut sent = Vec::new();
    for gateway in &gateways {
        gateway.ask(&conversation.body()).await;
        sent.push(provider.last().messages());
    }
    assert_eq!(sent[0], sent[1]);
    assert!(sent[0].iter().any(is_block));
    for gateway in gateways {
        gateway.stop().await;
    }
}

/// Without the blocks everything is sent: whoever turns them off hears how much that is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn off_is_announced_where_blocks_stand() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    let off = |conversation: &Conversation| {
        gateway.post("/v1/messages").header("x-lookback-mode", "off").body(conversation.body().to_string()).send()
    };
    conversation.step(&gateway).await;
    assert!(!off(&conversation).await.unwrap().headers().contains_key("x-lookback-note"));
    conversation.steps(&gateway, 17).await;
    gateway.wait_for_folds(1).await;
    let response = off(&conversation).await.unwrap();
    let note = response.headers()["x-lookback-note"].to_str().unwrap().to_owned();
    let (said, tokens) = note.split_once(" about ").expect("a size");
    assert_eq!(said, "compact first: the raw history is");
    let raw = serde_json::to_string(&conversation.messages).unwrap().len() / 4;
    assert_eq!(tokens, format!("{raw} tokens"));
    assert_eq!(provider.last().messages(), conversation.messages);
    let left = gateway.running.stop(std::time::Duration::from_secs(5)).await;
    assert!(left.raw.is_some_and(|left| left as usize <= raw && left as usize > raw / 2), "{left:?} {raw}");
}
