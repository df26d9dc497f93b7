//! The prompts that a recorded client really sent, as far as bills and turns tell: their sizes are billed, what they share
//! with one another follows from the conversation.
//!
//! - A call continues the newest call whose answer is still part of the conversation: its prompt, its answer, something new.
//! - A prompt that is shorter than the one it continues has lost the thinking of a finished round. What that does to the
//!   cache differs ([`Shorter`]).
//! - After a compaction nothing is known to be shared.
//!
//! Example: a round sends prompts of 9,000, 9,500 and 10,000 tokens; a person asks something else and the next prompt has
//! 9,800. With Codex it shares 9,000 with the others; with Claude Code all of it can be read, since all of it was written.

use lookback_engine::cache::{PartId, PromptChain};

use crate::{
    conversation::{Conversation, Role},
    recording::Billed,
};

pub(super) struct Prompts<'a, 'r> {
    conversation: &'a Conversation<'r>,
    /// By call; none for calls without a bill.
    sent: Vec<Option<Sent>>,
    chain: PromptChain,
    /// The call whose prompt `chain` holds.
    in_chain: Option<usize>,
}

#[derive(Debug, Clone)]
struct Sent {
    /// The call that it continues.
    continues: Option<usize>,
    /// What it added to that one's prompt.
    own: Vec<(PartId, u32)>,
    tokens: u64,
    answer: (PartId, u32),
}

/// What a prompt that became shorter has in common with the one before it. Both as billed in recorded sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shorter {
    /// The client leaves thinking out, so that all behind it is new: up to the first prompt of the finished round, or the
    /// newest one that is short enough (OpenAI, Codex: hits at exactly that prompt).
    CutAtRound,
    /// The provider leaves thinking out of the count and still reads what it had written (Anthropic: all but the newest
    /// few tokens are hits).
    CountedLess,
}

/// A prompt, and the answer to it as the next one will hold it.
pub(super) struct Prompt<'p> {
    pub(super) parts: &'p PromptChain,
    pub(super) answer: (PartId, u32),
    /// The longer prompt that the provider reads in its place, where it counts less of it.
    pub(super) counted_less: Option<PromptChain>,
}

impl<'a, 'r> Prompts<'a, 'r> {
    pub(super) fn new(conversation: &'a Conversation<'r>) -> Self {
        Self { conversation, sent: vec![None; conversation.calls.len()], chain: PromptChain::default(), in_chain: None }
    }

    pub(super) fn send(&mut self, call: usize, bill: &Billed, shorter: Shorter) -> Prompt<'_> {
        let tokens = bill.prompt();
        let mut continues = self.newest_before(call);
        let mut counted_less = None;
        if let Some(earlier) = continues.filter(|earlier| self.tokens(*earlier) > tokens) {
            continues = match shorter {
                Shorter::CutAtRound => self.cut(call, earlier, tokens),
                Shorter::CountedLess => {
                    self.extend_chain(continues, &[]);
                    counted_less = Some(self.chain.clone());
                    None
                }
            };
        }
        let mut own = Vec::new();
        let mut new = tokens;
        if let Some(earlier) = continues.and_then(|earlier| self.sent[earlier].as_ref()) {
            new -= earlier.tokens;
            let answer = u64::from(earlier.answer.1);
            // Where something was cut, the answer may be cut, too.
            if continues == self.newest_before(call) && answer <= new {
                own.push(earlier.answer);
                new -= answer;
            }
        }
        own.push((PartId(call as u64 * 2), new as u32));
        self.extend_chain(continues, &own);
        self.in_chain = Some(call);
        let answer = (PartId(call as u64 * 2 + 1), bill.output as u32);
        self.sent[call] = Some(Sent { continues, own, tokens, answer });
        Prompt { parts: &self.chain, answer, counted_less }
    }

    /// The newest call whose prompt is still the beginning of a shorter one.
    fn cut(&self, call: usize, newest: usize, tokens: u64) -> Option<usize> {
        let mut earlier = if self.begins_round(call) { self.round_of(newest) } else { newest };
        while self.tokens(earlier) > tokens {
            earlier = self.sent[earlier].as_ref()?.continues?;
        }
        Some(earlier)
    }

    /// The newest call with a bill whose answer is still part of the prompt.
    fn newest_before(&self, call: usize) -> Option<usize> {
        let calls = &self.conversation.calls;
        if calls[call].after_compaction {
            return None;
        }
        let is_before = |earlier: &usize| {
            let answer = calls[*earlier].answer;
            calls[call].before.iter().any(|range| range.contains(&answer))
        };
        (0..call).rev().filter(is_before).find(|earlier| self.sent[*earlier].is_some())
    }

    /// The first call of the round that a call belongs to.
    fn round_of(&self, call: usize) -> usize {
        let mut first = call;
        while !self.begins_round(first) {
            let Some(before) = self.sent[first].as_ref().and_then(|sent| sent.continues) else { break };
            first = before;
        }
        first
    }

    /// Whether somebody said something right before it.
    fn begins_round(&self, call: usize) -> bool {
        let newest = self.conversation.calls[call].before.last().and_then(|range| range.end.checked_sub(1));
        newest.is_some_and(|piece| matches!(self.conversation.pieces[piece].role, Role::User(_)))
    }

    fn tokens(&self, call: usize) -> u64 {
        self.sent[call].as_ref().map_or(0, |sent| sent.tokens)
    }

    fn extend_chain(&mut self, continues: Option<usize>, own: &[(PartId, u32)]) {
        if self.in_chain != continues || continues.is_none() {
            let mut line = Vec::new();
            let mut at = continues;
            while let Some(sent) = at.and_then(|call| self.sent[call].as_ref()) {
                line.push(sent);
                at = sent.continues;
            }
            self.chain = PromptChain::default();
            for (part, tokens) in line.iter().rev().flat_map(|sent| &sent.own) {
                self.chain.push(*part, *tokens);
            }
        }
        for (part, tokens) in own {
            self.chain.push(*part, *tokens);
        }
    }
}
