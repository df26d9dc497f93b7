//! `append`: no management at all. Every call gets everything before it, as it was.
//!
//! What every agent does until something is full, and the measure that all others are divided by. It knows no window:
//! views above it are counted, not refused.

use super::{Step, Strategy};
use crate::{
    conversation::Conversation,
    shown::{Part, Shown},
};

#[derive(Debug)]
pub(super) struct Append<'a> {
    conversation: &'a Conversation<'a>,
}

impl<'a> Append<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>) -> Self {
        Self { conversation }
    }
}

impl Strategy for Append<'_> {
    fn show(&mut self, call: usize) -> Step {
        let parts: Vec<Part> = self.conversation.before(call).map(Part::Raw).collect();
        let stable = parts.len();
        Step { shown: Shown { parts, stable }, ..Step::default() }
    }
}
