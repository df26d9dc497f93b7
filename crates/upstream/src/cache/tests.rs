//! Worked examples. A token is a byte here, and a message has 4 more.

use lookback_engine::card::{Card, Cards};
use lookback_wire::Provider;
use serde_json::{Value, json};

use super::*;
use crate::prompt::parse_prompt;

const MINUTE: i64 = 60_000;

fn card(cache: &str) -> Card {
    let text = format!(
        "provider = \"p\"\n[[card]]\nmodels = [\"*\"]\napi = \"chat\"\nwindow = 100000\nmax_output = 1000\nthinking = \"keep\"\ntail = \"free\"\n\
         alternation = \"free\"\nimages = false\ntool_calling = true\nusage_in_stream = \"always\"\n[card.cache]\n{cache}\n\
         [card.prices]\ndate = \"2026-11\"\nsource = \"s\"\ninput = 1.0\ncached_read = 0.1\ncache_write = 1.25\n\
         cache_write_1h = 2.0\noutput = 5.0\n"
    );
    Cards::parse(&text).expect("a card").all()[0].clone()
}

fn marks() -> Cache {
    Cache::new(card("rule = \"marks\"\nmarks = 4\nlook_back = 20\nminimum = 50\nlifetime = \"5m\""))
}

fn breakpoints() -> Cache {
    Cache::new(card("rule = \"breakpoints\"\nmarks = 4\nconsidered = 80\nunit = 16\nminimum = 64"))
}

fn prefix(covers: &str) -> Cache {
    Cache::new(card(&format!("rule = \"prefix\"\nunit = 16\nminimum = 64\ncovers = \"{covers}\"")))
}

fn prompt(api: Provider, body: &Value) -> Prompt {
    parse_prompt(api, body.to_string().as_bytes(), &|bytes| bytes.len() as u32).expect("a body")
}

/// A user's text of 96 bytes: 100 tokens as a message.
fn long(letter: &str) -> String {
    letter.repeat(96)
}

fn block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn marked(text: &str) -> Value {
    json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } })
}

fn anthropic(messages: &[Vec<Value>]) -> Prompt {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<Value> =
        messages.iter().zip(roles).map(|(content, role)| json!({ "role": role, "content": content })).collect();
    prompt(Provider::Anthropic, &json!({ "model": "m", "messages": messages }))
}

fn chat(texts: &[&str]) -> Prompt {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<Value> =
        texts.iter().zip(roles).map(|(text, role)| json!({ "role": role, "content": text })).collect();
    prompt(Provider::Chat, &json!({ "model": "m", "messages": messages }))
}

fn reuse(cached: u64, written: u64) -> Reuse {
    Reuse { cached, written, written_1h: 0 }
}

#[test]
fn a_mark_writes_up_to_its_end_and_the_next_prompt_reads_it() {
    let mut cache = marks();
    let first = anthropic(&[vec![marked(&long("a")), block("tail")]]);
    assert_eq!(cache.apply_prompt(&first, 0), reuse(0, 100), "the tail behind the mark is not written");
    let second = anthropic(&[vec![block(&long("a")), block("tail")], vec![block("b")], vec![marked("c")]]);
    assert_eq!(cache.apply_prompt(&second, 1), reuse(100, 4 + 5 + 5), "an entry is found from a later mark");
}

#[test]
fn without_a_mark_nothing_is_read() {
    let mut cache = marks();
    cache.apply_prompt(&anthropic(&[vec![marked(&long("a"))]]), 0);
    assert_eq!(cache.apply_prompt(&anthropic(&[vec![block(&long("a"))]]), 1), reuse(0, 0));
}

#[test]
fn a_mark_looks_at_twenty_blocks_itself_the_first() {
    let behind = |blocks: usize| {
        let mut cache = marks();
        cache.apply_prompt(&anthropic(&[vec![marked(&long("a"))]]), 0);
        let mut content = vec![block(&long("a"))];
        content.extend((1..blocks).map(|_| block("b")));
        content.push(marked("c"));
        cache.apply_prompt(&anthropic(&[content]), 1).cached
    };
    assert_eq!((behind(19), behind(20)), (100, 0));
}

#[test]
fn a_prefix_below_the_minimum_is_not_stored() {
    let mut cache = marks();
    let short = anthropic(&[vec![marked("short")]]);
    assert_eq!(cache.apply_prompt(&short, 0), reuse(0, 0));
    assert_eq!(cache.apply_prompt(&short, 1), reuse(0, 0));
}

#[test]
fn five_minutes_after_its_last_use_an_entry_is_gone() {
    let mut cache = marks();
    let body = anthropic(&[vec![marked(&long("a"))]]);
    cache.apply_prompt(&body, 0);
    assert_eq!(cache.apply_prompt(&body, 5 * MINUTE).cached, 100, "and it is renewed");
    assert_eq!(cache.apply_prompt(&body, 10 * MINUTE).cached, 100);
    assert_eq!(cache.apply_prompt(&body, 15 * MINUTE + 1), reuse(0, 100), "now it is written again");
}

#[test]
fn an_entry_that_no_mark_uses_grows_cold_while_the_conversation_goes_on() {
    let mut cache = marks();
    let head = marked(&long("a"));
    cache.apply_prompt(&anthropic(&[vec![head.clone()], vec![block("b")], vec![marked("c")]]), 0);
    for minute in [4, 8] {
        let body = anthropic(&[vec![block(&long("a"))], vec![block("b")], vec![marked("c")]]);
        assert_eq!(cache.apply_prompt(&body, minute * MINUTE).cached, 110);
    }
    assert_eq!(cache.apply_prompt(&anthropic(&[vec![head]]), 8 * MINUTE).cached, 0);
}

#[test]
fn an_hour_is_an_hour_where_the_card_has_a_price_for_it() {
    let mut cache = marks();
    let text = json!({ "type": "text", "text": long("a"), "cache_control": { "type": "ephemeral", "ttl": "1h" } });
    let body = anthropic(&[vec![text]]);
    cache.apply_prompt(&body, 0);
    assert_eq!(cache.apply_prompt(&body, 59 * MINUTE).cached, 100);
}

#[test]
fn a_change_before_the_mark_loses_everything_behind_it_and_nothing_before() {
    let mut cache = marks();
    let body = |middle: &str| anthropic(&[vec![marked(&long("a"))], vec![marked(middle)], vec![marked("c")]]);
    assert_eq!(cache.apply_prompt(&body("b"), 0), reuse(0, 110));
    assert_eq!(cache.apply_prompt(&body("x"), 1), reuse(100, 10));
}

#[test]
fn another_model_reads_nothing() {
    let mut cache = marks();
    let mut body = anthropic(&[vec![marked(&long("a"))]]);
    cache.apply_prompt(&body, 0);
    body.model = "other".to_owned();
    assert_eq!(cache.apply_prompt(&body, 1).cached, 0);
}

#[test]
fn the_form_of_a_body_does_not_count() {
    let mut cache = marks();
    let called = |id: &str, input: &str, content: &str| {
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":{content}}},
            {{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Read","input":{input}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"ok",
              "cache_control":{{"type":"ephemeral"}}}}]}}]}}"#,
        );
        parse_prompt(Provider::Anthropic, body.as_bytes(), &|bytes| bytes.len() as u32).expect("a body")
    };
    let text = json!(long("a")).to_string();
    let blocks = json!([block(&long("a"))]).to_string();
    cache.apply_prompt(&called("toolu_1", r#"{"a":1,"b":2}"#, &text), 0);
    let again = called("toolu_2", r#"{ "b": 2, "a": 1 }"#, &blocks);
    assert_eq!(cache.apply_prompt(&again, 1), reuse(again.tokens(), 0));
}

#[test]
fn tools_stand_before_the_system_text_and_it_before_the_messages() {
    let mut cache = marks();
    let body = |tool: &str, system: &str| {
        let tool = json!({ "name": "Read", "description": tool, "input_schema": { "type": "object" }, "cache_control": { "type": "ephemeral" } });
        let system = json!([marked(system)]);
        prompt(
            Provider::Anthropic,
            &json!({ "model": "m", "tools": [tool], "system": system, "messages": [{ "role": "user", "content": "x" }] }),
        )
    };
    let tools = u64::from(body(&long("t"), "s").segments[0].blocks[0].tokens);
    assert_eq!(cache.apply_prompt(&body(&long("t"), "s"), 0), reuse(0, tools + 1));
    assert_eq!(cache.apply_prompt(&body(&long("t"), "another"), 1), reuse(tools, 7));
    assert_eq!(cache.apply_prompt(&body(&long("u"), "s"), 2).cached, 0);
}

fn breakpoint(text: &str) -> Value {
    json!([{ "type": "text", "text": text, "prompt_cache_breakpoint": { "mode": "explicit" } }])
}

fn with_breakpoints(contents: &[Value]) -> Prompt {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<Value> =
        contents.iter().zip(roles).map(|(content, role)| json!({ "role": role, "content": content })).collect();
    prompt(Provider::Chat, &json!({ "model": "m", "messages": messages }))
}

#[test]
fn the_provider_sets_a_breakpoint_at_the_end_and_a_growing_prompt_reads_whole_units() {
    let mut cache = breakpoints();
    assert_eq!(cache.apply_prompt(&chat(&[&long("a")]), 0), reuse(0, 96), "100 tokens are 6 units of 16");
    assert_eq!(cache.apply_prompt(&chat(&[&long("a"), "b", &long("c")]), 1), reuse(96, 205 / 16 * 16 - 96));
}

#[test]
fn a_common_beginning_without_a_breakpoint_is_lost() {
    let mut cache = breakpoints();
    cache.apply_prompt(&chat(&[&long("a"), "b", "c"]), 0);
    assert_eq!(cache.apply_prompt(&chat(&[&long("a"), "b", "another"]), 1).cached, 0, "only the end was written");
}

#[test]
fn a_breakpoint_of_the_client_keeps_what_stands_before_it() {
    let mut cache = breakpoints();
    let body = |last: &str| with_breakpoints(&[breakpoint(&long("a")), json!("b"), json!(last)]);
    cache.apply_prompt(&body("c"), 0);
    assert_eq!(cache.apply_prompt(&body("another"), 1).cached, 96);
}

#[test]
fn of_many_breakpoints_the_newest_three_are_written_beside_the_providers_own() {
    let mut cache = breakpoints();
    let letters = ["a", "b", "c", "d"];
    let messages: Vec<Value> =
        letters.iter().map(|letter| json!({ "role": "user", "content": breakpoint(&long(letter)) })).collect();
    let body = |count: usize, last: &str| {
        let messages = [&messages[..count], &[json!({ "role": "user", "content": last })]].concat();
        prompt(Provider::Chat, &json!({ "model": "m", "messages": messages }))
    };
    cache.apply_prompt(&body(4, "end"), 0);
    let cached = [1, 2, 3, 4].map(|count| cache.apply_prompt(&body(count, &format!("other {count}")), 1).cached);
    assert_eq!(cached, [0, 192, 288, 400]);
}

#[test]
fn in_explicit_mode_the_provider_sets_none_and_writes_four_of_the_clients() {
    let mut cache = breakpoints();
    let body = |contents: &[Value]| {
        let messages: Vec<Value> =
            contents.iter().map(|content| json!({ "role": "user", "content": content })).collect();
        let options = json!({ "mode": "explicit" });
        prompt(Provider::Chat, &json!({ "model": "m", "prompt_cache_options": options, "messages": messages }))
    };
    let unmarked = body(&[json!(long("z"))]);
    cache.apply_prompt(&unmarked, 0);
    assert_eq!(cache.apply_prompt(&unmarked, 1), reuse(0, 0), "nothing is marked");
    let marked = ["a", "b", "c", "d"].map(|letter| breakpoint(&long(letter)));
    cache.apply_prompt(&body(&marked), 2);
    assert_eq!(cache.apply_prompt(&body(&[&marked[..1], &[json!("other")]].concat()), 3).cached, 96);
}

#[test]
fn what_lies_behind_more_than_eighty_messages_is_not_considered() {
    let cached_behind = |messages: usize| {
        let mut cache = breakpoints();
        let said = |count: usize| {
            let texts: Vec<Value> =
                (0..count).map(|number| json!({ "role": "user", "content": format!("said {number}") })).collect();
            let first = json!({ "role": "user", "content": breakpoint(&long("a")) });
            let messages = [vec![first], texts].concat();
            prompt(Provider::Chat, &json!({ "model": "m", "messages": messages }))
        };
        cache.apply_prompt(&said(0), 0);
        cache.apply_prompt(&said(messages), 1).cached
    };
    assert_eq!((cached_behind(79), cached_behind(80)), (96, 0));
}

#[test]
fn a_prefix_is_read_in_whole_units_and_written_for_nothing() {
    let mut cache = prefix("prompt");
    assert_eq!(cache.apply_prompt(&chat(&[&long("a"), "b", "c"]), 0), reuse(0, 0));
    let fork = chat(&[&long("a"), "b", "another"]);
    assert_eq!(cache.apply_prompt(&fork, 1), reuse(105 / 16 * 16, 0), "up to the last message that is the same");
    assert_eq!(cache.apply_prompt(&fork, 2), reuse(116 / 16 * 16, 0));
}

#[test]
fn a_prefix_below_the_minimum_is_not_read() {
    let mut cache = prefix("prompt");
    let body = chat(&[&"a".repeat(59)]);
    cache.apply_prompt(&body, 0);
    assert_eq!(body.tokens(), 63);
    assert_eq!(cache.apply_prompt(&body, 1).cached, 0);
}

#[test]
fn the_answer_is_covered_where_the_card_says_so() {
    let cached = |covers: &str| {
        let mut cache = prefix(covers);
        let (before, after) = (chat(&[&long("a")]), chat(&[&long("a"), &long("b"), "c"]));
        cache.apply_prompt(&before, 0);
        cache.apply_answer(&before, &after.segments[1], 1);
        cache.apply_prompt(&after, 2).cached
    };
    assert_eq!((cached("prompt"), cached("prompt_and_answer")), (96, 192));
}

#[test]
fn any_earlier_prompt_counts_not_only_the_last() {
    let mut cache = prefix("prompt");
    let mine = chat(&[&long("a")]);
    cache.apply_prompt(&mine, 0);
    cache.apply_prompt(&chat(&[&long("z")]), 1);
    assert_eq!(cache.apply_prompt(&mine, 2).cached, 96);
}

#[test]
fn no_cache_reads_nothing() {
    let mut cache = Cache::new(card("rule = \"none\""));
    let body = chat(&[&long("a")]);
    cache.apply_prompt(&body, 0);
    assert_eq!(cache.apply_prompt(&body, 1), reuse(0, 0));
}
