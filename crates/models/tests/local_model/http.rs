//! Plain HTTP to the server, with nothing of Lookback in between: what is asserted here is what the server does.

use std::sync::OnceLock;

use serde_json::Value;

use crate::server::Server;

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e} in: {}", self.body))
    }

    /// The `data:` lines of a stream.
    pub(crate) fn events(&self) -> Vec<&str> {
        self.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
    }
}

impl Server {
    pub(crate) async fn chat(&self, body: &Value) -> Answer {
        let request = http().post(format!("{}/chat/completions", self.url)).header("content-type", "application/json");
        answer(request.body(body.to_string())).await
    }

    /// The prompt's tokens of one call, and how many of them the server had already.
    pub(crate) async fn prompt_tokens(&self, messages: &[Value]) -> (u64, u64) {
        let body = serde_json::json!({"messages": messages, "max_tokens": 1});
        let answer = self.chat(&body).await.json();
        let usage = &answer["usage"];
        let count = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("no usage in {answer}"));
        (count(&usage["prompt_tokens"]), count(&usage["prompt_tokens_details"]["cached_tokens"]))
    }

    /// How many tokens the server takes at most.
    pub(crate) async fn context(&self) -> u64 {
        let models = answer(http().get(format!("{}/models", self.url))).await.json();
        models["data"][0]["meta"]["n_ctx"].as_u64().unwrap_or_else(|| panic!("no context size in {models}"))
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    Answer { status: response.status().as_u16(), body: response.text().await.unwrap() }
}

/// A new client for each call: one that is kept belongs to the runtime of the test that made it.
fn http() -> reqwest::Client {
    static PROVIDER: OnceLock<()> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    reqwest::Client::builder().no_proxy().build().unwrap()
}
