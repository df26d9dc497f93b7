//! A model's card, row by row.

use lookback_engine::{
    cache::{CacheRule, Covers},
    card::{CacheKey, CacheMarks, Card, Constrained, Prices, Support, ThinkingHabit, TokenPrices, UsageInStream},
};
use lookback_wire::Provider;

use super::{Row, row};
use crate::{
    screen::exact,
    settings::{Chosen, Named, Settings},
};

pub(super) fn rows(chosen: &Chosen, settings: &Settings) -> Vec<Row> {
    let card = &chosen.card;
    let names = match chosen.named {
        // The first says which; the others are its dates and forms.
        Named::ByCard => format!("{} ({})", card.models.first().map_or("", String::as_str), card.provider),
        Named::ByNone => format!("none names {}: a cautious one is taken, and folds are not priced", chosen.model),
    };
    let window = settings.context.value.window.window(Some(card.window));
    let own = if window == card.window { "" } else { " (context.window.tokens)" };
    let limits =
        format!("{} tokens{own}, answers up to {}", exact(u64::from(window)), exact(u64::from(card.max_output)),);
    let mut rows = vec![
        row("card", "", names),
        row("window", "", limits),
        row("cache", "", cache(card)),
        row("prices", "", card.prices.as_ref().map_or("none: the triggers alone decide when to fold".into(), prices)),
        row("thinking", "", thinking(card)),
        row("calls", "", calls(card)),
    ];
    if !card.request.is_empty() {
        let members = serde_json::to_string(&card.request).unwrap_or_default();
        rows.push(row("", "", format!("each request has {members}")));
    }
    rows
}

fn cache(card: &Card) -> String {
    let rule = match card.cache {
        CacheRule::None => return "none is counted on".to_owned(),
        CacheRule::Prefix { unit, minimum, covers } => {
            let covers = match covers {
                Covers::Prompt => "prompts",
                Covers::PromptAndAnswer => "prompts and answers",
            };
            let minimum = exact(u64::from(minimum));
            format!("the common beginning of {covers}, from {minimum} tokens on in units of {unit}")
        }
        CacheRule::Marks { marks, look_back, minimum } => {
            let minimum = exact(u64::from(minimum));
            format!("up to {marks} marks, each looks {look_back} blocks back, from {minimum} tokens on")
        }
        CacheRule::Breakpoints { marks, considered, unit, minimum } => {
            let minimum = exact(u64::from(minimum));
            format!("up to {marks} breakpoints, {considered} considered, from {minimum} tokens on in units of {unit}")
        }
    };
    let written = match card.cache_marks {
        CacheMarks::None => "",
        CacheMarks::CacheControl => ", written as cache_control",
        CacheMarks::Breakpoint => ", written as prompt_cache_breakpoint",
    };
    let key = match card.cache_key {
        CacheKey::None => "",
        CacheKey::PromptCacheKey => ", with a prompt_cache_key",
    };
    let lifetime = card.lifetime_ms.map(|ms| format!(", for {} min", ms / 60_000)).unwrap_or_default();
    format!("{rule}{written}{key}{lifetime}")
}

fn prices(prices: &Prices) -> String {
    let Prices { date, source, lent_by, usual, long } = prices;
    let long = long.as_ref().map(|long| format!("; above {} tokens of prompt: {}", long.above, each(&long.prices)));
    let lent = lent_by.as_ref().map(|model| format!("; those of {model}: none are known of this one"));
    let [long, lent] = [long, lent].map(Option::unwrap_or_default);
    format!("in dollars a million tokens: {}{long} ({date}, {source}{lent})", each(usual))
}

fn each(prices: &TokenPrices) -> String {
    let TokenPrices { input, cached_read, cache_write, cache_write_1h, output } = prices;
    let hour = cache_write_1h.map(|price| format!(" (an hour: {price})")).unwrap_or_default();
    format!("input {input}, cached {cached_read}, written {cache_write}{hour}, output {output}")
}

fn thinking(card: &Card) -> &'static str {
    match card.thinking {
        ThinkingHabit::Keep => "stays in the steps that a fold keeps",
        ThinkingHabit::Drop => "leaves the steps that a fold keeps",
        ThinkingHabit::Required => "must come back with every call",
    }
}

fn calls(card: &Card) -> String {
    let tools = match card.tool_calling {
        Support::Yes => "tool calling",
        Support::No => "no tool calling: asked as react",
    };
    let images = match card.images {
        Support::Yes => ", images",
        Support::No => "",
    };
    let usage = match card.usage_in_stream {
        UsageInStream::Always => "usage in every stream",
        UsageInStream::OnRequest => "usage in streams on request",
        UsageInStream::Never => "no usage in streams: it is estimated",
    };
    let schema = match card.constrained {
        Constrained::None => "no schemas",
        Constrained::Alone => "schemas where a call stands alone",
        Constrained::JsonSchema => "schemas in any call",
    };
    let limit = match card.api {
        Provider::Chat => format!(", {}", card.output_limit.name()),
        _ => String::new(),
    };
    format!("{tools}{images}, {usage}, {schema}{limit}")
}
