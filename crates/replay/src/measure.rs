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
    let cost = cost::cost(run, tariff);
    let repairs = repair::repairs(run, conversation, tariff);
    let repaired = cost + repairs.cost;
    let append = append_cost.unwrap_or(cost);
    let calls = run.calls.len() as f64;
    let dollars = |cost| tariff.card.prices.as_ref().map(|prices| prices.dollars(cost));
    let share = |is_found: &dyn Fn(Found) -> bool| recall::share(run, conversation, is_found);
    Figures {
        cost,
        cost_usd: dollars(cost),
        repaired_usd: dollars(repaired),
        tokens: cost::spent(run, tariff),
        repair_tokens: repairs.tokens,
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
        over_window: cost::over_window(run, &tariff.card),
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
