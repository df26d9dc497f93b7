//! What a gateway is started with.

use std::{collections::BTreeMap, fmt, net::SocketAddr, str::FromStr, sync::Arc};

use lookback_engine::{
    Configuration,
    card::{Card, Cards},
    trace::BlobHash,
};
use lookback_store::Store;
use lookback_wire::Provider;

/// What it does with a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Records, and changes nothing.
    #[default]
    Observe,
    /// Records, and puts blocks in the place of old messages.
    Fold,
    /// Passes everything on and keeps nothing.
    Off,
}

/// A name that is no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no mode: choose observe, fold or off")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::Observe, Self::Fold, Self::Off]
            .into_iter()
            .find(|mode| mode.to_string() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Observe => "observe",
            Self::Fold => "fold",
            Self::Off => "off",
        })
    }
}

/// Where requests go on to.
#[derive(Debug, Clone, Default)]
pub struct Upstreams {
    /// For everything that no prefix of the path sends elsewhere.
    pub all: Option<String>,
    /// By the name in `/u/NAME`.
    pub named: BTreeMap<String, String>,
}

impl Upstreams {
    /// The base URL of a request, without `/v1`.
    pub(crate) fn of(&self, name: Option<&str>, api: Option<Provider>) -> Option<&str> {
        match name {
            Some(name) => self.named.get(name).map(String::as_str),
            None => Some(self.all.as_deref().unwrap_or(match api {
                Some(Provider::Anthropic) => "https://api.anthropic.com",
                _ => "https://api.openai.com",
            })),
        }
    }
}

/// What a session says of the card that it was decided and is billed by.
pub fn card_hash(card: &Card) -> BlobHash {
    BlobHash::of(&serde_json::to_vec(card).unwrap_or_default())
}

/// Milliseconds since 1970.
pub type Clock = dyn Fn() -> i64 + Send + Sync;

/// What a gateway is started with.
#[derive(Clone)]
pub struct Options {
    /// On this machine only; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where requests go on to.
    pub upstreams: Upstreams,
    /// For conversations that do not say it themselves.
    pub mode: Mode,
    /// Where traces are kept.
    pub store: Store,
    /// What `/metrics` asks for.
    pub token: String,
    /// What a keyed hash of a credential is keyed with.
    pub secret: [u8; 32],
    /// Where the card of a model is looked up.
    pub cards: Cards,
    /// In the place of the model's own.
    pub card: Option<Card>,
    /// What folds are decided by.
    pub configuration: Configuration,
    /// The time of day.
    pub clock: Arc<Clock>,
}

impl Options {
    /// By which a model is billed; none: nobody knows its prices.
    pub(crate) fn card_of(&self, model: &str) -> Option<&Card> {
        self.card.as_ref().or_else(|| self.cards.find(model))
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("listen", &self.listen).field("mode", &self.mode).finish_non_exhaustive()
    }
}
