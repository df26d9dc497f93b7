use std::time::Duration;

use insta::assert_snapshot;
use lookback_engine::card::Cards;
use lookback_models::script::{Fault, Script};
use lookback_wire::Provider;
use serde_json::json;

use super::{APIS, Chunks, Upstream, UpstreamOptions, asked, client, path, post, post_json, start};

const EACH: &str = r#"
[[step]]
text = "One two three four."
faults = ["429 retry-after=3", "529", "500", "overflow", "refuse-thinking"]
"#;

#[tokio::test]
async fn faults_have_the_providers_own_shapes() {
    let mut said = Vec::new();
    for api in APIS {
        let running = start(EACH, Chunks::Whole).await;
        for _ in 0..5 {
            let response = post(&running, path(api), &asked(api, true)).await;
            let retry = response.headers().get("retry-after").map(|value| value.to_str().expect("ASCII").to_owned());
            let status = response.status().as_u16();
            said.push(format!("{status} {} {}", retry.unwrap_or_default(), response.text().await.expect("a body")));
        }
        let (status, _) = post_json(&running, path(api), &asked(api, false)).await;
        assert_eq!(status, 200, "then it is played");
        assert_eq!(running.log()[1].fault, Some(Fault::Status { status: 529, retry_after: None }));
        assert!(running.log()[4].counted.is_none(), "nothing was billed");
    }
    assert_snapshot!(said.join("\n"));
}

#[tokio::test]
async fn a_cut_stream_breaks_off_in_its_middle() {
    for api in APIS {
        let running = start("[[step]]\ntext = \"One two three.\"\nfaults = [\"cut after=7\"]\n", Chunks::Odd).await;
        let mut response = post(&running, path(api), &asked(api, true)).await;
        let mut came = Vec::new();
        let error = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => came.extend_from_slice(&chunk),
                Ok(None) => panic!("it ended well"),
                Err(error) => break error,
            }
        };
        assert!(error.is_body() || error.is_decode(), "{error:?}");
        let came = String::from_utf8(came).expect("whole characters");
        assert!(came.contains("two") && !came.contains("three") && came.contains("One "), "{came}");
    }
}

#[tokio::test]
async fn a_cut_body_breaks_off_in_its_middle() {
    let running = start("[[step]]\ntext = \"One\"\nfaults = [\"cut\"]\n", Chunks::Whole).await;
    let response = post(&running, path(Provider::Chat), &asked(Provider::Chat, false)).await;
    assert_eq!(response.status(), 200);
    assert!(response.bytes().await.is_err());
}

#[tokio::test]
async fn a_stalled_stream_stays_open() {
    let running = start("[[step]]\ntext = \"One two three.\"\nfaults = [\"stall after=4\"]\n", Chunks::Whole).await;
    let mut response = post(&running, path(Provider::Anthropic), &asked(Provider::Anthropic, true)).await;
    let mut came = String::new();
    while !came.contains("One ") {
        let chunk = response.chunk().await.expect("it is open").expect("there is more");
        came += &String::from_utf8_lossy(&chunk);
    }
    // Nothing comes, and nothing ends.
    assert!(tokio::time::timeout(Duration::from_millis(200), response.chunk()).await.is_err());
}

#[tokio::test]
async fn wrong_json_is_wrong() {
    for (api, stream) in APIS.into_iter().flat_map(|api| [(api, true), (api, false)]) {
        let running = start("[[step]]\ntext = \"One\"\nfaults = [\"wrong-json\"]\n", Chunks::Whole).await;
        let text = post(&running, path(api), &asked(api, stream)).await.text().await.expect("a body");
        let documents: Vec<&str> = match stream {
            true => text.lines().filter_map(|line| line.strip_prefix("data: ")).collect(),
            false => vec![&text],
        };
        let wrong = documents.iter().filter(|text| serde_json::from_str::<serde_json::Value>(text).is_err());
        assert_eq!(wrong.filter(|text| **text != "[DONE]").count(), 1, "{api} {text}");
    }
}

#[tokio::test]
async fn what_breaks_a_rule_is_refused_and_meets_nothing() {
    let running = start("[[step]]\ntext = \"One\"\nfaults = [\"cut after=1\"]\n", Chunks::Whole).await;
    let mut body = asked(Provider::Anthropic, false);
    body["messages"] = json!([
        { "role": "user", "content": "fix it" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "Read", "input": {} }] },
        { "role": "user", "content": "go on" },
    ]);
    let (status, error) = post_json(&running, path(Provider::Anthropic), &body).await;
    assert_eq!(status, 400);
    assert_snapshot!(error, @r#"{"error":{"message":"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.","type":"invalid_request_error"},"type":"error"}"#);
    assert_eq!(running.log()[0].fault, None);
    assert!(running.log()[0].refusal.as_deref().is_some_and(|reason| reason.contains("tool_result")));
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_providers_shape() {
    let running = start("", Chunks::Whole).await;
    let (status, error) = post_json(&running, "/v1/embeddings", &json!({})).await;
    assert_eq!((status, error["error"]["type"].as_str()), (404, Some("not_found_error")));
    let (status, error) = post_json(&running, "/v1/messages/batches", &json!({})).await;
    assert_eq!((status, error["type"].as_str()), (404, Some("error")));
    let got = client().get(format!("{}/v1/messages", running.url())).send().await.expect("an answer");
    assert_eq!(got.status(), 404);
    let mut body = asked(Provider::Chat, false);
    let (status, error) = post_json(&running, path(Provider::Chat), &body).await;
    assert_eq!(status, 400);
    assert_snapshot!(error["error"]["message"], @r#""fix.toml ends with step 0, and this conversation asks for step 1: add a [[step]] to it""#);
    body["model"] = json!("nobody-1");
    let (status, error) = post_json(&running, path(Provider::Chat), &body).await;
    assert_eq!((status, error["error"]["code"].as_str()), (404, Some("model_not_found")));
    let (status, _) = post_json(&running, path(Provider::Anthropic), &json!("not a request")).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn it_stays_on_this_machine_and_follows_cards_that_exist() {
    let options = || UpstreamOptions::new("fix.toml", Script::default(), Cards::default());
    let open = UpstreamOptions { listen: ([0, 0, 0, 0], 0).into(), ..options() };
    let refused = Upstream::start(open).await.expect_err("refused").to_string();
    assert!(refused.contains("listen on 127.0.0.1"), "{refused}");
    let script = Script { model: Some("nobody-1".into()), ..Script::default() };
    let unknown = UpstreamOptions { script, ..options() };
    let refused = Upstream::start(unknown).await.expect_err("refused").to_string();
    assert!(refused.contains("fix.toml says model = \"nobody-1\", and no price file"), "{refused}");
}
