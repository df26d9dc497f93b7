//! Clients that are not installed here, after what was recorded of them: what they do to their own history is theirs, and
//! no fold may stand where it does not belong.

use lookback_gateway::Mode;
use serde_json::{Value, json};

use crate::{
    conversation::{Conversation, folded, is_block},
    provider::Provider,
    started::{results, start},
};

/// goose puts a message with clock and context before the newest pair, moves it with every step, and splits an answer
/// around it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_moves_with_every_step() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    let mut blocks = 0;
    for step in 0..40 {
        let mut body = conversation.body();
        body["messages"] = with_moving_note(&conversation.messages, step);
        let sent = body["messages"].as_array().unwrap().clone();
        let reply = gateway.ask(&body).await;
        blocks = folded(&sent, &provider.last().messages()).len();
        conversation.take(&reply);
    }
    assert!(blocks >= 1, "what does not move is folded");
    gateway.stop().await;
    assert_eq!(results(home.path()).len(), 1, "it is one conversation");
}

fn with_moving_note(messages: &[Value], step: usize) -> Value {
    let mut sent: Vec<Value> = Vec::new();
    let newest = messages.len().checked_sub(2).filter(|newest| *newest > 0);
    for (at, message) in messages.iter().enumerate() {
        let content = message["content"].as_array().filter(|_| message["role"] == "assistant");
        let Some([said, call]) = content.map(Vec::as_slice) else {
            sent.push(message.clone());
            continue;
        };
        sent.push(json!({"role": "assistant", "content": [said]}));
        if Some(at) == newest {
            let note = format!("<info-msg>\nIt is 10:{step:02}\nContext: ~{step}k/128k tokens used\n</info-msg>");
            sent.push(json!({"role": "user", "content": note}));
        }
        sent.push(json!({"role": "assistant", "content": [call]}));
    }
    json!(sent)
}

/// aider ranks its map of the repository anew for every message: nothing behind it is ever the same prompt again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_in_front_that_is_always_another() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut history: Vec<Value> = Vec::new();
    for turn in 0..20 {
        let mut messages = vec![
            json!({"role": "user", "content": "Act as an expert developer."}),
            json!({"role": "assistant", "content": "Ok."}),
            json!({"role": "user", "content": format!("Here are summaries of some files: {}", "map ".repeat(20 + turn % 7))}),
            json!({"role": "assistant", "content": "Ok, I won't try and edit those files."}),
        ];
        messages.extend(history.clone());
        messages.push(json!({"role": "user", "content": format!("change number {turn}")}));
        let body = json!({"model": "example-model", "max_tokens": 100, "messages": messages});
        let response = gateway.post("/v1/messages").header("user-agent", "litellm/1.0").body(body.to_string());
        assert_eq!(response.send().await.unwrap().status(), 200);
        assert!(!provider.last().messages().iter().any(is_block));
        assert_eq!(provider.last().body, body.to_string().as_bytes());
        history.push(json!({"role": "user", "content": format!("change number {turn}")}));
        history.push(json!({"role": "assistant", "content": format!("I changed {turn}.")}));
    }
    gateway.stop().await;
}

/// Claude Code has a system message in mid-conversation that carries the moving mark first and is plain later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_system_message_in_the_conversation() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    let mut blocks = 0;
    for step in 0..36 {
        let text = "The user's plan mode is off.";
        let system = match step {
            0 => {
                json!({"role": "system", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]})
            }
            _ => json!({"role": "system", "content": text}),
        };
        let mut body = conversation.body();
        let messages = body["messages"].as_array_mut().unwrap();
        messages.insert(1, system);
        let sent = messages.clone();
        let reply = gateway.ask(&body).await;
        let ranges = folded(&sent, &provider.last().messages());
        assert!(ranges.iter().all(|range| range.start > 1), "nothing crosses it");
        blocks = ranges.len();
        conversation.take(&reply);
    }
    assert!(blocks >= 1);
    gateway.stop().await;
    assert_eq!(results(home.path()), [35]);
}

/// Clients that name nothing: their second steps tell two conversations apart that began with the same words.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_begin_alike_are_two() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut both = [Conversation::new("read everything"), Conversation::new("read everything")];
    for _ in 0..5 {
        for conversation in &mut both {
            conversation.step(&gateway).await;
        }
    }
    gateway.stop().await;
    let mut found = results(home.path());
    found.sort_unstable();
    // Their first request is one and the same: of it two answers are given up, which leaves a result each.
    assert_eq!(found, [4, 4 + 2]);
}
