//! Sums over calls, and how they are told.

use std::collections::BTreeSet;

use lookback_replay::numbers::dollars as usd;
use serde_json::{Value, json};

use super::figures::{CallFigures, SessionFigures};
use crate::screen;

/// In dollars.
#[derive(Debug, Default)]
pub(in crate::commands) struct Sums {
    pub(super) calls: u64,
    /// Of which the provider reported no usage.
    estimated: u64,
    paid: f64,
    /// Of conversations in which blocks stood: paid, and what they would have cost without.
    folded: Pair,
    /// Of those that were only observed: paid, and what they would have cost with blocks.
    observed: Pair,
    without_prices: BTreeSet<String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Pair {
    paid: f64,
    other: f64,
}

/// Less is nothing: a hundredth of a cent.
const NOTHING: f64 = 0.000_1;

impl Sums {
    pub(in crate::commands) fn add(&mut self, session: &SessionFigures, call: &CallFigures) {
        self.calls += 1;
        self.estimated += u64::from(call.is_estimate);
        self.paid += call.paid;
        let pair = if session.is_folded { &mut self.folded } else { &mut self.observed };
        pair.paid += call.paid;
        pair.other += call.other;
        if !session.is_priced {
            self.without_prices.insert(session.model.clone());
        }
    }

    fn saved(&self) -> f64 {
        self.folded.other - self.folded.paid
    }

    fn would_have_saved(&self) -> f64 {
        self.observed.paid - self.observed.other
    }

    /// For a person; none where there was nothing.
    pub(in crate::commands) fn sentence(&self) -> Option<String> {
        if self.calls == 0 {
            return None;
        }
        let calls = screen::counted(self.calls, "call");
        let models = self.without_prices.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let unknown = format!("no card has prices of {models}: name one with --card");
        if self.folded.paid + self.observed.paid == 0.0 && !models.is_empty() {
            return Some(format!("{calls}; {unknown}"));
        }
        let mut parts = vec![format!("{calls}, {} paid", usd(self.paid))];
        if self.folded.paid > 0.0 {
            parts.push(format!("folding saved {}", of(self.saved(), self.folded.other)));
        }
        if self.observed.paid > 0.0 {
            parts.push(format!("folding would have saved {}", of(self.would_have_saved(), self.observed.paid)));
        }
        if self.estimated > 0 {
            let estimated = screen::exact(self.estimated);
            parts.push(format!("{estimated} without reported usage, estimated by what was sent"));
        }
        if !models.is_empty() {
            parts.push(unknown);
        }
        Some(parts.join("; "))
    }

    /// Calls, paid, saved, would have saved.
    pub(super) fn cells(&self) -> [String; 4] {
        let cell = |pair: Pair, saved: f64, whole: f64| match pair.paid > 0.0 {
            true => of(saved, whole),
            false => "–".to_owned(),
        };
        [
            screen::exact(self.calls),
            usd(self.paid),
            cell(self.folded, self.saved(), self.folded.other),
            cell(self.observed, self.would_have_saved(), self.observed.paid),
        ]
    }

    /// For a program.
    pub(super) fn told(&self) -> Value {
        json!({
            "calls": self.calls,
            "estimated_calls": self.estimated,
            "paid_usd": self.paid,
            "folded": { "paid_usd": self.folded.paid, "unfolded_usd": self.folded.other, "saved_usd": self.saved() },
            "observed": {
                "paid_usd": self.observed.paid,
                "folded_usd": self.observed.other,
                "would_have_saved_usd": self.would_have_saved(),
            },
            "without_prices": self.without_prices,
        })
    }
}

/// With its share. What costs more is said as it is.
fn of(saved: f64, whole: f64) -> String {
    if saved.abs() < NOTHING || whole <= 0.0 {
        return "nothing".to_owned();
    }
    let sign = if saved < 0.0 { "−" } else { "" };
    format!("{sign}{} ({sign}{:.0}%)", usd(saved.abs()), saved.abs() / whole * 100.0)
}
