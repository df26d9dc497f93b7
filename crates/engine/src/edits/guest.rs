//! A fold in a session that another program drives: its block is a function of the conversation up to its end.
//!
//! So it is written from the trace as it stood at that turn, with a view in which nothing was ever folded: what came since,
//! which folds stand, and when anything happened cannot reach it (docs/design/model.md, "Guests").

use super::{
    Desk,
    draft::FoldDraft,
    fold::{PlannedFold, plan_written, render_asked},
    fold_text::Texts,
    walls::Walls,
    zone::{ends_step, hot_turns, start},
};
use crate::{
    admission::{self, AdmissionRefused, AdmittedBlock},
    block::guest::{Framed, render_guest_block},
    board::Board,
    compactor::{Request, compact},
    context::Context,
    error::{FoldRefused, SessionError},
    history::{History, TraceError},
    planner::{FoldDecision, Verdict, block_budget},
    state::{Bench, State},
    trace::{
        EventBody, TurnNo,
        claim::{BlockContent, Delta},
        decision::{Author, Reach, TurnRange},
        start::{ClientRecall, Counted},
    },
    view::Source,
};

/// What a decision to fold asks for: a fold for each stretch between two walls, oldest first.
pub(crate) fn drafts_of(desk: Desk<'_>, decision: &FoldDecision, walls: &Walls) -> Vec<FoldDraft> {
    let (Verdict::Go(_), Some(cut)) = (decision.verdict, decision.cut) else { return Vec::new() };
    let first_hot = hot_turns(desk.bench()).next();
    let mut ranges: Vec<TurnRange> = Vec::new();
    let mut open: Option<TurnNo> = None;
    for entry in &desk.state.view.entries()[start(desk, walls)..] {
        let Source::Turn(turn) = entry.source else { continue };
        if turn > cut.end {
            break;
        }
        if walls.bars(turn) {
            open = None;
            continue;
        }
        let first = open.filter(|first| !walls.part(*first, turn)).unwrap_or(turn);
        open = Some(first);
        if ends_step(desk.history, turn) && walls.lets_end(turn) {
            match ranges.last_mut().filter(|range| range.first == first) {
                Some(range) => range.last = turn,
                None => ranges.push(TurnRange { first, last: turn }),
            }
        }
    }
    let draft = |range: TurnRange| FoldDraft {
        range,
        reach: if Some(range.first) == first_hot { Reach::FromSeam } else { Reach::Alone },
        budget: cut.budget as u32,
        focus: None,
        trigger: render_asked(decision.asked),
        decision: Some(*decision),
    };
    ranges.into_iter().map(draft).collect()
}

/// The event of such a fold.
pub(crate) fn plan_guest_fold(
    desk: Desk<'_>,
    draft: &FoldDraft,
    recall: ClientRecall,
    context: &Context<'_>,
) -> Result<PlannedFold, SessionError> {
    let Written { claims, delta, content } = write(desk, draft.range, recall, context)?;
    let texts = Texts { content, delta: Some(delta), board: None };
    plan_written(desk, draft, AdmittedBlock::by_rules(claims), texts, Author::Rules, context)
}

/// What a block says, and what the board would.
pub(crate) struct Written {
    pub(super) claims: BlockContent,
    pub(super) delta: Delta,
    pub(crate) content: Counted,
}

pub(crate) fn write(
    desk: Desk<'_>,
    range: TurnRange,
    recall: ClientRecall,
    context: &Context<'_>,
) -> Result<Written, SessionError> {
    let (history, state) = as_said(desk.history, range.last)?;
    let bench = Bench { history: &history, state: &state };
    let configuration = &desk.policy.configuration;
    let inside = |source: Source| matches!(source, Source::Turn(turn) if range.contains(turn));
    let entries = state.view.entries().iter().filter(|entry| inside(entry.source));
    let tokens: u64 = entries.map(|entry| u64::from(entry.tokens)).sum();
    let budget = block_budget(tokens, &configuration.fold).min(tokens / 2) as u32;
    let request = Request { range, budget, focus: None };
    let nothing = Board::default();
    let compaction = compact(bench, &nothing, configuration, &request, context.count, context.blobs)?;
    if admission::says_nothing(&compaction.block) && compaction.log.tokens == 0 {
        return Err(FoldRefused::Admission(AdmissionRefused::Empty { refused: Vec::new() }).into());
    }
    let mut board = nothing;
    board.apply(&compaction.delta);
    let mut claims = compaction.block;
    claims.open_questions = board.questions().iter().map(|entry| entry.value.clone()).collect();
    claims.next_actions = board.next_actions().to_vec();
    let framed = Framed { conversation: desk.history.id(), recall, status: board.status(), log: &compaction.log };
    let text = render_guest_block(bench, range, &claims, &framed, configuration, context.count);
    Ok(Written { claims, delta: compaction.delta, content: context.counted(text) })
}

/// The conversation up to a turn, and a view that shows all of it.
fn as_said(history: &History, last: TurnNo) -> Result<(History, State), SessionError> {
    let history = history.up_to(history.end_of_turn(last)?)?;
    let mut state = State::new(history.start());
    let turns = history.events().iter().filter(|event| {
        let is_turn =
            matches!(event.event, EventBody::UserTurn(_) | EventBody::AssistantTurn(_) | EventBody::StepEnded { .. });
        is_turn && history.is_live(event.seq)
    });
    for event in turns {
        let misfit = |reason| TraceError::Misfit { event: event.seq, reason };
        state.apply(event, &history).map_err(misfit)?;
    }
    Ok((history, state))
}
