//! Anchors: short windows of lines that a later step is likely to need, verbatim as they stand now.
//!
//! What edits wrote comes first, then what errors named, what the assistant spoke of, and what was looked at on purpose
//! (docs/design/measuring.md, "What later steps need"). Windows are kept small, never overlap, and never hold a whole
//! file; where a later edit changed the lines, the later edit speaks for them.

mod window;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    candidate::{Candidates, Item},
    commands::Verdict,
    files::{Files, KnownFile},
    stretch::{SightKind, Stretch, Then},
};
use crate::{
    configuration::rules::{
        AROUND_ERROR, AROUND_SMALL_EDIT, DEFINITION_LINES, EDIT_LINES, EDITED, ERROR, ERRORS_PER_RUN, FEW_FOUND,
        FEW_READ, FOUND, FURTHER_PLACE, LOGGED, LONGEST_WINDOW, NAMED, NAMED_AT_LAST, READ, SHOWN_LINES, SMALL_EDIT,
        SPOKEN_TEXTS, STILL_SHOWN, TELLING_LINE, THIN, WINDOWS, WRITTEN,
    },
    evidence::{
        places::places,
        symbols::{defined, spoken},
    },
    trace::{ResultData, Status, result::Hunk},
};

use window::{Window, anchor, place};

pub(super) fn propose(
    stretch: &Stretch<'_>,
    files: &Files<'_>,
    verdicts: &[Verdict<'_>],
    candidates: &mut Candidates<'_>,
) {
    let mut windows = Vec::new();
    written(stretch, files, &mut windows);
    aimed_at(stretch, files, &mut windows);
    named_by_errors(stretch, files, verdicts, &mut windows);
    spoken_of(stretch, files, &mut windows);
    looked_at(stretch, files, &mut windows);
    windows.sort_by_key(|window| std::cmp::Reverse(window.value));
    let mut taken: Vec<Window> = Vec::new();
    for window in windows {
        place(window, &mut taken);
    }
    taken.sort_by_key(|window| std::cmp::Reverse(window.value));
    for window in taken.iter().take(WINDOWS) {
        if let Some(anchor) = anchor(window, &files.list[window.file]) {
            let tells = anchor.snippet.lines().filter(|line| !is_preamble(line) && line.trim().len() > 3).count();
            let mut value = if tells < 2 { window.value - THIN } else { window.value };
            if anchor.as_of > stretch.range.last {
                value -= STILL_SHOWN;
            }
            if value > 0 {
                candidates.push(Item::Anchor(anchor), value, window.turn);
            }
        }
    }
}

/// What edits and writes left, as it stands now.
fn written(stretch: &Stretch<'_>, files: &Files<'_>, windows: &mut Vec<Window>) {
    for sight in &stretch.sights {
        let SightKind::Changed(result) = sight.kind else { continue };
        let Some(file) = files.list.iter().position(|file| file.path == sight.path) else { continue };
        let fresh = stretch.freshness(sight.turn);
        match &result.data {
            data @ (ResultData::Edit(_) | ResultData::Patch(_)) => {
                for hunk in data.edit_of(sight.path).into_iter().flat_map(|edit| &edit.hunks) {
                    if let Some((first, last)) = stands(hunk, &files.list[file]) {
                        windows.push(Window { file, first, last, value: EDITED + fresh, turn: sight.turn });
                    }
                }
            }
            ResultData::Write(_) => {
                let start = files.list[file].lines.iter().find(|line| defined(&line.text).is_some());
                let first = start.map_or(1, |line| line.number);
                windows.push(Window {
                    file,
                    first,
                    last: first + SHOWN_LINES - 1,
                    value: WRITTEN + fresh,
                    turn: sight.turn,
                });
            }
            _ => {}
        }
    }
}

/// Where an edit that failed was meant to go: the lines of its arguments that the file has. It will be tried again.
fn aimed_at(stretch: &Stretch<'_>, files: &Files<'_>, windows: &mut Vec<Window>) {
    for done in stretch.done.iter().filter(|done| done.result.status == Status::Error) {
        let ResultData::Edit(edit) = &done.result.data else { continue };
        let Some(file) = files.list.iter().position(|file| file.path == edit.path) else { continue };
        let texts: BTreeMap<String, Value> = serde_json::from_str(done.arguments).unwrap_or_default();
        let wanted: BTreeSet<&str> = texts
            .values()
            .filter_map(Value::as_str)
            .flat_map(str::lines)
            .map(str::trim)
            .filter(|line| line.len() >= TELLING_LINE && !is_preamble(line))
            .collect();
        let mut found =
            files.list[file].lines.iter().filter(|line| wanted.contains(line.text.trim())).map(|line| line.number);
        if let Some(first) = found.next()
            && let last = found.next_back().unwrap_or(first)
            && last - first < LONGEST_WINDOW
        {
            let (first, last) = (first.saturating_sub(AROUND_SMALL_EDIT).max(1), last + AROUND_SMALL_EDIT);
            let value = EDITED + stretch.freshness(done.turn);
            windows.push(Window { file, first, last, value, turn: done.turn });
        }
    }
}

/// Where the beginning of an edit's new text stands now, with a line around it; None where it was changed again.
fn stands(hunk: &Hunk, file: &KnownFile<'_>) -> Option<(u32, u32)> {
    let blank = hunk.added.iter().take_while(|line| line.trim().is_empty()).count();
    let added = &hunk.added[blank..];
    let added = &added[..added.len().min(EDIT_LINES)];
    if added.is_empty() {
        return None;
    }
    // A line or two alone tell nobody where they stand.
    let around = if added.len() < SMALL_EDIT { AROUND_SMALL_EDIT } else { 1 };
    let expected = hunk.first_line + blank as u32;
    let is_here = |at: usize| {
        file.lines.get(at..at + added.len()).is_some_and(|there| {
            (there[there.len() - 1].number - there[0].number) as usize + 1 == there.len()
                && there.iter().zip(added).all(|(line, added)| line.text == added.trim_end_matches('\r'))
        })
    };
    // Mostly it still stands where it was written; else the nearest of several places.
    let there = file.lines.partition_point(|line| line.number < expected);
    if is_here(there) && file.lines[there].number == expected {
        return Some((expected.saturating_sub(around).max(1), expected + added.len() as u32 + around - 1));
    }
    let at =
        (0..file.lines.len()).filter(|at| is_here(*at)).min_by_key(|at| file.lines[*at].number.abs_diff(expected))?;
    let first = file.lines[at].number;
    Some((first.saturating_sub(around).max(1), first + added.len() as u32 + around - 1))
}

fn named_by_errors(stretch: &Stretch<'_>, files: &Files<'_>, verdicts: &[Verdict<'_>], windows: &mut Vec<Window>) {
    let root = stretch.bench.history.start().root.trim_end_matches('/');
    for verdict in verdicts.iter().filter(|verdict| verdict.failed) {
        let mut named = places(&verdict.output);
        named.sort_by_key(|place| !place.is_error);
        let found = named.into_iter().filter_map(|place| {
            let path = place.path;
            let inside = path.strip_prefix(root).filter(|_| !root.is_empty()).and_then(|rest| rest.strip_prefix('/'));
            Some((file_of(inside.unwrap_or(path), files)?, place.line, place.is_error))
        });
        for (place, (file, line, is_error)) in (0..).zip(found.take(ERRORS_PER_RUN)) {
            let worth = if is_error { ERROR } else { LOGGED };
            let value = worth + stretch.freshness(verdict.turn) - FURTHER_PLACE * place;
            let (first, last) = (line.saturating_sub(AROUND_ERROR).max(1), line + AROUND_ERROR);
            windows.push(Window { file, first, last, value, turn: verdict.turn });
        }
    }
}

/// The file that an output names: by its path, or by the end of it where only one file ends so.
fn file_of(path: &str, files: &Files<'_>) -> Option<usize> {
    if let Some(file) = files.list.iter().position(|file| file.path == path) {
        return Some(file);
    }
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|before| before.ends_with('/'));
    let mut alike = files.list.iter().enumerate().filter(|(_, file)| ends(file.path, path) || ends(path, file.path));
    let (file, _) = alike.next()?;
    alike.next().is_none().then_some(file)
}

/// Definitions of what the assistant named, newest words first.
fn spoken_of(stretch: &Stretch<'_>, files: &Files<'_>, windows: &mut Vec<Window>) {
    let mut definitions: Vec<(&str, usize, u32)> = Vec::new();
    for (file, known) in files.list.iter().enumerate() {
        definitions.extend(known.lines.iter().filter_map(|line| Some((defined(&line.text)?, file, line.number))));
    }
    definitions.sort_unstable();
    for said in stretch.said.iter().rev().take(SPOKEN_TEXTS) {
        let worth = if said.then == Then::Called { NAMED } else { NAMED_AT_LAST };
        for name in spoken(said.text) {
            let first = definitions.partition_point(|(other, ..)| *other < name);
            let named = definitions[first..].iter().take_while(|(other, ..)| *other == name);
            // A name that many files define says nothing about where.
            if named.clone().count() > 2 {
                continue;
            }
            for (_, file, line) in named {
                let value = worth + stretch.freshness(said.turn);
                let last = line + DEFINITION_LINES - 1;
                windows.push(Window { file: *file, first: *line, last, value, turn: said.turn });
            }
        }
    }
}

/// Few lines that were asked for are lines that mattered.
fn looked_at(stretch: &Stretch<'_>, files: &Files<'_>, windows: &mut Vec<Window>) {
    for sight in &stretch.sights {
        let worth = match sight.kind {
            SightKind::Changed(_) => continue,
            SightKind::Found if sight.line_count <= FEW_FOUND => FOUND,
            SightKind::Found => continue,
            SightKind::Read | SightKind::Printed if sight.line_count <= FEW_READ => READ,
            // Of a whole file nothing was meant in particular.
            SightKind::Read | SightKind::Printed => continue,
        };
        let Some(file) = files.list.iter().position(|file| file.path == sight.path) else { continue };
        let end = sight.first_line.saturating_add(sight.line_count);
        let lines = &files.list[file].lines;
        let inside = lines.iter().filter(|line| (sight.first_line..end).contains(&line.number));
        let start = match inside.clone().find(|line| defined(&line.text).is_some()) {
            Some(line) => line.number,
            None => inside.clone().find(|line| !is_preamble(&line.text)).map_or(sight.first_line, |line| line.number),
        };
        let last = (start + SHOWN_LINES - 1).min(end.saturating_sub(1));
        let value = worth + stretch.freshness(sight.turn);
        windows.push(Window { file, first: start, last, value, turn: sight.turn });
    }
}

/// Comments and imports at the top of a file.
fn is_preamble(line: &str) -> bool {
    let line = line.trim();
    ["#", "//", "/*", "*", "import ", "from ", "use ", "package ", "\"\"\"", "---"]
        .iter()
        .any(|mark| line.starts_with(mark))
        || line.is_empty()
        // Go lists what it imports as bare strings.
        || (line.starts_with('"') && line.ends_with('"'))
}
