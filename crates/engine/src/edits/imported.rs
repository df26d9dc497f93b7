//! Decisions that were made elsewhere, made again: the engine writes each text from its claims and compares.
//!
//! A trace from a file says what a model was shown in place of its turns. Only what this engine would have written itself,
//! from claims that it admits against what happened before, is shown to a model again. What happened is believed, and
//! only counted again.

mod counts;

pub(crate) use counts::recheck_start;

use std::collections::BTreeSet;

use counts::{counts, recheck_answer, recheck_head, recheck_step};

use super::{
    Desk,
    archive::{admit_for_archive, write_by_rules, write_with},
    draft::FoldDraft,
    fold::expect_current,
    fold_text::write_fold,
    guest::write,
    layout::plan_layout,
    pins::pinned_for,
    stub,
    walls::Walls,
};
use crate::{
    admission::imported::{block_holds, delta_holds},
    block::log::render_log,
    board::{Board, render_delta},
    context::Context,
    planner::DeltaCause,
    proposal::BlockProposal,
    recall::observed_lines,
    recorder::results::follow_anchors,
    settle::{Settled, plan_settle},
    trace::{
        EventBody, EventNo, ToolResult, TurnNo,
        decision::{Archive, Author, BoardEntry, Fold, LayoutChange, Settle, SettledResult, StateDelta},
        event::{FileChange, FileChanged, FileObserved, FollowedAnchor, NoteKind},
        start::{ClientRecall, Counted},
    },
    view::recap::{render_board_request, render_interrupted, render_rules_changed, render_todo_recap},
};

/// Why a decision is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// The text is another one than the engine writes.
    #[error("its text is not what is written from its claims")]
    Text,
    /// The text is right, its count is not.
    #[error("its token count is not that of its text")]
    Count,
    /// A claim would be refused.
    #[error("a claim of it does not hold against what happened before")]
    Claims,
    /// Nobody can write it again.
    #[error("a model wrote its text, which cannot be written again")]
    ByModel,
    /// Lines of files are shown otherwise than results show them.
    #[error("it shows lines of a file otherwise than its result does")]
    Anchors,
    /// A note that nobody would have written there, or that a program wrote.
    #[error("it is no note that is written there")]
    Note,
    /// It could not have been made where it stands.
    #[error("it could not have been made where it stands")]
    Place,
}

/// Whether an event is a decision about the view.
pub(crate) fn is_decision(event: &EventBody) -> bool {
    matches!(
        event,
        EventBody::Fold(_)
            | EventBody::StateDelta(_)
            | EventBody::Archive(_)
            | EventBody::Settle(_)
            | EventBody::Stub(_)
            | EventBody::LayoutChanged(_)
    )
}

/// Checks an event against the session before it. `board` is the one that stood before the newest tool result: by it the
/// events of that result were made.
pub(crate) fn recheck(desk: Desk<'_>, event: &EventBody, board: &Board, context: &Context<'_>) -> Result<(), Doubt> {
    match event {
        EventBody::Fold(fold) => recheck_fold(desk, fold, context),
        EventBody::StateDelta(delta) => recheck_delta(desk, delta, context),
        EventBody::Archive(archive) => recheck_archive(desk, archive, context),
        EventBody::Settle(settle) => recheck_settle(desk, settle, context),
        EventBody::Stub(stub) if stub::holds(desk, stub, context) => Ok(()),
        EventBody::Stub(_) => Err(Doubt::Text),
        EventBody::LayoutChanged(change) => recheck_layout(desk, change, context),
        EventBody::FileChanged(changed) => {
            let followed = followed_change(desk, changed, board, context).ok_or(Doubt::Place)?;
            if *followed == *changed.anchors { Ok(()) } else { Err(Doubt::Anchors) }
        }
        EventBody::FileObserved(seen) => {
            let followed = followed_sight(desk, seen, board, context).ok_or(Doubt::Place)?;
            if *followed == *seen.anchors { Ok(()) } else { Err(Doubt::Anchors) }
        }
        EventBody::NoteShown { kind, content, .. } => recheck_note(desk, *kind, content, context),
        EventBody::UserTurn(turn) if turn.tokens == context.count_user(&turn.text, turn.as_came.as_deref()) => Ok(()),
        EventBody::UserTurn(_) => Err(Doubt::Count),
        EventBody::AssistantTurn(turn) => recheck_answer(turn, context),
        EventBody::StepEnded { turn, shown } => recheck_step(desk, *turn, shown, context),
        EventBody::RulesChanged { rules, .. } => counts(rules.tokens, &rules.text, context),
        EventBody::HeadChanged(head) => recheck_head(&head.system, &head.tools, head.tools_tokens, context),
        _ => Ok(()),
    }
}

/// What programs say through notes cannot be told from what was put there by hand.
fn recheck_note(desk: Desk<'_>, kind: NoteKind, content: &Counted, context: &Context<'_>) -> Result<(), Doubt> {
    let is = |text: String| text == content.text;
    let written = match kind {
        NoteKind::TodoRecap => is(render_todo_recap(&desk.state.todo, &desk.policy.configuration.notes)),
        NoteKind::RulesChanged => is(render_rules_changed()),
        NoteKind::Interrupted => is(render_interrupted(desk.state.last_stop)),
        NoteKind::BoardRequest => DeltaCause::ALL.into_iter().map(render_board_request).any(is),
        NoteKind::Reminder | NoteKind::Probe | NoteKind::Decision => false,
    };
    if written { counts(content.tokens, &content.text, context) } else { Err(Doubt::Note) }
}

fn same(recorded: &Counted, written: &Counted) -> Result<(), Doubt> {
    match (recorded.text == written.text, recorded.tokens == written.tokens) {
        (false, _) => Err(Doubt::Text),
        (true, false) => Err(Doubt::Count),
        (true, true) => Ok(()),
    }
}

fn same_entry(recorded: Option<&Counted>, written: Option<&Counted>) -> Result<(), Doubt> {
    match (recorded, written) {
        (Some(recorded), Some(written)) => same(recorded, written),
        (None, None) => Ok(()),
        _ => Err(Doubt::Text),
    }
}

/// The block of a guest is a function of its turns, so it is written again as a whole.
fn recheck_guest_fold(desk: Desk<'_>, fold: &Fold, context: &Context<'_>) -> Result<(), Doubt> {
    let walls = Walls::new(desk.history, Some(fold.range.first), &BTreeSet::new());
    let barred = (fold.range.first.0..=fold.range.last.0).any(|turn| walls.bars(TurnNo(turn)));
    if fold.block != desk.history.index().blocks + 1 || fold.board.is_some() || barred {
        return Err(Doubt::Place);
    }
    // The trace does not say what the client could ask for.
    let mut written = [ClientRecall::Absent, ClientRecall::Declared].into_iter().map(|recall| {
        let written = write(desk, fold.range, recall, context).map_err(|_| Doubt::Place)?;
        match fold.claims == written.claims && fold.delta.as_ref() == Some(&written.delta) {
            true => same(&fold.content, &written.content),
            false => Err(Doubt::Claims),
        }
    });
    let absent = written.next().unwrap_or(Err(Doubt::Text));
    absent.or_else(|doubt| written.next().unwrap_or(Err(doubt)))
}

fn recheck_fold(desk: Desk<'_>, fold: &Fold, context: &Context<'_>) -> Result<(), Doubt> {
    if desk.history.start().is_guest() {
        return recheck_guest_fold(desk, fold, context);
    }
    let configuration = &desk.policy.configuration;
    let (range, reach, trigger) = (fold.range, fold.reach, fold.trigger.clone());
    let draft = FoldDraft { range, reach, budget: 0, focus: None, trigger, decision: None };
    if fold.block != desk.history.index().blocks + 1 || expect_current(desk, &draft).is_err() {
        return Err(Doubt::Place);
    }
    let holds = |delta| delta_holds(desk.bench(), delta, configuration, context.blobs);
    if !block_holds(desk.bench(), range, &fold.claims, configuration, context.count, context.blobs)
        || !fold.delta.as_ref().is_none_or(holds)
        || fold.claims.pinned != pinned_for(desk, range, context.blobs)
    {
        return Err(Doubt::Claims);
    }
    let log = render_log(desk.history, draft.range, &desk.policy.configuration.block, context.count);
    let written = write_fold(desk, &draft, &fold.claims, fold.delta.clone(), &log, fold.author, context);
    same(&fold.content, &written.content)?;
    let shows = |entry: Option<&BoardEntry>| entry.map(|entry| entry.shows);
    if shows(fold.board.as_ref()) != shows(written.board.as_ref()) {
        return Err(Doubt::Text);
    }
    same_entry(fold.board.as_ref().map(|entry| &entry.content), written.board.as_ref().map(|entry| &entry.content))
}

fn recheck_delta(desk: Desk<'_>, recorded: &StateDelta, context: &Context<'_>) -> Result<(), Doubt> {
    let configuration = &desk.policy.configuration;
    let delta = &recorded.delta;
    if !delta_holds(desk.bench(), delta, configuration, context.blobs)
        || desk.state.board.check(delta, &configuration.board, context.count).is_err()
    {
        return Err(Doubt::Claims);
    }
    let applied = desk.state.board.clone().apply(delta);
    if recorded.version != applied.version || recorded.entry.is_some() != desk.state.step.is_none() {
        return Err(Doubt::Place);
    }
    let written = context.counted(render_delta(delta, &applied, &configuration.board));
    recorded.entry.as_ref().map_or(Ok(()), |entry| same(entry, &written))
}

fn recheck_archive(desk: Desk<'_>, archive: &Archive, context: &Context<'_>) -> Result<(), Doubt> {
    let written = match (&archive.claims, archive.author) {
        (Some(claims), Author::Model | Author::Given) => {
            let proposal = BlockProposal::of(archive.range, claims);
            let (admitted, refused) = admit_for_archive(desk, archive.range, proposal, context);
            if admitted != **claims || !refused.is_empty() {
                return Err(Doubt::Claims);
            }
            write_with(desk, archive.range, claims, context)
        }
        // Text of a model from before its claims were kept.
        (None, Author::Model | Author::Given) => return Err(Doubt::ByModel),
        (_, Author::Rules | Author::TimedOut) => write_by_rules(desk, archive.range, archive.author, context),
    };
    let written = written.map_err(|_| Doubt::Place)?;
    same(&archive.content, &written.content)?;
    same_entry(archive.board.as_ref(), written.board.as_ref())
}

fn recheck_settle(desk: Desk<'_>, settle: &Settle, context: &Context<'_>) -> Result<(), Doubt> {
    settle.results.iter().try_for_each(|settled| {
        let SettledResult { turn, index, content, replaced_tokens } = settled;
        let (result, shown) = shown_result(desk, *turn, *index as usize).ok_or(Doubt::Place)?;
        if *replaced_tokens != shown {
            return Err(Doubt::Count);
        }
        let limits = &desk.policy.configuration.settle;
        let pointer = desk.history.result_pointer(*turn, *index as usize);
        match plan_settle(result, &pointer, shown, limits, context.count, context.blobs) {
            Ok(Settled::Shorter(text)) => same(content, &context.counted(text)),
            _ => Err(Doubt::Text),
        }
    })
}

/// A result of an ended step, with the count of what the view showed of it.
fn shown_result<'a>(desk: Desk<'a>, turn: TurnNo, index: usize) -> Option<(&'a ToolResult, u32)> {
    let step = desk.history.index().tool_turn(turn)?;
    let EventBody::StepEnded { shown, .. } = desk.history.body_at(step.ended()?)? else { return None };
    Some((desk.history.result_at(step, index)?, shown.get(index)?.tokens))
}

fn recheck_layout(desk: Desk<'_>, change: &LayoutChange, context: &Context<'_>) -> Result<(), Doubt> {
    let (written, _) = plan_layout(desk, change.layout, context);
    let dialogues = [change, &written].map(|change| change.dialogue.as_ref());
    if dialogues[0].map(|dialogue| dialogue.through) != dialogues[1].map(|dialogue| dialogue.through) {
        return Err(Doubt::Place);
    }
    let [recorded, again] = dialogues.map(|dialogue| dialogue.map(|dialogue| &dialogue.content));
    same_entry(recorded, again)?;
    same_entry(change.board.as_ref(), written.board.as_ref())
}

/// What a file's change does to anchors; none where there is no such result.
fn followed_change(
    desk: Desk<'_>,
    changed: &FileChanged,
    board: &Board,
    context: &Context<'_>,
) -> Option<Vec<FollowedAnchor>> {
    match changed.change {
        FileChange::Outside { .. } => Some(desk.state.board.follow_unseen(&changed.path)),
        FileChange::Edited { source } | FileChange::Written { source } => {
            let (turn, result) = result_of(desk, source)?;
            follow_anchors(board, &changed.path, &result.data, turn, context).ok()
        }
    }
}

fn followed_sight(
    desk: Desk<'_>,
    seen: &FileObserved,
    board: &Board,
    context: &Context<'_>,
) -> Option<Vec<FollowedAnchor>> {
    if !board.shows(&seen.path) {
        return Some(Vec::new());
    }
    let (turn, result) = result_of(desk, seen.source)?;
    let text = result.text.bytes(context.blobs).ok()?;
    Some(board.follow_sight(&seen.path, &observed_lines(seen, &result.data, &text), turn))
}

fn result_of<'a>(desk: Desk<'a>, source: EventNo) -> Option<(TurnNo, &'a ToolResult)> {
    match desk.history.body_at(source)? {
        EventBody::ToolResult { turn, result, .. } => Some((*turn, result)),
        _ => None,
    }
}
