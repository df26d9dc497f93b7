//! What the provider said of each call, beside what was expected of it.
//!
//! Kept while a card is in use, like the expected bill. A verdict is made when somebody asks, because usage and answer may
//! come in either order.

use std::collections::BTreeMap;

use super::Session;
use crate::{
    ledger::check::{CacheVerdict, Caching, Report, check},
    reconcile::Reconciled,
    trace::{CallNo, EventBody, event::Usage},
};

#[derive(Debug, Default)]
pub(super) struct Reports {
    by_call: BTreeMap<CallNo, Report>,
    caching: Caching,
}

impl Reports {
    /// Another model has other habits.
    pub(super) fn forget_habits(&mut self) {
        self.caching = Caching::default();
    }

    /// `before` are the bills before this one; of two reports of a call the last counts.
    pub(super) fn add(&mut self, usage: Usage, before: Reconciled) {
        if usage.billed.cached > 0 {
            self.caching = Caching::Reported;
        }
        let before = self.by_call.get(&usage.call).map_or(before, |earlier| earlier.before);
        self.by_call.insert(usage.call, Report { usage, before, caching: self.caching });
    }
}

impl Session {
    /// Before the event is applied: what was known without it.
    pub(super) fn note_report(&mut self, event: &EventBody) {
        match event {
            // The bills before a call are known until the next one begins.
            EventBody::Usage(usage) if usage.call == self.last_call() => {
                self.reports.add(*usage, self.state.reconciled);
            }
            EventBody::ModelChanged { .. } => self.reports.forget_habits(),
            _ => {}
        }
    }

    /// Whether the provider billed this call's cache as its card says. None without a card, before answer and usage are
    /// there, or where the two cannot be compared.
    pub fn cache_verdict(&self, call: CallNo) -> Option<CacheVerdict> {
        check(self.bill.as_ref()?.expected(call)?, self.reports.by_call.get(&call)?)
    }
}
