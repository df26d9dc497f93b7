//! A script sounds the same however it is played: over HTTP to the real client, and without a network.

use std::{sync::Arc, time::Duration};

use lookback_engine::card::{Card, Cards};
use lookback_models::{
    Answering, Client, Endpoint, ErrorKind, ModelError, Progress, Request, Retries, Timeouts,
    script::{Player, Script, ScriptModel},
};
use lookback_upstream::{CardBilling, Chunks, Running, Upstream, UpstreamOptions};
use lookback_wire::{Provider, Reply, ReplyContent, ReplyStop, TokenUsage};
use serde_json::{Value, json};

const APIS: [Provider; 3] = [Provider::Anthropic, Provider::Chat, Provider::Responses];

fn card(api: Provider) -> Card {
    let (file, model) = match api {
        Provider::Anthropic => (include_str!("../../../prices/anthropic.toml"), model(api)),
        Provider::Responses => (include_str!("../../../prices/openai.toml"), model(api)),
        Provider::Chat | Provider::React => (include_str!("../../../prices/deepseek.toml"), model(api)),
    };
    Cards::parse(file).expect("cards").find(model).expect("a card").clone()
}

fn model(api: Provider) -> &'static str {
    match api {
        Provider::Anthropic => "claude-sonnet-4-6",
        Provider::Responses => "gpt-5.6",
        Provider::Chat | Provider::React => "deepseek-chat",
    }
}

fn request(api: Provider) -> Request {
    let list = if api == Provider::Responses { "input" } else { "messages" };
    let mut body = json!({ "model": model(api), "stream": true, list: [{ "role": "user", "content": "fix it" }] });
    match api {
        Provider::Anthropic => body["max_tokens"] = json!(1_000),
        Provider::Responses => body["include"] = json!(["reasoning.encrypted_content"]),
        Provider::Chat | Provider::React => body["stream_options"] = json!({ "include_usage": true }),
    }
    Request { api, body: Value::to_string(&body).into_bytes() }
}

async fn served(api: Provider, script: &str, chunks: Chunks) -> (Running, Client) {
    let options = UpstreamOptions {
        card: Some(card(api)),
        chunks,
        ..UpstreamOptions::new("fix.toml", Script::parse(script).expect("a script"), Cards::default())
    };
    let running = Upstream::start(options).await.expect("it listens");
    let endpoint = Endpoint {
        timeouts: Timeouts {
            first_byte: Duration::from_millis(500),
            idle: Duration::from_millis(500),
            ..Timeouts::default()
        },
        retries: Retries { base: Duration::from_millis(1), ..Retries::default() },
        ..Endpoint::new(api, running.base_url())
    };
    let client = Client::new(endpoint).expect("a client");
    (running, client)
}

fn scripted(api: Provider, script: &str) -> ScriptModel {
    let player = Player::new("fix.toml", Script::parse(script).expect("a script"));
    ScriptModel::new(player, Some(Box::new(CardBilling::new(card(api), Arc::new(|| 0)))))
}

#[derive(Debug, PartialEq)]
struct Heard {
    parts: Vec<ReplyContent>,
    stop: ReplyStop,
    usage: Option<TokenUsage>,
    retries: usize,
    error: Option<ErrorKind>,
}

async fn hear(mut answering: Answering) -> Heard {
    let mut retries = 0;
    let error: Option<ModelError> = loop {
        match answering.next().await {
            Ok(Some(Progress::Retrying { .. })) => retries += 1,
            Ok(Some(Progress::Delta(_))) => {}
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let Reply { parts, stop, usage, .. } = answering.into_reply();
    let parts = parts.into_iter().map(|part| part.content).collect();
    // Some APIs say what the prompt costs before they answer.
    let usage = usage.filter(|_| error.is_none());
    Heard { parts, stop, usage, retries, error: error.map(|error| error.kind) }
}

const STORIES: [&str; 6] = [
    "[[step]]\nthinking = \"Hm, the test.\"\ntext = \"Looking. 测试\"\ncalls = [{ name = \"Read\", arguments = '{\"path\": \"a b\"}' }, { name = \"LS\" }]\n",
    "[[step]]\ntext = \"Done.\"\nusage = { uncached = 5, cached = 7, output = 3 }\n",
    "[[step]]\ntext = \"Too lo\"\nstop = \"limit\"\n",
    "[[step]]\ntext = \"Done at last.\"\nfaults = [\"529\", \"500\", \"cut\"]\n",
    "[[step]]\ntext = \"Done at last.\"\nfaults = [\"cut after=7\"]\n",
    "[[step]]\ntext = \"Done.\"\nfaults = [\"refuse-thinking\"]\n",
];

#[tokio::test]
async fn the_client_hears_what_the_script_says() {
    for api in APIS {
        for story in STORIES {
            let expected = hear(scripted(api, story).send(request(api))).await;
            for chunks in [Chunks::Whole, Chunks::Odd] {
                let (_running, client) = served(api, story, chunks).await;
                let heard = hear(client.send(request(api))).await;
                assert_eq!(heard, expected, "{api} {story}");
            }
        }
    }
}

#[tokio::test]
async fn errors_are_of_the_same_kind_over_http() {
    for api in APIS {
        for (fault, kind) in [
            ("401", ErrorKind::BadKey),
            ("404", ErrorKind::NoSuchModel),
            ("stall", ErrorKind::TimedOut),
            ("stall after=3", ErrorKind::CutStream),
            ("wrong-json", ErrorKind::Nonsense),
        ] {
            let story = format!("[[step]]\ntext = \"Done at last.\"\nfaults = [\"{fault}\", \"{fault}\"]\n");
            let (_running, client) = served(api, &story, Chunks::Whole).await;
            assert_eq!(hear(client.send(request(api))).await.error, Some(kind), "{api} {fault}");
        }
        let (_running, client) = served(api, "[[step]]\nfaults = [\"overflow\"]\n", Chunks::Whole).await;
        let error = hear(client.send(request(api))).await.error;
        assert!(matches!(error, Some(ErrorKind::PromptTooLong { .. })), "{api} {error:?}");
    }
}
