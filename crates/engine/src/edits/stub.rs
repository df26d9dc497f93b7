//! Stubs: what is left of old blocks, and which blocks are due.

use super::Desk;
use crate::{
    block::render_stub,
    context::Context,
    planner::{StubQuestion, Verdict, plan_stub},
    report::StubReport,
    trace::{
        EventBody,
        decision::{Fold, Stub, StubbedBlock},
    },
};

/// What the planner would make stubs of now, and what to say of it. Each block becomes one once.
pub(crate) fn plan_stubs(desk: Desk<'_>, context: &Context<'_>) -> Option<(Stub, StubReport)> {
    // Writing them costs more than asking, and nothing is due before the cache is cold.
    if !desk.has_gone_cold(context.now) {
        return None;
    }
    let whole = desk.policy.configuration.fold.whole_blocks as usize;
    let blocks: Vec<StubbedBlock> = stubbable(desk, whole).filter_map(|fold| stub_of(desk, fold, context)).collect();
    let report = StubReport {
        blocks: blocks.len(),
        raw: blocks.iter().map(|stubbed| u64::from(stubbed.replaced_tokens)).sum(),
        short: blocks.iter().map(|stubbed| u64::from(stubbed.content.tokens)).sum(),
    };
    let question = StubQuestion { blocks: report.raw, stubs: report.short, warmth: desk.warmth(context.now) };
    let decision = plan_stub(&question, desk.tariff().as_ref());
    let Verdict::Go(_) = decision.verdict else { return None };
    Some((Stub { blocks, thinking: desk.thinking_behind(), decision: serde_json::json!(decision) }, report))
}

/// The blocks of the view that are not stubs yet, all but the newest; oldest first.
fn stubbable(desk: Desk<'_>, whole: usize) -> impl Iterator<Item = &Fold> {
    let shown = desk.state.shown_blocks().count();
    let old = desk.state.shown_blocks().take(shown.saturating_sub(whole));
    old.filter_map(move |(_, entry)| match desk.history.body_of(entry.revision) {
        EventBody::Fold(fold) => Some(&**fold),
        _ => None,
    })
}

/// None where it would not be shorter by as much as every fold must be.
fn stub_of(desk: Desk<'_>, fold: &Fold, context: &Context<'_>) -> Option<StubbedBlock> {
    let limits = &desk.policy.configuration.block;
    let content = context.counted(render_stub(desk.bench(), fold, limits, context.count));
    let replaced_tokens = fold.content.tokens;
    let most = limits.most_of(u64::from(replaced_tokens), 0);
    (u64::from(content.tokens) <= most).then_some(StubbedBlock { block: fold.block, content, replaced_tokens })
}

/// Whether a recorded stub is what would have been written for its blocks.
pub(super) fn holds(desk: Desk<'_>, stub: &Stub, context: &Context<'_>) -> bool {
    let due = |number: u32| stubbable(desk, 0).find(|fold| fold.block == number);
    let mut blocks = stub.blocks.iter();
    blocks.all(|stubbed| due(stubbed.block).and_then(|fold| stub_of(desk, fold, context)).as_ref() == Some(stubbed))
}
