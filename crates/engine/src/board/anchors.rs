//! Anchors live: they follow what is done to their files, so that what stands on the board is what the file has.
//!
//! An edit above an anchor moves it. An edit inside it is taken over where the edit shows all of the new text and the
//! anchor stays short; else the anchor goes. Lines are compared without their endings (`evidence::lines`). What files hold
//! besides, and which blocks show the same lines, is not known here.

use std::collections::BTreeSet;

use super::{Board, ShownAnchor, Stale};
use crate::{
    configuration::fixed::REFRESHED_ANCHOR_LINES,
    evidence::observed::Observation,
    trace::claim::Anchor,
    trace::{TurnNo, event::FollowedAnchor, result::Hunk},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnchorChange {
    pub id: String,
    /// As it was before.
    pub was: Anchor,
    pub fate: AnchorFate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnchorFate {
    /// The same lines at another place.
    Moved,
    /// Other text now, so the old one is stale wherever it is shown.
    Refreshed,
    /// No longer on the board, and stale wherever else it stands.
    Dropped,
}

impl Board {
    /// What an edit that succeeded does to the anchors of its file: `first_line` of a hunk counts lines after the hunks
    /// above it were applied. Like the others below it plans once; the plan is recorded, and [`Board::apply_followed`]
    /// carries it out.
    pub(crate) fn follow_edit(&self, path: &str, hunks: &[Hunk], turn: TurnNo) -> Vec<FollowedAnchor> {
        let in_order = are_in_order(hunks);
        self.follow(path, |anchor| {
            if !in_order {
                return None;
            }
            hunks.iter().try_fold(anchor.clone(), |anchor, hunk| follow_hunk(anchor, hunk, turn))
        })
    }

    /// The whole file was written, or seen: an anchor stays where it is, or moves to the one place that has its lines.
    pub(crate) fn follow_write(&self, path: &str, lines: &[impl AsRef<str>], turn: TurnNo) -> Vec<FollowedAnchor> {
        let lines: Vec<&str> = lines.iter().map(|line| without_carriage_return(line.as_ref())).collect();
        self.follow(path, |anchor| {
            let snippet: Vec<&str> = anchor.snippet.split('\n').collect();
            let at = anchor.first_line.saturating_sub(1) as usize;
            let stays = lines.get(at..at + snippet.len()).is_some_and(|there| there == snippet);
            let first_line = if stays { anchor.first_line } else { only_place(&snippet, &lines)? };
            Some(Anchor { as_of: turn, ..at_line(anchor, first_line) })
        })
    }

    /// Lines of the file were seen: an anchor that contradicts them is out of date, although the change itself was not
    /// seen.
    pub(crate) fn follow_sight(&self, path: &str, seen: &Observation<'_>, turn: TurnNo) -> Vec<FollowedAnchor> {
        match seen {
            Observation::Whole(lines) => self.follow_write(path, lines, turn),
            Observation::Lines(lines) => self.follow(path, |anchor| {
                let held: Vec<&str> = anchor.snippet.split('\n').collect();
                let agrees = |number: u32, line: &str| {
                    let place = number.checked_sub(anchor.first_line).map(|place| place as usize);
                    place.and_then(|place| held.get(place)).is_none_or(|held| *held == without_carriage_return(line))
                };
                lines.iter().all(|(number, line)| agrees(*number, line)).then(|| anchor.clone())
            }),
            Observation::Edit(hunks) => self.follow_edit(path, hunks, turn),
        }
    }

    /// The file changed and nobody saw how, or it is gone: nothing of it can be shown as current.
    pub(crate) fn follow_unseen(&self, path: &str) -> Vec<FollowedAnchor> {
        self.follow(path, |_| None)
    }

    /// Whether the board or a block shows lines of this file.
    pub(crate) fn shows(&self, path: &str) -> bool {
        self.in_blocks.contains_key(path) || self.anchors.iter().any(|entry| entry.value.path == path)
    }

    /// Each anchor of the file that becomes another one.
    fn follow(&self, path: &str, fate: impl Fn(&Anchor) -> Option<Anchor>) -> Vec<FollowedAnchor> {
        let on_board: Vec<(&String, &Anchor)> = self
            .anchors
            .iter()
            .filter(|entry| entry.value.path == path)
            .map(|entry| (&entry.id, &entry.value))
            .collect();
        // An anchor that stands in several places has one id; it is followed once.
        let mut seen: BTreeSet<&String> = on_board.iter().map(|(id, _)| *id).collect();
        let in_blocks = self.in_blocks.get(path).into_iter().flatten().map(|shown| (&shown.id, &shown.anchor));
        let in_blocks: Vec<(&String, &Anchor)> = in_blocks.filter(|(id, _)| seen.insert(id)).collect();
        let is_other =
            |anchor: &Anchor, now: &Anchor| (now.first_line, &now.snippet) != (anchor.first_line, &anchor.snippet);
        let followed = on_board.into_iter().chain(in_blocks).map(|(id, anchor)| (id, anchor, fate(anchor)));
        followed
            .filter(|(_, anchor, now)| now.as_ref().is_none_or(|now| is_other(anchor, now)))
            .map(|(id, _, now)| FollowedAnchor { id: id.clone(), now })
            .collect()
    }

    /// Replaces anchors of a file by what became of them, and notes what the next delta has to say. A block shows what it
    /// shows: of its anchors only the place is kept up to date, and once touched they are stale for good.
    pub(crate) fn apply_followed(
        &mut self,
        path: &str,
        followed: &[FollowedAnchor],
        turn: TurnNo,
    ) -> Vec<AnchorChange> {
        let changes = followed.iter().filter_map(|followed| self.apply_one_followed(path, followed, turn)).collect();
        if self.in_blocks.get(path).is_some_and(Vec::is_empty) {
            self.in_blocks.remove(path);
        }
        changes
    }

    fn apply_one_followed(&mut self, path: &str, followed: &FollowedAnchor, turn: TurnNo) -> Option<AnchorChange> {
        let FollowedAnchor { id, now } = followed;
        let mut none = Vec::new();
        let in_blocks = self.in_blocks.get_mut(path).unwrap_or(&mut none);
        let on_board = self.anchors.iter().position(|entry| entry.id == *id);
        let in_block = in_blocks.iter().find(|shown| shown.id == *id);
        let was = match (on_board, in_block) {
            (Some(at), _) => self.anchors[at].value.clone(),
            (None, Some(shown)) => shown.anchor.clone(),
            (None, None) => return None,
        };
        let fate = match now {
            None => Some(AnchorFate::Dropped),
            Some(now) if now.snippet != was.snippet => Some(AnchorFate::Refreshed),
            Some(now) if now.first_line != was.first_line => Some(AnchorFate::Moved),
            Some(_) => None,
        };
        let touched = matches!(fate, Some(AnchorFate::Refreshed | AnchorFate::Dropped));
        if touched {
            self.stale.retain(|stale| stale.id != *id);
            self.stale.push(Stale { id: id.clone(), since: turn });
        }
        match now {
            Some(now) if !touched => {
                in_blocks.iter_mut().filter(|shown| shown.id == *id).for_each(|shown| shown.anchor = now.clone());
            }
            _ => in_blocks.retain(|shown| shown.id != *id),
        }
        match (on_board, now) {
            (Some(at), Some(now)) => self.anchors[at].value = now.clone(),
            (Some(at), None) => {
                self.anchors.remove(at);
            }
            (None, _) => {}
        }
        fate.map(|fate| AnchorChange { id: id.clone(), was, fate })
    }

    /// The ids under which a block shows its anchors: those of the board where it has the same lines, else new ones.
    pub(crate) fn ids_in_block(&self, anchors: &[Anchor]) -> Vec<String> {
        let mut given = self.given.anchors;
        let mut next = || {
            given += 1;
            format!("a{given}")
        };
        anchors.iter().map(|anchor| self.id_of(anchor).unwrap_or_else(&mut next)).collect()
    }

    /// The id under which these very lines are shown already.
    pub(super) fn id_of(&self, anchor: &Anchor) -> Option<String> {
        let same = |held: &Anchor| {
            (&held.path, held.first_line, &held.snippet) == (&anchor.path, anchor.first_line, &anchor.snippet)
        };
        let on_board = self.anchors.iter().map(|entry| (&entry.id, &entry.value));
        let in_blocks = self.in_blocks.get(&anchor.path).into_iter().flatten().map(|shown| (&shown.id, &shown.anchor));
        on_board.chain(in_blocks).find(|(_, held)| same(held)).map(|(id, _)| id.clone())
    }

    /// A block shows these from now on.
    pub(crate) fn apply_block(&mut self, block: u32, anchors: &[Anchor]) {
        for (id, anchor) in self.ids_in_block(anchors).into_iter().zip(anchors) {
            let number = id[1..].parse().unwrap_or(0);
            self.given.anchors = self.given.anchors.max(number);
            let shown = ShownAnchor { block, id, anchor: anchor.clone() };
            self.in_blocks.entry(anchor.path.clone()).or_default().push(shown);
        }
    }

    /// A block has left the view, and its anchors with it.
    pub(crate) fn forget_block(&mut self, block: u32) {
        self.in_blocks.retain(|_, shown| {
            shown.retain(|shown| shown.block != block);
            !shown.is_empty()
        });
    }
}

/// Hunks go down the file and do not overlap; otherwise places cannot be computed.
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
