//! What of each piece the steps ahead need, for the share of a view that is of use (`simulate/signal.rs`).

use std::collections::BTreeMap;

use memchr::memmem;

use super::{Call, Piece};

/// How far ahead a view is judged.
pub(crate) const STEPS_AHEAD: usize = 20;

/// Lines of pieces that the steps ahead need. The same for every strategy, so a conversation makes it once.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// By piece: from this call on, so many bytes are needed. Rising; nothing before the first.
    needed: Vec<Vec<(usize, usize)>>,
}

impl Ahead {
    pub(super) fn new(pieces: &[Piece], calls: &[Call<'_>]) -> Self {
        // The steps that need a line of a piece, by the line's first byte.
        let mut lines: Vec<BTreeMap<usize, (usize, Vec<usize>)>> = vec![BTreeMap::new(); pieces.len()];
        let mut known: BTreeMap<(&str, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for (step, call) in calls.iter().enumerate() {
            for need in call.needs.iter().filter(|need| need.kind.enters_recall()) {
                let finder = memmem::Finder::new(&*need.text);
                for piece in need.seen.iter() {
                    let text = &pieces[*piece].text;
                    let found = known.entry((&need.text, *piece)).or_insert_with(|| lines_with(&finder, text));
                    for (start, length) in found {
                        lines[*piece].entry(*start).or_insert((*length, Vec::new())).1.push(step);
                    }
                }
            }
        }
        Self { needed: lines.into_iter().map(|lines| steps_of(lines.into_values())).collect() }
    }

    pub(crate) fn bytes(&self, piece: usize, call: usize) -> usize {
        let needed = &self.needed[piece];
        needed.partition_point(|(from, _)| *from <= call).checked_sub(1).map_or(0, |at| needed[at].1)
    }
}

/// From the steps that need each line to how many bytes each call has use for.
fn steps_of(lines: impl Iterator<Item = (usize, Vec<usize>)>) -> Vec<(usize, usize)> {
    let mut changes: BTreeMap<usize, isize> = BTreeMap::new();
    for (length, steps) in lines {
        let mut end = 0;
        for step in steps {
            let start = (step + 1).saturating_sub(STEPS_AHEAD).max(end);
            *changes.entry(start).or_default() += length as isize;
            end = step + 1;
            *changes.entry(end).or_default() -= length as isize;
        }
    }
    let mut bytes = 0;
    let sums = changes.into_iter().map(|(call, change)| {
        bytes += change;
        (call, bytes as usize)
    });
    sums.collect()
}

/// The lines that hold a text, as first byte and length.
pub(crate) fn lines_with(finder: &memmem::Finder<'_>, text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut lines: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
        let start = memchr::memrchr(b'\n', &bytes[..from + at]).map_or(0, |feed| feed + 1);
        let end = memchr::memchr(b'\n', &bytes[from + at..]).map_or(bytes.len(), |feed| from + at + feed + 1);
        lines.push((start, end - start));
        from = end;
    }
    lines
}
