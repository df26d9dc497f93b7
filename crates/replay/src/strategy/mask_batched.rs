//! `mask-batched`: `mask` that changes the view only every so many steps, so that a cache lives in between.
//!
//! As in: SWE-agent's `last_n_observations` with `polling` ("How many steps to keep between updating the number of
//! observations to keep … Effectively, we will now keep between `n` and `n+polling` observations"). SWE-agent's default is
//! 1, which is [`mask`](super::mask); replay tries **20** and **10**, with the paper's `n` of 10.

use super::{
    Counter,
    mask::{Mask, MaskParameters},
};
use crate::conversation::Conversation;

/// `mask-batched`.
pub(super) const POLLING: usize = 20;
/// `mask-batched-10`.
pub(super) const SHORT_POLLING: usize = 10;

pub(super) fn mask_batched<'a>(conversation: &'a Conversation<'a>, polling: usize, count: Counter<'a>) -> Mask<'a> {
    Mask::new(conversation, MaskParameters { polling, ..MaskParameters::default() }, count)
}
