//! What the provider said of each call, beside what was expected of it.
//!
//! Kept while a card is in use, like the expected bill. A verdict is made when somebody asks, because usage and answer may
//! come in either order.

use std::collections::BTreeMap;

use crate::{
    ledger::verdict::{Caching, Report},
    reconcile::Reconciled,
    trace::{CallNo, event::Usage},
};

#[derive(Debug, Default)]
pub(super) struct Reports {
    by_call: BTreeMap<CallNo, Report>,
    caching: Caching,
}

impl Reports {
    pub(super) fn of(&self, call: CallNo) -> Option<&Report> {
        self.by_call.get(&call)
    }

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
