//! What sub-agents were billed, in files of their own or among the lines of a session. They have no part in the
//! conversation that is folded, and somebody paid for them.

use anyhow::Result;
use lookback_engine::card::Card;
use lookback_replay::{
    paid::dollars,
    recording::{Billed, Item, Recording},
    report::Beside,
};

use super::{
    copies,
    origin::{Origin, Sign},
    prices::Prices,
};
use crate::{cards, input::Source};

/// One call.
pub(super) struct Aside {
    /// None where nothing tells it from others.
    sign: Option<Sign>,
    usd: f64,
}

/// Among the lines of a session. A model without prices of its own is billed as the session is.
pub(super) fn within(recording: &Recording, otherwise: &Card) -> Result<Vec<Aside>> {
    let asides = recording.about.sub_agents.iter().map(|(id, aside)| -> Result<Aside> {
        let prompt = aside.billed.map_or(0, |billed| billed.prompt());
        let usd = usd(aside.model.as_deref(), aside.billed, otherwise)?;
        Ok(Aside { sign: Some(Sign::Response(*id, prompt)), usd })
    });
    asides.collect()
}

pub(super) fn in_file(source: &Source, prices: &Prices) -> Result<Vec<Aside>> {
    let (recording, identity) = Origin::File(source.clone()).read(None)?;
    let card = prices.of(&recording)?.1.card;
    let calls = recording.items.iter().enumerate().filter_map(|(place, item)| match item {
        Item::Call(call) => Some((place, call)),
        _ => None,
    });
    let asides = calls.map(|(place, call)| -> Result<Aside> {
        let sign = identity.signs.get(&place).copied();
        Ok(Aside { sign, usd: usd(call.model.as_deref(), call.billed, &card)? })
    });
    asides.chain(within(&recording, &card)?.into_iter().map(Ok)).collect()
}

fn usd(model: Option<&str>, billed: Option<Billed>, otherwise: &Card) -> Result<f64> {
    let Some(billed) = billed else { return Ok(0.0) };
    let own = model.map(cards::find).transpose()?.flatten().filter(|card| card.prices.is_some());
    Ok(dollars(&billed, own.as_ref().unwrap_or(otherwise)))
}

/// Each once.
pub(super) fn sum<'a>(asides: impl Iterator<Item = &'a Aside>, billed: &mut copies::Billed) -> Beside {
    let mut all = Beside::default();
    for aside in asides.filter(|aside| billed.is_new(aside.sign)) {
        all.sub_agents += 1;
        all.sub_agents_usd += aside.usd;
    }
    all
}
