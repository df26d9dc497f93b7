//! Lines of files as the session knows them: a block cites the same few files many times, and each recall would read
//! whole outputs again.
//!
//! It only saves time. Where it does not have all lines, recall answers, and says why.

use crate::{
    evidence::pointer::Place,
    history::History,
    trace::{Blobs, TurnNo},
};

/// The lines of a `file:` pointer without a turn and the newest turn that shows one of them, if all are known.
pub(super) fn lines_at(place: &Place, history: &History, blobs: &dyn Blobs) -> Option<(Option<TurnNo>, String)> {
    let Place::File { path, lines: Some(wanted), at: None } = place else { return None };
    let known = history.known_lines(path, blobs);
    let first = known.partition_point(|line| line.number < wanted.first);
    let count = (wanted.last - wanted.first) as usize + 1;
    let lines = known.get(first..first.checked_add(count)?)?;
    // Each number stands once and in order: the right ends mean that none is missing between them.
    if lines.first()?.number != wanted.first || lines.last()?.number != wanted.last {
        return None;
    }
    let text = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    Some((lines.iter().map(|line| line.turn).max(), text))
}
