//! Whether to archive: expensive now, and cheaper with every later call.
//!
//! Which rounds may be archived is the caller's business; here they are a number of tokens.

use serde::{Deserialize, Serialize};

use super::{
    ArchiveLimits, Limits,
    balance::{Balance, Compactor, Rent, Tariff, Verdict, Warmth, Why, WhyNot},
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ArchiveQuestion {
    /// A: tokens of the rounds that may go.
    pub archivable: u64,
    /// S: the expected summary, with the user's turns that stay word for word.
    pub summary: u64,
    /// F: what follows it, all of which must be written anew.
    pub follows: u64,
    /// Since the last archive.
    pub rent: Rent,
    pub warmth: Warmth,
    pub summariser: Compactor,
    /// The last call's usage and the estimate of what came since.
    pub used: u64,
    pub window: u64,
    pub messages: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ArchiveDecision {
    pub verdict: Verdict,
    pub archivable: u64,
    pub summary: u64,
    pub follows: u64,
    pub used: u64,
    pub window: u64,
    pub warmth: Warmth,
    pub summariser: Compactor,
    pub tariff: Option<Tariff>,
    pub balance: Option<Balance>,
}

/// Archives when the window fills, at a cold cache, and when Σ r·(A−S) reaches w·S + (w−r)·F + the call for the
/// summary. It must free at least as much as a fold (`fold`).
pub(crate) fn plan_archive(
    question: &ArchiveQuestion,
    tariff: Option<&Tariff>,
    limits: &ArchiveLimits,
    fold: &Limits,
) -> ArchiveDecision {
    let ArchiveQuestion { archivable, summary, follows, rent, warmth, summariser, used, window, messages } = *question;
    let gone = archivable.saturating_sub(summary);
    let balance = tariff.map(|tariff| Balance {
        rent,
        saves_per_call: tariff.saves(archivable, summary.min(archivable)),
        rewrite: tariff.replace(warmth, archivable, summary, follows),
        compactor: summariser.price(tariff, warmth, 0, archivable, summary),
        recalls: 0.0,
    });
    let fills = used as f64 >= limits.at * window as f64;
    let verdict = match (warmth, balance) {
        _ if archivable == 0 || messages < limits.messages => Verdict::Hold(WhyNot::NothingFoldable),
        _ if gone == 0 => Verdict::Hold(WhyNot::TooLittleGoes),
        _ if fills => Verdict::Go(Why::Window),
        _ if gone < fold.gone_least || (gone as f64) < fold.gone_share * archivable as f64 => {
            Verdict::Hold(WhyNot::TooLittleGoes)
        }
        (Warmth::Cold, _) => Verdict::Go(Why::Cold),
        (Warmth::Warm, Some(balance)) if balance.pays() => Verdict::Go(Why::Pays),
        (Warmth::Warm, Some(_)) => Verdict::Hold(WhyNot::RentBelowPrice),
        (Warmth::Warm, None) => Verdict::Hold(WhyNot::NoTrigger),
    };
    let tariff = tariff.copied();
    ArchiveDecision { verdict, archivable, summary, follows, used, window, warmth, summariser, tariff, balance }
}
