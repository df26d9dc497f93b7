//! All strategies in the order of the table: what they are called, whose they are, and how one is made.

use std::{fmt, str::FromStr};

use super::{
    Counter, Strategy,
    append::Append,
    clear_tools::{ClearParameters, ClearTools},
    driven::{Driven, Powers},
    head_summary::{HeadSummary, SummaryParameters},
    mask::{Mask, MaskParameters},
    mask_batched::{POLLING, SHORT_POLLING, mask_batched},
    oracle::Oracle,
    validity::Checked,
};
use crate::{conversation::Conversation, simulate::Tariff};
use lookback_engine::Configuration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StrategyName {
    Append,
    HeadSummary,
    Mask,
    MaskBatched,
    MaskBatched10,
    ClearTools,
    Settle,
    Lookback,
    LookbackFixed,
    Oracle,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{given}\": choose {}", StrategyName::ALL.map(StrategyName::name).join(", "))]
pub struct UnknownStrategy {
    pub given: String,
}

impl StrategyName {
    /// In the order of the table.
    pub const ALL: [Self; 10] = [
        Self::Append,
        Self::HeadSummary,
        Self::Mask,
        Self::MaskBatched,
        Self::MaskBatched10,
        Self::ClearTools,
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
            Self::Mask => "mask",
            Self::MaskBatched => "mask-batched",
            Self::MaskBatched10 => "mask-batched-10",
            Self::ClearTools => "clear-tools",
            Self::Settle => "settle",
            Self::Lookback => "lookback",
            Self::LookbackFixed => "lookback-fixed",
            Self::Oracle => "oracle",
        }
    }

    /// One line for a person.
    pub fn about(self) -> &'static str {
        match self {
            Self::Append => "everything as it was, without a window",
            Self::HeadSummary => "at 85% of a 200k window all but the newest 20k tokens become a summary",
            Self::Mask => "results older than the newest 10 steps become placeholders, every step",
            Self::MaskBatched => "the same, every 20 steps",
            Self::MaskBatched10 => "the same, every 10 steps",
            Self::ClearTools => "above 100k tokens all but the newest 3 results are cleared, at least 20k at once",
            Self::Settle => "finished results are shortened by a rule for each tool",
            Self::Lookback => "fold, settle and archive when the planner says that it pays",
            Self::LookbackFixed => "the same, folding after a fixed count of steps",
            Self::Oracle => "knows the future: folds often and keeps exactly what later steps need",
        }
    }

    /// Who does it like this.
    pub fn peer(self) -> &'static str {
        match self {
            Self::Append => "no management",
            Self::HeadSummary => "Claude Code, Codex, goose, OpenHands",
            Self::Mask => "SWE-agent, \"The Complexity Trap\"",
            Self::MaskBatched | Self::MaskBatched10 => "SWE-agent with polling",
            Self::ClearTools => "Anthropic context editing",
            Self::Settle => "Lookback's history rules alone",
            Self::Lookback | Self::LookbackFixed => "Lookback",
            Self::Oracle => "the hindsight limit",
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
    let polling = |polling| Checked::new(mask_batched(conversation, polling, count), conversation);
    let driven = |powers| Driven::new(conversation, powers, tariff, configuration.clone(), count);
    match name {
        StrategyName::Append => Box::new(Append::new(conversation)),
        StrategyName::HeadSummary => {
            let summary = HeadSummary::new(conversation, SummaryParameters::default(), count);
            Box::new(Checked::new(summary, conversation))
        }
        StrategyName::Mask => {
            Box::new(Checked::new(Mask::new(conversation, MaskParameters::default(), count), conversation))
        }
        StrategyName::MaskBatched => Box::new(polling(POLLING)),
        StrategyName::MaskBatched10 => Box::new(polling(SHORT_POLLING)),
        StrategyName::ClearTools => {
            Box::new(Checked::new(ClearTools::new(conversation, ClearParameters::default(), count), conversation))
        }
        StrategyName::Settle => Box::new(driven(Powers::SettleOnly)),
        StrategyName::Lookback => Box::new(driven(Powers::Planned)),
        StrategyName::LookbackFixed => Box::new(driven(Powers::Fixed)),
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
        let found = Self::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.ok_or_else(|| UnknownStrategy { given: name.to_owned() })
    }
}
