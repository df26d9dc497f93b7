//! Whether to settle the results of a round that has ended (`planned`; with `always` the planner is not asked).

use serde::{Deserialize, Serialize};

use super::balance::{Balance, Rent, Tariff, Verdict, Warmth, Why, WhyNot};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SettleQuestion {
    /// The due results at or after the seam, as they stand in the view.
    pub raw: u64,
    /// The same in their short forms.
    pub short: u64,
    /// Everything else behind the first of them.
    pub follows: u64,
    /// Since the settle became due.
    pub rent: Rent,
    pub warmth: Warmth,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SettleDecision {
    pub verdict: Verdict,
    pub raw: u64,
    pub short: u64,
    pub follows: u64,
    pub warmth: Warmth,
    pub tariff: Option<Tariff>,
    pub balance: Option<Balance>,
}

/// Settles at a cold cache, and when the rent for the raw results reaches the price of writing the tail anew. Without
/// prices it waits for a fold, which covers the results anyway.
pub(crate) fn plan_settle(question: &SettleQuestion, tariff: Option<&Tariff>) -> SettleDecision {
    let SettleQuestion { raw, short, follows, rent, warmth } = *question;
    let balance = tariff.map(|tariff| Balance {
        rent,
        saves_per_call: tariff.saves(raw, short.min(raw)),
        rewrite: tariff.replace(warmth, raw, short, follows),
        compactor: 0.0,
        recalls: 0.0,
    });
    let verdict = match (warmth, balance) {
        _ if raw <= short => Verdict::Hold(WhyNot::TooLittleGoes),
        (Warmth::Cold, _) => Verdict::Go(Why::Cold),
        (Warmth::Warm, Some(balance)) if balance.pays() => Verdict::Go(Why::Pays),
        (Warmth::Warm, Some(_)) => Verdict::Hold(WhyNot::RentBelowPrice),
        (Warmth::Warm, None) => Verdict::Hold(WhyNot::NoTrigger),
    };
    SettleDecision { verdict, raw, short, follows, warmth, tariff: tariff.copied(), balance }
}
