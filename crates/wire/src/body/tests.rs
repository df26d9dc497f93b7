//! Small bodies, byte by byte. What holds for any body is in `tests/bodies`.

use std::borrow::Cow;

use super::{Body, BodyError, Content, Earlier, Edit, Entry, SectionKind, SectionValue, Span, SpliceError};
use crate::Provider;

mod chain;
mod depth;
mod marks;
mod splicing;

fn parse(provider: Provider, json: &str) -> Body {
    Body::parse(provider, json.as_bytes().to_vec()).expect("the test's body is JSON")
}

fn shown(body: &Body, span: Span) -> &str {
    std::str::from_utf8(body.slice(span)).expect("spans lie between characters")
}

fn role<'b>(body: &'b Body, entry: &Entry) -> Cow<'b, str> {
    body.text(entry.role.expect("the entry has a role"))
}

#[test]
fn sections_come_in_the_order_of_the_provider() {
    let body = parse(
        Provider::Anthropic,
        r#"{ "messages" : [ {"role":"user","content":"hi"} ], "system": "be brief", "tools":[{"name":"Read"}], "x":1e400 }"#,
    );
    let kinds: Vec<_> = body.sections().iter().map(|section| section.kind).collect();
    assert_eq!(kinds, [SectionKind::Tools, SectionKind::System, SectionKind::Messages]);
    assert_eq!(shown(&body, body.sections()[0].entries()[0].span), r#"{"name":"Read"}"#);
    assert_eq!(shown(&body, body.sections()[1].span), r#""be brief""#);
    assert_eq!(shown(&body, body.messages()[0].span), r#"{"role":"user","content":"hi"}"#);
    let names: Vec<_> = body.members().iter().map(|member| shown(&body, member.span())).collect();
    assert_eq!(names[1..3], [r#""system": "be brief""#, r#""tools":[{"name":"Read"}]"#]);
    assert_eq!(body.value("x"), Some(&b"1e400"[..]));
}

#[test]
fn items_hold_texts_blocks_and_outputs() {
    let body = parse(
        Provider::Responses,
        r#"{"instructions":"be \u0062rief","input":[
            {"role":"user","content":"hi"},
            {"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"text":"b"}, 3]},
            {"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"ok"}]},
            {"type":"function_call_output","call_id":"d","output":null},
            "odd"]}"#,
    );
    let SectionValue::Text(instructions) = body.sections()[0].value else { panic!("instructions are a text") };
    assert_eq!(body.text(instructions), "be brief");
    let items = body.messages();
    let Content::Text(text) = items[0].content else { panic!("a plain content is a text") };
    assert_eq!(body.text(text), "hi");
    assert_eq!(role(&body, &items[1]), "assistant");
    let blocks: Vec<_> = body.blocks(1).iter().map(|block| shown(&body, block.span)).collect();
    assert_eq!(blocks, [r#"{"type":"output_text","text":"a"}"#, r#"{"text":"b"}"#, "3"]);
    assert_eq!(body.blocks(1)[0].kind.map(|kind| body.text(kind)), Some("output_text".into()));
    assert_eq!(body.blocks(1)[1].kind, None);
    assert_eq!(shown(&body, body.blocks(2)[0].span), r#"{"type":"input_text","text":"ok"}"#);
    assert!(matches!(items[3].content, Content::Other(span) if shown(&body, span) == "null"));
    assert_eq!((items[4].content.clone(), shown(&body, items[4].span)), (Content::Absent, r#""odd""#));
    assert!(body.blocks(0).is_empty() && body.blocks(9).is_empty());
}

#[test]
fn an_input_may_be_one_text() {
    let body = parse(Provider::Responses, r#"{"input":"why?"}"#);
    assert!(body.messages().is_empty());
    assert_eq!(
        body.splice(&[Edit::Messages { range: 0..0, with: b"{}".into() }]),
        Err(SpliceError::NoList),
        "a text takes no messages"
    );
}

#[test]
fn of_duplicates_the_last_counts_and_all_are_kept() {
    let body = parse(
        Provider::Chat,
        r#"{"model":"a","messages":[1,2],"model":"b","mess\u0061ges":[
            {"role":"x","content":[{"cache_control":{}}],"role":"user","content":[{"type":"text"}]}]}"#,
    );
    assert_eq!(body.model().as_deref(), Some("b"));
    assert_eq!(body.members().len(), 4);
    assert_eq!(body.messages().len(), 1);
    assert_eq!(role(&body, &body.messages()[0]), "user");
    assert_eq!(body.blocks(0).len(), 1);
    assert_eq!(body.marks().count(), 0, "the mark was in content that a second one replaced");
}

#[test]
fn readers_know_what_a_gateway_asks() {
    let body = parse(
        Provider::Responses,
        r#"{"model":"m\n","stream":true,"store":false,"prompt_cache_key":"k","metadata":{"a":[{}],"user_id":"{\"s\":1}"},
            "previous_response_id":null,"conversation":{"id":"conv_1"}}"#,
    );
    assert_eq!(body.model().as_deref(), Some("m\n"));
    assert_eq!(body.prompt_cache_key().as_deref(), Some("k"));
    assert_eq!(body.user_id().as_deref(), Some(r#"{"s":1}"#));
    assert_eq!(body.earlier(), Some(Earlier::Conversation("conv_1".into())));

    let body = parse(Provider::Responses, r#"{"conversation":"c","previous_response_id":"r","metadata":3}"#);
    assert_eq!(body.earlier(), Some(Earlier::Response("r".into())));
    assert_eq!((body.user_id(), body.model()), (None, None));
    assert_eq!(parse(Provider::Chat, r#"{"conversation":null}"#).earlier(), None);
}

#[test]
fn half_a_surrogate_pair_stays_as_it_is_written() {
    let body = parse(Provider::Chat, r#"{"model":"\ud800","mod\ud800el":"x"}"#);
    assert_eq!(body.model().as_deref(), Some(r"\ud800"));
}

#[test]
fn errors_say_where() {
    let errors: Vec<String> = [
        &b"{\"model\":\"a\xff\"}"[..],
        b"{\"model\":\"a\nb\"}",
        b"{\"model\":\"\\x\"}",
        b"{\"model\":\"cut",
        b"{\"n\":01}",
        b"{\"n\":-}",
        b"{\"n\":1.}",
        b"{\"n\":nul}",
        b"{\"messages\":[1,]}",
        b"{\"messages\":[{}{}]}",
        b"{\"a\":{\"b\":[1 2]}}",
        b"{\"a\" 1}",
        b"{a:1}",
        b"{\"a\":1,}",
        b"[]",
        b"",
        b"{} x",
    ]
    .into_iter()
    .map(|bytes| Body::parse(Provider::Chat, bytes.to_vec()).expect_err("it is broken").to_string())
    .collect();
    insta::assert_snapshot!(errors.join("\n"), @r"
    the body is not UTF-8 at byte 11: JSON must be sent in UTF-8
    the body is not JSON: a closing quote (control characters are escaped) was expected at byte 11; send one JSON object
    the body is not JSON: an escape of JSON was expected at byte 10; send one JSON object
    the body is not JSON: a closing quote (control characters are escaped) was expected at byte 13; send one JSON object
    the body is not JSON: a comma or } was expected at byte 6; send one JSON object
    the body is not JSON: a digit was expected at byte 6; send one JSON object
    the body is not JSON: a digit was expected at byte 7; send one JSON object
    the body is not JSON: a value was expected at byte 5; send one JSON object
    the body is not JSON: a value was expected at byte 15; send one JSON object
    the body is not JSON: a comma or ] was expected at byte 15; send one JSON object
    the body is not JSON: a comma or ] was expected at byte 13; send one JSON object
    the body is not JSON: a colon was expected at byte 5; send one JSON object
    the body is not JSON: a name in quotes was expected at byte 1; send one JSON object
    the body is not JSON: a name in quotes was expected at byte 7; send one JSON object
    the body is not JSON: { was expected at byte 0; send one JSON object
    the body is not JSON: { was expected at byte 0; send one JSON object
    the body is not JSON: the end was expected at byte 3; send one JSON object
    ");
    assert_eq!(Body::parse(Provider::React, b"{}".to_vec()).expect_err("no API"), BodyError::NoApi);
}
