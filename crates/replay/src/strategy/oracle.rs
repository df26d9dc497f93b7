//! `oracle`: knows the future and keeps exactly what later steps need. The hindsight limit of tail folds, no peer.
//!
//! Every few steps everything behind the last block but the newest step (nobody has read its results yet) becomes one
//! block, which never changes again. A block holds one line for each item that a later step needs and that neither an older
//! block nor a later text shows before it is needed: the newest line with it; of lines above [`LONGEST_LINE`] the item
//! alone. What a person typed stays whole in its block, as in every fold. So everything needed is always found, and nothing
//! else is paid for.
//!
//! How many steps lie between two folds is what hindsight allows to know: each of [`INTERVALS`] is billed over the whole
//! session, and the cheapest is taken. Where the cache went cold it folds as well: all must be written again anyway.
//! It has no window, is not checked for validity, and writes its blocks without a call.

use std::rc::Rc;

use memchr::memmem;

use super::{Counter, Step, Strategy, made::Maker};
use crate::{
    conversation::{Conversation, Need},
    parameters::{ORACLE_INTERVALS as INTERVALS, ORACLE_LONGEST_LINE as LONGEST_LINE},
    shown::{Did, Made, Part, Shown, Stands},
    simulate::{self, Tariff},
};

pub(super) struct Oracle<'a> {
    conversation: &'a Conversation<'a>,
    maker: Maker<'a>,
    /// By piece: the needs that were seen there last, as call and place among its needs.
    last_seen: Rc<[Vec<(usize, usize)>]>,
    lifetime_ms: Option<i64>,
    interval: usize,
    /// Of the live conversation, oldest first.
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    /// None: nothing of it is needed any more.
    made: Option<Rc<Made>>,
    covers: Vec<usize>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, tariff: &Tariff, count: Counter<'a>) -> Self {
        let last_seen: Rc<[_]> = last_seen(conversation).into();
        let lifetime = tariff.card.lifetime_ms(tariff.lifetime);
        let every = |interval| Self {
            conversation,
            maker: Maker::new(conversation, count),
            last_seen: Rc::clone(&last_seen),
            lifetime_ms: lifetime,
            interval,
            blocks: Vec::new(),
        };
        let bill = |interval: &usize| simulate::bill(&mut every(*interval), conversation, tariff);
        let bills = INTERVALS.iter().map(|interval| (bill(interval), *interval));
        let cheapest = bills.min_by(|one, other| one.0.total_cmp(&other.0));
        every(cheapest.map_or(usize::MAX, |(_, interval)| interval))
    }

    /// How many of the pieces before a call stand in blocks.
    fn covered(&self) -> usize {
        self.blocks.iter().map(|block| block.covers.len()).sum()
    }

    /// Blocks whose turns the person took back are undone.
    fn follow_rewind(&mut self, before: &[usize]) {
        let mut rest = before;
        let live = self.blocks.iter().take_while(|block| match rest.strip_prefix(block.covers.as_slice()) {
            Some(behind) => {
                rest = behind;
                true
            }
            None => false,
        });
        let live = live.count();
        self.blocks.truncate(live);
    }

    fn fold(&mut self, call: usize, before: &[usize]) -> Option<Did> {
        let pieces = &self.conversation.pieces;
        let seam = self.covered();
        let is_answer = |piece: &usize| pieces[*piece].is_answer();
        let tail = before.iter().rposition(is_answer).filter(|tail| *tail > seam)?;
        let steps = before[seam..tail].iter().filter(|piece| is_answer(piece)).count();
        if steps == 0 || self.interval == usize::MAX || (steps < self.interval && !self.is_cold(call)) {
            return None;
        }
        let covers = before[seam..tail].to_vec();
        let text = self.needed_lines(call, &covers);
        let before_tokens: u64 = covers.iter().map(|piece| u64::from(pieces[*piece].tokens)).sum();
        let made = (!text.is_empty()).then(|| self.maker.make(text, Stands::Alone));
        let after_tokens = made.as_ref().map_or(0, |made| u64::from(made.tokens));
        if after_tokens >= before_tokens {
            return None;
        }
        let (first, last) = (pieces[before[seam]].turn, pieces[before[tail - 1]].turn);
        self.blocks.push(Block { made, covers });
        let note = format!("turns {first}–{last} into block {}", self.blocks.len());
        Some(Did { what: "fold", before_tokens, after_tokens, note })
    }

    fn is_cold(&self, call: usize) -> bool {
        let at = |call: usize| self.conversation.calls[call].at;
        let gap = call.checked_sub(1).and_then(|last| Some(at(call)?.0 - at(last)?.0));
        let is_past = self.lifetime_ms.zip(gap).is_some_and(|(lifetime, gap)| gap > lifetime);
        is_past || self.conversation.changes_model(call)
    }

    /// What was typed in these pieces, and their lines that calls from `call` on need.
    fn needed_lines(&self, call: usize, pieces: &[usize]) -> String {
        let older: Vec<&str> =
            self.blocks.iter().filter_map(|block| Some(block.made.as_ref()?.text.as_str())).collect();
        let mut kept = String::new();
        for piece in pieces {
            if self.conversation.pieces[*piece].is_typed() {
                kept.push_str(&self.conversation.pieces[*piece].text);
                kept.push('\n');
            }
            for (needing, place) in self.last_seen[*piece].iter().filter(|(needing, _)| *needing >= call) {
                let need = &self.conversation.calls[*needing].needs[*place];
                let finder = memmem::Finder::new(&*need.text);
                if older.iter().copied().chain([kept.as_str()]).any(|text| finder.find(text.as_bytes()).is_some()) {
                    continue;
                }
                kept.push_str(newest_line(&self.conversation.pieces[*piece].text, need));
                kept.push('\n');
            }
        }
        kept
    }
}

impl Strategy for Oracle<'_> {
    fn show(&mut self, call: usize) -> Step {
        let before: Vec<usize> = self.conversation.before(call).collect();
        self.follow_rewind(&before);
        let did = self.fold(call, &before);
        let made = self.blocks.iter().filter_map(|block| block.made.as_ref()).map(|made| Part::Made(Rc::clone(made)));
        let mut parts: Vec<Part> = made.collect();
        let stable = parts.len();
        parts.extend(before[self.covered()..].iter().copied().map(Part::Raw));
        Step { shown: Shown { parts, stable, hour: 0 }, did: did.into_iter().collect(), compactor: Vec::new() }
    }
}

fn last_seen(conversation: &Conversation<'_>) -> Vec<Vec<(usize, usize)>> {
    let mut last_seen = vec![Vec::new(); conversation.pieces.len()];
    for (number, call) in conversation.calls.iter().enumerate() {
        for (place, need) in call.needs.iter().enumerate().filter(|(_, need)| need.kind.enters_recall()) {
            if let Some(piece) = need.seen.last() {
                last_seen[*piece].push((number, place));
            }
        }
    }
    last_seen
}

/// The last line of a text with the item.
fn newest_line<'t>(text: &'t str, need: &'t Need) -> &'t str {
    let item = &*need.text;
    let Some(at) = memmem::rfind(text.as_bytes(), item.as_bytes()) else { return item };
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let line = text[start..end].trim();
    if line.len() <= LONGEST_LINE && line.contains(item) { line } else { item }
}
