//! A long conversation of which nothing is known comes all at once: the store with its folds is lost, or it never passed
//! here. Its raw history may no longer fit, so what is due in it is folded before it goes on (docs/gateway.md, "Modes").

use std::time::Duration;

use tokio::{sync::oneshot, time::timeout};

use crate::{
    house::House,
    read::Read,
    table::{NEWEST, Place},
};

/// No request waits longer; what is folded later stands from the next one on. Ours: of 112,000 tokens a fold took 0.2 s, of
/// 510,000 one second, on a machine of two cores that had much else to do.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Whether a conversation of this size would have folds had it passed here step by step. A client that only says the
/// beginning of its history in other words has said the rest of it before.
pub(crate) fn is_due(house: &House, read: &Read, place: &Place) -> bool {
    let configuration = &house.options.configuration;
    let window = || {
        let card = read.body.model().and_then(|model| house.options.card_of(&model).map(|card| card.window));
        u64::from(configuration.window.window(card))
    };
    let tokens = read.body.bytes().len() as u64 / 4;
    place.grown > NEWEST
        && (tokens > configuration.fold.guest_most || tokens > window())
        && house.table.standing(&read.chain).is_empty()
        && !house.table.was_said(&read.digests, place.conversation)
}

/// Returns when the folds are made, or when that takes too long.
pub(crate) async fn wait(house: &House, read: &Read, made: oneshot::Receiver<bool>) {
    if let Ok(Ok(true)) = timeout(LONGEST_WAIT, made).await {
        // It was looked up before, and nothing stood.
        house.table.try_anew(&read.chain);
    }
}
