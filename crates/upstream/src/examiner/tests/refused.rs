//! What is refused, in which words.

use super::*;

fn words(card: Card, api: Provider, body: &Value) -> String {
    let refused = examine(&mut examiner(card), api, body).expect_err("it is refused");
    format!("{} {}", refused.status, String::from_utf8(refused.render_error(api)).expect("text"))
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

#[test]
fn the_window_in_every_shape() {
    let long = user(&"x".repeat(2000));
    let keep = |provider| card(provider, "keep", "free");
    insta::assert_snapshot!(words(keep("anthropic"), Provider::Anthropic, &anthropic(json!([long]))), @r#"400 {"error":{"message":"prompt is too long: 2004 tokens > 2000 maximum","type":"invalid_request_error"},"type":"error"}"#);
    insta::assert_snapshot!(words(keep("openai"), Provider::Chat, &chat(json!([long]))), @r#"400 {"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 2000 tokens. However, your messages resulted in 2004 tokens. Please reduce the length of the messages.","param":null,"type":"invalid_request_error"}}"#);
    insta::assert_snapshot!(words(keep("openai"), Provider::Responses, &responses(json!([long]))), @r#"400 {"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again.","param":null,"type":"invalid_request_error"}}"#);
    insta::assert_snapshot!(words(keep("local"), Provider::Chat, &chat(json!([long]))), @r#"400 {"error":{"code":400,"message":"request (2004 tokens) exceeds the available context size (2000 tokens), try increasing it","n_ctx":2000,"n_prompt_tokens":2004,"type":"exceed_context_size_error"}}"#);
}

#[test]
fn an_output_limit_is_wanted_and_bounded() {
    let card = || card("anthropic", "keep", "free");
    let mut body = anthropic(json!([user("hello")]));
    body["max_tokens"] = json!(501);
    insta::assert_snapshot!(words(card(), Provider::Anthropic, &body), @r#"400 {"error":{"message":"max_tokens: 501 > 500, which is the maximum allowed number of output tokens for m","type":"invalid_request_error"},"type":"error"}"#);
    body["max_tokens"] = Value::Null;
    insta::assert_snapshot!(words(card(), Provider::Anthropic, &body), @r#"400 {"error":{"message":"max_tokens: Field required","type":"invalid_request_error"},"type":"error"}"#);
}

#[test]
fn a_call_without_its_result() {
    let keep = |provider| card(provider, "keep", "free");
    let tool_use = json!({ "type": "tool_use", "id": "t1", "name": "Read", "input": {} });
    let body = anthropic(json!([user("a"), { "role": "assistant", "content": [tool_use] }, user("b")]));
    insta::assert_snapshot!(words(keep("anthropic"), Provider::Anthropic, &body), @r#"400 {"error":{"message":"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.","type":"invalid_request_error"},"type":"error"}"#);
    let call = json!({ "id": "t1", "type": "function", "function": { "name": "Read", "arguments": "{}" } });
    let body = chat(json!([user("a"), { "role": "assistant", "content": null, "tool_calls": [call] }, user("b")]));
    insta::assert_snapshot!(words(keep("openai"), Provider::Chat, &body), @r#"400 {"error":{"code":null,"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: t1","param":null,"type":"invalid_request_error"}}"#);
    let call = json!({ "type": "function_call", "call_id": "t1", "name": "Read", "arguments": "{}" });
    let body = responses(json!([user("a"), call, user("b")]));
    insta::assert_snapshot!(words(keep("openai"), Provider::Responses, &body), @r#"400 {"error":{"code":null,"message":"No tool output found for function call t1.","param":null,"type":"invalid_request_error"}}"#);
}

#[test]
fn more_marks_than_the_provider_takes() {
    let marked = json!({ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } });
    let content = json!([marked, marked, marked, marked, marked]);
    let body = anthropic(json!([{ "role": "user", "content": content }]));
    insta::assert_snapshot!(words(card("anthropic", "keep", "free"), Provider::Anthropic, &body), @r#"400 {"error":{"message":"A maximum of 4 blocks with cache_control may be provided. Found 5.","type":"invalid_request_error"},"type":"error"}"#);
    let qwen = Cards::parse(include_str!("../../../../../prices/qwen.toml")).expect("cards").all()[0].clone();
    let body = chat(json!([{ "role": "user", "content": content }]));
    let refused = examine(&mut examiner(qwen), Provider::Chat, &body).expect_err("five");
    assert!(refused.message.ends_with("Found 5."), "{refused}");
}

#[test]
fn a_mark_on_thinking_and_a_breakpoint_on_what_the_model_wrote() {
    let control = json!({ "type": "ephemeral" });
    let thinking = json!({ "type": "thinking", "thinking": "t", "signature": "s", "cache_control": control });
    let body = anthropic(
        json!([user("a"), { "role": "assistant", "content": [thinking, { "type": "text", "text": "b" }] }, user("c")]),
    );
    let refused = examine(&mut examiner(card("anthropic", "keep", "free")), Provider::Anthropic, &body);
    insta::assert_snapshot!(refused.expect_err("no mark there").message, @"messages.1.content.0.thinking.cache_control: Extra inputs are not permitted");
    let breakpoint = json!([{ "type": "output_text", "text": "b", "prompt_cache_breakpoint": { "mode": "explicit" } }]);
    let body = responses(json!([user("a"), { "role": "assistant", "content": breakpoint }, user("c")]));
    let refused = examine(&mut examiner(card("openai", "keep", "free")), Provider::Responses, &body);
    insta::assert_snapshot!(refused.expect_err("no breakpoint there").message, @"Unknown parameter: 'input[1].content[0].prompt_cache_breakpoint'.");
}

#[test]
fn a_system_message_in_mid_conversation() {
    let body = chat(json!([user("a"), { "role": "system", "content": "b" }, user("c")]));
    let refused = examine(&mut examiner(card("local", "keep", "free")), Provider::Chat, &body).expect_err("too late");
    assert_eq!(refused.message, "System message must be at the beginning.");
    let in_anthropic = |model: &str, messages: Value| {
        let examined = examine(&mut examiner(known(ANTHROPIC, model)), Provider::Anthropic, &anthropic(messages));
        examined.expect_err("not there").message
    };
    let (system, said) = (json!({ "role": "system", "content": "b" }), json!({ "role": "assistant", "content": "c" }));
    let older = in_anthropic("claude-sonnet-4-5", json!([user("a"), system]));
    assert_eq!(older, "role 'system' is not supported on this model");
    let newer = |messages| in_anthropic("claude-opus-5-5", messages);
    let haiku = anthropic(json!([user("a"), { "role": "system", "content": "b" }]));
    examine(&mut examiner(known(ANTHROPIC, "claude-haiku-5-5")), Provider::Anthropic, &haiku).expect("as of 5.5");
    insta::assert_snapshot!(newer(json!([user("a"), said, system])), @"messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result");
    insta::assert_snapshot!(newer(json!([user("a"), system, user("d")])), @"messages.1: role 'system' must be followed by an 'assistant' message or end the conversation");
    insta::assert_snapshot!(newer(json!([system, user("a")])), @r#"messages: first message must use the "user" role"#);
    let call =
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "t1", "name": "Read", "input": {} }] });
    let result = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": "x" }] });
    insta::assert_snapshot!(newer(json!([user("a"), call, system, result])), @"messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result");
}

#[test]
fn two_users_in_a_row_where_roles_alternate() {
    let body = chat(json!([user("a"), user("b")]));
    examine(&mut examiner(card("local", "keep", "free")), Provider::Chat, &body).expect("free");
    let refused = examine(&mut examiner(card("local", "keep", "strict")), Provider::Chat, &body).expect_err("strict");
    assert_eq!(refused.message, "Conversation roles must alternate user/assistant/user/assistant/...");
}

#[test]
fn roles_inside_one_text_are_nobodys_business_and_its_calls_are() {
    let head = "You are careful.\n\n# How to answer\n\nSay what you think.\n\n# Conversation\n\n";
    let body = |conversation: &str| chat(json!([user(&format!("{head}{conversation}"))]));
    let examined = |body| examine(&mut examiner(card("local", "keep", "strict")), Provider::Chat, &body);
    examined(body("[user] a\n\n[user] b\n\n")).expect("one message");
    let refused = examined(body("[user] a\n\n[assistant] Action: Read[{}]\n\n[user] b\n\n")).expect_err("no result");
    assert!(refused.message.contains("did not have response messages: Read"), "{refused}");
}

#[test]
fn images_where_the_card_has_none() {
    let url = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } });
    let body = chat(json!([{ "role": "user", "content": [url] }]));
    let refused = examine(&mut examiner(card("openai", "keep", "free")), Provider::Chat, &body).expect_err("blind");
    assert_eq!(refused.message, "Invalid content type. image_url is only supported by certain models.");
}

#[test]
fn what_is_no_json() {
    let refused = examiner(card("openai", "keep", "free")).examine(Provider::Chat, b"{\"model\":", 0);
    let refused = refused.expect_err("cut");
    assert!(refused.message.starts_with("We could not parse the JSON body of your request"), "{refused}");
}
