//! A gateway in a folder of its own, and what is sent to it.

use std::{path::Path, sync::Arc, time::Duration};

use lookback_engine::{
    Configuration,
    card::{Card, Cards},
    trace::EventBody,
};
use lookback_gateway::{Gateway, Left, Mode, Options, Running, Upstreams};
use lookback_store::{SessionSummary, Store};
use serde_json::Value;

use crate::provider::Provider;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const KEY: &str = "sk-ant-api03-verysecretverysecretverysecret";

pub(crate) struct Started {
    pub(crate) running: Running,
    pub(crate) url: String,
    client: reqwest::Client,
}

/// Folds come early: conversations of tests are short.
pub(crate) fn configuration() -> Configuration {
    let mut configuration = Configuration::default();
    configuration.fold.keep_steps = 2;
    configuration
}

pub(crate) async fn start(home: &Path, provider: &Provider, mode: Mode) -> Started {
    start_by(home, provider, mode, None, configuration()).await
}

/// As if clients made their history shorter above so many tokens.
pub(crate) async fn start_with_most(home: &Path, provider: &Provider, mode: Mode, most: u64) -> Started {
    let mut configuration = configuration();
    configuration.fold.guest_most = most;
    start_by(home, provider, mode, None, configuration).await
}

/// Prices and habits of one of the cards that the program knows.
pub(crate) async fn start_with_card(home: &Path, provider: &Provider, mode: Mode, model: &str) -> Started {
    let cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).unwrap();
    start_by(home, provider, mode, Some(cards.find(model).expect("a card").clone()), configuration()).await
}

async fn start_by(
    home: &Path,
    provider: &Provider,
    mode: Mode,
    card: Option<Card>,
    configuration: Configuration,
) -> Started {
    let options = Options {
        listen: "127.0.0.1:0".parse().unwrap(),
        upstreams: Upstreams { all: Some(provider.url.clone()), ..Upstreams::default() },
        mode,
        store: Store::open(home).unwrap(),
        token: TOKEN.to_owned(),
        secret: [3; 32],
        cards: Cards::default(),
        card,
        configuration,
        clock: Arc::new(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
            i64::try_from(now.as_millis()).unwrap()
        }),
    };
    let running = Gateway::start(options).await.unwrap();
    let url = format!("http://{}", running.address());
    Started { running, url, client: reqwest::Client::builder().no_proxy().build().unwrap() }
}

impl Started {
    pub(crate) fn post(&self, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.url));
        request.header("x-api-key", KEY).header("anthropic-version", "2023-06-01").header("user-agent", "example/1.0")
    }

    pub(crate) fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.get(format!("{}{path}", self.url))
    }

    pub(crate) async fn ask(&self, body: &Value) -> Value {
        let response = self.post("/v1/messages").body(body.to_string()).send().await.unwrap();
        assert_eq!(response.status(), 200);
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    /// A figure of `/metrics`.
    pub(crate) async fn figure(&self, name: &str) -> u64 {
        let text = self.get("/metrics").header("authorization", format!("Bearer {TOKEN}")).send().await.unwrap();
        let text = text.text().await.unwrap();
        let line = text.lines().find(|line| line.starts_with(&format!("lookback_{name} "))).expect("a figure");
        line.rsplit(' ').next().unwrap().parse().unwrap()
    }

    /// Until the keeper has made so many blocks.
    pub(crate) async fn wait_for_folds(&self, folds: u64) {
        for _ in 0..200 {
            if self.figure("folds_total").await >= folds {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("no fold came");
    }

    pub(crate) async fn stop(self) -> Left {
        self.running.stop(Duration::from_secs(5)).await
    }
}

/// How many results of tools each stored session has.
pub(crate) fn results(home: &Path) -> Vec<usize> {
    let store = Store::open(home).unwrap();
    let count = |session: SessionSummary| {
        let events = store.events(&session.id).unwrap();
        events.iter().filter(|event| matches!(event.event, EventBody::ToolResult { .. })).count()
    };
    store.sessions().unwrap().into_iter().map(count).collect()
}
