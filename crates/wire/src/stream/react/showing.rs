//! What to show of a text while it is written: thoughts as thinking, actions as calls, the answer as text, and nothing of a
//! conversation that the model makes up. Decides nothing: the finished text is read on its own.

use crate::Delta;

const MARKERS: [&str; 5] = ["Thought:", "Action:", "[user]", "[tool]", "[assistant]"];

#[derive(Debug, Default)]
pub(super) struct Showing {
    mode: Mode,
    /// The beginning of a line, until it is known what it is.
    held: String,
    /// The end of an answer, which may be its closing bracket.
    bracket: String,
    within_line: bool,
    has_begun: bool,
    has_called: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Text,
    Thought,
    Action,
    Answer,
    /// Past the end of what is the model's own.
    Over,
}

impl Showing {
    pub(super) fn push(&mut self, text: &str, deltas: &mut Vec<Delta>) {
        let mut shown = Vec::new();
        for piece in text.split_inclusive('\n') {
            self.piece(piece, &mut shown);
        }
        // One delta for what belongs together.
        for delta in shown {
            match (deltas.last_mut(), delta) {
                (Some(Delta::Text(last)), Delta::Text(more)) | (Some(Delta::Thinking(last)), Delta::Thinking(more)) => {
                    *last += &more;
                }
                (_, delta) => deltas.push(delta),
            }
        }
    }

    /// A piece of one line.
    fn piece(&mut self, piece: &str, shown: &mut Vec<Delta>) {
        let line_ends = piece.ends_with('\n');
        if self.within_line {
            self.show(piece, shown);
        } else {
            self.held += piece;
            let line = std::mem::take(&mut self.held);
            if !line_ends && is_undecided(&line) {
                self.held = line;
                return;
            }
            self.begin(&line, shown);
            self.within_line = true;
        }
        if line_ends {
            self.within_line = false;
        }
    }

    fn begin(&mut self, line: &str, shown: &mut Vec<Delta>) {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if self.mode == Mode::Over {
            return;
        }
        if let Some(rest) = line.strip_prefix("[assistant]").filter(|_| is_first) {
            return self.begin(rest.trim_start(), shown);
        }
        if let Some(rest) = line.strip_prefix("Thought:") {
            self.mode = Mode::Thought;
            return self.show(rest.trim_start(), shown);
        }
        if let Some(rest) = line.strip_prefix("Action:") {
            let (name, inside) = rest.split_once('[').unwrap_or((rest, ""));
            self.mode = Mode::Action;
            if name.trim() == "Finish" {
                // Behind actions it is no answer.
                if !self.has_called {
                    self.mode = Mode::Answer;
                }
                return self.show(inside, shown);
            }
            self.has_called = true;
            shown.push(Delta::Call { name: name.trim().to_owned() });
            return;
        }
        if MARKERS[2..].iter().any(|marker| line.starts_with(marker)) {
            self.mode = Mode::Over;
            return;
        }
        self.show(line, shown);
    }

    fn show(&mut self, piece: &str, shown: &mut Vec<Delta>) {
        if piece.is_empty() {
            return;
        }
        match self.mode {
            Mode::Text => shown.push(Delta::Text(piece.to_owned())),
            Mode::Thought => shown.push(Delta::Thinking(piece.to_owned())),
            Mode::Answer => {
                let mut text = std::mem::take(&mut self.bracket) + piece;
                let end = text.rfind(']').filter(|&at| text[at + 1..].trim().is_empty()).unwrap_or(text.len());
                self.bracket = text.split_off(end);
                if !text.is_empty() {
                    shown.push(Delta::Text(text));
                }
            }
            Mode::Action | Mode::Over => {}
        }
    }
}

/// Whether the line may still become a marker, or an action whose name is not whole yet.
fn is_undecided(line: &str) -> bool {
    let line = line.strip_prefix("[assistant]").map_or(line, str::trim_start);
    let is_action = line.starts_with("Action:") && !line.contains('[');
    is_action || MARKERS.iter().any(|marker| marker.starts_with(line))
}
