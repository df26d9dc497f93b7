//! What a model wrote for Bash and Job.

use std::time::Duration;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::ShellLimits;
use crate::envelope::{Code, Failure};

/// A command is one argument of a program, twice, and as JSON: the kernel takes 128 KB of that.
const LONGEST_COMMAND: usize = 60 << 10;

#[derive(Debug)]
pub(super) struct BashArguments {
    pub(super) command: String,
    pub(super) time: Duration,
    pub(super) background: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    command: String,
    timeout: Option<u64>,
    #[serde(default)]
    background: bool,
    /// Models add why they run it.
    #[serde(default, rename = "description")]
    _description: Option<String>,
}

impl BashArguments {
    pub(super) fn parse(arguments: &Value, limits: &ShellLimits) -> Result<Self, Failure> {
        let Written { command, timeout, background, .. } = parse(arguments)?;
        let refuse = |why: String| Err(Failure::new(Code::InvalidParam, why));
        if command.trim().is_empty() {
            return refuse("command is empty".to_owned());
        }
        if command.contains('\0') {
            return refuse("command holds a NUL byte".to_owned());
        }
        if command.len() > LONGEST_COMMAND {
            return refuse(format!(
                "command has {} bytes, at most {LONGEST_COMMAND}: Write it to a file",
                command.len()
            ));
        }
        let time = timeout.map_or(limits.default_time, Duration::from_millis).min(limits.most_time);
        if time.is_zero() {
            return refuse("timeout is 0: it is in milliseconds".to_owned());
        }
        Ok(Self { command, time, background })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobArguments {
    pub(super) id: String,
    #[serde(default)]
    pub(super) action: Action,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    #[default]
    Read,
    End,
}

impl JobArguments {
    pub(super) fn parse(arguments: &Value) -> Result<Self, Failure> {
        parse(arguments)
    }
}

fn parse<T: DeserializeOwned>(arguments: &Value) -> Result<T, Failure> {
    T::deserialize(arguments).map_err(|error| Failure::new(Code::InvalidParam, error.to_string()))
}
