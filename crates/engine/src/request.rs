//! What a model's card means for a request: how marks are written, what the output limit is called, what else is sent.
//!
//! The prompt itself is the session's ([`Session::request`](crate::Session::request)); how bytes are joined is `wire`'s.
//! Who sends them is not known here.

use lookback_wire::{
    Delivery, Head, HeadMark, LimitField, MarkForm, MarkLifetime, Marks, Message, Provider, RequestOptions,
    render_head, render_message, render_request,
};

use crate::card::{CacheKey, CacheMarks, Card, Lifetime, OutputLimit, UsageInStream};

/// The options of a card, ready to be borrowed by a request.
#[derive(Debug, Clone)]
pub(crate) struct CardOptions {
    limit_field: LimitField,
    delivery: Delivery,
    form: Option<MarkForm>,
    cache_key: CacheKey,
    members: String,
}

impl CardOptions {
    /// Without a card nothing is asked for that a server might not know.
    pub(crate) fn of(card: Option<&Card>, lifetime: Lifetime) -> Self {
        let Some(card) = card else {
            return Self {
                limit_field: LimitField::MaxTokens,
                delivery: Delivery::Stream,
                form: None,
                cache_key: CacheKey::None,
                members: String::new(),
            };
        };
        Self {
            limit_field: match card.output_limit {
                OutputLimit::MaxTokens => LimitField::MaxTokens,
                OutputLimit::MaxCompletionTokens => LimitField::MaxCompletionTokens,
            },
            delivery: match card.usage_in_stream {
                UsageInStream::OnRequest => Delivery::StreamWithUsage,
                UsageInStream::Always | UsageInStream::Never => Delivery::Stream,
            },
            form: mark_form(card, lifetime),
            cache_key: card.cache_key,
            members: members(card),
        }
    }

    pub(crate) fn request<'a>(&'a self, model: &'a str, max_output: u32, key: &'a str) -> RequestOptions<'a> {
        RequestOptions {
            model,
            max_output,
            limit_field: self.limit_field,
            delivery: self.delivery,
            marks: Marks::default(),
            cache_key: (self.cache_key == CacheKey::PromptCacheKey).then_some(key),
            schema: None,
            members: &self.members,
        }
    }

    pub(crate) fn marks<'a>(&self, head: HeadMark, messages: &'a [usize]) -> Marks<'a> {
        Marks { form: self.form, head, messages }
    }
}

fn mark_form(card: &Card, lifetime: Lifetime) -> Option<MarkForm> {
    match card.cache_marks {
        CacheMarks::None => None,
        CacheMarks::CacheControl if lifetime == Lifetime::OneHour && card.offers_hour() => {
            Some(MarkForm::CacheControl(MarkLifetime::OneHour))
        }
        CacheMarks::CacheControl => Some(MarkForm::CacheControl(MarkLifetime::Usual)),
        CacheMarks::Breakpoint => Some(MarkForm::Breakpoint),
    }
}

fn members(card: &Card) -> String {
    let members = card.request.iter().map(|(name, value)| format!("{}:{value}", serde_json::json!(name)));
    members.collect::<Vec<_>>().join(",")
}

/// A request of one user message, for calls that stand alone: compactors of another model, summaries, a first word.
#[derive(Debug, Clone, Copy)]
pub struct AloneRequest<'a> {
    /// That it is written for.
    pub api: Provider,
    /// By the name that its provider knows.
    pub model: &'a str,
    /// What is known of the model.
    pub card: Option<&'a Card>,
    /// All that is said.
    pub prompt: &'a str,
    /// Tokens that the answer may have.
    pub max_output: u32,
    /// Stable for calls that share a beginning.
    pub key: &'a str,
    /// By which the answer is decoded; only where the card says that this can be had.
    pub schema: Option<&'a str>,
}

/// The bytes of such a request.
pub fn render_alone(request: &AloneRequest<'_>) -> Vec<u8> {
    let options = CardOptions::of(request.card, Lifetime::Usual);
    // A react prompt would explain a protocol that nobody needs for one answer.
    let api = if request.api == Provider::React { Provider::Chat } else { request.api };
    let head = render_head(api, &Head { tools: &[], system: "", rules: "" });
    let message = render_message(api, &Message::user(request.prompt));
    let options =
        RequestOptions { schema: request.schema, ..options.request(request.model, request.max_output, request.key) };
    render_request(api, &options, &head, &[&message])
}
