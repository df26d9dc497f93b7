//! Where places in files were printed, as `main.rs:134:`.

use std::ops::RangeInclusive;

use super::is_before;
use crate::conversation::{Call, Piece};

/// The printed places of one file, asked for by calls in their order.
#[derive(Debug)]
pub(super) struct Printed {
    /// Piece and line, as they were printed.
    places: Vec<(u32, u32)>,
    /// So many of them were printed before the call that is asked about.
    told: usize,
    /// All lines, rising.
    lines: Vec<u32>,
    /// A tree over the lines: behind as many others, each line's newest place that was told, counted from 1; before them,
    /// for two each, the newer one. A search from the newest place on would look at all of them again and again.
    newest: Vec<u32>,
}

impl Printed {
    /// `most` is how many more can be kept.
    pub(super) fn of(name: &str, within: &[usize], pieces: &[Piece], most: &mut usize) -> Self {
        let mut places = Vec::new();
        for piece in within {
            let start = places.len();
            let text = &pieces[*piece].text;
            let lines = text.rmatch_indices(name).filter_map(|(at, _)| {
                let (number, _) = text[at + name.len()..].split_once(':')?;
                number.parse().ok()
            });
            places.extend(lines.take(*most).map(|line: u32| (*piece as u32, line)));
            places[start..].reverse();
            *most -= places.len() - start;
        }
        let mut lines: Vec<u32> = places.iter().map(|(_, line)| *line).collect();
        lines.sort_unstable();
        lines.dedup();
        let newest = vec![0; 2 * lines.len()];
        Self { places, told: 0, lines, newest }
    }

    /// The line of the newest place inside of the lines asked for that was printed before.
    pub(super) fn newest(&mut self, asked: &RangeInclusive<u32>, call: &Call<'_>) -> Option<u32> {
        while let Some((_, line)) = self.places.get(self.told).filter(|(piece, _)| (*piece as usize) < call.answer) {
            self.told += 1;
            let mut at = self.lines.len() + self.lines.partition_point(|known| known < line);
            while at > 0 {
                self.newest[at] = self.told as u32;
                at /= 2;
            }
        }
        let count = self.lines.len();
        let mut low = count + self.lines.partition_point(|line| line < asked.start());
        let mut high = count + self.lines.partition_point(|line| line <= asked.end());
        let mut newest = 0;
        while low < high {
            if low % 2 == 1 {
                newest = newest.max(self.newest[low]);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                newest = newest.max(self.newest[high]);
            }
            (low, high) = (low / 2, high / 2);
        }
        let stands = |(piece, line): &&(u32, u32)| asked.contains(line) && is_before(call, *piece as usize);
        // Where the person went back, the newest may be gone.
        self.places[..newest as usize].iter().rev().find(stands).map(|(_, line)| *line)
    }
}
