//! Decisions about the view in a line each: what was replaced by what, who wrote it, and why.

use std::collections::BTreeMap;

use lookback_engine::configuration::TOKENS_PER_MESSAGE;
use lookback_engine::trace::{
    AssistantPart, Event, EventBody, TurnNo,
    decision::{
        Archive, Author, Fold, LayoutChange, Refused, Settle, StateDelta, Stub, ThinkingBehind, TurnRange, Unfold,
    },
};

use crate::screen;

/// How large each turn was when it was recorded.
pub(super) struct TurnSizes(BTreeMap<TurnNo, u64>);

impl TurnSizes {
    pub(super) fn of(events: &[Event]) -> Self {
        let sizes = events.iter().filter_map(|event| {
            let (turn, tokens) = match &event.event {
                EventBody::UserTurn(user) => (user.turn, u64::from(user.tokens)),
                EventBody::AssistantTurn(turn) => (turn.turn, turn.parts.iter().map(part_tokens).sum()),
                EventBody::StepEnded { turn, shown } => {
                    (*turn, shown.iter().map(|shown| u64::from(shown.tokens)).sum())
                }
                _ => return None,
            };
            Some((turn, tokens + u64::from(TOKENS_PER_MESSAGE)))
        });
        Self(sizes.collect())
    }

    fn sum(&self, range: TurnRange) -> u64 {
        self.0.range(range.first..=range.last).map(|(_, tokens)| tokens).sum()
    }
}

fn part_tokens(part: &AssistantPart) -> u64 {
    u64::from(match part {
        AssistantPart::Text { tokens, .. }
        | AssistantPart::Thinking { tokens, .. }
        | AssistantPart::Call { tokens, .. }
        | AssistantPart::Unknown { tokens } => *tokens,
    })
}

pub(super) fn describe_fold(fold: &Fold, sizes: &TurnSizes) -> String {
    let TurnRange { first, last } = fold.range;
    // The planner counted what stood in the view; a span was folded without asking it.
    let planned = fold.decision["cut"]["foldable"].as_u64();
    let replaced = screen::short(planned.unwrap_or_else(|| sizes.sum(fold.range)));
    let message = |tokens: u32| u64::from(tokens) + u64::from(TOKENS_PER_MESSAGE);
    let board = fold.board.as_ref().map_or(0, |board| message(board.content.tokens));
    let written = screen::short(message(fold.content.tokens) + board);
    let facts = vec![
        format!("turns {first}–{last} → block {}", fold.block),
        format!("{replaced} → {written} tokens"),
        author(fold.author).to_owned(),
        fold.trigger.clone(),
    ];
    join(facts, &fold.refused, fold.thinking)
}

pub(super) fn describe_unfold(unfold: &Unfold) -> String {
    join(vec![format!("block {}: its turns are back", unfold.block)], &[], unfold.thinking)
}

pub(super) fn describe_settle(settle: &Settle) -> String {
    let sizes = settle.results.iter().map(|result| (result.replaced_tokens, result.content.tokens));
    let what = format!("{} in short form", screen::counted(settle.results.len() as u64, "result"));
    join(vec![what, shortened(sizes)], &[], settle.thinking)
}

pub(super) fn describe_stub(stub: &Stub) -> String {
    let sizes = stub.blocks.iter().map(|stubbed| (stubbed.replaced_tokens, stubbed.content.tokens));
    let what = format!("{} made short", screen::counted(stub.blocks.len() as u64, "old block"));
    join(vec![what, shortened(sizes)], &[], stub.thinking)
}

/// Tokens before and after, all together.
fn shortened(sizes: impl Iterator<Item = (u32, u32)>) -> String {
    let (raw, short) = sizes.fold((0, 0), |(raw, short), (was, is)| (raw + u64::from(was), short + u64::from(is)));
    format!("{} → {} tokens", screen::short(raw), screen::short(short))
}

pub(super) fn describe_archive(archive: &Archive, sizes: &TurnSizes) -> String {
    let TurnRange { first, last } = archive.range;
    let raw = screen::short(sizes.sum(archive.range));
    let facts = vec![
        format!("turns {first}–{last} → summary {}", archive.archive),
        format!("{raw} raw → {} tokens", screen::short(u64::from(archive.content.tokens))),
        author(archive.author).to_owned(),
        archive.trigger.clone(),
    ];
    join(facts, &archive.refused, archive.thinking)
}

pub(super) fn describe_delta(delta: &StateDelta) -> String {
    let facts = vec![format!("v{}", delta.version), author(delta.author).to_owned()];
    let text = delta.entry.as_ref().map_or("shown by the model's own call", |entry| entry.text.as_str());
    format!("{}: {text}", join(facts, &delta.refused, ThinkingBehind::Kept))
}

pub(super) fn describe_layout(change: &LayoutChange) -> String {
    let mut facts = vec![change.layout.to_string()];
    facts.extend(change.dialogue.as_ref().map(|dialogue| {
        let tokens = screen::counted(u64::from(dialogue.content.tokens), "token");
        format!("dialogue up to turn#{}, {tokens}", dialogue.through)
    }));
    facts.extend(change.board.as_ref().map(|board| {
        let tokens = screen::counted(u64::from(board.tokens), "token");
        format!("board, {tokens}")
    }));
    join(facts, &[], change.thinking)
}

fn author(author: Author) -> &'static str {
    match author {
        Author::Rules => "by rules",
        Author::Given => "by another hand",
        Author::Model => "by the model",
        Author::TimedOut => "by rules, the model was too slow",
    }
}

/// The facts that say something, what was refused, and what became of the thinking behind it.
fn join(mut facts: Vec<String>, refused: &[Refused], thinking: ThinkingBehind) -> String {
    if !refused.is_empty() {
        facts.push(format!("{} refused", screen::counted(refused.len() as u64, "claim")));
    }
    if thinking == ThinkingBehind::Dropped {
        facts.push("thinking behind it dropped".to_owned());
    }
    facts.retain(|fact| !fact.is_empty());
    facts.join(" · ")
}
