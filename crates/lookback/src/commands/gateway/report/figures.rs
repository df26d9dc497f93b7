//! What each call of a gateway's session was billed, and what it would have been the other way: without its folds, or with
//! those that were only observed.

use anyhow::Result;
use lookback_engine::{
    Configuration,
    card::{Card, Cards, Lifetime},
    trace::{
        BlobHash, EventBody, EventNo, SessionId, Timestamp,
        start::{RecordedBy, SessionStarted},
    },
};
use lookback_gateway::{CallBeside, card_hash};
use lookback_replay::{
    by_call::costs_by_call, paid::dollars, recording::Billed, simulate::Tariff, strategy::StrategyName,
};
use lookback_store::Snapshot;

use crate::{
    cards,
    commands::replay::{Counts, stored},
    settings::Settings,
};

/// A session's figures.
#[derive(Debug)]
pub(in crate::commands) struct SessionFigures {
    pub(super) client: String,
    pub(super) model: String,
    /// Blocks stood in it; else it was observed.
    pub(super) is_folded: bool,
    /// Without prices there are no dollars.
    pub(super) is_priced: bool,
    pub(in crate::commands) calls: Vec<CallFigures>,
}

/// One call, in dollars.
#[derive(Debug)]
pub(in crate::commands) struct CallFigures {
    pub(in crate::commands) at: Timestamp,
    pub(super) paid: f64,
    /// The provider said nothing of it.
    pub(super) is_estimate: bool,
    /// The same call in the other way.
    pub(super) other: f64,
}

/// By what sessions are billed, and what folds are decided by.
pub(in crate::commands) struct Figures<'s> {
    cards: &'s Cards,
    chosen: Option<Card>,
    configuration: &'s Configuration,
}

/// What a session's other events say about it.
#[derive(Default)]
struct Told {
    is_folded: bool,
    /// Calls beside the conversation, which no fold makes cheaper.
    beside: Vec<(Timestamp, Billed)>,
    /// Of each answer, whether it came through a gateway: the others were in the history when that began.
    came: Vec<bool>,
    comes: bool,
}

impl<'s> Figures<'s> {
    pub(in crate::commands) fn new(settings: &'s Settings, card: Option<&str>) -> Result<Self> {
        let chosen = card.map(cards::named).transpose()?;
        Ok(Self { cards: settings.cards(), chosen, configuration: &settings.context.value })
    }

    /// None: no gateway recorded it.
    pub(in crate::commands) fn of(&self, id: &SessionId, store: &Snapshot) -> Result<Option<SessionFigures>> {
        // Most sessions of a store are others: one event says so.
        let EventBody::SessionStarted(started) = store.event(id, EventNo(0))?.event else { return Ok(None) };
        let SessionStarted { recorded_by: RecordedBy::Gateway { client, .. }, model, price_card, .. } = *started else {
            return Ok(None);
        };
        let mut told = Told::default();
        store.for_each_event(id, |event| {
            told.take(event.at, event.event);
            Ok::<_, anyhow::Error>(())
        })?;
        let Told { is_folded, beside, came, .. } = told;
        let card = self.card(&model, price_card.as_ref());
        let Some((card, rates)) = card.and_then(|card| Some((card.clone(), card.rates(Lifetime::Usual)?))) else {
            let call = |at| CallFigures { at, paid: 0.0, is_estimate: false, other: 0.0 };
            let calls = stored(id, store)?.calls().filter_map(|item| item.at).map(call).collect();
            return Ok(Some(SessionFigures { client, model, is_folded, is_priced: false, calls }));
        };
        let recording = stored(id, store)?;
        let tariff = Tariff::new(card, Lifetime::Usual, rates);
        // A session may change its model; the card that a person names holds for all.
        let tariff = match self.chosen {
            Some(_) => tariff,
            None => tariff.for_models(&recording, self.cards, Some(Lifetime::Usual)),
        };
        let counts = Counts::default();
        let strategies = [StrategyName::Append, StrategyName::Guest];
        let costs = costs_by_call(&recording, &tariff, &strategies, self.configuration, &|text| counts.count(text));
        let mut calls = Vec::new();
        for (call, came) in costs.into_iter().zip(came) {
            let ([append, folded], Some(at)) = (&call.under[..], call.at) else { continue };
            let estimate = came.then_some(if is_folded { *folded } else { *append });
            let Some(paid) = call.paid.or(estimate) else { continue };
            // What an estimate gets wrong is in both, and goes out in their difference.
            let saves = append - folded;
            let other = if is_folded { paid + saves } else { paid - saves };
            calls.push(CallFigures { at, paid, is_estimate: call.paid.is_none(), other });
        }
        let beside = beside.into_iter().map(|(at, billed)| (at, dollars(&billed, &tariff.card)));
        calls.extend(beside.map(|(at, paid)| CallFigures { at, paid, is_estimate: false, other: paid }));
        Ok(Some(SessionFigures { client, model, is_folded, is_priced: true, calls }))
    }

    /// What a call beside all conversations was billed; none where no prices are known.
    pub(in crate::commands) fn paid_beside(&self, call: &CallBeside) -> Option<f64> {
        let card = self.card(&call.model, None)?;
        Some(dollars(&call.usage?.into(), card))
    }

    /// The one that the person names, else the one that it was recorded with, else its model's.
    fn card(&self, model: &str, recorded: Option<&BlobHash>) -> Option<&Card> {
        let used = || self.cards.all().iter().find(|card| Some(&card_hash(card)) == recorded);
        let own = || self.cards.find(model).filter(|card| card.prices.is_some());
        self.chosen.as_ref().or_else(used).or_else(own)
    }
}

impl Told {
    fn take(&mut self, at: Timestamp, event: EventBody) {
        match event {
            EventBody::Fold(_) => self.is_folded = true,
            EventBody::CallStarted { details, .. } => match details.map(|details| details.over) {
                Some(Some(over)) => self.beside.extend(over.usage.map(|usage| (at, usage.into()))),
                details => self.comes = details.is_some(),
            },
            EventBody::AssistantTurn(_) => self.came.push(self.comes),
            _ => {}
        }
    }
}
