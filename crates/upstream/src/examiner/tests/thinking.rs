//! Thinking that comes back, under each habit of a card.

use super::*;

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// A thinking block that answers a prompt.
fn issue(examiner: &mut Examiner, before: &Value) -> Value {
    let billed = examine(examiner, Provider::Anthropic, &anthropic(before.clone())).expect("taken");
    let Seal::Signature(signature) = examiner.seal(Provider::Anthropic, &billed.prompt, "let me see") else {
        panic!("Anthropic signs its thinking")
    };
    json!({ "type": "thinking", "thinking": "let me see", "signature": signature })
}

fn answered_by(before: &[Value], thinking: &Value) -> Value {
    let answer = json!({ "role": "assistant", "content": [thinking, { "type": "text", "text": "done" }] });
    anthropic(json!([before, &[answer, user("and now?")]].concat()))
}

#[test]
fn it_is_taken_as_it_was_issued() {
    for habit in ["keep", "drop"] {
        let mut examiner = examiner(card("anthropic", habit, "free"));
        let thinking = issue(&mut examiner, &json!([user("why?")]));
        let mut body = answered_by(&[user("why?")], &thinking);
        examine(&mut examiner, Provider::Anthropic, &body).expect("as it was");
        // Marks and the form of a text are no part of the history.
        let content = json!([{ "type": "text", "text": "why?", "cache_control": { "type": "ephemeral" } }]);
        body["messages"][0]["content"] = content;
        examine(&mut examiner, Provider::Anthropic, &body).expect("the same, with a mark");
    }
}

#[test]
fn altered_thinking_is_refused_by_every_card() {
    for (field, value) in [("thinking", "let me not"), ("signature", "Eo00"), ("signature", "")] {
        let mut examiner = examiner(card("anthropic", "keep", "free"));
        let mut thinking = issue(&mut examiner, &json!([user("why?")]));
        thinking[field] = json!(value);
        let refused = examine(&mut examiner, Provider::Anthropic, &answered_by(&[user("why?")], &thinking));
        let refused = refused.expect_err("altered");
        if !value.is_empty() {
            assert_eq!(refused.kind, RefusalKind::InvalidThinking);
            assert_eq!(refused.message, "messages.1.content.0: Invalid `signature` in `thinking` block");
        }
    }
}

#[test]
fn thinking_of_another_history_is_refused_where_it_is_bound() {
    let other = |habit: &str| {
        let mut examiner = examiner(card("anthropic", habit, "free"));
        let thinking = issue(&mut examiner, &json!([user("why?")]));
        examine(&mut examiner, Provider::Anthropic, &answered_by(&[user("a summary of why")], &thinking))
    };
    other("keep").expect("older models do not look");
    insta::assert_snapshot!(other("drop").expect_err("bound").message, @"messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block.");
}

#[test]
fn missing_reasoning_content_is_refused_where_it_is_required() {
    let with = |habit: &str, reasoning: Option<&str>| {
        let mut examiner = examiner(card("deepseek", habit, "free"));
        let first = chat(json!([user("why?")]));
        let billed = examine(&mut examiner, Provider::Chat, &first).expect("taken");
        let thinking = ReplyContent::Thinking { text: "hm".into(), seal: Seal::Plain };
        examiner.answered(Provider::Chat, &billed.prompt, &reply(vec![thinking, call("c1")]), 0);
        let tool_call =
            json!({ "id": "c1", "type": "function", "function": { "name": "Read", "arguments": "{\"path\":\"a\"}" } });
        let mut answer = json!({ "role": "assistant", "content": null, "tool_calls": [tool_call] });
        if let Some(reasoning) = reasoning {
            answer["reasoning_content"] = json!(reasoning);
        }
        let result = json!({ "role": "tool", "tool_call_id": "c1", "content": "ok" });
        examine(&mut examiner, Provider::Chat, &chat(json!([user("why?"), answer, result])))
    };
    with("required", Some("hm")).expect("it came back");
    with("keep", None).expect("nobody asked for it");
    let refused = with("required", None).expect_err("it is missing");
    assert_eq!(refused.kind, RefusalKind::MissingThinking);
    insta::assert_snapshot!(String::from_utf8(refused.render_error(Provider::Chat)).expect("text"), @r#"{"error":{"code":"invalid_request_error","message":"The `reasoning_content` in the thinking mode must be passed back to the API.","param":null,"type":"invalid_request_error"}}"#);
}

#[test]
fn calls_that_were_made_without_thinking_need_none() {
    let mut examiner = examiner(card("deepseek", "required", "free"));
    let tool_call = json!({ "id": "elsewhere", "type": "function", "function": { "name": "Read", "arguments": "{}" } });
    let answer = json!({ "role": "assistant", "content": null, "tool_calls": [tool_call] });
    let result = json!({ "role": "tool", "tool_call_id": "elsewhere", "content": "ok" });
    examine(&mut examiner, Provider::Chat, &chat(json!([user("why?"), answer, result]))).expect("taken");
}

/// A reasoning item and the call that followed it, as Responses hands them out.
fn reasoning(examiner: &mut Examiner) -> (Value, Value) {
    let billed = examine(examiner, Provider::Responses, &responses(json!([user("why?")]))).expect("taken");
    let seal = examiner.seal(Provider::Responses, &billed.prompt, "hm");
    let thinking = ReplyContent::Thinking { text: "hm".into(), seal: seal.clone() };
    examiner.answered(Provider::Responses, &billed.prompt, &reply(vec![thinking, call("c1")]), 0);
    let Seal::Encrypted { id, content } = seal else { panic!("Responses encrypts its reasoning") };
    let summary = json!([{ "type": "summary_text", "text": "hm" }]);
    let item = json!({ "type": "reasoning", "id": id, "summary": summary, "encrypted_content": content });
    let call = json!({ "type": "function_call", "call_id": "c1", "name": "Read", "arguments": "{\"path\":\"a\"}" });
    (item, call)
}

fn output(id: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": id, "output": "ok" })
}

#[test]
fn a_reasoning_item_goes_with_the_item_that_followed_it() {
    let mut examiner = examiner(card("openai", "keep", "free"));
    let (item, call) = reasoning(&mut examiner);
    let body = responses(json!([user("why?"), item.clone(), call.clone(), output("c1")]));
    examine(&mut examiner, Provider::Responses, &body).expect("together");
    let without = responses(json!([user("why?"), call.clone(), output("c1")]));
    examine(&mut examiner, Provider::Responses, &without).expect("both may go, or the reasoning alone");
    let mut other = call;
    other["arguments"] = json!("{\"path\":\"b\"}");
    for body in [json!([user("why?"), item.clone(), other, output("c1")]), json!([user("why?"), item, user("so?")])] {
        let refused = examine(&mut examiner, Provider::Responses, &responses(body)).expect_err("alone");
        assert!(refused.message.ends_with("was provided without its required following item."), "{refused}");
    }
}

#[test]
fn altered_reasoning_is_refused() {
    let mut examiner = examiner(card("openai", "keep", "free"));
    let (mut item, call) = reasoning(&mut examiner);
    let sealed = item["encrypted_content"].as_str().expect("sealed").replace('.', "0.");
    item["encrypted_content"] = json!(sealed);
    let body = responses(json!([user("why?"), item, call, output("c1")]));
    let refused = examine(&mut examiner, Provider::Responses, &body).expect_err("altered");
    let error: Value = serde_json::from_slice(&refused.render_error(Provider::Responses)).expect("JSON");
    assert_eq!(error["error"]["code"], "invalid_encrypted_content");
    assert!(refused.message.contains("could not be verified"), "{refused}");
}

#[test]
fn every_seal_is_another() {
    let mut examiner = examiner(card("openai", "keep", "free"));
    let billed = examine(&mut examiner, Provider::Responses, &responses(json!([user("why?")]))).expect("taken");
    let seals = ["hm", "hm"].map(|text| examiner.seal(Provider::Responses, &billed.prompt, text));
    assert_ne!(seals[0], seals[1]);
}
