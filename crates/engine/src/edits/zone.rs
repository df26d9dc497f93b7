//! What the planner has to know of the hot zone: where it can be cut, and what a fold of it would have to be looked up
//! again.

use std::collections::BTreeMap;

use super::{Desk, walls::Walls};
use crate::{
    configuration::written::{CHARACTERS_PER_TOKEN, LOG_LINE_CHARACTERS, LOG_POINTER, LOG_TAKES_OF_BLOCK},
    history::{
        History,
        index::{CallRecord, ToolTurn, TurnRecord},
    },
    planner::{Cut, Place, block_budget},
    state::Bench,
    trace::{EventBody, EventNo, TurnNo, decision::TurnRange},
    view::{Source, View},
};

/// The tokens that no block covers yet.
pub(crate) fn hot_tokens(view: &View) -> u64 {
    view.entries()[view.seam()..].iter().map(|entry| u64::from(entry.tokens)).sum()
}

/// The turns that no block covers yet.
pub(crate) fn hot_turns(bench: Bench<'_>) -> impl Iterator<Item = TurnNo> {
    let view = &bench.state.view;
    view.entries()[view.seam()..].iter().filter_map(|entry| match entry.source {
        Source::Turn(turn) => Some(turn),
        _ => None,
    })
}

/// The place of the first entry that a fold from the seam would replace.
pub(crate) fn start(desk: Desk<'_>, walls: &Walls) -> usize {
    let hot = &desk.state.view.entries()[desk.state.view.seam()..];
    let barred = hot.iter().take_while(|entry| matches!(entry.source, Source::Turn(turn) if walls.bars(turn)));
    desk.state.view.seam() + barred.count()
}

/// Every step from there on, oldest first. `offered` is the end that a trigger proposes.
pub(crate) fn cuts(desk: Desk<'_>, offered: Option<TurnNo>, walls: &Walls) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let (mut tokens, mut verbatim, mut log) = (0, 0, 0);
    let limits = &desk.policy.configuration.block;
    let breaks = span_ends(desk.history);
    let (mut behind_wall, mut before) = (false, None);
    for entry in &desk.state.view.entries()[start(desk, walls)..] {
        tokens += u64::from(entry.tokens);
        let Source::Turn(turn) = entry.source else { continue };
        behind_wall |= before.replace(turn).is_some_and(|before| walls.part(before, turn));
        if walls.bars(turn) {
            behind_wall = true;
            verbatim += u64::from(entry.tokens);
        } else if std::mem::take(&mut behind_wall) {
            // Another block begins.
            verbatim += desk.policy.configuration.fold.block_least;
        }
        if is_users(desk.history, turn) && !walls.bars(turn) {
            verbatim += u64::from(entry.tokens.min(limits.longest_user_turn));
        }
        if let Some(step) = desk.history.index().tool_turn(turn) {
            log += expected_log(desk.history, step);
        }
        if ends_step(desk.history, turn) {
            let at_break = offered == Some(turn) || breaks.contains(&turn);
            let place = if at_break { Place::Break } else { Place::Step };
            // Part of the log takes the place of lines and outlines.
            let given_way = block_budget(tokens, &desk.policy.configuration.fold) * LOG_TAKES_OF_BLOCK / 100;
            let verbatim = verbatim + log.min(u64::from(limits.log_of(tokens))).saturating_sub(given_way);
            // It counts among the newest steps, but nothing is won by a fold that ends there.
            let verbatim = if walls.lets_end(turn) { verbatim } else { tokens };
            cuts.push(Cut { end: turn, tokens, verbatim, place });
        }
    }
    // The open step is the newest of those that stay.
    cuts.extend(desk.history.index().open_step().map(|end| Cut { end, tokens, verbatim: tokens, place: Place::Step }));
    cuts
}

/// About what the calls of a step take in the log of a block: commands stand there whole, others by a path and lines.
fn expected_log(history: &History, step: &ToolTurn) -> u64 {
    let tokens = |(index, call): (usize, &CallRecord)| match call.command.and(history.call_of(step, index)) {
        Some((_, _, arguments)) => {
            (arguments.len().min(LOG_LINE_CHARACTERS) / CHARACTERS_PER_TOKEN) as u64 + LOG_POINTER
        }
        None => 2 * LOG_POINTER,
    };
    step.calls.iter().enumerate().map(tokens).sum()
}

/// How many Recalls a fold now would bring about: for files in work, whose lines stand only before the kept steps, and
/// for files that were read lately and not changed yet. Edits of a file come in rows, and of the lines that they need
/// 83% were seen within ten steps (docs/design/measuring.md, "What later steps need").
pub(crate) fn expected_recalls(desk: Desk<'_>) -> f64 {
    let steps = &desk.state.steps;
    let start_of = |back: usize| {
        let step = steps.get(steps.len().saturating_sub(back))?;
        desk.history.index().event_of(step.assistant)
    };
    let Some(hot) = hot_turns(desk.bench()).next().and_then(|turn| desk.history.index().event_of(turn)) else {
        return 0.0;
    };
    let limits = &desk.policy.configuration.fold;
    let keep = limits.keep_steps as usize;
    let (kept, newest, lately) =
        (start_of(keep), start_of(limits.edits_in_a_row as usize), start_of(keep + limits.read_lately as usize));
    // By path: when it was changed last, and when a stretch of it was seen last.
    let mut files: BTreeMap<&str, (Option<EventNo>, Option<EventNo>)> = BTreeMap::new();
    for event in desk.history.events_from(hot) {
        match &event.event {
            EventBody::FileChanged(change) => files.entry(&change.path).or_default().0 = Some(event.seq),
            EventBody::FileObserved(sight) if sight.line_count >= limits.read_lines => {
                files.entry(&sight.path).or_default().1 = Some(event.seq);
            }
            _ => {}
        }
    }
    let goes = |seen: Option<EventNo>| seen.is_some() && seen < kept;
    let recalls = files.values().filter(|(_, seen)| goes(*seen)).map(|(changed, seen)| match changed {
        Some(_) if *changed > newest => limits.recalls_per_file,
        None if *seen > lately => limits.recalls_per_read,
        _ => 0.0,
    });
    recalls.sum()
}

/// The last turns of closed spans; of nested ones the outermost counts.
fn span_ends(history: &History) -> Vec<TurnNo> {
    let closed = || {
        let spans =
            history.index().spans().iter().filter(|span| span.ended.is_some_and(|event| history.is_live(event)));
        spans.filter_map(|span| Some(TurnRange { first: span.first, last: TurnNo(span.end?.0.checked_sub(1)?) }))
    };
    let inside = |one: TurnRange, other: TurnRange| one != other && other.first <= one.first && one.last <= other.last;
    closed().filter(|span| !closed().any(|other| inside(*span, other))).map(|span| span.last).collect()
}

/// Whether a step ends with this turn: results, or an answer without calls.
pub(crate) fn ends_step(history: &History, turn: TurnNo) -> bool {
    match history.index().turn(turn) {
        Some(TurnRecord::Tool(_)) => true,
        Some(TurnRecord::Assistant { event }) => {
            history.index().tool_turn(TurnNo(turn.0 + 1)).is_none_or(|step| step.assistant != *event)
        }
        _ => false,
    }
}

fn is_users(history: &History, turn: TurnNo) -> bool {
    match history.index().turn(turn) {
        Some(TurnRecord::User { event }) => {
            matches!(history.body_of(*event), EventBody::UserTurn(user) if user.user.is_some())
        }
        _ => false,
    }
}

/// The newest results that no call has sent yet: nothing may take them away.
pub(crate) fn unseen_results(desk: Desk<'_>) -> Option<TurnNo> {
    let sent = desk.sent.last_call();
    let newest = desk.state.steps.last()?.tool?;
    let ended = desk.history.index().tool_turn(newest)?.ended()?;
    (Some(ended) > sent).then_some(newest)
}
