//! What a block says where no rule found anything: no block of steps is empty.

use super::{
    candidate::{Candidates, FactKind, Item},
    stretch::Stretch,
};
use crate::{
    admission::Examiner, proposal::FactProposal, standing::sentences::sentences, text::shorten_at_word, trace::TurnNo,
};

const POINTERS: usize = 8;
/// In characters; what is longer is cut at a word.
const LONGEST: usize = 280;

pub(super) fn propose(stretch: &Stretch<'_>, examiner: &mut Examiner<'_>, candidates: &mut Candidates<'_>) {
    if !candidates.list.is_empty() {
        return;
    }
    let found = last_words(stretch)
        .chain(results(stretch))
        .chain(places(stretch))
        .find_map(|(turn, proposal)| examiner.fact(&proposal).map(|fact| (turn, fact)));
    if let Some((turn, fact)) = found {
        candidates.push(Item::Fact { kind: FactKind::Place, fact }, 1, turn);
    }
}

/// The last thing that the assistant said.
fn last_words<'a>(stretch: &'a Stretch<'_>) -> impl Iterator<Item = (TurnNo, FactProposal)> + 'a {
    stretch.said.iter().rev().take(4).flat_map(|said| {
        sentences(said.text).into_iter().take(2).map(|sentence| {
            let evidence = vec![format!("turn#{}", said.turn)];
            (said.turn, FactProposal { text: format!("“{}”", shorten_at_word(sentence.text, LONGEST)), evidence })
        })
    })
}

/// Results of tools that nothing is known about.
fn results(stretch: &Stretch<'_>) -> impl Iterator<Item = (TurnNo, FactProposal)> {
    let mut turns: Vec<TurnNo> = stretch.done.iter().map(|done| done.turn).collect();
    turns.dedup();
    let newest = turns.last().copied();
    let evidence = turns.iter().rev().take(POINTERS).rev().map(|turn| format!("turn#{turn}")).collect();
    newest.map(|turn| (turn, FactProposal { text: "results of tools".to_owned(), evidence })).into_iter()
}

/// Without text that can be quoted, at least its place.
fn places<'a>(stretch: &'a Stretch<'_>) -> impl Iterator<Item = (TurnNo, FactProposal)> + 'a {
    stretch.said.last().into_iter().map(|said| {
        let pointer = format!("turn#{}", said.turn);
        (said.turn, FactProposal { text: format!("said in {pointer}"), evidence: vec![pointer] })
    })
}
