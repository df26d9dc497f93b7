//! What is the same message, and what is not.

use crate::{Body, Provider};

fn chain(provider: Provider, body: &str) -> Vec<[u8; 32]> {
    Body::parse(provider, body.to_owned()).expect("a body").chain(&[7; 32])
}

#[test]
fn a_message_is_the_same_however_it_is_written() {
    let same = [
        r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}}]}]}"#,
        r#"{ "messages" : [ {"role": "user", "content": [{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]} ,
            {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{},"cache_control":{"type":"ephemeral"}}]}]}"#,
    ];
    let chains = same.map(|body| chain(Provider::Anthropic, body));
    assert_eq!(chains[0].len(), 2);
    assert_eq!(chains[0], chains[1]);
    assert_eq!(chains[0], chains[2]);
}

#[test]
fn items_are_known_without_the_names_that_a_server_gives_them() {
    let one = r#"{"input":[{"type":"message","role":"user","id":"m1","content":[{"type":"input_text","text":"hi"}]},
        {"type":"function_call","id":"f1","status":"completed","call_id":"c1","name":"a","arguments":"{}"}]}"#;
    let other = r#"{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},
        {"type":"function_call","call_id":"c1","name":"a","arguments":"{}"}]}"#;
    assert_eq!(chain(Provider::Responses, one), chain(Provider::Responses, other));
}

#[test]
fn another_word_call_or_owner_is_another_conversation() {
    let of = |text: &str| {
        chain(
            Provider::Chat,
            &format!(r#"{{"messages":[{{"role":"user","content":"{text}"}},{{"role":"assistant","content":"x"}}]}}"#),
        )
    };
    let (one, other) = (of("hi"), of("ho"));
    assert!(one[0] != other[0] && one[1] != other[1], "what comes before counts");
    let calls = ["t1", "t2"].map(|id| {
        let body = format!(r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"a","input":{{}}}}]}}]}}"#);
        chain(Provider::Anthropic, &body)
    });
    assert_ne!(calls[0], calls[1], "an id of Anthropic's is what a result is tied by");
    let body = Body::parse(Provider::Chat, r#"{"messages":[{"role":"user","content":"hi"}]}"#).expect("a body");
    assert_ne!(body.chain(&[1; 32]), body.chain(&[2; 32]));
}
