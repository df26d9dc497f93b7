//! By which prices each session is billed: those that the person chose, else those of its own model.

use anyhow::{Context, Result};
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
        let lifetime = self.lifetime.unwrap_or_else(|| recording.lifetime());
        let tariff = tariff(&name, card, lifetime)?;
        let lent_by = tariff.card.prices.as_ref().and_then(|prices| prices.lent_by.clone());
        let used = UsedCard {
            name,
            // Of a card whose prices are another's, the other: those are paid.
            models: lent_by.map_or_else(|| tariff.card.models.clone(), |lender| vec![lender]),
            chosen: self.chosen.is_some(),
            stands_in,
            lifetime_ms: tariff.card.lifetime_ms(lifetime),
            cache_not_understood: tariff.card.cache_rule == CacheKnowledge::NotUnderstood,
        };
        Ok((used, tariff))
    }
}

fn tariff(name: &str, card: Card, lifetime: Lifetime) -> Result<Tariff> {
    let rates = card.rates(lifetime).with_context(|| {
        format!("{name} costs nothing by the token, so there is nothing to compare: name other prices with --prices")
    })?;
    Ok(Tariff { card, lifetime, rates })
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
