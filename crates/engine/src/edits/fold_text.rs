//! The texts of a fold: its block, what it changes on the board, and the board entry behind it.

use super::{Desk, draft::FoldDraft};
use crate::{
    admission::{AdmissionLimits, AdmissionRefused, Refusal, RefusalKind, admit_delta},
    block::{Framed, log::Log, render_block_with},
    board::{Board, DeltaRefused, render_board, render_delta},
    compactor::{Request, compact},
    configuration::BoardLimits,
    context::Context,
    error::SessionError,
    proposal::DeltaProposal,
    state::entries::shows_whole_board,
    trace::claim::{BlockContent, Delta},
    trace::{
        decision::{Author, BoardEntry, BoardShown, Reach},
        start::Counted,
    },
    view::{Entry, Source},
};

/// Everything that a fold's event shows.
pub(super) struct Texts {
    pub(super) content: Counted,
    pub(super) delta: Option<Delta>,
    pub(super) board: Option<BoardEntry>,
}

/// What a fold may change on the board.
pub(super) enum NewDelta {
    /// By a model: it has to be admitted.
    Proposed(Box<DeltaProposal>),
    /// By the rules, which ask before they claim.
    Admitted(Box<Delta>),
}

/// What a fold changes on the board, as far as it is admitted, and what was claimed in vain.
pub(super) fn admit_news(
    desk: Desk<'_>,
    draft: &FoldDraft,
    claims: &BlockContent,
    proposal: NewDelta,
    author: Author,
    context: &Context<'_>,
) -> Result<(Option<Delta>, Vec<Refusal>), SessionError> {
    let mut refused = Vec::new();
    let place = desk.state.view.position(draft.range.first).unwrap_or(usize::MAX);
    if draft.reach == Reach::Alone && place < desk.state.view.seam() && !covers_board(desk, draft, false) {
        // Before the seam nothing is added: the board stands behind it.
        return Ok((None, refused));
    }
    let board = board_with_block(desk, claims);
    let limits = &desk.policy.configuration.board;
    let mut delta = match proposal {
        NewDelta::Proposed(proposal) => {
            let admitted = admit_proposed(desk, *proposal, &mut refused, context);
            admitted.and_then(|delta| check_delta(&board, delta, limits, &mut refused, context))
        }
        // Old turns alone bring no news for the board.
        NewDelta::Admitted(_) if draft.reach == Reach::Alone => None,
        NewDelta::Admitted(delta) => check_delta(&board, *delta, limits, &mut refused, context),
    };
    if delta.is_none() && author != Author::Rules {
        // Where the model's does not come, the rules write it (docs/design/model.md, "The board").
        let request = Request { range: draft.range, budget: draft.budget, focus: None };
        let configuration = &desk.policy.configuration;
        let by_rules =
            compact(desk.bench(), &desk.state.board, configuration, &request, context.count, context.blobs)?.delta;
        delta = check_delta(&board, by_rules, limits, &mut Vec::new(), context);
    }
    Ok((delta, refused))
}

/// The texts of a fold, from what was admitted.
pub(super) fn write_fold(
    desk: Desk<'_>,
    draft: &FoldDraft,
    claims: &BlockContent,
    delta: Option<Delta>,
    log: &Log,
    author: Author,
    context: &Context<'_>,
) -> Texts {
    let framed = Framed { number: desk.history.index().blocks + 1, range: draft.range, log };
    let text = render_block_with(desk.bench(), framed, claims, &desk.policy.configuration.block, context.count);
    let mut board = board_with_block(desk, claims);
    let applied = delta.as_ref().map(|delta| board.apply(delta));
    // What rules change on the board is more than its entry has room for.
    let whole = covers_board(desk, draft, delta.is_some()) || author == Author::Rules && delta.is_some();
    let entry = match (whole, &delta, applied) {
        (true, _, applied) => {
            let stale = applied.map_or_else(|| board.name_stale(), |applied| applied.stale);
            let (board, limits) = desk.shown_board(&board, author);
            Some((render_board(&board, &stale, &limits, context.count), BoardShown::Whole))
        }
        (_, Some(delta), Some(applied)) => {
            Some((render_delta(delta, &applied, &desk.policy.configuration.board), BoardShown::Delta))
        }
        _ => None,
    };
    let board = entry.map(|(text, shows)| BoardEntry { content: context.counted(text), shows });
    Texts { content: context.counted(text), delta, board }
}

/// The board as it is when the block stands.
fn board_with_block(desk: Desk<'_>, claims: &BlockContent) -> Board {
    let mut board = desk.state.board.clone();
    board.apply_block(desk.history.index().blocks + 1, &claims.anchors);
    board
}

/// Refused claims cost themselves, not the delta.
fn admit_proposed(
    desk: Desk<'_>,
    proposal: DeltaProposal,
    refused: &mut Vec<Refusal>,
    context: &Context<'_>,
) -> Option<Delta> {
    if proposal == DeltaProposal::default() {
        return None;
    }
    let limits = AdmissionLimits::from(&desk.policy.configuration);
    let (delta, more) = match admit_delta(desk.bench(), proposal, &limits, context.blobs) {
        Ok((delta, more)) => (Some(delta), more),
        Err(AdmissionRefused::Empty { refused: more }) => (None, more),
        Err(_) => (None, Vec::new()),
    };
    refused.extend(more);
    delta
}

/// A delta that the board cannot take costs itself, not the fold.
fn check_delta(
    board: &Board,
    mut delta: Delta,
    limits: &BoardLimits,
    refused: &mut Vec<Refusal>,
    context: &Context<'_>,
) -> Option<Delta> {
    match board.check(&delta, limits, context.count) {
        Ok(()) => Some(delta),
        Err(DeltaRefused::Empty) => None,
        // Without its reason only the goal is refused, not what else was learned.
        Err(reason @ DeltaRefused::GoalShiftWithoutReason { .. }) => {
            let claim = delta.current_goal.take().map(|goal| goal.text).unwrap_or_default();
            refused.push(Refusal { claim, kind: RefusalKind::Delta(reason) });
            board.check(&delta, limits, context.count).is_ok().then_some(delta)
        }
        Err(reason) => {
            let kind = RefusalKind::Delta(reason);
            refused.push(Refusal { claim: "the state delta".into(), kind });
            None
        }
    }
}

/// Whether a fold has to show the whole board again: it takes away what no later entry repeats.
fn covers_board(desk: Desk<'_>, draft: &FoldDraft, has_delta: bool) -> bool {
    let view = &desk.state.view;
    let first = match draft.reach {
        Reach::FromSeam => Some(view.seam()),
        Reach::Alone => view.position(draft.range.first),
    };
    let (Some(first), Some(last)) = (first, view.position(draft.range.last)) else { return false };
    let (covered, behind) = (&view.entries()[first..=last], &view.entries()[last + 1..]);
    match draft.reach {
        Reach::FromSeam => loses_board(desk, covered, behind),
        // Entries stay where nothing new is written; the calls by which the model wrote deltas itself do not.
        Reach::Alone if has_delta => loses_board(desk, covered, behind),
        Reach::Alone => covered.iter().any(|entry| is_board_call(desk, entry)) && loses_board(desk, covered, behind),
    }
}

/// Whether entries that leave the view show something of the board that no whole board behind them shows.
pub(super) fn loses_board(desk: Desk<'_>, covered: &[Entry], behind: &[Entry]) -> bool {
    let shown = covered.iter().filter_map(|entry| match entry.source {
        Source::Board => Some(entry.revision),
        Source::Turn(turn) if is_board_call(desk, entry) => {
            desk.history.index().tool_turn(turn).map(|step| step.assistant)
        }
        _ => None,
    });
    let Some(newest) = shown.max() else { return false };
    let repeats = |entry: &Entry| {
        entry.source == Source::Board && entry.revision > newest && shows_whole_board(desk.history, entry.revision)
    };
    !desk.state.board.is_empty() && !behind.iter().any(repeats)
}

fn is_board_call(desk: Desk<'_>, entry: &Entry) -> bool {
    matches!(entry.source, Source::Turn(turn) if desk.state.board_calls.contains(&turn))
}
