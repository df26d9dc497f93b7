//! What the assistant concluded in the range, as candidates for the block.

use super::{
    candidate::{Candidates, Item},
    stretch::Stretch,
};
use crate::configuration::rules::CONCLUSIONS;
use crate::{standing::Standing, trace::Blobs};

pub(super) fn propose(stretch: &Stretch<'_>, candidates: &mut Candidates<'_>, blobs: &dyn Blobs) {
    let at = Standing::at(stretch.bench.history, stretch.range.last, blobs);
    for said in at.concluded(stretch.range.first, CONCLUSIONS) {
        candidates.push(Item::Said(said.quote), said.value, said.turn);
    }
}
