//! What sessions cost, as far as bills and prices are known: what `replay` says was paid for them.

use std::collections::BTreeMap;

use anyhow::Result;
use lookback_engine::{card::Card, trace::SessionId};
use lookback_replay::{paid::dollars_of, recording};
use lookback_store::{CallBill, Store};

use crate::{commands::run::scripted_card, settings::Settings};

pub(super) struct Costs<'s> {
    bills: BTreeMap<SessionId, Vec<CallBill>>,
    /// Without them there are no prices.
    settings: Option<&'s Settings>,
}

impl<'s> Costs<'s> {
    pub(super) fn read(store: &Store, settings: Option<&'s Settings>) -> Result<Self> {
        Ok(Self { bills: store.bills()?, settings })
    }

    /// Dollars; none without bills or a card.
    pub(super) fn of(&self, session: &SessionId) -> Option<f64> {
        let calls: Vec<_> =
            self.bills.get(session)?.iter().map(|(model, bill)| (model.as_str(), billed(bill))).collect();
        dollars_of(&calls, |model| self.card(model))
    }

    fn card(&self, model: &str) -> Option<&'s Card> {
        let settings = self.settings?;
        settings.card(model).or_else(|| settings.card(scripted_card(model)?))
    }
}

fn billed(bill: &lookback_store::Billed) -> recording::Billed {
    let lookback_store::Billed { uncached, cached, written, written_1h, output } = *bill;
    recording::Billed { uncached, read: cached, written, output, written_1h }
}
