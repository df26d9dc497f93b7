//! What is billed.

use super::*;

#[test]
fn a_prompt_is_split_by_how_it_is_billed() {
    let mut examiner = examiner(card("deepseek", "keep", "free"));
    let first = chat(json!([{ "role": "system", "content": "sys" }, { "role": "user", "content": "hello" }]));
    let billed = examine(&mut examiner, Provider::Chat, &first).expect("taken");
    assert_eq!((billed.tokens, billed.cached, billed.written), (3 + 4 + 5, 0, 0));
    let output = examiner.answered(Provider::Chat, &billed.prompt, &reply(vec![call("c1")]), 1);
    assert_eq!(output, 16, "Read{{\"path\":\"a\"}}");
    let usage = billed.usage(output);
    assert_eq!((usage.uncached, usage.cached, usage.written, usage.output), (12, 0, 0, 16));

    let second = chat(json!([
        { "role": "system", "content": "sys" },
        { "role": "user", "content": "hello" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "c1", "type": "function",
            "function": { "name": "Read", "arguments": "{\"path\":\"a\"}" } }] },
        { "role": "tool", "tool_call_id": "c1", "content": "text" },
    ]));
    let billed = examine(&mut examiner, Provider::Chat, &second).expect("taken");
    assert_eq!(billed.cached, 12 + 4 + 16, "the prompt and its answer");
    assert_eq!(billed.usage(0).uncached, 8);
}

#[test]
fn results_that_follow_one_another_are_one_message() {
    let mut examiner = examiner(card("openai", "keep", "free"));
    let calls = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "Read", "arguments": "{}" });
    let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "ok" });
    let input = json!([
        { "role": "user", "content": "hello" }, calls("c1"), calls("c2"), output("c1"), output("c2")
    ]);
    let billed = examine(&mut examiner, Provider::Responses, &responses(input)).expect("taken");
    assert_eq!(billed.tokens, (4 + 5) + (4 + 6 + 6) + (4 + 2 + 2));
}

#[test]
fn a_lone_text_is_a_conversation_to_responses() {
    let mut examiner = examiner(card("openai", "keep", "free"));
    let billed = examine(&mut examiner, Provider::Responses, &responses(json!("hello"))).expect("taken");
    assert_eq!(billed.tokens, 9);
}

#[test]
fn the_system_text_counts_the_same_in_either_place() {
    let mut examiner = examiner(card("openai", "keep", "free"));
    let user = json!({ "role": "user", "content": "hello" });
    let item = json!({ "type": "message", "role": "system", "content": [{ "type": "input_text", "text": "sys" }] });
    let in_input = examine(&mut examiner, Provider::Responses, &responses(json!([item, user.clone()]))).expect("taken");
    let mut body = responses(json!([user]));
    body["instructions"] = json!("sys");
    let in_field = examine(&mut examiner, Provider::Responses, &body).expect("taken");
    assert_eq!((in_input.tokens, in_field.tokens), (12, 12));
    assert_eq!(in_field.cached, 12, "and it is the same prompt");
}

#[test]
fn what_is_refused_leaves_nothing_in_the_cache() {
    let mut examiner = examiner(card("anthropic", "keep", "free"));
    let mut body = anthropic(json!([{ "role": "user", "content": "hello" }]));
    body["max_tokens"] = json!(501);
    examine(&mut examiner, Provider::Anthropic, &body).expect_err("too much");
    body["max_tokens"] = json!(500);
    assert_eq!(examine(&mut examiner, Provider::Anthropic, &body).expect("taken").cached, 0);
}
