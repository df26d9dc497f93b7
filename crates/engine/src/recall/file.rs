//! What a session saw of a file, put together from reads, searches, edits, writes and shell output.

use std::{borrow::Cow, cell::RefCell};

use super::{MarkKind, Piece, Recall, RecallError, Recalled};
use crate::{
    evidence::{
        lines::{lines_in, split_lines},
        observed::{Observation, ObservedLine, Unobserved, known, reconstruct},
        pointer::LineRange,
    },
    trace::{
        Event, EventBody, EventNo, ResultData, TurnNo,
        event::{FileChange, FileObserved},
    },
};

/// One sight of a file: when, and what it showed. `None`: it changed unseen, and nothing older counts.
type Sight = Option<(TurnNo, Observation<'static>)>;

pub(super) fn recall_file(
    recall: &Recall<'_>,
    path: &str,
    lines: Option<LineRange>,
    at: Option<TurnNo>,
    before: Option<EventNo>,
) -> Result<Recalled, RecallError> {
    let unseen = || RecallError::FileNotSeen { path: path.to_owned() };
    let as_of = match at {
        Some(turn) => EventNo(end_of_turn(recall, turn)?.0 + 1),
        None => before.unwrap_or(EventNo(u64::MAX)),
    };
    let newest_first = live_sights(recall, path, as_of)?;
    let newest = recall.trace.event(*newest_first.first().ok_or_else(unseen)?)?;
    let mut found = match lines {
        Some(range) => find_lines(recall, path, range, &newest_first)?,
        None => match sight(recall, &newest)? {
            Some((turn, observation)) => as_seen(observation, turn),
            None => return Err(unseen()),
        },
    };
    found.sort_by_key(|line| line.number);
    let turn = found.iter().map(|line| line.turn).max();
    let text = found.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    let label = match (found.first(), found.last()) {
        (Some(first), Some(last)) => format!("{path}:L{}-L{}", first.number, last.number),
        _ => path.to_owned(),
    };
    Ok(Recalled { turn, at: newest.at, pieces: vec![Piece { label, bytes: text.into() }] })
}

/// Those lines of a file that are known as of now. Where an output cannot be read, what lies before it is not known.
pub(super) fn known_lines(
    recall: &Recall<'_>,
    path: &str,
    wanted: LineRange,
) -> Result<Vec<ObservedLine>, RecallError> {
    let newest_first = live_sights(recall, path, EventNo(u64::MAX))?;
    Ok(known(wanted, newest_first.iter().map_while(|event| sight(recall, &recall.trace.event(*event).ok()?).ok()?)))
}

/// What the sights from `since` on show; older ones do not count.
pub(super) fn lines_since(
    recall: &Recall<'_>,
    path: &str,
    wanted: LineRange,
    since: EventNo,
) -> Result<Vec<ObservedLine>, RecallError> {
    let mut newest_first = live_sights(recall, path, EventNo(u64::MAX))?;
    newest_first.retain(|event| *event >= since);
    find_lines(recall, path, wanted, &newest_first)
}

fn find_lines(
    recall: &Recall<'_>,
    path: &str,
    range: LineRange,
    newest_first: &[EventNo],
) -> Result<Vec<ObservedLine>, RecallError> {
    // Loading stops at the first failure; whoever consumes the iterator must not take it for the end of the history.
    let failure = RefCell::new(None);
    let sights = newest_first.iter().map_while(|event| {
        match recall.trace.event(*event).and_then(|event| sight(recall, &event)) {
            Ok(sight) => sight,
            Err(error) => {
                failure.replace(Some(error));
                None
            }
        }
    });
    let found = reconstruct(range, sights);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    found.map_err(|Unobserved { missing }| RecallError::LinesNotSeen {
        path: path.to_owned(),
        missing: missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    })
}

/// The sights of a file before `as_of` that no rollback before it took away, the newest first.
fn live_sights(recall: &Recall<'_>, path: &str, as_of: EventNo) -> Result<Vec<EventNo>, RecallError> {
    let dead = dead_ranges(recall, as_of)?;
    let is_live =
        |event: &EventNo| *event < as_of && !dead.iter().any(|(first, end)| (*first..*end).contains(&event.0));
    let mut newest_first: Vec<EventNo> = recall.trace.seen(path)?.into_iter().filter(is_live).collect();
    newest_first.reverse();
    Ok(newest_first)
}

/// The event with which a turn was complete.
fn end_of_turn(recall: &Recall<'_>, turn: TurnNo) -> Result<EventNo, RecallError> {
    for kind in [MarkKind::StepEnd, MarkKind::Turn] {
        if let Some(event) = recall.trace.marked(super::Mark { kind, number: turn.0 })?.first() {
            return Ok(*event);
        }
    }
    Err(recall.no_such(MarkKind::Turn, turn.0))
}

/// What the rollbacks before `as_of` took out: first event and end.
pub(super) fn dead_ranges(recall: &Recall<'_>, as_of: EventNo) -> Result<Vec<(u64, u64)>, RecallError> {
    let mut dead = Vec::new();
    for event in recall.events(MarkKind::Rollback, 0)? {
        if let EventBody::RolledBack { turn } = event.event
            && event.seq < as_of
        {
            dead.push((end_of_turn(recall, turn)?.0 + 1, event.seq.0));
        }
    }
    Ok(dead)
}

fn sight(recall: &Recall<'_>, event: &Event) -> Result<Sight, RecallError> {
    let source = match &event.event {
        EventBody::FileObserved(observed) => observed.source,
        EventBody::FileChanged(changed) => match changed.change {
            FileChange::Edited { source } | FileChange::Written { source } => source,
            FileChange::Outside { .. } => return Ok(None),
        },
        _ => return Ok(None),
    };
    let source = recall.trace.event(source)?;
    let EventBody::ToolResult { turn, result, .. } = source.event else { return Ok(None) };
    let observation = match (&event.event, result.data) {
        (EventBody::FileObserved(observed), data) => {
            let text = result.text.bytes(recall.blobs)?;
            observed_lines(observed, &data, &text)
        }
        (_, ResultData::Edit(edit)) => Observation::Edit(edit.hunks.into()),
        (_, ResultData::Write(write)) => {
            let content = write.content.bytes(recall.blobs)?;
            Observation::Whole(
                split_lines(&content).map(|line| String::from_utf8_lossy(line).into_owned().into()).collect(),
            )
        }
        _ => return Ok(None),
    };
    Ok(Some((turn, observation)))
}

/// What a result shows of one file.
pub(crate) fn observed_lines(observed: &FileObserved, data: &ResultData, text: &[u8]) -> Observation<'static> {
    let owned = |(number, line): (u32, Cow<'_, str>)| (number, Cow::Owned(line.into_owned()));
    let lines: Vec<(u32, Cow<'static, str>)> = match (&observed.form, data) {
        (Some(form), _) => lines_in(text, form, observed.first_line).into_iter().map(owned).collect(),
        (None, ResultData::Search(search)) => search
            .matches
            .iter()
            .filter(|found| found.path == observed.path)
            .map(|found| (found.line, Cow::Owned(found.text.clone())))
            .collect(),
        (None, _) => Vec::new(),
    };
    match observed.whole {
        true => Observation::Whole(lines.into_iter().map(|(_, line)| line).collect()),
        false => Observation::Lines(lines),
    }
}

fn as_seen(observation: Observation<'_>, turn: TurnNo) -> Vec<ObservedLine> {
    let line = |(number, text): (u32, Cow<'_, str>)| ObservedLine { number, text: text.into_owned(), turn };
    match observation {
        Observation::Lines(lines) => lines.into_iter().map(line).collect(),
        Observation::Whole(lines) => (1..).zip(lines).map(line).collect(),
        Observation::Edit(hunks) => hunks
            .iter()
            .flat_map(|hunk| (hunk.first_line..).zip(hunk.added.iter().map(|text| Cow::Borrowed(text.as_str()))))
            .map(line)
            .collect(),
    }
}
