//! TOML text into a script. Nothing is taken that is not understood: a misspelt key would play another story in silence.

use std::time::Duration;

use lookback_wire::TokenUsage;
use serde::{Deserialize, Deserializer, de::Error};
use toml::{Spanned, Value};

use super::{CallEnd, Script, StepStop};

/// Why a text is no script, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ScriptError {
    /// From 1.
    pub line: usize,
    /// What to change there.
    pub problem: String,
}

impl Script {
    /// Reads a file in the format of `docs/upstream.md`.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let at = |start: usize, problem: &str| ScriptError {
            line: text.get(..start).unwrap_or(text).matches('\n').count() + 1,
            problem: problem.trim().replace('\n', "; "),
        };
        let bad = |error: toml::de::Error| at(error.span().map_or(text.len(), |span| span.start), error.message());
        let script: Self = toml::from_str(text).map_err(bad)?;
        if script.steps.iter().any(|step| step.after.is_some()) {
            let placed: Placed = toml::from_str(text).map_err(bad)?;
            let start = placed.step.into_iter().find_map(|step| step.after).map_or(0, |after| after.span().start);
            let problem = "after belongs in [[compaction]], [[archive]] and [[state]]: steps follow one another";
            return Err(at(start, problem));
        }
        Ok(script)
    }
}

/// Where a step says what only sections do.
#[derive(Deserialize)]
struct Placed {
    step: Vec<PlacedStep>,
}

#[derive(Deserialize)]
struct PlacedStep {
    after: Option<Spanned<u32>>,
}

/// A text is kept byte for byte; a table becomes JSON, its keys in alphabetical order.
pub(super) fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text),
        table @ Value::Table(_) => serde_json::to_string(&table).map_err(D::Error::custom),
        other => {
            let kind = other.type_str();
            Err(D::Error::custom(format!("arguments are a table, or the JSON text itself, and not a {kind}")))
        }
    }
}

pub(super) fn no_arguments() -> String {
    "{}".to_owned()
}

pub(super) fn end<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CallEnd, D::Error> {
    Ok(if bool::deserialize(deserializer)? { CallEnd::Unfinished } else { CallEnd::Whole })
}

pub(super) fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    Ok(Duration::from_millis(u32::deserialize(deserializer)?.into()))
}

pub(super) fn repeat<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let times = u32::deserialize(deserializer)?;
    // More than anybody plays, and few enough that sums over a file stay numbers.
    match times {
        1..=1_000_000 => Ok(times),
        _ => Err(D::Error::custom("repeat says how often the step is played: from 1 to 1,000,000")),
    }
}

impl TryFrom<String> for StepStop {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::ALL.into_iter().find(|stop| stop.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.into_iter().map(Self::name).collect();
            format!("\"{name}\" is no stop: write one of {}", names.join(", "))
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Usage {
    uncached: u32,
    cached: u32,
    written: u32,
    output: u32,
}

pub(super) fn usage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TokenUsage>, D::Error> {
    let Usage { uncached, cached, written, output } = Usage::deserialize(deserializer)?;
    Ok(Some(TokenUsage { uncached, cached, written, output, ..TokenUsage::default() }))
}
