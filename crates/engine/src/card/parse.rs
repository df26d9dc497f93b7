//! TOML text into cards. Everything that a card must say is asked for, and nothing else is taken: a misspelt price would
//! otherwise decide folds in silence.

mod prices;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::{
    Alternation, Api, CacheKey, CacheKnowledge, CacheMarks, Card, Constrained, OutputLimit, RequestMembers, Support,
    SystemMessages, Tail, ThinkingHabit, UsageInStream, speech::WRITTEN_BY_CLIENT,
};
use crate::cache::{CacheRule, Covers};
use prices::PriceTable;

/// Why a text is not a file of cards, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct CardError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// In words for whoever wrote the card.
    pub problem: String,
}

pub(super) fn parse_cards(text: &str) -> Result<Vec<Card>, CardError> {
    let file: CardFile = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(text.len(), |span| span.start);
        let before = text.get(..start).unwrap_or(text);
        CardError {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1,
            problem: error.message().trim().replace('\n', "; "),
        }
    })?;
    let provider = file.provider.0;
    Ok(file.card.0.into_iter().map(|card| card.into_card(provider.clone())).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CardFile {
    provider: Text,
    card: AtLeastOne<CardTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CardTable {
    models: AtLeastOne<Text>,
    api: Api,
    window: Positive,
    max_output: Positive,
    thinking: ThinkingHabit,
    tail: Tail,
    alternation: Alternation,
    #[serde(default)]
    system: SystemMessages,
    images: bool,
    tool_calling: bool,
    usage_in_stream: UsageInStream,
    cache: CacheOfCard,
    #[serde(default)]
    cache_key: CacheKey,
    #[serde(default)]
    output_limit: OutputLimit,
    #[serde(default)]
    constrained: Constrained,
    #[serde(default)]
    request: Members,
    prices: Option<PriceTable>,
}

impl CardTable {
    fn into_card(self, provider: String) -> Card {
        Card {
            provider,
            models: self.models.0.into_iter().map(|model| model.0).collect(),
            api: self.api.into(),
            window: self.window.0,
            max_output: self.max_output.0,
            thinking: self.thinking,
            tail: self.tail,
            alternation: self.alternation,
            system: self.system,
            images: support(self.images),
            tool_calling: support(self.tool_calling),
            usage_in_stream: self.usage_in_stream,
            cache: self.cache.rule,
            cache_rule: self.cache.knowledge,
            lifetime_ms: self.cache.lifetime_ms,
            cache_marks: self.cache.written,
            cache_key: self.cache_key,
            output_limit: self.output_limit,
            constrained: self.constrained,
            request: self.request.0,
            prices: self.prices.map(PriceTable::into_prices),
        }
    }
}

fn support(yes: bool) -> Support {
    if yes { Support::Yes } else { Support::No }
}

/// The fields of all rules; which of them a rule takes is checked when its name is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheTable {
    rule: RuleName,
    understood: Option<bool>,
    lifetime: Option<Span>,
    unit: Option<Positive>,
    minimum: Option<u32>,
    covers: Option<Covers>,
    marks: Option<Positive>,
    look_back: Option<Positive>,
    considered: Option<Positive>,
    written: Option<CacheMarks>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum RuleName {
    None,
    Prefix,
    Marks,
    Breakpoints,
}

#[derive(Deserialize)]
#[serde(try_from = "CacheTable")]
struct CacheOfCard {
    rule: CacheRule,
    knowledge: CacheKnowledge,
    lifetime_ms: Option<i64>,
    written: CacheMarks,
}

impl TryFrom<CacheTable> for CacheOfCard {
    type Error = String;

    fn try_from(table: CacheTable) -> Result<Self, String> {
        let (name, takes): (&str, &[&str]) = match table.rule {
            RuleName::None => ("none", &[]),
            RuleName::Prefix => ("prefix", &["unit", "minimum", "covers"]),
            RuleName::Marks => ("marks", &["marks", "look_back", "minimum"]),
            RuleName::Breakpoints => ("breakpoints", &["marks", "considered", "unit", "minimum"]),
        };
        let given = [
            ("unit", table.unit.is_some()),
            ("minimum", table.minimum.is_some()),
            ("covers", table.covers.is_some()),
            ("marks", table.marks.is_some()),
            ("look_back", table.look_back.is_some()),
            ("considered", table.considered.is_some()),
        ];
        for (field, is_given) in given {
            match (is_given, takes.contains(&field)) {
                (true, false) => return Err(format!("the cache rule `{name}` takes no `{field}`: remove it")),
                (false, true) => return Err(format!("the cache rule `{name}` needs `{field}`")),
                _ => {}
            }
        }
        let number = |value: Option<Positive>| value.map_or(1, |value| value.0);
        let minimum = table.minimum.unwrap_or(0);
        let rule = match table.rule {
            RuleName::None => CacheRule::None,
            RuleName::Prefix => {
                CacheRule::Prefix { unit: number(table.unit), minimum, covers: table.covers.unwrap_or(Covers::Prompt) }
            }
            RuleName::Marks => {
                CacheRule::Marks { marks: number(table.marks), look_back: number(table.look_back), minimum }
            }
            RuleName::Breakpoints => CacheRule::Breakpoints {
                marks: number(table.marks),
                considered: number(table.considered),
                unit: number(table.unit),
                minimum,
            },
        };
        let written = table.written.unwrap_or_else(|| CacheMarks::usual(rule));
        if CacheMarks::usual(rule) == CacheMarks::None && written != CacheMarks::None {
            return Err(format!("the cache rule `{name}` takes no marks: remove `written`"));
        }
        let knowledge = match table.understood {
            Some(false) => CacheKnowledge::NotUnderstood,
            Some(true) | None => CacheKnowledge::Understood,
        };
        Ok(Self { rule, knowledge, lifetime_ms: table.lifetime.map(|span| span.0), written })
    }
}

#[derive(Default, Deserialize)]
#[serde(try_from = "toml::Table")]
struct Members(RequestMembers);

impl TryFrom<toml::Table> for Members {
    type Error = String;

    fn try_from(table: toml::Table) -> Result<Self, String> {
        if let Some(name) = WRITTEN_BY_CLIENT.into_iter().find(|name| table.contains_key(*name)) {
            return Err(format!("`request` may not set `{name}`, which every request has already: remove it"));
        }
        table.into_iter().map(|(name, value)| Ok((name, json(value)?))).collect::<Result<_, String>>().map(Self)
    }
}

/// TOML has two kinds of values that JSON does not.
fn json(value: toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) if number.is_finite() => number.into(),
        toml::Value::Float(number) => return Err(format!("JSON has no number {number}: remove it from `request`")),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(time) => return Err(format!("JSON has no times: write \"{time}\" in quotes")),
        toml::Value::Array(list) => Value::Array(list.into_iter().map(json).collect::<Result<_, String>>()?),
        toml::Value::Table(table) => {
            let members = table.into_iter().map(|(name, value)| Ok((name, json(value)?)));
            Value::Object(members.collect::<Result<_, String>>()?)
        }
    })
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Text(String);

impl TryFrom<String> for Text {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.trim().is_empty() { Err("this text may not be empty") } else { Ok(Self(text)) }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "Vec<T>")]
#[serde(bound = "T: Deserialize<'de>")]
struct AtLeastOne<T>(Vec<T>);

impl<T> TryFrom<Vec<T>> for AtLeastOne<T> {
    type Error = &'static str;

    fn try_from(list: Vec<T>) -> Result<Self, Self::Error> {
        if list.is_empty() { Err("this list needs at least one entry") } else { Ok(Self(list)) }
    }
}

#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "u32")]
struct Positive(u32);

impl TryFrom<u32> for Positive {
    type Error = &'static str;

    fn try_from(number: u32) -> Result<Self, Self::Error> {
        if number == 0 { Err("this number must be above 0") } else { Ok(Self(number)) }
    }
}

/// A length of time in milliseconds, written `90s`, `5m` or `1h`.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Span(i64);

impl TryFrom<String> for Span {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let units = [("s", 1_000), ("m", 60_000), ("h", 3_600_000)];
        let span = units.into_iter().find_map(|(unit, milliseconds)| {
            let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
            (number > 0).then(|| i64::from(number) * milliseconds)
        });
        span.map(Self).ok_or_else(|| format!("\"{text}\" is no length of time: write 90s, 5m or 1h"))
    }
}
