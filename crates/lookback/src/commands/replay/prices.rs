//! By which prices each session is billed: those that the person chose, else those of its own provider.

use anyhow::{Context, Result};
use lookback_engine::card::{Card, Lifetime};
use lookback_replay::{
    recording::{Format, Recording},
    simulate::Tariff,
};

use crate::cards;

pub(super) struct Prices {
    chosen: Option<(String, Card)>,
    lifetime: Lifetime,
}

impl Prices {
    pub(super) fn new(name: Option<&str>, lifetime: Lifetime) -> Result<Self> {
        let chosen = name.map(|name| Ok::<_, anyhow::Error>((name.to_owned(), cards::named(name)?))).transpose()?;
        let prices = Self { chosen, lifetime };
        if let Some((name, card)) = &prices.chosen {
            prices.tariff(name, card.clone())?;
        }
        Ok(prices)
    }

    /// What the session is billed by, and what that is called.
    pub(super) fn of(&self, recording: &Recording) -> Result<(String, Tariff)> {
        let (name, card) = match &self.chosen {
            Some((name, card)) => (name.clone(), card.clone()),
            None => {
                let provider = provider_of(recording)?;
                let mut card = cards::usual(&provider)?.with_context(|| format!("{provider} has no usual prices"))?;
                // Dollars are the recorded model's own where its prices stand to one another as those of the card do.
                let own = recording.model().map(cards::find).transpose()?.flatten();
                let own = own.filter(|own| own.provider == provider && same_rates(own, &card, self.lifetime));
                card.prices = own.and_then(|own| own.prices).or(card.prices);
                (provider, card)
            }
        };
        let tariff = self.tariff(&name, card)?;
        let label = match tariff.card.lifetime_ms(self.lifetime) {
            Some(lifetime) if lifetime % 3_600_000 == 0 => format!("{name}, {}-hour cache", lifetime / 3_600_000),
            Some(lifetime) => format!("{name}, {}-minute cache", lifetime / 60_000),
            None => name,
        };
        Ok((label, tariff))
    }

    fn tariff(&self, name: &str, card: Card) -> Result<Tariff> {
        let rates = card.rates(self.lifetime).with_context(|| {
            format!(
                "{name} costs nothing by the token, so there is nothing to compare: name other prices with --prices"
            )
        })?;
        Ok(Tariff { card, lifetime: self.lifetime, rates })
    }
}

fn same_rates(one: &Card, other: &Card, lifetime: Lifetime) -> bool {
    one.rates(lifetime) == other.rates(lifetime)
}

/// Agents that speak with one provider are billed by it; the others by the provider of their model.
fn provider_of(recording: &Recording) -> Result<String> {
    let of_model = || -> Result<Option<String>> {
        let Some(card) = recording.model().map(cards::find).transpose()?.flatten() else { return Ok(None) };
        Ok(cards::usual(&card.provider)?.map(|card| card.provider))
    };
    Ok(match recording.format {
        Format::ClaudeCode => "anthropic".into(),
        Format::Codex => "openai".into(),
        Format::GeminiCli => "gemini".into(),
        Format::MiniSweAgent => of_model()?.unwrap_or_else(|| "deepseek".into()),
        Format::SweAgent | Format::Opencode | Format::Pi | Format::Lookback => {
            of_model()?.unwrap_or_else(|| "anthropic".into())
        }
    })
}
