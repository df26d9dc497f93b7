//! Cards: what differs between models, as data.
//!
//! A card says prices, cache rule, window, output limit and habits of the models that its patterns name, and how they are
//! spoken to. The files stand in `prices/`; the engine gets their text and never looks for them. What a value means for a
//! view, a fold or a request is known to those who read it, not here.

mod parse;
mod prices;
mod speech;

pub use parse::CardError;
#[doc(hidden)]
pub use prices::{LongPrices, LongRates, TokenPrices};
pub use prices::{Prices, Rates};
#[doc(hidden)]
pub use speech::{Api, CacheKey, CacheMarks, Constrained, OutputLimit, RequestMembers, SystemMessages};

use lookback_wire::Provider;
use serde::{Deserialize, Serialize};

use crate::cache::{CacheRule, CacheState};
#[doc(hidden)]
pub use crate::trace::start::{Alternation, Pictures, PlainThinking};

/// What differs between models, as a card in `prices/` says it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card {
    /// Who serves it.
    pub provider: String,
    /// Names with `*` for any run of characters.
    pub models: Vec<String>,
    /// The API that it is spoken to by, where its server does not say otherwise: one of [`Api`].
    pub api: Provider,
    /// Tokens of prompt and answer together.
    pub window: u32,
    /// Tokens that an answer may have.
    pub max_output: u32,
    /// What becomes of its thinking behind a fold.
    pub thinking: ThinkingHabit,
    /// Whether reminders may stand at the end.
    pub tail: Tail,
    /// Whether it refuses two user messages in a row.
    pub alternation: Alternation,
    /// Where system messages may stand.
    #[serde(skip_serializing_if = "SystemMessages::is_usual")]
    pub system: SystemMessages,
    /// Whether it sees them.
    pub images: Support,
    /// Without it the model is asked in plain text.
    pub tool_calling: Support,
    /// Whether its bill comes by itself.
    pub usage_in_stream: UsageInStream,
    /// How its server finds a prompt again.
    pub cache: CacheRule,
    /// Whether that is how recorded bills were made.
    pub cache_rule: CacheKnowledge,
    /// How long an entry lives after its last use; none: it is never counted as cold.
    pub lifetime_ms: Option<i64>,
    /// How places to keep are marked.
    pub cache_marks: CacheMarks,
    /// Whether requests name their session.
    pub cache_key: CacheKey,
    /// What the limit of an answer is called.
    pub output_limit: OutputLimit,
    /// Whether answers can be held to a schema.
    pub constrained: Constrained,
    /// Further members of every request.
    pub request: RequestMembers,
    /// None for models that cost nothing by the token: then the triggers alone decide (docs/design/folding.md, "When").
    pub prices: Option<Prices>,
}

/// What becomes of thinking in the steps that a fold keeps (docs/design/folding.md, "Thinking").
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingHabit {
    /// It goes on being sent, until a provider refuses it.
    Keep,
    /// It leaves the view: an edit before it makes it invalid.
    Drop,
    /// It stays whatever happens: a history without it is refused.
    Required,
}

/// Whether the end of a prompt may differ from call to call (docs/design/model.md, "Order of the view").
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tail {
    /// It may.
    Free,
    /// Nothing at the end may differ.
    Fixed,
}

/// Whether something can be had.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Support {
    Yes,
    No,
}

/// Whether a streamed answer says what it cost.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageInStream {
    /// Unasked.
    Always,
    /// Only when the request asks for it (`stream_options.include_usage`).
    OnRequest,
    /// Not even when asked.
    Never,
}

/// Whether a card's cache rule says what its provider bills.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKnowledge {
    /// As far as anybody knows.
    Understood,
    /// Recorded bills differ from it, and nobody knows why: figures by it say so.
    NotUnderstood,
}

/// How long the caller asks the provider to hold an entry. A card that offers no hour answers as usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// As long as the provider does by itself.
    Usual,
    /// An hour, at its price.
    OneHour,
}

const HOUR_MS: i64 = 3_600_000;

impl Card {
    /// Only a model that needs its thinking gets it as plain text.
    pub fn plain_thinking(&self) -> PlainThinking {
        match self.thinking {
            ThinkingHabit::Required => PlainThinking::SentBack,
            ThinkingHabit::Keep | ThinkingHabit::Drop => PlainThinking::LeftOut,
        }
    }

    /// A server that refuses two user messages in a row has no place for them where results are texts alone.
    pub fn pictures(&self, provider: Provider) -> Pictures {
        match (self.images, provider, self.alternation) {
            (Support::No, ..) | (_, Provider::Chat, Alternation::Strict) => Pictures::Named,
            _ => Pictures::Shown,
        }
    }

    /// Relative prices, where the card has any.
    pub fn rates(&self, lifetime: Lifetime) -> Option<Rates> {
        self.prices.as_ref().map(|prices| prices.rates(lifetime))
    }

    /// The same for prompts above a size, where those cost more.
    pub fn long_rates(&self, lifetime: Lifetime) -> Option<LongRates> {
        self.prices.as_ref()?.long_rates(lifetime)
    }

    /// How long an entry lives after its last use, in milliseconds; none: it is never counted as cold.
    pub fn lifetime_ms(&self, lifetime: Lifetime) -> Option<i64> {
        if lifetime == Lifetime::OneHour && self.offers_hour() { Some(HOUR_MS) } else { self.lifetime_ms }
    }

    /// Whether an hour can be bought.
    pub fn offers_hour(&self) -> bool {
        self.prices.as_ref().is_some_and(|prices| prices.usual.cache_write_1h.is_some())
    }

    /// A cache that works as this card says, empty.
    pub fn cache_state(&self, lifetime: Lifetime) -> CacheState {
        CacheState::new(self.cache, self.lifetime_ms(lifetime)).with_hour(self.offers_hour().then_some(HOUR_MS))
    }

    /// The same model behind a server that speaks another API: members of requests are those of the card's own.
    pub fn spoken_by(mut self, api: Provider) -> Self {
        if api != self.api {
            self.api = api;
            self.request.clear();
        }
        self
    }

    /// The literal length of the longest pattern that names this model.
    fn match_length(&self, model: &str) -> Option<usize> {
        let matching = self.models.iter().filter(|pattern| matches(pattern, model));
        matching.map(|pattern| pattern.bytes().filter(|byte| *byte != b'*').count()).max()
    }
}

/// All cards that are known, those of the configuration last.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Cards(Vec<Card>);

impl Cards {
    /// Reads one file of cards.
    pub fn parse(text: &str) -> Result<Self, CardError> {
        parse::parse_cards(text).map(Self)
    }

    /// Adds cards that win over those before them.
    pub fn add(&mut self, cards: Cards) {
        self.0.extend(cards.0);
    }

    /// In the order in which they were added.
    pub fn all(&self) -> &[Card] {
        &self.0
    }

    /// The card whose pattern names the model most exactly; of equals the one added last. A pattern may name a server with
    /// the model; one of the server alone is for models that no other names.
    pub fn find(&self, model: &str) -> Option<&Card> {
        let own = own_name(model);
        let before = model.len() - own.len();
        let exactness = |card: &Card| {
            let whole = card.match_length(model);
            let of_model = whole.map(|length| length.saturating_sub(before)).max(card.match_length(own));
            of_model.map(|of_model| (of_model, whole))
        };
        let named = self.0.iter().filter_map(|card| Some((exactness(card)?, card)));
        named.max_by_key(|(exactness, _)| *exactness).map(|(_, card)| card)
    }
}

/// A model's name without who passes it on: routers put providers in front (`anthropic/claude-…`), Bedrock a region and the
/// maker (`us.anthropic.claude-…-v1:0`). What stands behind it (`@20250929`, `-v1:0`) is for patterns.
fn own_name(model: &str) -> &str {
    let name = model.rsplit('/').next().unwrap_or(model);
    match name.split_once("anthropic.") {
        Some((region, own)) if region.is_empty() || region.ends_with('.') => own,
        _ => name,
    }
}

/// Whether a name fits a pattern in which `*` stands for any run of characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut open_end = false;
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        open_end = true;
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    open_end || rest.is_empty()
}

#[cfg(test)]
mod tests;
