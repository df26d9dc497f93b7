//! For any sequence of requests, what goes on is valid for its provider and is the client's own outside of the blocks, and
//! what is recorded in the end is what the client has.

use lookback_gateway::Mode;
use lookback_wire::{Provider as Api, check_body};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    conversation::{Conversation, folded},
    provider::Provider,
    started::start,
    trace::wait_for,
};

#[derive(Debug, Clone)]
enum Act {
    /// So many steps of one of the two conversations.
    Steps(bool, usize),
    Again(bool),
    /// The newest message in other words, when it was sent already.
    Otherwise(bool),
    /// Back by so many pairs, with another request.
    Rewind(bool, usize),
    /// What the client makes of its own history.
    Compact(bool),
    /// A title.
    Beside(bool),
    /// The two become one that goes on twice.
    Fork,
    /// A note of the provider's own in mid-conversation.
    System(bool),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let which = any::<bool>;
    let act = prop_oneof![
        6 => (which(), 1..9_usize).prop_map(|(which, steps)| Act::Steps(which, steps)),
        1 => which().prop_map(Act::Again),
        1 => which().prop_map(Act::Otherwise),
        1 => (which(), 1..6_usize).prop_map(|(which, pairs)| Act::Rewind(which, pairs)),
        1 => which().prop_map(Act::Compact),
        1 => which().prop_map(Act::Beside),
        1 => Just(Act::Fork),
        1 => which().prop_map(Act::System),
    ];
    proptest::collection::vec(act, 3..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn what_goes_on_is_valid_and_the_client_s_own(acts in acts()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(play(acts));
    }
}

async fn play(acts: Vec<Act>) {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut both = [Conversation::new("read everything"), Conversation::new("another task")];
    let mut has_asked = [false; 2];
    for act in acts {
        match act {
            Act::Steps(which, steps) => {
                has_asked[usize::from(which)] = true;
                for _ in 0..steps {
                    let sent = both[usize::from(which)].body();
                    both[usize::from(which)].step(&gateway).await;
                    check(&sent, &provider.last().json());
                }
            }
            Act::Again(which) => {
                let sent = both[usize::from(which)].body();
                gateway.ask(&sent).await;
                check(&sent, &provider.last().json());
            }
            Act::Otherwise(which) => {
                let conversation = &mut both[usize::from(which)];
                gateway.ask(&conversation.body()).await;
                has_asked[usize::from(which)] = true;
                let length = conversation.messages.len();
                let newest = conversation.messages.last_mut().unwrap();
                let content = match newest["content"][0]["type"] == "tool_result" {
                    true => &mut newest["content"][0]["content"],
                    false => &mut newest["content"],
                };
                *content = format!("otherwise, at {length}").into();
            }
            Act::Rewind(which, pairs) => {
                let conversation = &mut both[usize::from(which)];
                let kept = conversation.messages.len().saturating_sub(2 * pairs).max(1);
                conversation.messages.truncate(kept);
                // No two messages of a conversation are alike: else nobody could tell which one was kept.
                conversation.messages.push(json!({"role": "user", "content": format!("otherwise, from {kept} on")}));
            }
            Act::Compact(which) => {
                let conversation = &mut both[usize::from(which)];
                let last = conversation.messages.split_off(conversation.messages.len().saturating_sub(2).max(1));
                conversation.messages = vec![json!({"role": "user", "content": "What was done so far: much."})];
                if last.first().is_some_and(|first| first["role"] == "assistant") {
                    conversation.messages.extend(last);
                }
            }
            Act::Beside(which) => {
                let mut sent = both[usize::from(which)].body();
                sent["messages"]
                    .as_array_mut()
                    .unwrap()
                    .push(json!({"role": "user", "content": "create a detailed summary of the conversation"}));
                gateway.ask(&sent).await;
                check(&sent, &provider.last().json());
            }
            Act::Fork => (both[1], has_asked[1]) = (both[0].clone(), has_asked[0]),
            Act::System(which) => {
                let messages = &mut both[usize::from(which)].messages;
                let picture =
                    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
                let named = json!({"type": "text", "text": format!("picture {}", messages.len())});
                messages.push(json!({"role": "user", "content": [picture, named]}));
            }
        }
    }
    // The next request of each holds all of it, whatever happened before.
    for (conversation, _) in both.iter().zip(has_asked).filter(|(_, has_asked)| *has_asked) {
        gateway.ask(&conversation.body()).await;
        wait_for(home.path(), &conversation.messages).await;
    }
    gateway.stop().await;
}

fn check(sent: &Value, got: &Value) {
    let (mut sent, mut got) = (sent.clone(), got.clone());
    let list = |body: &mut Value| match body["messages"].take() {
        Value::Array(messages) => messages,
        other => panic!("no list: {other}"),
    };
    // A client may send what no provider takes; then that is what goes on.
    if check_body(Api::Anthropic, sent.to_string().as_bytes()).is_ok() {
        check_body(Api::Anthropic, got.to_string().as_bytes()).expect("the provider takes it");
    }
    let (messages, forwarded) = (list(&mut sent), list(&mut got));
    assert_eq!(sent, got, "nothing but the messages changes");
    folded(&messages, &forwarded);
}
