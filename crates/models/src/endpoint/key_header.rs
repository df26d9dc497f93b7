//! How a key travels. On its own, because the settings file names it and is fuzzed without a network.

use serde::Deserialize;

/// How the key travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyHeader {
    /// `x-api-key`, Anthropic's own.
    #[serde(rename = "x-api-key")]
    ApiKey,
    /// `authorization: Bearer`: all others, and Anthropic's auth tokens.
    Bearer,
}
