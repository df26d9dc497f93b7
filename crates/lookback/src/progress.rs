//! Bars for long work, on a terminal's standard error only.

use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A wait below this needs no explanation.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: bool,
}

impl Progress {
    /// Bytes of a file; without its size only how many were read.
    pub(crate) fn of_bytes(name: &str, size: Option<u64>) -> Self {
        let template = match size {
            Some(_) => "{msg} {bar:24} {bytes} of {total_bytes} · {eta} left",
            None => "{msg} {bytes}",
        };
        Self::new(size, template, name)
    }

    /// None: somebody else draws one.
    pub(crate) fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), begun: Instant::now(), shown: true }
    }

    /// Sessions, and what is done with them.
    pub(crate) fn of_sessions(doing: &str, count: u64) -> Self {
        Self::new(Some(count), "{msg} {bar:24} {pos} of {len} sessions · {eta} left", doing)
    }

    fn new(length: Option<u64>, template: &str, name: &str) -> Self {
        let bar = if io::stderr().is_terminal() {
            ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden())
        } else {
            ProgressBar::hidden()
        };
        // A template that does not parse would be a mistake of ours; the plain bar does as well.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━━─"));
        }
        bar.set_message(crate::screen::one_line(name, 30));
        Self { bar, begun: Instant::now(), shown: false }
    }

    pub(crate) fn set(&mut self, position: u64) {
        if !self.shown && io::stderr().is_terminal() && self.begun.elapsed() > PATIENCE {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        }
        self.bar.set_position(position);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
