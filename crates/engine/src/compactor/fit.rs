//! What goes into the block: the most valuable candidates that its budget holds.
//!
//! Each section first fills its share, so that no kind of knowledge pushes out the others; what is left goes to whatever
//! is worth most. The rendered whole is counted once at the end, because sums of parts only come near it.

use super::{
    candidate::{Candidate, Candidates, Item, Section},
    stretch::Stretch,
};
use crate::{
    block::{render_block, render_claims},
    configuration::BlockLimits,
    configuration::rules::{
        AIMED_BELOW, ANCHORS_SHARE, COMMANDS_SHARE, FILES_SHARE, GIVES_WAY_TO, LEAST_BUDGET, SAID_SHARE, TITLE_TOKENS,
    },
    standing::Asked,
    trace::claim::BlockContent,
    view::{Source, TOKENS_PER_MESSAGE},
};

const SHARES: [(Section, u32); 4] = [
    (Section::Said, SAID_SHARE),
    (Section::Files, FILES_SHARE),
    (Section::Commands, COMMANDS_SHARE),
    (Section::Anchors, ANCHORS_SHARE),
];
const GIVES_WAY: [Section; 2] = [Section::Anchors, Section::Files];

pub(super) struct Fitted {
    asked: Asked,
    /// In the order in which they are read.
    pub(super) chosen: Vec<Candidate>,
}

pub(super) fn fit(
    stretch: &Stretch<'_>,
    asked: Asked,
    candidates: Candidates<'_>,
    budget: u32,
    log: u32,
    limits: &BlockLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> Fitted {
    let mut candidates = candidates.list;
    candidates.sort_by_key(|candidate| std::cmp::Reverse((candidate.value, candidate.turn)));
    let budget = budget.min(room(stretch, limits, log, count)).max(LEAST_BUDGET.min(budget));
    let board = stretch.bench.state.board();
    let size_of = |content: &BlockContent| count(render_claims(content, board).as_bytes());
    let size = size_of(&content(&asked, &[]));
    let room = budget.saturating_sub(size + SHARES.len() as u32 * TITLE_TOKENS);
    let shares = shares(room, log);
    let budget = budget.saturating_sub(room - shares.iter().sum::<u32>().min(room));
    let mut chosen = choose(candidates, shares);
    let mut rendered = size_of(&content(&asked, &chosen));
    while rendered > budget && chosen.len() > 1 {
        // They are in the order of their value: the last is worth least.
        let over = rendered - budget;
        let dropped = chosen.iter().rposition(|candidate| candidate.tokens >= over).unwrap_or(chosen.len() - 1);
        chosen.remove(dropped.max(1));
        rendered = size_of(&content(&asked, &chosen));
    }
    chosen.sort_by(|one, other| reading_order(one).cmp(&reading_order(other)));
    Fitted { asked, chosen }
}

/// What each section may take.
fn shares(room: u32, mut log: u32) -> [u32; SHARES.len()] {
    let mut shares = SHARES.map(|(_, share)| room * share / 100);
    for (_, share) in SHARES.iter().zip(&mut shares).filter(|((section, _), _)| GIVES_WAY.contains(section)) {
        let gives = (*share - *share * GIVES_WAY_TO / 100).min(log);
        *share -= gives;
        log -= gives;
    }
    shares
}

/// In two passes over the candidates, which come in the order of their value.
fn choose(candidates: Vec<Candidate>, shares: [u32; SHARES.len()]) -> Vec<Candidate> {
    let room: u32 = shares.iter().sum();
    let mut used = [0; SHARES.len()];
    let mut total = 0;
    let mut chosen = Vec::new();
    let mut rest = Vec::new();
    for candidate in candidates {
        let section = SHARES.iter().position(|(section, _)| *section == candidate.item.section()).unwrap_or(0);
        if used[section] + candidate.tokens <= shares[section] {
            used[section] += candidate.tokens;
            total += candidate.tokens;
            chosen.push(candidate);
        } else {
            rest.push(candidate);
        }
    }
    for candidate in rest {
        // The first is taken in any case: a block must say something.
        if total + candidate.tokens <= room || chosen.is_empty() {
            total += candidate.tokens;
            chosen.push(candidate);
        }
    }
    chosen.sort_by_key(|candidate| std::cmp::Reverse((candidate.value, candidate.turn)));
    chosen
}

/// How large the claims may be for the block to be worth it.
fn room(stretch: &Stretch<'_>, limits: &BlockLimits, log: u32, count: &dyn Fn(&[u8]) -> u32) -> u32 {
    let range = stretch.range;
    let inside = |source: Source| matches!(source, Source::Turn(turn) if range.first <= turn && turn <= range.last);
    let entries = stretch.bench.state.view.entries();
    let replaced: u64 = entries.iter().filter(|entry| inside(entry.source)).map(|entry| u64::from(entry.tokens)).sum();
    let nothing = BlockContent::default();
    // A guest's block has no number, so that the same turns always leave the same room.
    let number = if stretch.bench.history.start().is_guest() { 0 } else { stretch.bench.history.index().blocks + 1 };
    let without_log = BlockLimits { log_tokens: 0, ..*limits };
    let frame = render_block(stretch.bench, number, range, &nothing, &without_log, count);
    let around = count(frame.as_bytes()) + log + TOKENS_PER_MESSAGE;
    limits.most_of(replaced, AIMED_BELOW).saturating_sub(u64::from(around)).min(u64::from(u32::MAX)) as u32
}

fn reading_order(candidate: &Candidate) -> (u32, u32, u32, &str, u32) {
    match &candidate.item {
        Item::Fact(fact) => (0, fact.kind as u32, candidate.turn.0, "", 0),
        Item::Said(_) => (1, 0, candidate.turn.0, "", 0),
        Item::Assertion(_) => (2, 0, candidate.turn.0, "", 0),
        Item::Anchor(anchor) => (3, 0, 0, &anchor.path, anchor.first_line),
    }
}

/// All of it was admitted when it became a candidate.
fn content(asked: &Asked, chosen: &[Candidate]) -> BlockContent {
    let mut content = BlockContent { task: asked.task.clone(), now: asked.now.clone(), ..BlockContent::default() };
    for candidate in chosen {
        match &candidate.item {
            Item::Fact(fact) => content.what_we_learned.push(fact.clone()),
            Item::Said(quote) => content.said.push(quote.clone()),
            Item::Assertion(assertion) => content.exec_assertions.push(assertion.clone()),
            Item::Anchor(anchor) => content.anchors.push(anchor.clone()),
        }
    }
    content
}

impl Fitted {
    pub(super) fn into_content(self) -> BlockContent {
        content(&self.asked, &self.chosen)
    }
}
