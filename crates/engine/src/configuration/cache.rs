//! For how long a provider is asked to hold what was sent.

use serde::{Deserialize, Serialize};

/// Where entries can live five minutes or an hour. Elsewhere it says nothing.
///
/// An hour costs 2 for each token that is written, five minutes 1.25 (Anthropic's prices). The base (system prompt, tools,
/// rules) is written once and read by every call, so its hour is paid back by one pause; what lies behind it changes with
/// every step (docs/measuring.md, "What each saving is worth").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheChoice {
    /// The base for an hour from the first pause on: a session without one pays nothing for it. All of it, where whoever
    /// drives the session asks for an hour anyway.
    #[default]
    Auto,
    /// All for five minutes.
    #[serde(rename = "5m")]
    FiveMinutes,
    /// The base for an hour from the first call on.
    #[serde(rename = "1h-base")]
    HourForBase,
    /// All for an hour.
    #[serde(rename = "1h")]
    Hour,
}
