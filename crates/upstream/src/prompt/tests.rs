//! What is read from bodies that our own renderer does not write, or writes in another way than it was said. A token is a
//! byte here.

use serde_json::{Value, json};

use super::*;

fn prompt(api: Provider, body: Value) -> Prompt {
    parse_prompt(api, body.to_string().as_bytes(), &|bytes| bytes.len() as u32).expect("a body")
}

fn sizes(prompt: &Prompt) -> Vec<Vec<u32>> {
    prompt.segments.iter().map(|segment| segment.blocks.iter().map(|block| block.tokens).collect()).collect()
}

fn ephemeral() -> Value {
    json!({ "type": "ephemeral" })
}

#[test]
fn tools_are_one_part_and_each_of_them_has_what_it_adds() {
    let tool = |name: &str| json!({ "name": name, "description": "d", "input_schema": { "type": "object" } });
    let body = json!({ "tools": [tool("A"), tool("B")], "messages": [] });
    // 1 + 1 + 17 bytes and three line breaks.
    assert_eq!(sizes(&prompt(Provider::Anthropic, body)), [[22, 22]]);
}

#[test]
fn a_placeholder_counts_as_the_nothing_that_it_stands_for() {
    let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": "(empty result)" });
    let body = json!({ "messages": [{ "role": "user", "content": "(empty message)" }, { "role": "user", "content": [result] }] });
    assert_eq!(sizes(&prompt(Provider::Anthropic, body)), [[4], [4]]);
}

#[test]
fn a_mark_inside_a_result_is_the_results_and_one_on_the_request_its_last_blocks() {
    let text = json!({ "type": "text", "text": "x", "cache_control": ephemeral() });
    let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": [text] });
    let messages = json!([{ "role": "user", "content": [result] }, { "role": "user", "content": "y" }]);
    let read = prompt(Provider::Anthropic, json!({ "cache_control": ephemeral(), "messages": messages }));
    let marks: Vec<_> = read.segments.iter().map(|segment| segment.blocks[0].mark).collect();
    assert_eq!(marks, [Some(Mark::CacheControl(Lifetime::Usual)); 2]);
}

#[test]
fn what_is_not_known_is_counted_as_it_stands() {
    let read =
        prompt(Provider::Responses, json!({ "input": [{ "type": "web_search_call", "id": "ws", "query": "q" }] }));
    assert_eq!(sizes(&read), [[4 + r#"{"query":"q","type":"web_search_call"}"#.len() as u32]]);
    assert_eq!(read.segments[0].speaker, Speaker::Assistant);
}

#[test]
fn one_text_is_read_as_the_conversation_that_it_holds() {
    let text = "You are careful.\n\n# Tools\n\n## Read\nRead a file.\nParameters: {}\n\n# How to answer\n\nSay what you \
                think.\n\n# Project rules\n\nUse tabs.\n\n# Conversation\n\n[user] why?\n\\[tool] quoted\n\n[assistant] \
                Thought: hm\nAction: Read[{}]\nAction: Read[{\"a\":1}]\n\n[tool] one\n\n[tool] two\n\n[assistant] Action: \
                Finish[so\n\\Action: none]\n\n[user] thanks\n\n";
    let read = prompt(Provider::Chat, json!({ "messages": [{ "role": "user", "content": text }] }));
    assert_eq!(read.api, Provider::React);
    let head = [vec!["Read\nRead a file.\n{}\n"], vec!["You are careful."], vec!["Use tabs."]];
    let turns = [
        vec!["why?\n[tool] quoted"],
        vec!["hm", "Read{}", "Read{\"a\":1}"],
        vec!["one", "two"],
        vec!["so\nAction: none"],
        vec!["thanks"],
    ];
    let count = |texts: &Vec<&str>| texts.iter().map(|text| text.len() as u32).collect::<Vec<_>>();
    let mut expected: Vec<Vec<u32>> = head.iter().chain(&turns).map(count).collect();
    expected[head.len()..].iter_mut().for_each(|turn| turn[0] += 4);
    assert_eq!(sizes(&read), expected);
}
