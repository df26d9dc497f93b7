//! By which prices each session is billed: those that the person chose, else those of its own model.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use jiff::Timestamp as Instant;
use lookback_engine::card::{CacheKnowledge, Card, Lifetime};
use lookback_replay::{
    check::usual_model,
    recording::{Format, Recording},
    report::UsedCard,
    simulate::Tariff,
};

use crate::cards;

pub(super) struct Prices {
    chosen: Option<(String, Card)>,
    /// None: as long as each file says.
    lifetime: Option<Lifetime>,
}

impl Prices {
    pub(super) fn new(name: Option<&str>, lifetime: Option<Lifetime>) -> Result<Self> {
        let chosen = name.map(|name| Ok::<_, anyhow::Error>((name.to_owned(), cards::named(name)?))).transpose()?;
        if let Some((name, card)) = &chosen {
            tariff(name, card.clone(), Lifetime::Usual)?;
        }
        Ok(Self { chosen, lifetime })
    }

    /// What the session is billed by, and what that is called.
    pub(super) fn of(&self, recording: &Recording) -> Result<(UsedCard, Tariff)> {
        let (name, card, stands_in) = match &self.chosen {
            Some((name, card)) => (name.clone(), card.clone(), false),
            None => {
                let own = recording.model().map(cards::find).transpose()?.flatten();
                match own.filter(|own| own.prices.is_some()) {
                    Some(own) => {
                        (own.provider.clone(), own.clone(), own.prices.is_some_and(|own| own.lent_by.is_some()))
                    }
                    None => {
                        let card = usual(recording.agent())?;
                        (card.provider.clone(), card, true)
                    }
                }
            }
        };
        let model = recording.model().filter(|_| self.chosen.is_none());
        let lifetime = self.lifetime.unwrap_or_else(|| recording.lifetime_of(model));
        let mut tariff = tariff(&name, card, lifetime)?;
        // One that a person chose holds for all.
        if self.chosen.is_none() {
            tariff = tariff.for_models(recording, cards::built_in()?, self.lifetime);
        }
        let prices = tariff.card.prices.as_ref();
        let (date, source) = prices.map(|prices| (prices.date.clone(), prices.source.clone())).unwrap_or_default();
        let models = recording.calls().filter_map(|call| call.model.as_deref());
        let providers = models.map(|model| tariff.of(Some(model)).card.provider.clone());
        let others = providers.filter(|other| self.chosen.is_none() && *other != name).collect();
        let used = UsedCard {
            name,
            others,
            models: paid_models(&tariff.card),
            chosen: self.chosen.is_some(),
            stands_in,
            borrowing: self.borrowing(recording, &tariff)?,
            lifetime_ms: tariff.card.lifetime_ms(lifetime),
            cache_not_understood: tariff.card.cache_rule == CacheKnowledge::NotUnderstood,
            is_newer: last_day(recording).is_some_and(|last| last < date),
            date,
            source,
        };
        Ok((used, tariff))
    }

    /// Models of single calls that have no prices of their own, and whose they are billed at.
    fn borrowing(&self, recording: &Recording, tariff: &Tariff) -> Result<BTreeMap<String, String>> {
        let mut borrowing = BTreeMap::new();
        let others = recording.calls().filter_map(|call| call.model.as_deref());
        for model in others.filter(|model| self.chosen.is_none() && Some(*model) != recording.model()) {
            let own = cards::find(model)?.and_then(|card| card.prices);
            if own.is_none_or(|own| own.lent_by.is_some()) {
                let lender = paid_models(&tariff.of(Some(model)).card).into_iter().next();
                borrowing.insert(model.to_owned(), lender.unwrap_or_default());
            }
        }
        Ok(borrowing)
    }
}

/// As cards write days; those of a month are after its beginning.
fn last_day(recording: &Recording) -> Option<String> {
    let last = recording.calls().filter_map(|call| call.at).max()?;
    let day = Instant::from_millisecond(last.0).ok()?.to_string();
    day.split('T').next().map(str::to_owned)
}

/// Of a card whose prices are another's, the other: those are paid.
fn paid_models(card: &Card) -> Vec<String> {
    let lender = card.prices.as_ref().and_then(|prices| prices.lent_by.clone());
    lender.map_or_else(|| card.models.clone(), |lender| vec![lender])
}

fn tariff(name: &str, card: Card, lifetime: Lifetime) -> Result<Tariff> {
    let rates = card.rates(lifetime).with_context(|| {
        format!("{name} costs nothing by the token, so there is nothing to compare: name other prices with --prices")
    })?;
    Ok(Tariff::new(card, lifetime, rates))
}

/// For sessions whose model has no prices of its own: what most sessions of that agent are made with.
fn usual(format: Format) -> Result<Card> {
    let provider = match format {
        Format::Codex => "openai",
        Format::GeminiCli => "gemini",
        Format::MiniSweAgent => "deepseek",
        Format::ClaudeCode | Format::SweAgent | Format::Opencode | Format::Pi | Format::Lookback => "anthropic",
    };
    let card = match usual_model(format) {
        Some(model) => cards::find(model)?,
        None => cards::usual(provider)?,
    };
    card.with_context(|| format!("{provider} has no usual prices"))
}
