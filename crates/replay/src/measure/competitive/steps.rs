//! A session as numbers: how many tokens each step added, and when.
//!
//! Knows no text and no prices. Sizes are counted tokens, as the engine's planner sees them; the factor makes billed ones
//! of them.

use lookback_engine::{
    cache::{CacheRule, Covers},
    planner::Warmth,
};

use crate::{
    conversation::{Conversation, Role},
    simulate,
};

/// The calls of a session and the step that each made: its answer and its results.
///
/// Where the person went back, only the line that was still standing at the last call is taken: what was left behind is in
/// neither bill.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steps {
    /// System prompt, tools, rules.
    pub(super) base: f64,
    /// Billed over counted tokens.
    pub(super) factor: f64,
    /// Tokens of the conversation up to the end of the first so many steps; one more than there are calls, from 0.
    pub(super) ends: Vec<u64>,
    pub(super) calls: Vec<StepCall>,
    /// All answers, as they were billed.
    pub(super) output: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepCall {
    /// Tokens of the conversation that were sent with it, nothing folded.
    pub(super) sent: u64,
    /// Up to where the provider's cache holds the conversation afterwards: what was sent, with some the answer too.
    pub(super) held: u64,
    pub(super) warmth: Warmth,
}

impl Steps {
    pub(super) fn of(conversation: &Conversation<'_>, tariff: &simulate::Tariff) -> Option<Self> {
        let last = conversation.calls.last()?;
        let factor = conversation.scale.factor;
        let mut steps = Self {
            base: f64::from(conversation.scale.base) / factor,
            factor,
            ends: vec![0],
            calls: Vec::new(),
            output: 0,
        };
        let lifetime_ms = tariff.card.lifetime_ms(tariff.lifetime);
        let covers_answer = matches!(tariff.card.cache, CacheRule::Prefix { covers: Covers::PromptAndAnswer, .. });
        let mut total = 0;
        let (mut previous, mut model) = (None, last.model);
        let mut calls = conversation.calls.iter().peekable();
        let own = last.answer..last.results.end.max(last.answer + 1);
        for number in last.before.iter().cloned().chain([own]).flatten() {
            let piece = &conversation.pieces[number];
            let counted = (f64::from(piece.tokens) / factor).round() as u64;
            match piece.role {
                Role::User(_) => {}
                Role::Answer => {
                    while calls.next_if(|call| call.answer < number).is_some() {}
                    let call = calls.next()?;
                    let expired = match (previous, call.at, lifetime_ms) {
                        (Some(before), Some(now), Some(lifetime_ms)) => now.0 - before > lifetime_ms,
                        _ => false,
                    };
                    let is_other = std::mem::replace(&mut model, call.model) != call.model;
                    // Before the first call nothing is held, nor for a model that another one answers for.
                    let warmth =
                        if expired || is_other || steps.calls.is_empty() { Warmth::Cold } else { Warmth::Warm };
                    let held = if covers_answer { total + counted } else { total };
                    steps.calls.push(StepCall { sent: total, held, warmth });
                    steps.ends.push(total + counted);
                    steps.output += call.output_tokens;
                    previous = call.at.map(|at| at.0).or(previous);
                }
                Role::Result { .. } => {
                    if let Some(end) = steps.ends.last_mut() {
                        *end = total + counted;
                    }
                }
            }
            total += counted;
        }
        Some(steps)
    }
}

#[cfg(test)]
mod tests;
