//! Recall by words: which lines hold them, and how to see the whole of what they stand in.

use anyhow::{Result, bail};
use lookback_engine::trace::SessionId;
use lookback_store::{Hit, Snapshot};
use serde_json::{Value, json};

use crate::{names::Names, screen};

/// More finds are not counted: whoever has so many asks for something else.
const COUNTED: usize = 1_000;

/// Below it the day is left out: what was found must stay in sight.
const ROOM_FOR_DAYS: usize = 80;
/// `2026-11-16` of a time.
const DAY: usize = 10;

pub(super) struct Asked<'a> {
    pub(super) query: &'a str,
    /// How many finds are shown.
    pub(super) limit: usize,
    pub(super) json: bool,
}

pub(super) fn recall(store: &Snapshot, asked: &Asked<'_>, session: Option<&SessionId>) -> Result<()> {
    let query = asked.query;
    if !query.chars().any(char::is_alphanumeric) {
        bail!("\"{query}\" has no word to search for: give a pointer, or some letters or digits");
    }
    let counted = asked.limit.max(COUNTED);
    let mut hits = store.search(query, session, counted + 1)?;
    let all = hits.len();
    hits.truncate(asked.limit);
    let more = all.min(counted) - hits.len();
    let names = Names::of(&store.sessions()?);
    if asked.json {
        let hits: Vec<_> = hits.iter().map(|hit| told(hit, &names)).collect();
        return screen::show_json(&json!({ "more": more, "uncounted": all > counted, "hits": hits }));
    }
    if hits.is_empty() {
        let place = session.map_or("any session".to_owned(), |id| format!("session {}", names.short(id)));
        bail!(
            "nothing in {place} has all the words of \"{query}\"; fewer or other words may find it \
             (of each output only the first 8 MB are searched)"
        );
    }
    let mut out = screen::screen();
    let width = screen::columns_or_endless();
    let rows: Vec<Vec<String>> = hits.iter().map(|hit| row(hit, &names, width)).collect();
    let numbers = if width < ROOM_FOR_DAYS { 2 } else { 3 };
    screen::write_table(&mut out, &rows, &[numbers], width)?;
    out.flush()?;
    if all > hits.len() {
        let found = match all > counted {
            true => format!("more than {} are found:", screen::exact(counted as u64)),
            false => format!("and {} more: --limit {all} shows them,", screen::exact(more as u64)),
        };
        screen::remark(&format!("{found} more words find fewer"));
    }
    if let Some(pointer) = hits.iter().find_map(|hit| pointer_of(hit, &names)) {
        screen::remark(&format!("the whole of one: lookback recall {pointer}"));
    }
    // Errors, notes and spans stand between turns, where no pointer leads.
    if let Some(hit) = hits.iter().find(|hit| hit.turn.is_none()) {
        let name = names.short(&hit.session);
        screen::remark(&format!("event {} among the others: lookback show {name} --trace, with --json whole", hit.seq));
    }
    Ok(())
}

/// The line's number has a column of its own: it counts within that one text or output, and no pointer takes it.
fn row(hit: &Hit, names: &Names, width: usize) -> Vec<String> {
    let place = pointer_of(hit, names).unwrap_or_else(|| format!("{} event {}", names.short(&hit.session), hit.seq));
    let mut row = vec![
        place,
        screen::time(hit.at).chars().take(DAY).collect(),
        hit.kind.replace('_', " "),
        format!("line {}", hit.line_number),
        begin_near(&hit.line, hit.before, width / 8),
    ];
    if width < ROOM_FOR_DAYS {
        row.remove(1);
    }
    row
}

fn told(hit: &Hit, names: &Names) -> Value {
    json!({
        "session": hit.session.0,
        "pointer": pointer_of(hit, names),
        "event": hit.seq.0,
        "turn": hit.turn.map(|turn| turn.0),
        "at": hit.at.0,
        "kind": hit.kind,
        "line_number": hit.line_number,
        "line": hit.line,
    })
}

fn pointer_of(hit: &Hit, names: &Names) -> Option<String> {
    Some(format!("{}/turn#{}", names.short(&hit.session), hit.turn?))
}

/// A table cuts its lines at the end: what was found, behind so many characters, must stand near the beginning, with at
/// most `before` of them.
fn begin_near(line: &str, place: usize, before: usize) -> String {
    if place <= 2 * before {
        return line.to_owned();
    }
    format!("…{}", line.chars().skip(place - before).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_stands_near_the_beginning() {
        let line = format!("{}the Needle in it", "余 ".repeat(40));
        assert_eq!(begin_near(&line, 84, 4), "…the Needle in it");
        assert_eq!(begin_near(&line, 84, 60), line);
        assert_eq!(begin_near(&line, 0, 4), line);
        assert_eq!(begin_near("x", 10, 0), "…");
    }
}
