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

/// Claude Code's second message is one: a marked list at first, a plain text from the second step on.
#[test]
fn a_system_message_in_mid_conversation_where_the_card_allows_it() {
    let mut examiner = examiner(known(ANTHROPIC, "claude-opus-5-5"));
    let marked = |text: &str| json!([{ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } }]);
    let task = json!({ "role": "user", "content": "x".repeat(2_000) });
    let first = anthropic(json!([task, { "role": "system", "content": marked("plan mode is off") }]));
    let before = examine(&mut examiner, Provider::Anthropic, &first).expect("at the end");
    assert_eq!((before.tokens, before.written), (2_004 + 4 + 16, 2_004 + 4 + 16));
    let call = json!([{ "type": "tool_use", "id": "t1", "name": "Read", "input": {} }]);
    let result = json!([{ "type": "tool_result", "tool_use_id": "t1", "content": "y", "cache_control": { "type": "ephemeral" } }]);
    let second = anthropic(json!([
        task,
        { "role": "system", "content": "plan mode is off" },
        { "role": "assistant", "content": call },
        { "role": "user", "content": result },
    ]));
    let billed = examine(&mut examiner, Provider::Anthropic, &second).expect("before an answer");
    assert_eq!(billed.cached, before.tokens, "it is the same prompt");
}

#[test]
fn a_developer_s_word_in_mid_conversation() {
    let mut examiner = examiner(known(OPENAI, "gpt-5.6"));
    let said = |role: &str, text: &str| json!({ "type": "message", "role": role, "content": text });
    let input = json!([said("user", "a"), said("developer", "b"), said("user", "c")]);
    examine(&mut examiner, Provider::Responses, &responses(input)).expect("OpenAI takes it anywhere");
}

/// An entry is found over 20 blocks, the marked one first, however few messages they are.
#[test]
fn a_mark_looks_back_over_blocks_and_not_over_messages() {
    let cached_behind = |calls: usize| {
        let mut examiner = examiner(known(ANTHROPIC, "claude-sonnet-4-6"));
        let mark = json!({ "type": "ephemeral" });
        let task = |mark: Value| json!({ "role": "user", "content": [{ "type": "text", "text": "x".repeat(1_500), "cache_control": mark }] });
        let first = anthropic(json!([task(mark.clone())]));
        examine(&mut examiner, Provider::Anthropic, &first).expect("taken");
        let call = |at: usize| json!({ "type": "tool_use", "id": format!("t{at}"), "name": "Read", "input": {} });
        let result = |at: usize| json!({ "type": "tool_result", "tool_use_id": format!("t{at}"), "content": "y" });
        let mut results: Vec<Value> = (0..calls).map(result).collect();
        results.last_mut().expect("a result")["cache_control"] = mark;
        let second = anthropic(json!([
            task(Value::Null),
            { "role": "assistant", "content": (0..calls).map(call).collect::<Vec<_>>() },
            { "role": "user", "content": results },
        ]));
        examine(&mut examiner, Provider::Anthropic, &second).expect("taken").cached
    };
    assert_eq!((cached_behind(9), cached_behind(10)), (1_504, 0), "the marked block is the 19th, then the 21st");
}
