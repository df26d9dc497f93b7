//! Finds the place of a change that came without one.
//!
//! Many tools tell what they replaced but not where: a patch without line numbers, an exact text and what came instead.
//! Where the lines of the file are known, the replaced ones say it: they were found by their text when the change was
//! made, so they are found by it again. What is not known here: whether the file has further such lines that nobody saw.

use std::ops::Range;

use super::observed::ObservedLine;
use crate::{
    configuration::evidence::{COMPARED_LINES, TELLING_CHARACTERS},
    trace::result::Hunk,
};

/// Does any of these lack its place?
pub(crate) fn lacks_place(hunks: &[Hunk]) -> bool {
    hunks.iter().any(|hunk| hunk.first_line == 0)
}

/// The same changes without the lines that they leave as they are, each where it was made: where a hunk has no place, all
/// are looked for among the known lines of the file before the change, in their order. Where one is not found for
/// certain, none has a place.
pub(crate) fn place(hunks: &[Hunk], known: &[ObservedLine]) -> Vec<Hunk> {
    find(hunks, known).unwrap_or_else(|| {
        let changes = |hunk: &Hunk| -> Vec<Hunk> {
            let part = |(old, new): (Range<usize>, Range<usize>)| Hunk {
                first_line: 0,
                removed: hunk.removed[old].to_vec(),
                added: hunk.added[new].to_vec(),
            };
            differences(&hunk.removed, &hunk.added).into_iter().map(part).collect()
        };
        hunks.iter().flat_map(changes).collect()
    })
}

fn find(hunks: &[Hunk], known: &[ObservedLine]) -> Option<Vec<Hunk>> {
    // At first by the lines of the file before all of them.
    let mut placed: Vec<Hunk> = Vec::new();
    let mut after = 0;
    for hunk in hunks {
        let wanted: Vec<&str> = hunk.removed.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let Some((at, how)) = find_one(&wanted, known, after) else {
            // What changes nothing only says behind what the next one stands.
            if hunk.removed == hunk.added {
                continue;
            }
            return None;
        };
        let there = &known[at..at + hunk.removed.len()];
        after = at + there.len();
        let stood: Vec<String> = there.iter().map(|line| line.text.clone()).collect();
        let (compared, added) = match how {
            Match::Inside => (&stood, complete(&wanted, &hunk.added, there)),
            _ => (&hunk.removed, hunk.added.clone()),
        };
        for (old, new) in differences(compared, &added) {
            placed.push(Hunk {
                first_line: there.get(old.start).map_or_else(|| there[old.start - 1].number + 1, |line| line.number),
                removed: stood[old].to_vec(),
                added: added[new].to_vec(),
            });
        }
    }
    placed.sort_by_key(|change| change.first_line);
    let mut shift = 0_i64;
    let mut free_from = 1;
    for Hunk { first_line, removed, added } in &mut placed {
        if *first_line < free_from {
            return None;
        }
        free_from = *first_line + removed.len() as u32;
        *first_line = u32::try_from(i64::from(*first_line) + shift).ok()?;
        shift += added.len() as i64 - removed.len() as i64;
    }
    Some(placed)
}

/// Where the lines stand, as an index into the known ones. Several such places: the next one behind `after`, which is what
/// a patch means, if nothing unseen lies between.
fn find_one(wanted: &[&str], known: &[ObservedLine], after: usize) -> Option<(usize, Match)> {
    if wanted.is_empty() {
        return None;
    }
    let letters: usize = wanted.iter().map(|line| line.trim().chars().count()).sum();
    for how in Match::ALL {
        let places: Vec<usize> = (0..known.len()).filter(|at| how.stands(wanted, known, *at)).collect();
        let next = places.iter().copied().find(|at| *at >= after);
        let is_seen_until = |at: usize| match after {
            0 => known[at].number as usize == at + 1,
            after => (known[at].number - known[after - 1].number) as usize == at + 1 - after,
        };
        match (places.as_slice(), next) {
            ([], _) => {}
            ([only], _) if letters >= TELLING_CHARACTERS => return Some((*only, how)),
            (_, Some(next)) if is_seen_until(next) => return Some((next, how)),
            _ => return None,
        }
    }
    None
}

/// How exactly lines must be the same. Who applied the change was no stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    Exact,
    /// A replaced text may begin and end inside of a line.
    Inside,
    /// Patches are applied in spite of blanks at the ends of lines, and even of other indentation.
    TrimmedEnd,
    Trimmed,
}

impl Match {
    const ALL: [Self; 4] = [Self::Exact, Self::Inside, Self::TrimmedEnd, Self::Trimmed];

    fn stands(self, wanted: &[&str], known: &[ObservedLine], at: usize) -> bool {
        let Some(there) = known.get(at..at + wanted.len()) else { return false };
        let last = wanted.len() - 1;
        (there[last].number - there[0].number) as usize == last
            && there.iter().zip(wanted).enumerate().all(|(place, (line, wanted))| {
                let (line, wanted) = (line.text.as_str(), *wanted);
                match self {
                    Self::Exact => line == wanted,
                    Self::Inside if last == 0 => !wanted.is_empty() && line.matches(wanted).count() == 1,
                    Self::Inside if place == 0 => line.ends_with(wanted),
                    Self::Inside if place == last => line.starts_with(wanted),
                    Self::Inside => line == wanted,
                    Self::TrimmedEnd => line.trim_end() == wanted.trim_end(),
                    Self::Trimmed => line.trim() == wanted.trim(),
                }
            })
    }
}

/// The added lines as the file has them: with what stood around a text inside of a line.
fn complete(wanted: &[&str], added: &[String], there: &[ObservedLine]) -> Vec<String> {
    let mut added = added.to_vec();
    let ([first, ..], [.., last]) = (there, there) else { return added };
    let (before, behind) = match wanted {
        [only] => {
            let before = first.text.find(only).unwrap_or(0);
            (before, before + only.len())
        }
        [begin, .., end] => (first.text.len() - begin.len(), end.len()),
        [] => return added,
    };
    if added.is_empty() {
        added.push(String::new());
    }
    added[0].insert_str(0, &first.text[..before]);
    if let Some(end) = added.last_mut() {
        end.push_str(&last.text[behind..]);
    }
    added
}

/// Where two texts differ, by the longest lines in common; stretches of the old one and of the new one.
fn differences(old: &[String], new: &[String]) -> Vec<(Range<usize>, Range<usize>)> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let same = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - same, new.len() - same);
    let (rows, columns) = (old_end - start, new_end - start);
    if rows == 0 && columns == 0 {
        return Vec::new();
    }
    if rows * columns > COMPARED_LINES {
        return vec![(start..old_end, start..new_end)];
    }
    // How many lines are in common from here on.
    let mut common = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            common[row][column] = match old[start + row] == new[start + column] {
                true => common[row + 1][column + 1] + 1,
                false => common[row + 1][column].max(common[row][column + 1]),
            };
        }
    }
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut row, mut column) = (0, 0);
    let (mut from_row, mut from_column) = (0, 0);
    loop {
        let is_same = row < rows && column < columns && old[start + row] == new[start + column];
        if is_same || (row == rows && column == columns) {
            if from_row < row || from_column < column {
                found.push((start + from_row..start + row, start + from_column..start + column));
            }
            if !is_same {
                return found;
            }
            (row, column) = (row + 1, column + 1);
            (from_row, from_column) = (row, column);
        } else if column == columns || (row < rows && common[row + 1][column] >= common[row][column + 1]) {
            row += 1;
        } else {
            column += 1;
        }
    }
}

#[cfg(test)]
mod tests;
