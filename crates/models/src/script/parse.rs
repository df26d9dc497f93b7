//! TOML text into a script. Nothing is taken that is not understood: a misspelt key would play another story in silence.

use std::time::Duration;

use lookback_wire::TokenUsage;
use serde::{Deserialize, Deserializer, de::Error};
use toml::{Spanned, Value};

use super::{CallEnd, Fault, Script, ScriptedCall, Step, StepStop};

/// Why a text is no script, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ScriptError {
    /// From 1.
    pub line: usize,
    pub problem: String,
}

impl Script {
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let at = |start: usize, problem: &str| ScriptError {
            line: text.get(..start).unwrap_or(text).matches('\n').count() + 1,
            problem: problem.trim().replace('\n', "; "),
        };
        let file: File = toml::from_str(text)
            .map_err(|error| at(error.span().map_or(text.len(), |span| span.start), error.message()))?;
        for step in &file.step {
            if let Some(after) = &step.after {
                let problem = "after belongs in [[compaction]], [[archive]] and [[state]]: steps follow one another";
                return Err(at(after.span().start, problem));
            }
        }
        Ok(Self {
            model: file.model,
            steps: steps(file.step),
            compaction: steps(file.compaction),
            archive: steps(file.archive),
            state: steps(file.state),
        })
    }
}

fn steps(tables: Vec<Table>) -> Vec<Step> {
    tables.into_iter().map(Table::into_step).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: Option<String>,
    #[serde(default)]
    step: Vec<Table>,
    #[serde(default)]
    compaction: Vec<Table>,
    #[serde(default)]
    archive: Vec<Table>,
    #[serde(default)]
    state: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    after: Option<Spanned<u32>>,
    #[serde(default)]
    thinking: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<CallTable>,
    #[serde(default)]
    stop: Stop,
    #[serde(default)]
    first_byte_ms: u32,
    #[serde(default)]
    piece_ms: u32,
    #[serde(default)]
    repeat: Repeat,
    usage: Option<Usage>,
    #[serde(default)]
    faults: Vec<FaultText>,
}

impl Table {
    fn into_step(self) -> Step {
        Step {
            after: self.after.map(Spanned::into_inner),
            thinking: self.thinking,
            text: self.text,
            calls: self.calls.into_iter().map(CallTable::into_call).collect(),
            stop: self.stop.0,
            first_byte: Duration::from_millis(self.first_byte_ms.into()),
            piece: Duration::from_millis(self.piece_ms.into()),
            repeat: self.repeat.0,
            usage: self.usage.map(Usage::into_tokens),
            faults: self.faults.into_iter().map(|fault| fault.0).collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallTable {
    name: String,
    #[serde(default)]
    arguments: Arguments,
    #[serde(default)]
    unfinished: bool,
}

impl CallTable {
    fn into_call(self) -> ScriptedCall {
        let end = if self.unfinished { CallEnd::Unfinished } else { CallEnd::Whole };
        ScriptedCall { name: self.name, arguments: self.arguments.0, end }
    }
}

/// A text is kept byte for byte; a table becomes JSON, its keys in alphabetical order.
struct Arguments(String);

impl Default for Arguments {
    fn default() -> Self {
        Self("{}".to_owned())
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            table @ Value::Table(_) => serde_json::to_string(&table).map(Self).map_err(D::Error::custom),
            other => {
                let kind = other.type_str();
                Err(D::Error::custom(format!("arguments are a table, or the JSON text itself, and not a {kind}")))
            }
        }
    }
}

#[derive(Default)]
struct Stop(StepStop);

impl<'de> Deserialize<'de> for Stop {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = StepStop::ALL.into_iter().find(|stop| stop.name() == name);
        known.map(Self).ok_or_else(|| {
            let names: Vec<&str> = StepStop::ALL.into_iter().map(StepStop::name).collect();
            D::Error::custom(format!("\"{name}\" is no stop: write one of {}", names.join(", ")))
        })
    }
}

struct Repeat(u32);

impl Default for Repeat {
    fn default() -> Self {
        Self(1)
    }
}

impl<'de> Deserialize<'de> for Repeat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let times = u32::deserialize(deserializer)?;
        // More than anybody plays, and few enough that sums over a file stay numbers.
        if (1..=1_000_000).contains(&times) {
            Ok(Self(times))
        } else {
            Err(D::Error::custom("repeat says how often the step is played: from 1 to 1,000,000"))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Usage {
    #[serde(default)]
    uncached: u32,
    #[serde(default)]
    cached: u32,
    #[serde(default)]
    written: u32,
    #[serde(default)]
    output: u32,
}

impl Usage {
    fn into_tokens(self) -> TokenUsage {
        let Self { uncached, cached, written, output } = self;
        TokenUsage { uncached, cached, written, output, ..TokenUsage::default() }
    }
}

struct FaultText(Fault);

impl<'de> Deserialize<'de> for FaultText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(D::Error::custom)
    }
}
