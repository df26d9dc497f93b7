//! An archive: whole old rounds, or where the window demands it whole steps, become one summary.

use serde_json::Value;

use super::{Desk, draft::ArchiveDraft, fold_text::loses_board, pins::pinned_for, window, zone::unseen_results};
use crate::{
    admission::{AdmissionLimits, Refusal, admit_parts},
    archive::{ArchiveBody, render_archive, summarise_by_rules},
    board::render_board,
    context::Context,
    error::{ArchiveRefused, SessionError, expect_idle},
    planner::{ArchiveDecision, ArchiveQuestion, plan_archive},
    policy::Archivable,
    proposal::{BlockProposal, parse_archive},
    report::ArchiveReport,
    state::RoundState,
    trace::{
        EventBody, TurnNo,
        claim::{BlockContent, Quote},
        decision::{Archive, Author, Refused, TurnRange},
        start::Counted,
    },
    view::{Entry, Source, TOKENS_PER_MESSAGE},
};

/// The texts of an archive and what they leave of the view.
pub(super) struct Written {
    pub(super) content: Counted,
    pinned: Vec<Quote>,
    pub(super) board: Option<Counted>,
    refused: Vec<Refusal>,
    /// What it takes out of the view.
    replaced: u64,
    /// The size of the whole view afterwards.
    after: u64,
}

/// Everything but the newest rounds that are to stay (`keep_rounds`).
pub(crate) fn draft_archive(desk: Desk<'_>) -> Result<ArchiveDraft, SessionError> {
    expect_idle(desk.history)?;
    let keep = desk.policy.configuration.archive.keep_rounds as usize;
    let range = rounds_before(desk, keep).ok_or(ArchiveRefused::NothingToArchive { kept: keep })?;
    Ok(ArchiveDraft { range, trigger: "order".into(), decision: None })
}

/// An archive that can be recorded, with what to say of it.
pub(crate) struct PlannedArchive {
    pub(crate) archive: Archive,
    pub(crate) report: ArchiveReport,
}

/// By rules; `TimedOut` where a model's summary did not come in time: the rounds leave the view all the same.
pub(crate) fn archive_by_rules(
    desk: Desk<'_>,
    draft: &ArchiveDraft,
    author: Author,
    context: &Context<'_>,
) -> Result<PlannedArchive, SessionError> {
    expect_idle(desk.history)?;
    let written = write_by_rules(desk, draft.range, author, context)?;
    Ok(plan(desk, draft, author, written))
}

/// The summary from a model's text.
pub(crate) fn archive_by_model(
    desk: Desk<'_>,
    draft: &ArchiveDraft,
    text: &str,
    author: Author,
    context: &Context<'_>,
) -> Result<PlannedArchive, SessionError> {
    expect_idle(desk.history)?;
    let proposal = parse_archive(text).map_err(ArchiveRefused::Summary)?;
    let (claims, refused) = admit_for_archive(desk, draft.range, proposal.into(), context);
    let mut planned =
        plan(desk, draft, author, Written { refused, ..write_with(desk, draft.range, &claims, context)? });
    planned.archive.claims = Some(Box::new(claims));
    Ok(planned)
}

/// What a model adds to a summary, as far as it is admitted.
pub(super) fn admit_for_archive(
    desk: Desk<'_>,
    range: TurnRange,
    proposal: BlockProposal,
    context: &Context<'_>,
) -> (BlockContent, Vec<Refusal>) {
    let configuration = &desk.policy.configuration;
    let limits = AdmissionLimits { block_tokens: configuration.archive.summary_tokens, block: configuration.block };
    admit_parts(desk.bench(), range, proposal, &limits, context.count, context.blobs)
}

/// The summary by rules, with what was admitted of a model's text.
pub(super) fn write_with(
    desk: Desk<'_>,
    range: TurnRange,
    claims: &BlockContent,
    context: &Context<'_>,
) -> Result<Written, SessionError> {
    let budget = desk.policy.configuration.archive.summary_tokens;
    let summary = summarise_by_rules(desk.bench(), range, &desk.state.board, budget, context.count, context.blobs)?;
    write_archive(desk, range, &ArchiveBody::Whole(summary.with(claims)), context)
}

pub(super) fn write_by_rules(
    desk: Desk<'_>,
    range: TurnRange,
    author: Author,
    context: &Context<'_>,
) -> Result<Written, SessionError> {
    let budget = desk.policy.configuration.archive.summary_tokens;
    let summary = summarise_by_rules(desk.bench(), range, &desk.state.board, budget, context.count, context.blobs)?;
    let body = match author {
        Author::TimedOut => ArchiveBody::TimedOut(summary),
        Author::Rules | Author::Model | Author::Given => ArchiveBody::Whole(summary),
    };
    write_archive(desk, range, &body, context)
}

fn write_archive(
    desk: Desk<'_>,
    range: TurnRange,
    body: &ArchiveBody,
    context: &Context<'_>,
) -> Result<Written, SessionError> {
    let covered = covered_by_archive(desk, range)?;
    let number = desk.history.index().archives + 1;
    let pinned = pinned_for(desk, range, context.blobs);
    let text =
        render_archive(desk.bench(), number, range, body, &pinned, &desk.policy.configuration.block, context.count);
    let content = context.counted(text);
    let mut board = desk.state.board.clone();
    let entry = covered.board.then(|| {
        let stale = board.name_stale();
        let (board, limits) = desk.shown_board(&board, Author::Rules);
        context.counted(render_board(&board, &stale, &limits, context.count))
    });
    let per_message = u64::from(TOKENS_PER_MESSAGE);
    let added = u64::from(content.tokens) + per_message;
    let added = added + entry.as_ref().map_or(0, |entry| u64::from(entry.tokens) + per_message);
    // On a time-out the rounds leave the view all the same (docs/design/folding.md, "Archive").
    if added >= covered.tokens && !matches!(body, ArchiveBody::TimedOut(_)) {
        return Err(ArchiveRefused::NotShorter { replaced: covered.tokens, summary: added }.into());
    }
    let after = tokens_in_chat(desk) + added - covered.tokens;
    Ok(Written { content, pinned, board: entry, refused: Vec::new(), replaced: covered.tokens, after })
}

fn plan(desk: Desk<'_>, draft: &ArchiveDraft, author: Author, written: Written) -> PlannedArchive {
    let report = ArchiveReport {
        archive: desk.history.index().archives + 1,
        range: draft.range,
        author,
        replaced: written.replaced,
        summary: u64::from(written.content.tokens),
        refused: written.refused,
    };
    let archive = Archive {
        archive: report.archive,
        range: draft.range,
        author,
        content: written.content,
        board: written.board,
        thinking: desk.thinking_behind(),
        trigger: draft.trigger.clone(),
        decision: draft.decision.map_or(Value::Null, |decision| serde_json::json!(decision)),
        refused: report.refused.iter().map(Refused::from).collect(),
        claims: None,
        pinned: written.pinned,
    };
    PlannedArchive { archive, report }
}

/// All turns that are not archived yet, up to where the newest `keep` rounds begin. A block that goes beyond stays,
/// and with it the round in which it begins: archives take whole rounds.
fn rounds_before(desk: Desk<'_>, keep: usize) -> Option<TurnRange> {
    plan_rounds_before(desk, keep).map(|planned| planned.range)
}

/// In one walk: behind each entry where a round begins, all that stands before could go.
fn plan_rounds_before(desk: Desk<'_>, keep: usize) -> Option<Archivable> {
    let rounds = &desk.state.rounds;
    let kept = rounds.len().checked_sub(keep)?;
    let all_ended = rounds.last().is_some_and(|round| round.state == RoundState::Ended);
    let end = match rounds.get(kept) {
        Some(round) => round.first,
        None if all_ended => desk.history.index().next_turn(),
        None => return None,
    };
    let begins_in = |after: TurnNo, up_to: TurnNo| {
        let next = rounds.partition_point(|round| round.first <= after);
        rounds.get(next).is_some_and(|round| round.first <= up_to)
    };
    let (mut walked, mut best): (Option<Archivable>, Option<Archivable>) = (None, None);
    let (mut entries, mut tokens) = (0, 0);
    for entry in chat_entries(desk).skip_while(|entry| matches!(entry.source, Source::Archived(_))) {
        let turns = turns_of(desk, entry);
        if let (Some(turns), Some(before)) = (turns, walked)
            && begins_in(before.range.last, turns.first)
        {
            best = walked;
        }
        if turns.is_some_and(|turns| turns.last >= end) {
            return best;
        }
        entries += 1;
        tokens += u64::from(entry.tokens);
        if let Some(turns) = turns {
            let first = walked.map_or(turns.first, |walked| walked.range.first);
            walked = Some(Archivable { range: TurnRange { first, last: turns.last }, entries, tokens });
        }
    }
    if all_ended { walked } else { best }
}

/// The turns that an entry shows or stands for.
fn turns_of(desk: Desk<'_>, entry: &Entry) -> Option<TurnRange> {
    match entry.source {
        Source::Turn(turn) => Some(TurnRange { first: turn, last: turn }),
        Source::Block(number) => desk.state.blocks.get(&number).map(|block| block.range),
        Source::Note | Source::Board | Source::Archived(_) | Source::Dialogue => None,
    }
}

/// From the first turn that is not archived to the last that can be, at most `last`, in one walk over what would go.
fn plan_through(desk: Desk<'_>, last: TurnNo) -> Option<Archivable> {
    let mut planned: Option<Archivable> = None;
    let (mut entries, mut tokens) = (0, 0);
    for entry in chat_entries(desk).skip_while(|entry| matches!(entry.source, Source::Archived(_))) {
        entries += 1;
        tokens += u64::from(entry.tokens);
        let Some(turns) = turns_of(desk, entry) else { continue };
        if turns.last > last {
            break;
        }
        let first = planned.map_or(turns.first, |planned| planned.range.first);
        planned = Some(Archivable { range: TurnRange { first, last: turns.last }, entries, tokens });
    }
    planned
}

/// The entries of the `chat` layout, to which an archive returns: what the dialogue stands for, not the dialogue.
fn chat_entries<'a>(desk: Desk<'a>) -> impl Iterator<Item = &'a Entry> {
    let shown = desk.state.view.entries().iter().filter(|entry| entry.source != Source::Dialogue);
    desk.state.set_aside.iter().chain(shown)
}

fn tokens_in_chat(desk: Desk<'_>) -> u64 {
    let aside: u64 = desk.state.set_aside.iter().map(|entry| u64::from(entry.tokens)).sum();
    let first = desk.state.view.entries().first();
    let dialogue = first.filter(|entry| entry.source == Source::Dialogue).map_or(0, |entry| u64::from(entry.tokens));
    desk.state.view.tokens() + aside - dialogue
}

/// Earlier summaries stand before a new one and stay as they are.
fn summaries_tokens(desk: Desk<'_>) -> u64 {
    let summaries = chat_entries(desk).take_while(|entry| matches!(entry.source, Source::Archived(_)));
    summaries.map(|entry| u64::from(entry.tokens)).sum()
}

fn covered_by_archive(desk: Desk<'_>, range: TurnRange) -> Result<Covered, ArchiveRefused> {
    let planned = plan_through(desk, range.last).filter(|planned| planned.range == range);
    let Archivable { entries: covered, tokens, .. } = planned.ok_or(ArchiveRefused::OutOfDate)?;
    let entries: Vec<Entry> = chat_entries(desk).copied().collect();
    let start = entries.iter().take_while(|entry| matches!(entry.source, Source::Archived(_))).count();
    let board = loses_board(desk, &entries[start..start + covered], &entries[start + covered..]);
    Ok(Covered { tokens, board })
}

/// The planner's answer, by the rent rule and by how full the window is.
pub(crate) fn ask_archive(desk: Desk<'_>, context: &Context<'_>) -> Option<(ArchiveDraft, ArchiveDecision)> {
    let Archivable { range, tokens, .. } = planned_archive(desk)?;
    let verbatim = verbatim_tokens(desk, range);
    let question = ArchiveQuestion {
        archivable: tokens,
        summary: u64::from(desk.policy.configuration.archive.summary_tokens) + verbatim,
        follows: tokens_in_chat(desk) - desk.state.view.head().tokens() - summaries_tokens(desk) - tokens,
        rent: desk.state.rents.archive,
        warmth: desk.warmth(context.now),
        summariser: desk.compactor(),
        used: used_tokens(desk),
        window: u64::from(desk.state.model.window),
        messages: desk.state.view.entries().len() as u32,
    };
    let limits = &desk.policy.configuration;
    let decision = plan_archive(&question, desk.tariff().as_ref(), &limits.archive, &limits.fold);
    Some((ArchiveDraft { range, trigger: "planner".into(), decision: Some(decision) }, decision))
}

/// What the planner is asked about: the same until a round begins or ends, or the view is edited.
fn planned_archive(desk: Desk<'_>) -> Option<Archivable> {
    let running = desk.state.rounds.last().is_some_and(|round| round.state == RoundState::Running);
    let keep = desk.policy.configuration.archive.keep_rounds as usize;
    let key = (desk.state.view.edits(), desk.state.rounds.len(), running, keep);
    if let Some((known, planned)) = desk.policy.archivable.get()
        && known == key
    {
        return planned;
    }
    let planned = plan_rounds_before(desk, keep);
    desk.policy.archivable.set(Some((key, planned)));
    planned
}

/// What an archive of this range keeps word for word.
fn verbatim_tokens(desk: Desk<'_>, range: TurnRange) -> u64 {
    let longest = desk.policy.configuration.block.longest_user_turn;
    let users = desk.history.index().users.iter().filter(|turn| range.contains(**turn));
    users
        .filter_map(|turn| desk.history.index().event_of(*turn))
        .filter(|event| desk.history.is_live(*event))
        .map(|event| match desk.history.body_of(event) {
            EventBody::UserTurn(user) => u64::from(user.tokens.min(longest)),
            _ => 0,
        })
        .sum()
}

/// Archives as little as makes the view fit: rounds first, then steps of the running round, oldest first. Of steps at least
/// a share goes: each archive leaves a summary that never goes again, so one for every few steps would fill the window.
pub(crate) fn archive_for_window(desk: Desk<'_>, context: &Context<'_>) -> Option<PlannedArchive> {
    let limits = &desk.policy.configuration.archive;
    let by_rounds = (1..=limits.keep_rounds.max(1)).rev().filter_map(|keep| rounds_before(desk, keep as usize));
    let newest = desk.state.steps.last().map_or(TurnNo(0), |step| step.assistant);
    let running = desk.state.rounds.last().map_or(TurnNo(0), |round| round.first);
    // A result that the model has not seen stays, whatever the person typed meanwhile.
    let unseen = unseen_results(desk).map_or(TurnNo(u32::MAX), |turn| turn);
    let seen = |range: &TurnRange| range.last.0 + 1 < unseen.0;
    let steps = steps_before(desk, newest).into_iter().filter(|end| *end >= running);
    let by_steps = steps.filter_map(|last| plan_through(desk, last));
    let mut by_steps: Vec<Archivable> =
        by_steps.filter(|planned| planned.range.last >= running && seen(&planned.range)).collect();
    let most = by_steps.last().map_or(0, |planned| planned.tokens);
    by_steps.retain(|planned| planned.tokens as f64 >= most as f64 * limits.steps_share);
    let by_steps = by_steps.into_iter().map(|planned| planned.range);
    let mut ranges: Vec<TurnRange> = by_rounds.filter(seen).chain(by_steps).collect();
    ranges.sort_by_key(|range| range.last);
    ranges.dedup();
    // The more goes, the less is left: a search by halves finds the least that fits.
    let (mut first, mut end) = (0, ranges.len());
    let mut best: Option<(TurnRange, Written)> = None;
    while first < end {
        let middle = first + (end - first) / 2;
        let written = write_by_rules(desk, ranges[middle], Author::Rules, context).ok();
        let fits = written.as_ref().is_some_and(|written| window::fits(desk, written.after));
        if fits {
            end = middle;
        } else {
            first = middle + 1;
        }
        let improves =
            |written: &Written| fits || best.as_ref().is_none_or(|(_, smallest)| written.after < smallest.after);
        if let Some(written) = written.filter(improves) {
            best = Some((ranges[middle], written));
        }
    }
    let (range, written) = best?;
    let draft = ArchiveDraft { range, trigger: "window".into(), decision: None };
    Some(plan(desk, &draft, Author::Rules, written))
}

/// The ends of all steps that came before the newest one.
fn steps_before(desk: Desk<'_>, newest: TurnNo) -> Vec<TurnNo> {
    let ends = desk.state.steps.iter().map(|step| step.tool.unwrap_or(step.assistant));
    ends.filter(|end| *end < newest).collect()
}

/// What an archive takes out of the view.
#[derive(Debug, Clone, Copy)]
struct Covered {
    tokens: u64,
    /// Whether it takes something of the board that nothing else shows.
    board: bool,
}

/// The last usage and what came since, for the seed's archive trigger (docs/seeds.md A6). After an edit of the view it is
/// what the next call is expected to be billed as.
fn used_tokens(desk: Desk<'_>) -> u64 {
    let view = &desk.state.view;
    let Some((usage, event)) = desk.state.last_usage else { return desk.state.reconciled.estimate(view.tokens()) };
    let since = view.entries().iter().rev().take_while(|entry| entry.revision > event);
    let since: u64 = since.map(|entry| estimate(desk, entry)).sum();
    usage.billed.prompt() + u64::from(usage.billed.output) + since
}

/// The seed estimates the input by its length; what else came since was counted.
fn estimate(desk: Desk<'_>, entry: &Entry) -> u64 {
    let user = match entry.source {
        Source::Turn(turn) => desk.history.index().event_of(turn).map(|event| desk.history.body_of(event)),
        _ => None,
    };
    match user {
        Some(EventBody::UserTurn(user)) => {
            let bytes_per_token = desk.policy.configuration.archive.bytes_per_token.max(1) as usize;
            user.text.len().div_ceil(bytes_per_token) as u64
        }
        _ => u64::from(entry.tokens),
    }
}
