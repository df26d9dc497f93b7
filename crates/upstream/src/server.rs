//! The server: a script played over the three APIs, on this machine only.
//!
//! `connections` takes callers, `door` lets their requests in, `asked` reads them, `answer` decides what they get,
//! `sending` how its bytes go out, `log` what is remembered. What is counted, cached and refused is the examiner's to say.

mod answer;
mod asked;
mod chunks;
mod connections;
pub mod door;
mod log;
mod models;
mod route;
mod sending;
#[cfg(test)]
mod tests;

use std::{
    fmt, io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::Router;
use bytes::Bytes;
use lookback_engine::card::{Card, Cards};
use lookback_models::script::{Player, Script};
use tokio::{net::TcpListener, task::JoinHandle};

pub use chunks::{Chunks, UnknownChunks};
pub use log::Logged;

use answer::House;

/// As long as web servers keep theirs (nginx); clients connect again without saying so.
const IDLE: Duration = Duration::from_secs(75);

/// Milliseconds since 1970.
pub type Clock = dyn Fn() -> i64 + Send + Sync;

/// Told of every request once it is decided.
pub type Watcher = dyn Fn(&Logged) + Send + Sync;

/// What to play, by whose rules, and where.
pub struct UpstreamOptions {
    /// What the script is called in messages for people.
    pub name: String,
    /// What it answers.
    pub script: Script,
    /// Where the card of a model is looked up.
    pub cards: Cards,
    /// What is refused, cached and billed; none: by the card of the script's model, else of the request's.
    pub card: Option<Card>,
    /// How streams are cut on their way out.
    pub chunks: Chunks,
    /// On this machine only; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How long a connection may say nothing before it is ended.
    pub idle: Duration,
    /// When cache entries expire, and what answers are dated with.
    pub clock: Arc<Clock>,
    /// Who is told of each request.
    pub watcher: Option<Box<Watcher>>,
}

impl UpstreamOptions {
    /// On a free port, whole events, by the clock of this machine.
    pub fn new(name: impl Into<String>, script: Script, cards: Cards) -> Self {
        Self {
            name: name.into(),
            script,
            cards,
            card: None,
            chunks: Chunks::Whole,
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            idle: IDLE,
            clock: Arc::new(now_ms),
            watcher: None,
        }
    }
}

/// Why a server does not start. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Others could reach it, and a script has no key.
    #[error("the script plays on this machine only, and {0} is reachable from others: listen on 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// The script names a model that nobody has rules for.
    #[error(
        "{script} says model = \"{model}\", and no price file has a card for it: say whose rules it plays by, as in --model anthropic, or give a file of cards"
    )]
    NoCard {
        /// As [`UpstreamOptions::name`].
        script: String,
        /// As the script says it.
        model: String,
    },
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// A provider that plays a script.
#[derive(Debug)]
pub struct Upstream;

impl Upstream {
    /// Listens and answers until what is returned is dropped.
    pub async fn start(options: UpstreamOptions) -> Result<Running, StartError> {
        let UpstreamOptions { name, script, cards, card, chunks, listen, idle, clock, watcher } = options;
        if !listen.ip().is_loopback() {
            return Err(StartError::NotLoopback(listen));
        }
        let card = match (card, &script.model) {
            (Some(card), _) => Some(card),
            (None, None) => None,
            (None, Some(model)) => match cards.find(model) {
                Some(card) => Some(card.clone()),
                None => return Err(StartError::NoCard { script: name, model: model.clone() }),
            },
        };
        let listening = |source| StartError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        let shared = Arc::new(Shared {
            house: Mutex::new(House::new(Player::new(name, script), cards, card)),
            log: Mutex::default(),
            chunks,
            clock,
            watcher,
        });
        let router = Router::new().fallback(route::handle).with_state(Arc::clone(&shared));
        let task = tokio::spawn(connections::serve(listener, router, idle));
        Ok(Running { address, shared, task })
    }
}

/// What all requests share.
struct Shared {
    house: Mutex<House>,
    log: Mutex<Vec<Logged>>,
    chunks: Chunks,
    clock: Arc<Clock>,
    watcher: Option<Box<Watcher>>,
}

impl Shared {
    /// A body that was refused is forgotten once it was told of: it may be large, and there may be many.
    fn remember(&self, mut logged: Logged) {
        if let Some(watcher) = &self.watcher {
            watcher(&logged);
        }
        if logged.refusal.is_some() {
            logged.body = Bytes::new();
        }
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(logged);
    }
}

/// A server at work. It ends when this is dropped.
pub struct Running {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Running {
    /// The one that was asked for, with the port that it got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it is: what clients of Anthropic Messages are given, who add `/v1` themselves.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What clients of Chat Completions and Responses are given, and ours of all three.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// All requests so far, in order.
    pub fn log(&self) -> Vec<Logged> {
        self.shared.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

impl fmt::Debug for UpstreamOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamOptions").field("name", &self.name).field("card", &self.card).finish_non_exhaustive()
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
