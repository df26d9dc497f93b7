//! What a summary by rules holds, and how each of its lines reads.
//!
//! Everything in it comes from the trace or was admitted to the board; nothing is chosen here. What others said stands
//! in quotes on one line, so that it cannot pass for a line of the record.

use super::Section;
use crate::{
    block::{NOTES, render_note, render_quote},
    configuration::archive::{COMMAND_CHARACTERS, QUOTED_CHARACTERS},
    text::{one_line, shorten},
    trace::claim::{Fact, Quote, Standing, SummariserNote},
    trace::{TurnNo, event::SpanId, result::TestReport},
};

/// The content of the seed's template. Each list goes from the oldest to the newest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub original_goal: Option<Quote>,
    /// What the range shows of languages and test frameworks.
    pub stack: Vec<String>,
    pub done: Listed<Done>,
    pub decisions: Listed<Decision>,
    /// Facts of the board whose evidence lies in the range.
    pub learnings: Listed<Fact>,
    pub answers: Listed<Answer>,
    pub changed: Listed<ChangedFile>,
    pub read: Listed<ReadFile>,
    /// What a model chose: wishes of the user, words of the assistant, and its own notes.
    pub preferences: Vec<Fact>,
    pub said: Vec<Quote>,
    pub notes: Vec<SummariserNote>,
}

/// A list, and how many of its oldest items were left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed<T> {
    pub items: Vec<T>,
    pub more: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Done {
    Todo {
        text: String,
        turn: TurnNo,
    },
    Span {
        id: SpanId,
        goal: String,
        outcome: String,
    },
    /// A test command's last verdict.
    Tests {
        command: String,
        report: TestReport,
        /// `test#N`.
        number: u32,
    },
    /// All changes that the session made.
    Changes {
        edits: u32,
        writes: u32,
        files: usize,
        first: TurnNo,
        last: TurnNo,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    pub question: String,
    pub decision: String,
    /// `gate#N`.
    pub number: u32,
}

/// What the assistant said at the end of a round: it proves only that it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub text: String,
    pub turn: TurnNo,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangedFile {
    pub path: String,
    pub edits: u32,
    /// By the edits.
    pub added: usize,
    pub removed: usize,
    pub writes: u32,
    /// Of the last write.
    pub written_lines: usize,
    pub created: bool,
    /// By somebody else, or by commands.
    pub outside: u32,
    pub reads: u32,
    pub last: Option<TurnNo>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadFile {
    pub path: String,
    pub reads: u32,
    pub last: TurnNo,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { items: Vec::new(), more: 0 }
    }
}

impl<T> From<Vec<T>> for Listed<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, more: 0 }
    }
}

impl<T> Listed<T> {
    /// Leaves out all but so many of the newest.
    pub(super) fn keep(&mut self, newest: usize) {
        let gone = self.items.len().saturating_sub(newest);
        self.items.drain(..gone);
        self.more += gone;
    }

    fn lines(&self, render: impl Fn(&T) -> String) -> String {
        let more = (self.more > 0).then(|| format!("* (+{} more)\n", self.more));
        self.items.iter().map(render).chain(more).collect()
    }

    /// Under a label, one level deeper.
    fn under(&self, label: &str, render: impl Fn(&T) -> String) -> String {
        let lines = self.lines(render);
        if lines.is_empty() {
            return lines;
        }
        let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
        format!("* **{label}**:\n{lines}")
    }
}

impl Summary {
    pub(super) fn section(&self, section: Section) -> String {
        match section {
            Section::Objectives => match &self.original_goal {
                Some(goal) => format!("* **Original Goal**: {} [{}]\n", quote(&goal.text), goal.evidence.pointer),
                None => String::new(),
            },
            Section::TechnicalContext if self.stack.is_empty() => String::new(),
            Section::TechnicalContext => format!("* **Stack**: {}\n", self.stack.join(" · ")),
            Section::Done => self.done.lines(Done::line),
            Section::Insights => [
                self.decisions.under("Decisions", Decision::line),
                self.learnings.under("Learnings", learning_line),
                Listed::from(self.preferences.clone()).under("User Preferences, word for word", learning_line),
                self.answers.under("Answers, as the assistant gave them", Answer::line),
                Listed::from(self.said.clone())
                    .under("Said by the assistant", |said| format!("* {}\n", render_quote(said))),
                Listed::from(self.notes.clone())
                    .under(NOTES, |note| format!("{}\n", render_note(note).replacen('-', "*", 1))),
            ]
            .concat(),
            Section::Files => {
                let read = self.read.lines(ReadFile::line);
                let read = if read.is_empty() { read } else { format!("*(Read, not modified)*\n{read}") };
                format!("*(Modified files in this archive segment)*\n{}{read}", self.changed.lines(ChangedFile::line))
            }
        }
    }
}

impl Done {
    pub(super) fn line(&self) -> String {
        match self {
            Self::Todo { text, turn } => format!("* [✓] {} (todo list, turn#{turn})\n", quote(text)),
            Self::Span { id, goal, outcome } => {
                format!("* [✓] {} - {} [span#{}#{}]\n", quote(goal), quote(outcome), one_line(&id.name), id.number)
            }
            Self::Tests { command, report, number } => {
                let mark = if report.failed == 0 { '✓' } else { '✗' };
                let command = shorten(&one_line(command), COMMAND_CHARACTERS).into_owned();
                format!("* [{mark}] `{}` - {} [test#{number}]\n", command.replace('`', "'"), verdict(report))
            }
            Self::Changes { edits, writes, files, first, last } => {
                let made = [counted(*edits as usize, "edit"), counted(*writes as usize, "write")];
                let made: Vec<String> = made.into_iter().flatten().collect();
                let files = counted(*files, "file").unwrap_or_default();
                format!("* [✓] {} in {files} [turn#{first} … turn#{last}]\n", made.join(" and "))
            }
        }
    }
}

impl Decision {
    pub(super) fn line(&self) -> String {
        format!("* {} → {} [gate#{}]\n", quote(&self.question), quote(&self.decision), self.number)
    }
}

pub(super) fn learning_line(fact: &Fact) -> String {
    let said = match fact.standing {
        Standing::Confirmed => "",
        Standing::Concluded => "the assistant concluded: ",
    };
    let pointers: Vec<&str> = fact.evidence.iter().map(|evidence| evidence.pointer.as_str()).collect();
    format!("* {said}{} [{}]\n", one_line(&fact.text), pointers.join(" · "))
}

impl Answer {
    pub(super) fn line(&self) -> String {
        format!("* turn#{}: {}\n", self.turn, quote(&self.text))
    }
}

impl ChangedFile {
    pub(super) fn line(&self) -> String {
        let mut parts = Vec::new();
        if let Some(edits) = counted(self.edits as usize, "edit") {
            parts.push(format!("{edits}, +{} −{} lines", self.added, self.removed));
        }
        if let Some(writes) = counted(self.writes as usize, "write") {
            let how = if self.created { "created, " } else { "" };
            parts.push(format!("{how}{writes}, {} lines at last", self.written_lines));
        }
        parts.extend(counted(self.outside as usize, "change").map(|changes| format!("{changes} unseen")));
        parts.extend(self.last.map(|turn| format!("last changed at turn#{turn}")));
        parts.extend(counted(self.reads as usize, "read"));
        format!("* {}: {}\n", path(&self.path), parts.join(", "))
    }
}

impl ReadFile {
    pub(super) fn line(&self) -> String {
        let reads = counted(self.reads as usize, "read").unwrap_or_default();
        format!("* {}: {reads}, last at turn#{}\n", path(&self.path), self.last)
    }
}

fn verdict(report: &TestReport) -> String {
    report.counts().unwrap_or_else(|| "no tests ran".to_owned())
}

fn counted(count: usize, what: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    }
}

fn path(path: &str) -> String {
    format!("`{}`", one_line(path).replace('`', "'"))
}

fn quote(text: &str) -> String {
    format!("\"{}\"", shorten(&one_line(text), QUOTED_CHARACTERS))
}
