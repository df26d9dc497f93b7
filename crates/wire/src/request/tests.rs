use insta::assert_snapshot;

use super::*;
use crate::{CallResult, Head, Message, Part, Picture, Role, ToolSpec, check_body, render_head, render_message};

fn options<'a>(form: MarkForm, messages: &'a [usize]) -> RequestOptions<'a> {
    RequestOptions {
        model: "m",
        max_output: 100,
        limit_field: LimitField::MaxCompletionTokens,
        delivery: Delivery::StreamWithUsage,
        marks: Marks { form: Some(form), head: HeadMark::Marked, messages },
        cache_key: Some("session-1"),
        schema: None,
        members: "",
    }
}

fn conversation() -> Vec<Message<'static>> {
    let call = Part::Call(crate::Call { id: "c1".into(), name: "Read".into(), arguments: "{\"path\":\"a\"}".into() });
    let quoted = "he said \"content\":\"x\"}]} and left";
    let result =
        Part::Result(CallResult { id: "c1".into(), text: quoted.into(), pictures: Vec::new(), is_error: false });
    vec![
        Message::user("first"),
        Message { role: Role::Assistant, parts: vec![Part::Text("reading".into()), call] },
        Message { role: Role::Tool, parts: vec![result] },
        Message { role: Role::Assistant, parts: vec![Part::Text("done".into())] },
        Message::user("second"),
    ]
}

fn request(provider: Provider, options: &RequestOptions<'_>) -> String {
    let tools =
        [ToolSpec { name: "Read".into(), description: "reads".into(), parameters: "{\"type\":\"object\"}".into() }];
    let head = render_head(provider, &Head { tools: &tools, system: "be good", rules: "" });
    let messages: Vec<Vec<u8>> = conversation().iter().map(|message| render_message(provider, message)).collect();
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let body = render_request(provider, options, &head, &messages);
    if provider != Provider::React {
        assert_eq!(check_body(provider, &body), Ok(()), "{}", String::from_utf8_lossy(&body));
    }
    serde_json::from_slice::<serde_json::Value>(&body).expect("JSON");
    String::from_utf8(body).expect("text").replace("},{", "},\n{").replace("[{", "[\n{")
}

#[test]
fn marks_stand_behind_the_head_and_the_named_messages() {
    let form = MarkForm::CacheControl(MarkLifetime::Usual);
    assert_snapshot!("anthropic", request(Provider::Anthropic, &options(form, &[0, 2, 4])));
    assert_snapshot!("chat_breakpoints", request(Provider::Chat, &options(MarkForm::Breakpoint, &[0, 2])));
    assert_snapshot!("responses", request(Provider::Responses, &options(MarkForm::Breakpoint, &[0, 2, 4])));
}

#[test]
fn an_assistants_words_take_no_mark() {
    for provider in [Provider::Anthropic, Provider::Chat, Provider::Responses] {
        let form = MarkForm::CacheControl(MarkLifetime::OneHour);
        let with = request(provider, &options(form, &[1, 3]));
        let without = request(provider, &options(form, &[]));
        assert_eq!(with, without, "{provider}");
    }
}

#[test]
fn a_react_prompt_travels_as_one_user_message() {
    assert_snapshot!("react", request(Provider::React, &options(MarkForm::Breakpoint, &[0])));
}

#[test]
fn a_schema_constrains_each_api_in_its_own_way() {
    let schema = "{\"type\":\"object\"}";
    for provider in [Provider::Anthropic, Provider::Chat, Provider::Responses] {
        let options = RequestOptions { schema: Some(schema), ..options(MarkForm::Breakpoint, &[]) };
        assert!(request(provider, &options).contains("json_schema"), "{provider}");
    }
}

#[test]
fn a_mark_stands_behind_a_picture() {
    let picture = Picture { media_type: "image/png".into(), base64: "iVBORw==".into() };
    let result =
        Part::Result(CallResult { id: "c1".into(), text: "a".into(), pictures: vec![picture], is_error: false });
    let seen = Message { role: Role::Tool, parts: vec![result] };
    let marked = |provider, form| {
        String::from_utf8(marks::mark_message(provider, form, &render_message(provider, &seen)).into_owned())
            .expect("text")
    };
    let control = MarkForm::CacheControl(MarkLifetime::Usual);
    assert_snapshot!(marked(Provider::Anthropic, control), @r#"
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}},{"type":"text","text":"a"}],"cache_control":{"type":"ephemeral"}}]}
    "#);
    assert_snapshot!(marked(Provider::Chat, control), @r#"
    {"role":"tool","tool_call_id":"c1","content":"a"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}},{"type":"text","text":"(seen by the call c1)","cache_control":{"type":"ephemeral"}}]}
    "#);
    assert_snapshot!(marked(Provider::Responses, MarkForm::Breakpoint), @r#"
    {"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,iVBORw=="},{"type":"input_text","text":"a","prompt_cache_breakpoint":{"mode":"explicit"}}]}
    "#);
}
