//! `head-summary`: near the end of the window everything but a short tail becomes a summary, written by a call of its own.
//!
//! As in: Claude Code (auto-compact), Codex (`compact`), goose (auto-compact at 0.8 of the window), OpenHands (condenser).
//! They differ in threshold and tail; one set of numbers stands for all: **0.85** of a **200,000** token window, base
//! included, and a tail of **20,000** tokens (Codex keeps as much of what the user said).
//!
//! As there: one more call reads the whole prompt and writes the summary; users' turns are summarised like the rest; the
//! next time the summary itself goes, and a new one covers everything up to the new tail. The text is not a model's: it
//! is the engine's rule-based block at **2,000** tokens beside the user's words, so that two runs give the same figures and
//! only the policy is compared. Going back to before a summary brings back what it stood for.

mod writer;

use std::rc::Rc;

use super::{CompactorCall, Counter, Did, Step, Strategy, made::Maker};
use crate::{
    conversation::Conversation,
    shown::{Made, Part, Shown, Stands},
};
use writer::SummaryWriter;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SummaryParameters {
    /// Tokens, base included.
    pub window: u64,
    /// The share of the window at which the head is summarised.
    pub threshold: f64,
    /// Tokens of the newest turns that stay as they are, in whole steps. The newest step always stays: nobody has read it.
    pub tail: u64,
    /// Tokens of a summary beside the user's words, as the engine counts them.
    pub budget: u32,
}

impl Default for SummaryParameters {
    fn default() -> Self {
        Self { window: 200_000, threshold: 0.85, tail: 20_000, budget: 2_000 }
    }
}

#[derive(Debug)]
pub(super) struct HeadSummary<'a> {
    conversation: &'a Conversation<'a>,
    parameters: SummaryParameters,
    maker: Maker<'a>,
    writer: SummaryWriter<'a>,
    /// Of the live conversation, oldest first; the last one is shown.
    summaries: Vec<Summary>,
    problem: Option<String>,
}

#[derive(Debug)]
struct Summary {
    made: Rc<Made>,
    /// The pieces that it stands for: the beginning of the conversation.
    covers: Vec<usize>,
}

impl<'a> HeadSummary<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, parameters: SummaryParameters, count: Counter<'a>) -> Self {
        Self {
            conversation,
            parameters,
            maker: Maker::new(conversation, count),
            writer: SummaryWriter::new(conversation, count),
            summaries: Vec::new(),
            problem: None,
        }
    }

    /// How many of the pieces before a call the newest summary stands for.
    fn covered(&self) -> usize {
        self.summaries.last().map_or(0, |summary| summary.covers.len())
    }

    fn view(&self, before: &[usize]) -> Vec<Part> {
        let summary = self.summaries.last().map(|summary| Part::Made(Rc::clone(&summary.made)));
        summary.into_iter().chain(before[self.covered()..].iter().copied().map(Part::Raw)).collect()
    }

    fn tokens(&self, parts: &[Part]) -> u64 {
        parts.iter().map(|part| u64::from(part.tokens(self.conversation))).sum()
    }

    /// Where the tail begins among the pieces before a call.
    fn tail_start(&self, before: &[usize]) -> usize {
        let (mut start, mut tokens) = (before.len(), 0);
        for (place, piece) in before.iter().enumerate().skip(self.covered()).rev() {
            let piece = &self.conversation.pieces[*piece];
            tokens += u64::from(piece.tokens);
            if piece.is_result() {
                continue;
            }
            if tokens > self.parameters.tail && start < before.len() {
                break;
            }
            start = place;
        }
        start
    }

    fn summarise(&mut self, call: usize, before: &[usize]) -> Option<(Did, CompactorCall)> {
        let parts = self.view(before);
        let input = u64::from(self.conversation.scale.base) + self.tokens(&parts);
        if (input as f64) < self.parameters.window as f64 * self.parameters.threshold {
            return None;
        }
        let covers = &before[..self.tail_start(before)];
        if covers.len() <= self.covered() {
            return None;
        }
        let (&first, &last) = (covers.first()?, covers.last()?);
        let text = match self.writer.write(call, first, last, self.parameters.budget) {
            Ok(text) => text,
            Err(error) => {
                self.problem = Some(format!("no summary could be written: {error}"));
                return None;
            }
        };
        let made = self.maker.make(text, Stands::Alone);
        let output_tokens = made.tokens;
        self.summaries.push(Summary { made, covers: covers.to_vec() });
        let (first, last) = (self.conversation.pieces[first].turn, self.conversation.pieces[last].turn);
        let did = Did {
            what: "summary",
            before_tokens: self.tokens(&parts),
            after_tokens: self.tokens(&self.view(before)),
            note: format!("turns {first}–{last} became a summary at {input} tokens"),
        };
        Some((did, CompactorCall { output_tokens }))
    }
}

impl Strategy for HeadSummary<'_> {
    fn show(&mut self, call: usize) -> Step {
        let before: Vec<usize> = self.conversation.before(call).collect();
        while self.summaries.last().is_some_and(|summary| !before.starts_with(&summary.covers)) {
            self.summaries.pop();
        }
        let (did, compactor) = self.summarise(call, &before).unzip();
        let parts = self.view(&before);
        let stable = parts.len();
        Step {
            shown: Shown { parts, stable },
            did: did.into_iter().collect(),
            compactor: compactor.into_iter().collect(),
        }
    }

    fn invalid(&self) -> Option<String> {
        self.problem.clone()
    }
}
