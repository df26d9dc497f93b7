//! Where marks are found, and how one comes.

use super::*;
use crate::MarkLifetime;

const MARKED: &str = r#"{"messages":[
    {"role":"user","content":[
        {"type":"text","text":"a", "cache_control" : {"type":"ephemeral"} },
        {"cache_control":{"type":"ephemeral","ttl":"1h"} ,"type":"tool_result","content":[{"text":"r"},{"cache_control":{}}]},
        {"type":"tool_use","input":{"cache_control":{"type":"ephemeral"}}},
        {"type":"text","cache_control":null},{ }]},
    {"role":"user","content":"b","cache_control":{"type":"ephemeral"}}],
    "tools":[{"name":"x"},{"name":"y","cache_control":{"type":"ephemeral"}}],
    "system":[{"type":"text","text":"s","prompt_cache_breakpoint":{"mode":"explicit"}}]}"#;

#[test]
fn are_found_where_providers_take_them_in_their_order() {
    let body = parse(Provider::Anthropic, MARKED);
    let places: Vec<_> = body.marks().map(|mark| (mark.section, mark.entry, mark.block)).collect();
    assert_eq!(
        places,
        [
            (SectionKind::Tools, 1, None),
            (SectionKind::System, 0, None),
            (SectionKind::Messages, 0, Some(0)),
            (SectionKind::Messages, 0, Some(1)),
            (SectionKind::Messages, 0, Some(1)),
            (SectionKind::Messages, 1, None),
        ]
    );
}

#[test]
fn come_as_the_last_member_of_a_block() {
    for (provider, mark) in [
        (Provider::Anthropic, r#""cache_control":{"type":"ephemeral"}"#),
        (Provider::Responses, r#""prompt_cache_breakpoint":{"mode":"explicit"}"#),
    ] {
        let body = parse(
            provider,
            &MARKED.replace("messages", if provider == Provider::Anthropic { "messages" } else { "input" }),
        );
        let edits: Vec<_> = [2, 4].iter().filter_map(|&block| body.plan_mark(0, block, MarkLifetime::Usual)).collect();
        let spliced = Body::parse(provider, body.splice(&edits).expect("in order")).expect("still JSON");
        assert_eq!(shown(&spliced, spliced.blocks(0)[4].span), format!("{{ {mark}}}"));
        assert!(shown(&spliced, spliced.blocks(0)[2].span).ends_with(&format!("}}}},{mark}}}")));
        let nowhere = [(1, 0), (0, 9)].map(|(message, block)| body.plan_mark(message, block, MarkLifetime::Usual));
        assert_eq!(nowhere, [None, None]);
    }
}

#[test]
fn say_how_long_they_last_and_come_with_the_same() {
    let body = parse(Provider::Anthropic, MARKED);
    let lifetimes: Vec<_> = body.marks().map(|mark| body.lifetime(&mark.member)).collect();
    let mut expected = [MarkLifetime::Usual; 6];
    expected[3] = MarkLifetime::OneHour;
    assert_eq!(lifetimes, expected);
    let edit = body.plan_mark(0, 4, MarkLifetime::OneHour).expect("a block");
    let spliced = Body::parse(Provider::Anthropic, body.splice(&[edit]).expect("it fits")).expect("still JSON");
    let mark = spliced.marks().find(|mark| mark.block == Some(4)).expect("a mark");
    assert_eq!(spliced.lifetime(&mark.member), MarkLifetime::OneHour);
}

#[test]
fn one_may_be_on_the_whole_body() {
    let whole = |mark: &str| {
        let body = parse(Provider::Anthropic, &format!(r#"{{"messages":[],"cache_control": {mark}}}"#));
        body.mark_of_all().map(|mark| body.lifetime(mark))
    };
    assert_eq!(whole(r#"{"ttl":"1h","type":"ephemeral"}"#), Some(MarkLifetime::OneHour));
    assert_eq!(whole(r#"{"type":"ephemeral"}"#), Some(MarkLifetime::Usual));
    assert_eq!(whole("null"), None);
    assert_eq!(parse(Provider::Anthropic, MARKED).mark_of_all(), None);
}

#[test]
fn blocks_go_with_their_commas() {
    let content = |list: &str| {
        parse(Provider::Anthropic, &format!(r#"{{"messages":[{{"role":"assistant","content":{list}}}]}}"#))
    };
    let without = |list: &str, blocks: std::ops::Range<usize>| {
        let body = content(list);
        let edit = body.plan_unblock(0, blocks)?;
        let spliced = String::from_utf8(body.splice(&[edit]).expect("it fits")).expect("text");
        let value: serde_json::Value = serde_json::from_str(&spliced).expect("JSON");
        Some(value["messages"][0]["content"].to_string())
    };
    assert_eq!(without(r#"[{"a":1} , {"b":2},{"c":3}]"#, 0..1).as_deref(), Some(r#"[{"b":2},{"c":3}]"#));
    assert_eq!(without(r#"[{"a":1} , {"b":2},{"c":3}]"#, 0..2).as_deref(), Some(r#"[{"c":3}]"#));
    assert_eq!(without(r#"[{"a":1} , {"b":2},{"c":3} ]"#, 1..3).as_deref(), Some(r#"[{"a":1}]"#));
    assert_eq!(without(r#"[{"a":1}]"#, 0..1), None, "something stays");
}
