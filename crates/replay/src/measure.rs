//! Figures of a run, one file for each idea. Each definition stands beside its computation, with an example
//! that is a test as well; most of them are about the same four calls, the ones of `docs/measuring.md`.
//!
//! How the views came about is not known here, nor how a session is compared with others.

pub mod competitive;
mod cost;
#[cfg(test)]
#[path = "measure/tests/example.rs"]
pub(crate) mod example;
mod recall;
mod repair;

pub use cost::{BillByKind, bill_by_kind};
pub use repair::{Repair, repair};

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    conversation::Conversation,
    shown::Reach,
    simulate::{Found, Run, Spent, Tariff, signal},
};

/// One strategy on one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    /// In uncached-input tokens.
    pub cost: f64,
    pub cost_usd: Option<f64>,
    pub repaired_usd: Option<f64>,
    /// What `cost_usd` is paid for.
    pub tokens: Spent,
    /// What `repaired_usd` is paid for beyond that.
    pub repair_tokens: Spent,
    /// Both by the card that they are billed by, where a session has several.
    #[serde(skip_serializing_if = "is_one")]
    pub by_card: BTreeMap<String, CardTokens>,
    pub vs_append: f64,
    pub repaired: f64,
    pub repaired_vs_append: f64,
    pub repairs_per_call: f64,
    pub recall: f64,
    pub pointer_recall: f64,
    pub direct_pointer_recall: f64,
    pub recall_by_kind: RecallByKind,
    /// Recall after 1, 2, 4, 8… folds.
    pub drift: Vec<Drift>,
    pub competitive_ratio: Option<f64>,
    /// Views above the window.
    pub over_window: u64,
    pub prefix_reuse: f64,
    pub context_mean: f64,
    pub context_peak: u64,
    pub task_snr: f64,
    pub folds: u64,
    /// The share of facts and anchors that resolve.
    pub evidence: f64,
    pub refused: u64,
    pub invalid_views: u64,
}

/// As in [`Figures`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CardTokens {
    pub tokens: Spent,
    pub repair_tokens: Spent,
}

fn is_one(by_card: &BTreeMap<String, CardTokens>) -> bool {
    by_card.len() < 2
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RecallByKind {
    pub path: Option<f64>,
    pub symbol: Option<f64>,
    pub edit_line: Option<f64>,
    /// Reported apart; they do not enter `recall`.
    pub line_range: Option<f64>,
    pub error: Option<f64>,
    pub test: Option<f64>,
    pub command: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    pub folds: u64,
    pub recall: f64,
}

/// All figures of one run but the competitive ratio, which needs the best cuts. `append_cost` is the cost of append on the
/// same session; none: this is append.
pub fn figures(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff, append_cost: Option<f64>) -> Figures {
    let cost = cost::cost(run, conversation, tariff);
    let repairs = repair::repairs(run, conversation, tariff);
    let mut by_card: BTreeMap<String, CardTokens> = BTreeMap::new();
    for (card, tokens) in cost::spent(run, conversation, tariff) {
        by_card.entry(card).or_default().tokens = tokens;
    }
    for (card, tokens) in repairs.tokens {
        by_card.entry(card).or_default().repair_tokens = tokens;
    }
    let repaired = cost + repairs.cost;
    let append = append_cost.unwrap_or(cost);
    let calls = run.calls.len() as f64;
    let share = |is_found: &dyn Fn(Found) -> bool| recall::share(run, conversation, is_found);
    Figures {
        cost,
        cost_usd: tariff.dollars(cost),
        repaired_usd: tariff.dollars(repaired),
        tokens: by_card.values().map(|of| &of.tokens).sum(),
        repair_tokens: by_card.values().map(|of| &of.repair_tokens).sum(),
        by_card,
        vs_append: ratio(cost, append, 1.0),
        repaired,
        repaired_vs_append: ratio(repaired, append, 1.0),
        repairs_per_call: ratio(repairs.count as f64, calls, 0.0),
        recall: share(&|found| found == Found::InView),
        pointer_recall: share(&|found| found != Found::Reached(Reach::Lost)),
        direct_pointer_recall: share(&|found| matches!(found, Found::InView | Found::Reached(Reach::Direct))),
        recall_by_kind: recall::by_kind(run, conversation),
        drift: recall::drift(run, conversation),
        competitive_ratio: None,
        over_window: cost::over_window(run, conversation, tariff),
        prefix_reuse: cost::prefix_reuse(run),
        context_mean: cost::context_mean(run),
        context_peak: cost::context_peak(run),
        task_snr: signal::mean(run),
        folds: run.calls.iter().map(recall::folds_of).sum(),
        evidence: ratio(run.evidence.resolved as f64, run.evidence.all as f64, 1.0),
        refused: run.evidence.refused,
        invalid_views: run.calls.iter().filter(|call| call.invalid.is_some()).count() as u64,
    }
}

/// A share of something; `empty` where there is nothing to share.
fn ratio(part: f64, whole: f64, empty: f64) -> f64 {
    if whole == 0.0 { empty } else { part / whole }
}
