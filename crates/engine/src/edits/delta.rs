//! State deltas: from the model's `Board` call, or by rules where it did not come.

use super::{Desk, zone::hot_turns};
use crate::{
    admission::{AdmissionLimits, AdmissionRefused, Refusal, admit_delta},
    board::{DeltaRefused, render_delta},
    compactor::{Request, compact},
    context::Context,
    error::{BoardRefused, SessionError, expect_idle},
    proposal::parse_delta,
    report::DeltaReport,
    trace::claim::Delta,
    trace::{
        Event, EventBody,
        decision::{Author, Refused, StateDelta, TurnRange},
    },
};

/// A delta that can be recorded, with what to say of it.
pub(crate) struct PlannedDelta {
    pub(crate) delta: StateDelta,
    pub(crate) report: DeltaReport,
}

/// A delta from a model's text: the arguments of its `Board` call while that step is open, else the answer to the
/// state update prompt. What could not be admitted is in the report, for the tool's result or the repair attempt.
pub(crate) fn delta_from_text(desk: Desk<'_>, text: &str, context: &Context<'_>) -> Result<PlannedDelta, SessionError> {
    let parsed = parse_delta(text).map_err(BoardRefused::Proposal)?;
    if desk.history.index().open_call().is_some() {
        return Err(SessionError::CallOpen);
    }
    let limits = AdmissionLimits::from(&desk.policy.configuration);
    match admit_delta(desk.bench(), parsed.delta, &limits, context.blobs) {
        Ok((delta, refused)) => {
            let mut planned = plan(desk, delta, refused, Author::Model, context)?;
            planned.report.dropped_fields = parsed.dropped_fields;
            Ok(planned)
        }
        Err(AdmissionRefused::Empty { refused }) if refused.is_empty() => {
            Err(BoardRefused::SaysNothing { unknown: parsed.dropped_fields }.into())
        }
        Err(AdmissionRefused::Empty { refused }) => Err(BoardRefused::NothingAdmitted { refused }.into()),
        Err(other) => Err(BoardRefused::Admission(other).into()),
    }
}

/// What changed on the board since the last delta or fold, as far as rules can tell. None: nothing.
pub(crate) fn delta_by_rules(desk: Desk<'_>, context: &Context<'_>) -> Result<Option<PlannedDelta>, SessionError> {
    expect_idle(desk.history)?;
    let written = |event: &&Event| matches!(event.event, EventBody::StateDelta(_) | EventBody::Fold(_));
    let since = desk.history.events().iter().rev().find(written).map(|event| event.seq);
    // What came before was asked about then: reading it again costs a compaction of the whole hot zone.
    let mut turns = hot_turns(desk.bench()).filter(|turn| desk.history.index().event_of(*turn) > since);
    let Some(first) = turns.next() else { return Ok(None) };
    let last = turns.last().unwrap_or(first);
    let request = Request {
        range: TurnRange { first, last },
        budget: desk.policy.configuration.fold.block_least as u32,
        focus: None,
    };
    let mut configuration = desk.policy.configuration.clone();
    configuration.board = configuration.board.by_rules();
    let delta = compact(desk.bench(), &desk.state.board, &configuration, &request, context.count, context.blobs)?.delta;
    if delta == Delta::default() {
        return Ok(None);
    }
    match plan(desk, delta, Vec::new(), Author::Rules, context) {
        Ok(planned) => Ok(Some(planned)),
        Err(SessionError::Board(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn plan(
    desk: Desk<'_>,
    delta: Delta,
    refused: Vec<Refusal>,
    author: Author,
    context: &Context<'_>,
) -> Result<PlannedDelta, SessionError> {
    check_delta(desk, &delta, &refused, context)?;
    let mut board = desk.state.board.clone();
    let applied = board.apply(&delta);
    let text = render_delta(&delta, &applied, &desk.policy.configuration.board);
    // In an open step the model's own call and its result show the delta.
    let entry = desk.state.step.is_none().then(|| context.counted(text.clone()));
    let event = StateDelta {
        version: applied.version,
        author,
        delta,
        entry,
        refused: refused.iter().map(Refused::from).collect(),
    };
    let report = DeltaReport { version: applied.version, author, text, refused, dropped_fields: Vec::new() };
    Ok(PlannedDelta { delta: event, report })
}

fn check_delta(desk: Desk<'_>, delta: &Delta, refused: &[Refusal], context: &Context<'_>) -> Result<(), BoardRefused> {
    match desk.state.board.check(delta, &desk.policy.configuration.board, context.count) {
        Ok(()) => Ok(()),
        // Nothing new remained because the rest was refused: say why.
        Err(DeltaRefused::Empty) if !refused.is_empty() => {
            Err(BoardRefused::NothingAdmitted { refused: refused.to_vec() })
        }
        Err(reason) => Err(BoardRefused::Delta(reason)),
    }
}
