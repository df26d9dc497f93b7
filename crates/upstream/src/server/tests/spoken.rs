use insta::assert_snapshot;
use lookback_models::script::Place;
use lookback_wire::{Head, Message, Provider, ToolSpec, render_body, render_head, render_message};
use serde_json::{Value, json};

use super::{APIS, Chunks, asked, client, model, path, post, post_json, start};

const TWO: &str = r#"
[[step]]
thinking = "The test first."
text = "Looking. 测试"
calls = [{ name = "Read", arguments = { path = "a" } }, { name = "Read", arguments = { path = "b" } }]

[[step]]
text = "Done."
"#;

/// The request again, with what was answered to it and a result for every call.
fn continued(api: Provider, mut body: Value, reply: &Value) -> Value {
    let list = if api == Provider::Responses { "input" } else { "messages" };
    let messages = body[list].as_array_mut().expect("a list");
    match api {
        Provider::Anthropic => {
            let calls = reply["content"].as_array().expect("blocks").iter().filter(|block| block["type"] == "tool_use");
            let results: Vec<Value> = calls
                .map(|call| json!({ "type": "tool_result", "tool_use_id": call["id"], "content": "ok" }))
                .collect();
            messages.push(json!({ "role": "assistant", "content": reply["content"] }));
            messages.push(json!({ "role": "user", "content": results }));
        }
        Provider::Chat | Provider::React => {
            let message = &reply["choices"][0]["message"];
            messages.push(message.clone());
            for call in message["tool_calls"].as_array().expect("calls") {
                messages.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": "ok" }));
            }
        }
        Provider::Responses => {
            let items = reply["output"].as_array().expect("items");
            messages.extend(items.iter().cloned());
            for call in items.iter().filter(|item| item["type"] == "function_call") {
                messages.push(json!({ "type": "function_call_output", "call_id": call["call_id"], "output": "ok" }));
            }
        }
    }
    body
}

#[tokio::test]
async fn a_conversation_goes_through_its_steps_in_every_api() {
    for api in APIS {
        let running = start(TWO, Chunks::Whole).await;
        let first = asked(api, false);
        let (status, reply) = post_json(&running, path(api), &first).await;
        assert_eq!(status, 200, "{reply}");
        let (status, reply) = post_json(&running, path(api), &continued(api, first, &reply)).await;
        assert_eq!(status, 200, "{reply}");
        assert!(reply.to_string().contains("Done. ⟦step 2⟧"), "{reply}");
        let log = running.log();
        let places: Vec<_> = log.iter().map(|logged| logged.place).collect();
        assert_eq!(places, [Some(Place::Step { number: 1 }), Some(Place::Step { number: 2 })]);
        let sizes: Vec<u32> = log.iter().filter_map(|logged| logged.counted).map(|usage| usage.uncached).collect();
        assert!(sizes.len() == 2 && sizes[0] < sizes[1], "{sizes:?}");
    }
}

#[tokio::test]
async fn however_a_stream_is_cut_its_bytes_are_the_same() {
    for api in APIS {
        let mut streams = Vec::new();
        for chunks in [Chunks::Whole, Chunks::One, Chunks::Odd] {
            let running = start(TWO, chunks).await;
            let response = post(&running, path(api), &asked(api, true)).await;
            assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
            streams.push(response.text().await.expect("all of it"));
        }
        assert!(streams[0].contains("data: "), "{}", streams[0]);
        assert_eq!(streams[0], streams[1]);
        assert_eq!(streams[0], streams[2]);
    }
}

#[tokio::test]
async fn usage_comes_in_a_stream_as_the_card_says() {
    let script = "[[step]]\ntext = \"x\"\nusage = { uncached = 5, cached = 7, output = 3 }\n";
    let running = start(script, Chunks::Whole).await;
    let mut body = asked(Provider::Chat, true);
    let with = post(&running, path(Provider::Chat), &body).await.text().await.expect("a stream");
    assert!(with.contains(r#""prompt_tokens":12"#) && with.contains(r#""cached_tokens":7"#), "{with}");
    body["stream_options"] = Value::Null;
    let without = post(&running, path(Provider::Chat), &body).await.text().await.expect("a stream");
    assert!(!without.contains("prompt_tokens"), "{without}");
}

#[tokio::test]
async fn encrypted_reasoning_is_for_whoever_asks() {
    let running = start(TWO, Chunks::Whole).await;
    let mut body = asked(Provider::Responses, false);
    let (_, with) = post_json(&running, path(Provider::Responses), &body).await;
    assert!(with["output"][0]["encrypted_content"].is_string(), "{with}");
    body["include"] = json!([]);
    let (_, without) = post_json(&running, path(Provider::Responses), &body).await;
    assert_eq!(without["output"][0].get("encrypted_content"), None);
}

#[tokio::test]
async fn a_react_prompt_is_answered_in_its_own_protocol() {
    let running = start(TWO, Chunks::Whole).await;
    let tools = [ToolSpec { name: "Read".into(), description: "Reads.".into(), parameters: "{}".into() }];
    let head = render_head(Provider::React, &Head { tools: &tools, system: "Be careful.", rules: "" });
    let user = render_message(Provider::React, &Message::user("fix it"));
    let prompt = String::from_utf8(render_body(Provider::React, "m", 100, &head, [user.as_slice()])).expect("text");
    let body = |prompt: &str| json!({ "model": "llama", "messages": [{ "role": "user", "content": prompt }] });
    let (_, reply) = post_json(&running, path(Provider::Chat), &body(&prompt)).await;
    let text = reply["choices"][0]["message"]["content"].as_str().expect("a text").to_owned();
    assert_snapshot!(text, @r#"
    Thought: The test first.

    Looking. 测试 ⟦step 1⟧
    Action: Read[{"path":"a"}]
    Action: Read[{"path":"b"}]
    "#);
    let next = format!("{prompt}[assistant] {text}\n\n[tool] ok\n\n[tool] ok\n\n");
    let (_, reply) = post_json(&running, path(Provider::Chat), &body(&next)).await;
    assert_eq!(reply["choices"][0]["message"]["content"], "Action: Finish[Done. ⟦step 2⟧]");
}

#[tokio::test]
async fn tokens_are_counted_and_models_listed() {
    let running = start(&format!("model = \"claude-sonnet-4-6\"\n{TWO}"), Chunks::Whole).await;
    let body = asked(Provider::Anthropic, false);
    let (status, counted) = post_json(&running, "/any/prefix/v1/messages/count_tokens", &body).await;
    post_json(&running, "/any/prefix/v1/messages", &body).await;
    let tokens = running.log()[0].counted.map(|usage| u64::from(usage.uncached));
    assert_eq!((status, counted["input_tokens"].as_u64()), (200, tokens));
    let models = client().get(format!("{}/models", running.base_url())).send().await.expect("a list");
    let models: Value = serde_json::from_slice(&models.bytes().await.expect("a body")).expect("JSON");
    assert_eq!(models["data"][0]["id"], model(Provider::Anthropic));
}
