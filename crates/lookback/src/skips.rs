//! What could not be used of a file, with its place; only the first few are shown.

use lookback_replay::recording::Skipped;

use crate::screen;

/// More are counted, not shown: whoever has a file of broken lines knows after ten.
const SHOWN: usize = 10;

#[derive(Debug, Clone, Default)]
pub(crate) struct Skips {
    first: Vec<Skipped>,
    pub(crate) count: u64,
}

impl Skips {
    pub(crate) fn add(&mut self, skipped: Skipped) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(skipped);
        }
    }

    /// On standard error, below the name of the file.
    pub(crate) fn tell(&self, name: &str) {
        for Skipped { line, reason } in &self.first {
            match line {
                0 => screen::remark(&format!("{name}: {reason}; skipped")),
                _ => screen::remark(&format!("{name}, line {line}: {reason}; skipped")),
            }
        }
        if let more @ 1.. = self.count.saturating_sub(self.first.len() as u64) {
            screen::remark(&format!("{name}: {} more skipped", screen::exact(more)));
        }
    }
}
