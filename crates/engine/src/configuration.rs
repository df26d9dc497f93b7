//! The numbers of the engine, in one place: each with its source (docs/seeds.md C6, E5).
//!
//! A number says where it comes from: a rule of docs/seeds.md, a heading of docs/design, or "Ours" with the reason.
//! Values are read from TOML text that the caller brings; where that text lies, and which of two files wins, is not
//! known here. Recording asks these numbers and writes down what it decided; replay never does, so a trace gives the
//! same bytes whatever the configuration is now. The few numbers that replay needs are constants of the event format
//! (`fixed`); those that no person would set are constants beside the settings of their topic, or in files of their own
//! (`admission`, `commands`, `estimates`, `evidence`, `memory`, `rules`, `standing`, `written`). `tests/numbers.rs` looks that
//! none stands elsewhere.

/// A part of the settings: each number with its default, beside what says where it comes from.
macro_rules! limits {
    ($(#[$part:meta])* pub struct $name:ident {
        $($(#[$setting:meta])* pub $field:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$part])*
        #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$setting])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

pub(crate) mod admission;
pub(crate) mod archive;
mod block;
mod board;
mod cache;
mod check;
pub(crate) mod commands;
mod error;
pub(crate) mod estimates;
pub(crate) mod evidence;
pub(crate) mod fixed;
mod fold;
pub(crate) mod memory;
#[doc(hidden)]
pub mod place;
pub(crate) mod rules;
mod settle;
pub(crate) mod standing;
mod view;
pub(crate) mod written;

pub use archive::ArchiveLimits;
pub use block::{BlockLimits, CompactorLimits};
#[doc(hidden)]
pub use board::ActionRange;
pub use board::BoardLimits;
pub use cache::CacheChoice;
#[doc(hidden)]
pub use error::BadValue;
pub use error::ConfigurationError;
#[doc(hidden)]
pub use estimates::{RECALL_TOKENS, RECALLED_ITEM};
#[doc(hidden)]
pub use fixed::TOKENS_PER_MESSAGE;
pub use fold::{FoldLimits, TriggerLimits};
pub(crate) use fold::{GROWN_SINCE_REFUSED, GUEST_FOLDS, MARKS_NEEDED};
pub(crate) use settle::STRING_SHARES;
pub use settle::SettleLimits;
#[doc(hidden)]
pub use settle::{Keep, SettleWhen};
pub(crate) use view::BYTES_TRIED;
pub use view::{ExecuteLimits, NoteLimits, ResultLimits, WindowLimits};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a session decides by. Every field is a table of the settings file (docs/configuration.md).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "each table says itself what it is for")]
pub struct Configuration {
    pub cache: CacheChoice,
    pub window: WindowLimits,
    pub fold: FoldLimits,
    pub triggers: TriggerLimits,
    pub block: BlockLimits,
    pub compactor: CompactorLimits,
    pub board: BoardLimits,
    pub settle: SettleLimits,
    pub archive: ArchiveLimits,
    pub results: ResultLimits,
    pub notes: NoteLimits,
    pub execute: ExecuteLimits,
}

impl Configuration {
    /// Reads a file of settings. What it does not say keeps its default; what it says must be known and make sense.
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        let configuration: Self = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(text.len(), |span| span.start);
            let place = place::at(text, offset);
            let problem = error.message().trim().replace('\n', "; ");
            ConfigurationError::Unreadable { line: place.line, column: place.column, field: place.field, problem }
        })?;
        configuration.check().map_err(|value| ConfigurationError::Value {
            line: value.fields().into_iter().filter_map(|field| place::line_of(text, field)).max(),
            value,
        })?;
        Ok(configuration)
    }

    /// As an event holds it: what is not the default.
    pub(crate) fn to_record(&self) -> Value {
        let [mut ours, defaults] = [self, &Self::default()].map(|it| serde_json::to_value(it).unwrap_or_default());
        for (room, limits) in ours.as_object_mut().into_iter().flatten() {
            let limits = limits.as_object_mut().into_iter();
            limits.for_each(|limits| limits.retain(|name, value| defaults[room].get(name) != Some(value)));
        }
        ours.as_object_mut()
            .into_iter()
            .for_each(|rooms| rooms.retain(|room, limits| *limits != json!({}) && *limits != defaults[room]));
        ours
    }

    /// From an event, which may be anybody's. None: it is unknown here, or makes no sense.
    pub(crate) fn recorded(value: &Value) -> Option<Self> {
        serde_json::from_str::<Self>(&value.to_string()).ok().filter(|configuration| configuration.check().is_ok())
    }
}

/// A part of a number of tokens, rounded down.
pub(crate) fn share_of(whole: u32, share: f64) -> u32 {
    (f64::from(whole) * share) as u32
}

#[cfg(test)]
mod tests;
