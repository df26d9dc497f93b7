//! Anchors live: they follow what is done to their files, so that what stands on the board is what the file has.
//!
//! An edit above an anchor moves it. An edit inside it is taken over where the edit shows all of the new text and the
//! anchor stays short; else the anchor goes. Lines are compared without their endings (`evidence::lines`). What files hold
//! besides, and which blocks show the same lines, is not known here.

use super::{Board, Entry, Stale};
use crate::{
    claim::Anchor,
    configuration::fixed::REFRESHED_ANCHOR_LINES,
    trace::{TurnNo, result::Hunk},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorChange {
    pub id: String,
    /// As it was before.
    pub was: Anchor,
    pub fate: AnchorFate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorFate {
    /// The same lines at another place.
    Moved,
    /// Other text now: whoever shows the old one shows something stale.
    Refreshed,
    /// No longer on the board, and stale wherever else it stands.
    Dropped,
}

impl Board {
    /// An edit that succeeded, by its hunks: `first_line` counts lines after the hunks above it were applied.
    pub fn follow_edit(&mut self, path: &str, hunks: &[Hunk], turn: TurnNo) -> Vec<AnchorChange> {
        let in_order = are_in_order(hunks);
        self.follow(path, turn, |anchor| {
            if !in_order {
                return None;
            }
            hunks.iter().try_fold(anchor.clone(), |anchor, hunk| follow_hunk(anchor, hunk, turn))
        })
    }

    /// The whole file was written, or seen: an anchor stays where it is, or moves to the one place that has its lines.
    pub fn follow_write(&mut self, path: &str, lines: &[impl AsRef<str>], turn: TurnNo) -> Vec<AnchorChange> {
        let lines: Vec<&str> = lines.iter().map(|line| without_carriage_return(line.as_ref())).collect();
        self.follow(path, turn, |anchor| {
            let snippet: Vec<&str> = anchor.snippet.split('\n').collect();
            let at = anchor.first_line.saturating_sub(1) as usize;
            let stays = lines.get(at..at + snippet.len()).is_some_and(|there| there == snippet);
            let first_line = if stays { anchor.first_line } else { only_place(&snippet, &lines)? };
            Some(Anchor { as_of: turn, ..at_line(anchor, first_line) })
        })
    }

    /// The file changed and nobody saw how, or it is gone: nothing of it can be shown as current.
    pub fn follow_unseen(&mut self, path: &str, turn: TurnNo) -> Vec<AnchorChange> {
        self.follow(path, turn, |_| None)
    }

    /// Replaces each anchor of a file by what became of it, and notes what the next delta has to say.
    fn follow(
        &mut self,
        path: &str,
        turn: TurnNo,
        mut fate: impl FnMut(&Anchor) -> Option<Anchor>,
    ) -> Vec<AnchorChange> {
        let mut changes = Vec::new();
        for entry in std::mem::take(&mut self.anchors) {
            if entry.value.path != path {
                self.anchors.push(entry);
                continue;
            }
            let Entry { id, since, value: was } = entry;
            let now = fate(&was);
            let fate = match &now {
                None => Some(AnchorFate::Dropped),
                Some(now) if now.snippet != was.snippet => Some(AnchorFate::Refreshed),
                Some(now) if now.first_line != was.first_line => Some(AnchorFate::Moved),
                Some(_) => None,
            };
            if matches!(fate, Some(AnchorFate::Refreshed | AnchorFate::Dropped)) {
                self.stale.retain(|stale| stale.id != id);
                self.stale.push(Stale { id: id.clone(), since: turn });
            }
            if let Some(value) = now {
                self.anchors.push(Entry { id: id.clone(), since, value });
            }
            changes.extend(fate.map(|fate| AnchorChange { id, was, fate }));
        }
        changes
    }
}

/// Hunks go down the file and do not overlap; with others nobody knows what lies where.
fn are_in_order(hunks: &[Hunk]) -> bool {
    let mut free_from = 1_u64;
    hunks.iter().all(|hunk| {
        let first = u64::from(hunk.first_line);
        let in_order = first >= free_from;
        free_from = first + hunk.added.len() as u64;
        in_order && free_from + hunk.removed.len() as u64 <= u64::from(u32::MAX)
    })
}

/// The anchor after one hunk; None where its text is no longer known.
fn follow_hunk(anchor: Anchor, hunk: &Hunk, turn: TurnNo) -> Option<Anchor> {
    let hunk = Trimmed::new(hunk);
    let (first, last) = (u64::from(anchor.first_line), u64::from(anchor.last_line));
    // The removed lines were `start..end`; a mere insertion stands before `start`.
    let (start, end) = (hunk.first_line, hunk.first_line + hunk.removed.len() as u64);
    if start > last {
        return Some(anchor);
    }
    if end <= first {
        let moved = (first + hunk.added.len() as u64).checked_sub(hunk.removed.len() as u64)?;
        return Some(at_line(&anchor, u32::try_from(moved).ok()?));
    }
    let lines: Vec<&str> = anchor.snippet.split('\n').collect();
    if first + lines.len() as u64 != last + 1 {
        return None;
    }
    let overlap = start.max(first)..end.min(last + 1);
    let of_anchor = &lines[(overlap.start - first) as usize..(overlap.end - first) as usize];
    let of_hunk = &hunk.removed[(overlap.start - start) as usize..(overlap.end - start) as usize];
    if of_anchor != of_hunk {
        return None;
    }
    if start <= first && end > last {
        // All of it was removed; an edit that repeats it, once, has moved it.
        if let Some(place) = only_place(&lines, &hunk.added) {
            let line = start + u64::from(place) - 1;
            return Some(Anchor { as_of: turn, ..at_line(&anchor, u32::try_from(line).ok()?) });
        }
    }
    let above = &lines[..start.saturating_sub(first) as usize];
    let below = lines.get((end - first) as usize..).unwrap_or_default();
    let refreshed = [above, &hunk.added, below].concat();
    if refreshed.is_empty() || refreshed.len() > REFRESHED_ANCHOR_LINES.max(lines.len()) {
        return None;
    }
    let first_line = u32::try_from(start.min(first)).ok()?;
    let last_line = first_line.checked_add(refreshed.len() as u32 - 1)?;
    Some(Anchor { first_line, last_line, snippet: refreshed.join("\n"), as_of: turn, ..anchor })
}

/// A hunk without the lines that it repeats at its start and its end: they were not changed.
struct Trimmed<'a> {
    first_line: u64,
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

impl<'a> Trimmed<'a> {
    fn new(hunk: &'a Hunk) -> Self {
        let lines =
            |lines: &'a [String]| -> Vec<&'a str> { lines.iter().map(|line| without_carriage_return(line)).collect() };
        let (mut removed, mut added) = (lines(&hunk.removed), lines(&hunk.added));
        let above = removed.iter().zip(&added).take_while(|(old, new)| old == new).count();
        removed.drain(..above);
        added.drain(..above);
        let below = removed.iter().rev().zip(added.iter().rev()).take_while(|(old, new)| old == new).count();
        removed.truncate(removed.len() - below);
        added.truncate(added.len() - below);
        Self { first_line: u64::from(hunk.first_line) + above as u64, removed, added }
    }
}

/// The number of the line where these lines stand, if they do so exactly once.
fn only_place(snippet: &[&str], lines: &[&str]) -> Option<u32> {
    let mut places = lines.windows(snippet.len()).enumerate().filter(|(_, window)| *window == snippet);
    let (place, _) = places.next()?;
    if places.next().is_some() { None } else { u32::try_from(place + 1).ok() }
}

fn at_line(anchor: &Anchor, first_line: u32) -> Anchor {
    let last_line = first_line.saturating_add(anchor.last_line.saturating_sub(anchor.first_line));
    Anchor { first_line, last_line, ..anchor.clone() }
}

fn without_carriage_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests;
