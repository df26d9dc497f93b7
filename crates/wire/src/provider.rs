//! The protocols that Lookback can write.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A way to write a prompt. Named after the API, not the company: many servers speak the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Anthropic Messages: tools, system, messages; results travel in user messages.
    Anthropic,
    /// OpenAI Chat Completions and everything compatible with it.
    Chat,
    /// OpenAI Responses: a flat list of items.
    Responses,
    /// One text for models without tool calling (docs/seeds.md E1).
    React,
}

impl Provider {
    /// In the order in which they are listed for people.
    pub const ALL: [Provider; 4] = [Self::Anthropic, Self::Chat, Self::Responses, Self::React];

    /// As it is written in settings and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::React => "react",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of [`Provider::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown provider \"{0}\": choose anthropic, chat, responses or react")]
pub struct UnknownProvider(pub String);

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|provider| provider.name() == name).ok_or_else(|| UnknownProvider(name.to_owned()))
    }
}
