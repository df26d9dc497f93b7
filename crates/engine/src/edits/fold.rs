//! A fold: from a draft and what a compactor wrote to one event. On any failure the view stays as it was.

use serde_json::Value;

use super::{
    Desk,
    draft::{FoldDraft, ModelAttempt},
    fold_text::{NewDelta, Texts, admit_news, write_fold},
    pins::pinned_for,
    walls::Walls,
    zone::{cuts, ends_step, expected_recalls, hot_turns, start, unseen_results},
};
use crate::{
    admission::{self, AdmissionLimits, AdmissionRefused, AdmittedBlock, admit_block},
    block::log::{Log, render_log},
    compactor::{Request, compact},
    context::Context,
    error::{FoldRefused, SessionError, expect_idle, expect_own},
    history::index::TurnRecord,
    planner::{Asked, Compactor, FoldDecision, FoldQuestion, Trigger, Verdict, WhyNot, block_budget, plan_fold},
    proposal::{Parsed, parse_compaction},
    report::FoldReport,
    state::BlockStanding,
    trace::{
        TurnNo,
        decision::{Author, Fold, Reach, Refused, TurnRange},
    },
    view::{Source, TOKENS_PER_MESSAGE},
};

/// `/fold`: what would be folded now, from the seam to the newest step that need not stay raw.
pub(crate) fn draft_fold(
    desk: Desk<'_>,
    focus: Option<&str>,
    context: &Context<'_>,
) -> Result<FoldDraft, SessionError> {
    expect_idle(desk.history)?;
    let decision = ask_planner(desk, Asked::Order, None, &Walls::default(), context);
    let kept = desk.policy.configuration.fold.keep_steps;
    let refused = match (draft_of(desk, &decision, focus), decision.verdict, decision.cut) {
        (Some(draft), ..) => return Ok(draft),
        (None, _, Some(cut)) => FoldRefused::TooLittle { replaced: cut.foldable, block: cut.block },
        (None, Verdict::Hold(WhyNot::NothingFoldable), None) => FoldRefused::NothingToFold { kept },
        (None, _, None) => FoldRefused::OnlyWords { kept },
    };
    // docs/design/folding.md, "Unfold": those turns stay raw until an archive or `/fold`.
    let unfolded = desk.state.blocks.values().rev().filter(|block| block.standing == BlockStanding::Unfolded);
    let again = unfolded.filter_map(|block| draft_range(desk, block.range, focus, "/fold").ok()).next();
    again.ok_or(refused.into())
}

/// `/fold SPAN`: one closed span alone, by its name or as `name#number`. What lies before it stays raw.
pub(crate) fn draft_span_fold(desk: Desk<'_>, span: &str, focus: Option<&str>) -> Result<FoldDraft, SessionError> {
    expect_idle(desk.history)?;
    let named = |name: &str, number: u32| name == span || format!("{name}#{number}") == span;
    let spans = desk.history.index().spans().iter().rev().filter(|record| desk.history.is_live(record.started));
    let record = spans.clone().find(|record| named(&record.id.name, record.id.number)).ok_or_else(|| {
        FoldRefused::NoSuchSpan {
            span: span.to_owned(),
            have: spans.map(|record| format!("{}#{}", record.id.name, record.id.number)).collect(),
        }
    })?;
    let end = record.end.filter(|_| record.ended.is_some_and(|event| desk.history.is_live(event)));
    let end = end.ok_or_else(|| FoldRefused::SpanOpen(span.to_owned()))?;
    let turns = (record.first.0..end.0).map(TurnNo).filter(|turn| desk.state.view.position(*turn).is_some());
    let (first, last) = turns.fold((None, None), |(first, _), turn| (first.or(Some(turn)), Some(turn)));
    let (Some(first), Some(last)) = (first, last) else {
        return Err(FoldRefused::NotRaw { what: format!("span {span}") }.into());
    };
    draft_range(desk, TurnRange { first, last }, focus, "/fold")
}

/// A range of turns alone. It must consist of whole steps that stand raw in the view.
pub(crate) fn draft_range(
    desk: Desk<'_>,
    range: TurnRange,
    focus: Option<&str>,
    trigger: &str,
) -> Result<FoldDraft, SessionError> {
    expect_idle(desk.history)?;
    let not_raw = || FoldRefused::NotRaw { what: format!("turns {}–{}", range.first, range.last) };
    let start = desk.state.view.position(range.first).ok_or_else(not_raw)?;
    let end = desk.state.view.position(range.last).filter(|_| is_raw(desk, start, range.last)).ok_or_else(not_raw)?;
    let entries = &desk.state.view.entries()[start..=end];
    if desk.history.index().tool_turn(range.first).is_some() {
        let whole = TurnNo(range.first.0 - 1);
        return Err(FoldRefused::SplitsStep { turn: range.first, whole }.into());
    }
    if desk.history.index().event_of(range.last).is_some()
        && !ends_step(desk.history, range.last)
        && !matches!(desk.history.index().turn(range.last), Some(TurnRecord::User { .. }))
    {
        let whole = TurnNo(range.last.0 + 1);
        return Err(FoldRefused::SplitsStep { turn: range.last, whole }.into());
    }
    if let Some(turn) = unseen_results(desk).filter(|unseen| range.contains(*unseen)) {
        return Err(FoldRefused::NotSeenYet { turn }.into());
    }
    let tokens = entries.iter().map(|entry| u64::from(entry.tokens)).sum();
    let budget = block_budget(tokens, &desk.policy.configuration.fold) as u32;
    let (focus, trigger) = (focus.map(str::to_owned), trigger.to_owned());
    Ok(FoldDraft { range, reach: Reach::Alone, budget, focus, trigger, decision: None })
}

/// A fold that can be recorded, with what to say of it.
pub(crate) struct PlannedFold {
    pub(crate) fold: Fold,
    pub(crate) report: FoldReport,
}

/// The block by rules: from the trace, at no cost.
pub(crate) fn fold_by_rules(
    desk: Desk<'_>,
    draft: &FoldDraft,
    context: &Context<'_>,
) -> Result<PlannedFold, SessionError> {
    expect_own(desk.history)?;
    expect_idle(desk.history)?;
    expect_current(desk, draft)?;
    let request = Request { range: draft.range, budget: draft.budget, focus: draft.focus.as_deref() };
    let compaction =
        compact(desk.bench(), &desk.state.board, &desk.policy.configuration, &request, context.count, context.blobs)?;
    // Where no rule found anything the calls alone tell what was done.
    if admission::says_nothing(&compaction.block) && compaction.log.tokens == 0 {
        return Err(FoldRefused::Admission(AdmissionRefused::Empty { refused: Vec::new() }).into());
    }
    let admitted = AdmittedBlock::by_rules(compaction.block);
    let delta = NewDelta::Admitted(Box::new(compaction.delta));
    plan(desk, draft, admitted, delta, Some(compaction.log), Author::Rules, context)
}

/// The block from a model's text. Missing fields are asked for once.
pub(crate) fn fold_by_model(
    desk: Desk<'_>,
    draft: &FoldDraft,
    text: &str,
    attempt: ModelAttempt,
    context: &Context<'_>,
) -> Result<PlannedFold, SessionError> {
    let parsed = parse_compaction(text).map_err(FoldRefused::Proposal)?;
    if attempt == ModelAttempt::First && !parsed.missing_fields.is_empty() {
        return Err(FoldRefused::MissingFields(parsed.missing_fields).into());
    }
    fold_by_proposal(desk, draft, parsed, Author::Model, context)
}

/// The block from what a person or another program wrote; without `replaces`, for whatever would be folded now.
pub(crate) fn fold_by_other(
    desk: Desk<'_>,
    draft: &FoldDraft,
    text: &str,
    context: &Context<'_>,
) -> Result<PlannedFold, SessionError> {
    let mut parsed = parse_compaction(text).map_err(FoldRefused::Proposal)?;
    parsed.block.replaces = parsed.block.replaces.or(Some(draft.range));
    fold_by_proposal(desk, draft, parsed, Author::Given, context)
}

fn fold_by_proposal(
    desk: Desk<'_>,
    draft: &FoldDraft,
    parsed: Parsed,
    author: Author,
    context: &Context<'_>,
) -> Result<PlannedFold, SessionError> {
    expect_own(desk.history)?;
    expect_idle(desk.history)?;
    expect_current(desk, draft)?;
    let limits = AdmissionLimits { block_tokens: draft.budget, ..AdmissionLimits::from(&desk.policy.configuration) };
    let admitted = admit_block(desk.bench(), draft.range, parsed.block, &limits, context.count, context.blobs)
        .map_err(FoldRefused::Admission)?;
    let mut planned = plan(desk, draft, admitted, NewDelta::Proposed(Box::new(parsed.delta)), None, author, context)?;
    planned.report.dropped_fields = parsed.dropped_fields;
    Ok(planned)
}

fn plan(
    desk: Desk<'_>,
    draft: &FoldDraft,
    mut admitted: AdmittedBlock,
    delta: NewDelta,
    log: Option<Log>,
    author: Author,
    context: &Context<'_>,
) -> Result<PlannedFold, SessionError> {
    admitted.content.pinned = pinned_for(desk, draft.range, context.blobs);
    let (news, more) = admit_news(desk, draft, &admitted.content, delta, author, context)?;
    let limits = &desk.policy.configuration.block;
    let log = log.unwrap_or_else(|| render_log(desk.history, draft.range, limits, context.count));
    let texts = write_fold(desk, draft, &admitted.content, news, &log, author, context);
    admitted.refused.extend(more);
    plan_written(desk, draft, admitted, texts, author, context)
}

/// The event of a fold whose texts are written, where it takes enough away.
pub(super) fn plan_written(
    desk: Desk<'_>,
    draft: &FoldDraft,
    admitted: AdmittedBlock,
    texts: Texts,
    author: Author,
    context: &Context<'_>,
) -> Result<PlannedFold, SessionError> {
    let mut report = measure(desk, draft, &texts);
    // The whole is at least a quarter shorter than what it replaces (docs/design/folding.md, "Admission").
    if report.written() > desk.policy.configuration.block.most_of(report.replaced, 0) {
        let (replaced, block) = (report.replaced, report.written());
        return Err(FoldRefused::TooLittle { replaced, block }.into());
    }
    let Texts { content, delta, board } = texts;
    report.refused = admitted.refused;
    report.claims = admitted.claims;
    report.warmth = desk.warmth(context.now);
    let fold = Fold {
        block: report.block,
        range: draft.range,
        reach: draft.reach,
        author,
        claims: admitted.content,
        content,
        delta,
        board,
        thinking: desk.thinking_behind(),
        trigger: draft.trigger.clone(),
        decision: draft.decision.map_or(Value::Null, |decision| serde_json::json!(decision)),
        refused: report.refused.iter().map(Refused::from).collect(),
    };
    report.describe(&fold);
    Ok(PlannedFold { fold, report })
}

/// The sizes of a fold: what it takes out of the view, what it writes, what stands around it.
fn measure(desk: Desk<'_>, draft: &FoldDraft, texts: &Texts) -> FoldReport {
    let view = &desk.state.view;
    let first = match draft.reach {
        Reach::FromSeam => view.seam(),
        Reach::Alone => view.position(draft.range.first).unwrap_or(0),
    };
    let end = view.position(draft.range.last).map_or(first, |place| place + 1).max(first);
    let covered = &view.entries()[first..end];
    let takes_board = draft.reach == Reach::FromSeam || texts.board.is_some();
    let gone = covered.iter().filter(|entry| takes_board || entry.source != Source::Board);
    let kept: u64 = view.entries()[end..].iter().map(|entry| u64::from(entry.tokens)).sum();
    let sized = |tokens: u32| u64::from(tokens + TOKENS_PER_MESSAGE);
    let steps = desk.state.steps().iter().rev();
    FoldReport {
        block: desk.history.index().blocks + 1,
        range: draft.range,
        replaced: gone.map(|entry| u64::from(entry.tokens)).sum(),
        block_tokens: sized(texts.content.tokens),
        board_tokens: texts.board.as_ref().map_or(0, |board| sized(board.content.tokens)),
        before: view.tokens() - kept - covered.iter().map(|entry| u64::from(entry.tokens)).sum::<u64>(),
        kept,
        kept_steps: steps.take_while(|step| step.assistant > draft.range.last).count(),
        tariff: desk.tariff(),
        prefix: desk.prefix(),
        ..FoldReport::default()
    }
}

/// Whether the view still has what the draft was made for. Steps that ended since stay behind the block.
pub(super) fn expect_current(desk: Desk<'_>, draft: &FoldDraft) -> Result<(), FoldRefused> {
    let current = match draft.reach {
        Reach::FromSeam => {
            hot_turns(desk.bench()).next() == Some(draft.range.first)
                && ends_step(desk.history, draft.range.last)
                && is_raw(desk, desk.state.view.seam(), draft.range.last)
        }
        Reach::Alone => draft_range(desk, draft.range, None, "").is_ok(),
    };
    if current { Ok(()) } else { Err(FoldRefused::OutOfDate) }
}

/// Whether only turns, notes and board entries stand from a place up to a turn.
fn is_raw(desk: Desk<'_>, start: usize, last: TurnNo) -> bool {
    let end = desk.state.view.position(last).filter(|end| start <= *end);
    end.is_some_and(|end| {
        let mut entries = desk.state.view.entries()[start..=end].iter();
        entries.all(|entry| matches!(entry.source, Source::Turn(_) | Source::Note | Source::Board))
    })
}

/// The planner's answer for the view as it stands.
pub(crate) fn ask_planner(
    desk: Desk<'_>,
    asked: Asked,
    offered: Option<TurnNo>,
    walls: &Walls,
    context: &Context<'_>,
) -> FoldDecision {
    let view = &desk.state.view;
    let hot_zone: u64 = view.entries()[start(desk, walls)..].iter().map(|entry| u64::from(entry.tokens)).sum();
    let cuts = cuts(desk, offered, walls);
    let question = FoldQuestion {
        asked,
        before_seam: view.tokens() - hot_zone,
        hot_zone,
        cuts: &cuts,
        board: expected_board_entry(desk),
        expected_recalls: expected_recalls(desk),
        rent: desk.state.rents.fold,
        warmth: desk.warmth(context.now),
        prefix: desk.prefix(),
        compactor: desk.compactor(),
    };
    plan_fold(&question, desk.tariff().as_ref(), &desk.policy.configuration.fold)
}

/// As large as the ones that the fold will cover; a delta where there are none. Rules show the whole board.
fn expected_board_entry(desk: Desk<'_>) -> u64 {
    let limits = &desk.policy.configuration.board;
    if desk.compactor() == Compactor::Rules && !desk.declares_board() || desk.history.start().is_guest() {
        return u64::from(limits.rules_board_tokens);
    }
    let hot = &desk.state.view.entries()[desk.state.view.seam()..];
    let boards = hot.iter().filter(|entry| entry.source == Source::Board).map(|entry| u64::from(entry.tokens));
    match boards.sum() {
        0 => u64::from(limits.delta_tokens),
        covered => u64::from(limits.board_tokens).min(covered),
    }
}

/// What a decision to fold asks for.
pub(crate) fn draft_of(desk: Desk<'_>, decision: &FoldDecision, focus: Option<&str>) -> Option<FoldDraft> {
    let (Verdict::Go(_), Some(cut)) = (decision.verdict, decision.cut) else { return None };
    Some(FoldDraft {
        range: TurnRange { first: hot_turns(desk.bench()).next()?, last: cut.end },
        reach: Reach::FromSeam,
        budget: cut.budget as u32,
        focus: focus.map(str::to_owned),
        trigger: render_asked(decision.asked),
        decision: Some(*decision),
    })
}

/// What proposed a fold, in words for the event.
pub(super) fn render_asked(asked: Asked) -> String {
    match asked {
        Asked::Step => "planner".into(),
        Asked::Order => "/fold".into(),
        Asked::Window => "window".into(),
        Asked::Trigger(Trigger::ToolCalls(calls)) => format!("{calls} tool calls in a row"),
        Asked::Trigger(Trigger::RawShare(share)) => format!("{:.0}% raw output", share * 100.0),
        Asked::Trigger(Trigger::Repeats(repeats)) => format!("{repeats} repeated reads or commands"),
        Asked::Trigger(Trigger::Break(logical_break)) => logical_break.words().into(),
    }
}
