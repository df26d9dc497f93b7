//! What no text can stand for stays in every request, whatever stands beside it.

use std::time::Duration;

use lookback_gateway::Mode;
use lookback_wire::Provider as Api;
use serde_json::{Value, json};

use crate::{
    provider::Provider,
    started::{Started, start},
};

/// A client's side of a conversation over one of the APIs.
struct Client {
    api: Api,
    messages: Vec<Value>,
}

impl Client {
    fn new(api: Api) -> Self {
        Self { api, messages: vec![json!({"role": "user", "content": "read everything"})] }
    }

    fn path(&self) -> (&'static str, &'static str) {
        match self.api {
            Api::Anthropic => ("/v1/messages", "messages"),
            Api::Chat => ("/v1/chat/completions", "messages"),
            _ => ("/v1/responses", "input"),
        }
    }

    async fn step(&mut self, gateway: &Started) {
        let (path, list) = self.path();
        let tools = json!([{"name": "Bash", "description": "runs", "input_schema": {"type": "object"}}]);
        let body = json!({"model": "example-model", "max_tokens": 1000, "tools": tools, list: self.messages});
        let response = gateway.post(path).body(body.to_string()).send().await.unwrap();
        let reply: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        let printed = |id: &Value| -> String {
            (0..40).map(|line| format!("{id} line {line} of a file that was read\n")).collect()
        };
        let (said, result) = match self.api {
            Api::Anthropic => {
                let id = &reply["content"][1]["id"];
                let result = json!({"type": "tool_result", "tool_use_id": id, "content": printed(id)});
                (
                    vec![json!({"role": "assistant", "content": reply["content"]})],
                    json!({"role": "user", "content": [result]}),
                )
            }
            Api::Chat => {
                let message = &reply["choices"][0]["message"];
                let id = &message["tool_calls"][0]["id"];
                (vec![message.clone()], json!({"role": "tool", "tool_call_id": id, "content": printed(id)}))
            }
            _ => {
                let id = &reply["output"][1]["call_id"];
                let result = json!({"type": "function_call_output", "call_id": id, "output": printed(id)});
                (reply["output"].as_array().unwrap().clone(), result)
            }
        };
        self.messages.extend(said);
        self.messages.push(result);
    }
}

/// These messages come behind some steps; many steps later there are blocks, and the first of the messages is still there.
async fn stays(api: Api, barrier: &[Value]) {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut client = Client::new(api);
    for step in 0..30 {
        if step == 3 {
            client.messages.extend_from_slice(barrier);
        }
        client.step(&gateway).await;
        // The keeper has recorded the answer before the client goes on.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    gateway.wait_for_folds(1).await;
    client.step(&gateway).await;
    let got = provider.last().json()[client.path().1].as_array().unwrap().clone();
    let is_block = |message: &&Value| message.to_string().contains("<lookback-block");
    assert!(got.iter().filter(is_block).count() >= 1, "{api:?} {barrier:?}: no block");
    let kept = got.iter().position(|message| *message == barrier[0]);
    let kept = kept.unwrap_or_else(|| panic!("{api:?}: {} is gone", barrier[0]));
    assert!(got[kept..].iter().any(|message| is_block(&message)), "{api:?}: what follows is folded");
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_or_a_file_beside_a_text() {
    let url = "data:image/png;base64,QUJD";
    let text = |kind: &str| json!({"type": kind, "text": "look at this"});
    let user = |content: Value| json!({"type": "message", "role": "user", "content": content});
    let picture = json!({"type": "input_image", "image_url": url});
    stays(Api::Responses, &[user(json!([text("input_text"), picture]))]).await;
    let picture = json!({"type": "image_url", "image_url": {"url": url}});
    stays(Api::Chat, &[json!({"role": "user", "content": [text("text"), picture]})]).await;
    let file = json!({"type": "file", "file": {"file_data": "data:application/pdf;base64,UERG"}});
    stays(Api::Chat, &[json!({"role": "user", "content": [file, text("text")]})]).await;
}

/// Codex has its history made short by the provider, and goes on behind what it got.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_item_that_nobody_understands_before_an_answer() {
    let item = |kind: &str| json!({"type": kind, "encrypted_content": "ENC"});
    stays(Api::Responses, &[item("compaction")]).await;
    let user = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]});
    stays(Api::Responses, &[item("mystery"), user]).await;
}

/// A turn that the view does not show is sent all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_which_nothing_is_understood() {
    let call = json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []});
    let answer = json!({"role": "assistant", "content": [call, found]});
    stays(Api::Anthropic, &[answer, json!({"role": "user", "content": "go on"})]).await;
    let compacted = json!({"role": "assistant", "content": [{"type": "compaction", "content": "much was done"}]});
    stays(Api::Anthropic, &[compacted]).await;
}
