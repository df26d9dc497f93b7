//! Ways of showing a conversation to the model, side by side: what they are called, and how one is made.
//!
//! A strategy is asked for the view of each call in turn and sees only what came before it (the oracle apart). It knows
//! nothing of prices and caches; [`crate::simulate`] bills what it shows.

mod clear_tools;
pub mod driven;
mod fed;
mod head_summary;
mod made;
mod mask;
mod oracle;
#[cfg(test)]
mod tests;
mod validity;

pub use crate::shown::{Step, Strategy};

use std::{fmt, str::FromStr};

use lookback_engine::Configuration;

use crate::{
    conversation::Conversation,
    parameters::{ClearParameters, MaskParameters, POLLING, SHORT_POLLING, SummaryParameters},
    shown::{Part, Shown},
    simulate::Tariff,
};
use clear_tools::ClearTools;
use driven::{Driven, Powers};
use head_summary::HeadSummary;
use mask::Mask;
use oracle::Oracle;
use validity::Checked;

/// The plain count of a text, as the caller brings it.
pub type Counter<'a> = &'a dyn Fn(&[u8]) -> u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StrategyName {
    Append,
    HeadSummary,
    AnthropicCompact,
    CodexCompact,
    Mask,
    MaskBatched,
    MaskBatched10,
    ClearTools,
    AnthropicClear,
    Settle,
    Lookback,
    LookbackFixed,
    Oracle,
    /// What the gateway would have done. Not among [`Self::ALL`]: it is told where it is asked for.
    Guest,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{given}\": choose {}", StrategyName::ALL.map(StrategyName::name).join(", "))]
pub struct UnknownStrategy {
    pub given: String,
}

impl StrategyName {
    /// In the order of the table.
    pub const ALL: [Self; 13] = [
        Self::Append,
        Self::HeadSummary,
        Self::AnthropicCompact,
        Self::CodexCompact,
        Self::Mask,
        Self::MaskBatched,
        Self::MaskBatched10,
        Self::ClearTools,
        Self::AnthropicClear,
        Self::Settle,
        Self::Lookback,
        Self::LookbackFixed,
        Self::Oracle,
    ];

    /// As in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::HeadSummary => "head-summary",
            Self::AnthropicCompact => "anthropic-compact",
            Self::CodexCompact => "codex-compact",
            Self::Mask => "mask",
            Self::MaskBatched => "mask-batched",
            Self::MaskBatched10 => "mask-batched-10",
            Self::ClearTools => "clear-tools",
            Self::AnthropicClear => "anthropic-clear",
            Self::Settle => "settle",
            Self::Lookback => "lookback",
            Self::LookbackFixed => "lookback-fixed",
            Self::Oracle => "oracle",
            Self::Guest => "guest",
        }
    }
}

impl StrategyName {
    /// For somebody who sees its row for the first time.
    pub fn means(self) -> &'static str {
        match self {
            Self::Append => "everything is sent every time",
            Self::HeadSummary => "a nearly full prompt becomes a summary",
            Self::AnthropicCompact => "the same by the defaults of Anthropic's API",
            Self::CodexCompact => "the same as Codex does it",
            Self::Mask => "results before the newest ten steps are left out",
            Self::MaskBatched => "the same, every 20 steps",
            Self::MaskBatched10 => "results of older steps are left out, every 10 steps",
            Self::ClearTools => "old results are cleared above 100k tokens",
            Self::AnthropicClear => "the same by the documented defaults",
            Self::Settle => "results that later ones replace become short",
            Self::Lookback | Self::Guest => "old steps become a short block when that pays",
            Self::LookbackFixed => "the same after a fixed count of steps",
            Self::Oracle => "keeps exactly what later steps need",
        }
    }
}

/// A strategy at the beginning of a conversation. The engine's own ones decide by `configuration`.
pub fn build<'a>(
    name: StrategyName,
    conversation: &'a Conversation<'a>,
    tariff: &Tariff,
    configuration: &Configuration,
    count: Counter<'a>,
) -> Box<dyn Strategy + 'a> {
    let mask = |polling| Mask::new(conversation, MaskParameters { polling, ..MaskParameters::default() }, count);
    let summary = |parameters| Checked::new(HeadSummary::new(conversation, parameters, count), conversation);
    let clear = |parameters| Checked::new(ClearTools::new(conversation, parameters, count), conversation);
    let driven = |powers| Driven::new(conversation, powers, tariff, configuration.clone(), count);
    match name {
        StrategyName::Append => Box::new(Append { conversation }),
        StrategyName::HeadSummary => Box::new(summary(SummaryParameters::default())),
        StrategyName::AnthropicCompact => Box::new(summary(SummaryParameters::anthropic())),
        StrategyName::CodexCompact => Box::new(summary(SummaryParameters::codex())),
        StrategyName::Mask => Box::new(Checked::new(mask(MaskParameters::default().polling), conversation)),
        StrategyName::MaskBatched => Box::new(Checked::new(mask(POLLING), conversation)),
        StrategyName::MaskBatched10 => Box::new(Checked::new(mask(SHORT_POLLING), conversation)),
        StrategyName::ClearTools => Box::new(clear(ClearParameters::default())),
        StrategyName::AnthropicClear => Box::new(clear(ClearParameters::documented())),
        StrategyName::Settle => Box::new(driven(Powers::SettleOnly)),
        StrategyName::Lookback => Box::new(driven(Powers::Planned)),
        StrategyName::LookbackFixed => Box::new(driven(Powers::Fixed)),
        StrategyName::Guest => Box::new(driven(Powers::Guest)),
        StrategyName::Oracle => Box::new(Oracle::new(conversation, tariff, count)),
    }
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StrategyName {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().chain([Self::Guest]).find(|strategy| strategy.name() == name);
        found.ok_or_else(|| UnknownStrategy { given: name.to_owned() })
    }
}

/// `append`: no management at all. Every call gets everything before it, as it was.
///
/// What every agent does until something is full, and the measure that all others are divided by. It knows no window:
/// views above it are counted, not refused.
#[derive(Debug)]
struct Append<'a> {
    conversation: &'a Conversation<'a>,
}

impl Strategy for Append<'_> {
    fn show(&mut self, call: usize) -> Step {
        let parts: Vec<Part> = self.conversation.before(call).map(Part::Raw).collect();
        let stable = parts.len();
        Step { shown: Shown { parts, stable, hour: 0 }, ..Step::default() }
    }
}
