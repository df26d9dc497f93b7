//! What a session saw of a file, put together from reads, searches, edits, writes and shell output.

use std::borrow::Cow;

use super::{MarkKind, Piece, Recall, RecallError, Recalled, RolledBack};
use crate::{
    evidence::{
        lines::{NumberedLine, lines_in, lossy, split_lines},
        observed::{Next, Observation, ObservedLine, Search, Unobserved, render_ranges},
        pointer::LineRange,
    },
    trace::{
        Event, EventBody, EventNo, ResultData, TurnNo,
        event::{FileChange, FileObserved},
    },
};

impl Recall<'_> {
    pub(super) fn file(
        &self,
        path: &str,
        lines: Option<LineRange>,
        at: Option<TurnNo>,
        before: Option<EventNo>,
    ) -> Result<Recalled, RecallError> {
        let unseen = || RecallError::FileNotSeen { path: path.to_owned() };
        let as_of = match at {
            Some(turn) => EventNo(self.end_of_turn(turn)?.0 + 1),
            None => before.unwrap_or(EventNo(u64::MAX)),
        };
        let newest_first = self.live_sights(path, as_of)?;
        let newest = self.trace.event(*newest_first.first().ok_or_else(unseen)?)?;
        let mut found = match lines {
            Some(range) => self.find_lines(path, range, &newest_first)?,
            None => self.sight(&newest, as_seen)?.ok_or_else(unseen)?,
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

    /// All lines of a file that are known as of now. Where an output cannot be read, what lies before it is not known:
    /// then with the reason.
    pub(super) fn known_lines(&self, path: &str) -> (Vec<ObservedLine>, Option<RecallError>) {
        let mut search = Search::new(LineRange { first: 1, last: u32::MAX });
        let sights = self.live_sights(path, EventNo(u64::MAX));
        let looked = sights.and_then(|newest_first| self.look_through(&newest_first, &mut search));
        (search.known(), looked.err())
    }

    /// What the sights from `since` on show; older ones do not count.
    pub(super) fn lines_since(
        &self,
        path: &str,
        wanted: LineRange,
        since: EventNo,
    ) -> Result<Vec<ObservedLine>, RecallError> {
        let mut newest_first = self.live_sights(path, EventNo(u64::MAX))?;
        newest_first.retain(|event| *event >= since);
        self.find_lines(path, wanted, &newest_first)
    }

    fn find_lines(&self, path: &str, range: LineRange, sights: &[EventNo]) -> Result<Vec<ObservedLine>, RecallError> {
        let mut search = Search::new(range);
        self.look_through(sights, &mut search)?;
        search.end().map_err(|Unobserved { missing }| RecallError::LinesNotSeen {
            path: path.to_owned(),
            missing: render_ranges(&missing),
        })
    }

    /// Shows a search one sight after another, until it has enough or the file changed unseen: nothing older counts then.
    fn look_through(&self, newest_first: &[EventNo], search: &mut Search) -> Result<(), RecallError> {
        for event in newest_first {
            let event = self.trace.event(*event)?;
            if self.sight(&event, |turn, observation| search.see(turn, observation))? != Some(Next::Older) {
                break;
            }
        }
        Ok(())
    }

    /// The sights of a file before `as_of` that no rollback before it took away, the newest first.
    fn live_sights(&self, path: &str, as_of: EventNo) -> Result<Vec<EventNo>, RecallError> {
        let rolled_back = self.rolled_back(as_of)?;
        let is_live = |event: &EventNo| *event < as_of && rolled_back.is_live(*event);
        Ok(self.trace.seen(path)?.into_iter().filter(is_live).rev().collect())
    }

    /// The event with which a turn was complete.
    fn end_of_turn(&self, turn: TurnNo) -> Result<EventNo, RecallError> {
        for kind in [MarkKind::StepEnd, MarkKind::Turn] {
            if let Some(event) = self.trace.marked(super::Mark { kind, number: turn.0 })?.first() {
                return Ok(*event);
            }
        }
        Err(self.no_such(MarkKind::Turn, turn.0))
    }

    /// What the rollbacks before `as_of` took out.
    pub(super) fn rolled_back(&self, as_of: EventNo) -> Result<RolledBack, RecallError> {
        let mut rolled_back = RolledBack::default();
        for event in self.events(MarkKind::Rollback, 0)? {
            if let EventBody::RolledBack { turn, .. } = event.event
                && event.seq < as_of
            {
                rolled_back.push(self.end_of_turn(turn)?, event.seq);
            }
        }
        Ok(rolled_back)
    }

    /// What one sight of a file showed, and in which turn, for as long as its output is at hand. None: the file changed
    /// unseen.
    fn sight<T>(
        &self,
        event: &Event,
        show: impl FnOnce(TurnNo, Observation<'_>) -> T,
    ) -> Result<Option<T>, RecallError> {
        let source = match &event.event {
            EventBody::FileObserved(observed) => observed.source,
            EventBody::FileChanged(changed) => match changed.change {
                FileChange::Edited { source } | FileChange::Written { source } => source,
                FileChange::Outside { .. } => return Ok(None),
            },
            _ => return Ok(None),
        };
        let source = self.trace.event(source)?;
        let EventBody::ToolResult { turn, result, .. } = &source.event else { return Ok(None) };
        let bytes;
        let observation = match (&event.event, &result.data) {
            (EventBody::FileObserved(observed), data) => {
                bytes = result.text.bytes(self.blobs)?;
                observed_lines(observed, data, &bytes)
            }
            (_, ResultData::Write(write)) => {
                bytes = write.content.bytes(self.blobs)?;
                Observation::Whole(split_lines(&bytes).map(lossy).collect())
            }
            (EventBody::FileChanged(changed), data) => match data.edit_of(&changed.path) {
                Some(edit) => Observation::Edit(Cow::Borrowed(&edit.hunks)),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(show(*turn, observation)))
    }
}

/// What a result shows of one file.
pub(crate) fn observed_lines<'a>(observed: &FileObserved, data: &'a ResultData, text: &'a [u8]) -> Observation<'a> {
    let lines: Vec<NumberedLine<'a>> = match (&observed.form, data) {
        (Some(form), _) => lines_in(text, form, observed.first_line),
        (None, ResultData::Search(search)) => search
            .matches
            .iter()
            .filter(|found| found.path == observed.path)
            .map(|found| (found.line, Cow::Borrowed(found.text.as_str())))
            .collect(),
        (None, _) => Vec::new(),
    };
    match observed.whole {
        true => Observation::Whole(lines.into_iter().map(|(_, line)| line).collect()),
        false => Observation::Lines(lines),
    }
}

fn as_seen(turn: TurnNo, observation: Observation<'_>) -> Vec<ObservedLine> {
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
