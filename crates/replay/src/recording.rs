//! A recorded session in neutral form: what was said and done, whoever's file it stood in.
//!
//! Importers write these items, one after another, so that a file of any length needs memory for one call only. What
//! tools did is typed as in the engine's own traces; the raw call stays as the model wrote it.

mod bills;
mod times;
mod unpriced;

use std::collections::BTreeMap;

pub use lookback_engine::trace::event::CompactionKind;
use lookback_engine::{
    NewPart,
    cache::Split,
    card::Lifetime,
    trace::{Origin, Stop, Timestamp, ToolResult},
};
use lookback_wire::TokenUsage;
use serde::{Deserialize, Serialize};

pub use unpriced::{Rate, Unpriced};

/// Whose file it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "named as the programs are")]
pub enum Format {
    ClaudeCode,
    Codex,
    SweAgent,
    MiniSweAgent,
    Opencode,
    Pi,
    GeminiCli,
    Lookback,
}

/// A whole recorded session.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Whose file it was.
    pub format: Format,
    /// What is known besides.
    pub about: About,
    /// Turns, calls, compactions and rewinds, in the order of the file.
    pub items: Vec<Item>,
    /// What could not be used.
    pub skipped: Vec<Skipped>,
}

/// One thing of a session, in the order of the file.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum Item {
    /// Somebody spoke to the model.
    User(UserItem),
    /// The model answered.
    Call(Box<CallItem>),
    /// The client made its own context shorter here. What-if strategies do not.
    Compaction(Compaction),
    /// The person went back: what followed the item with this number is no longer part of the conversation. Users and
    /// calls are numbered from 0 as they come; none: back to the beginning.
    Rewind { last: Option<usize> },
}

/// What is known of a session besides its turns. Filled while a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The client's own id of it.
    pub session: Option<String>,
    /// The folder that it began in.
    pub cwd: Option<String>,
    /// The system prompt, where the file shows it.
    pub system: Option<String>,
    /// The model of the first call.
    pub model: Option<String>,
    /// Whose file it was before Lookback imported it.
    pub imported_from: Option<Format>,
    /// The file begins with a copy of another session, all of it at the time of the copy.
    pub is_fork: bool,
    /// Calls of sub-agents in the same file, by the hash of their ids: no part of the conversation, and paid for.
    pub sub_agents: BTreeMap<u64, Aside>,
}

/// A call of a sub-agent: all that is known of it here is its bill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aside {
    /// Where the file names it.
    pub model: Option<String>,
    /// Where the file shows one.
    pub billed: Option<Billed>,
}

/// A turn that a person or the client wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserItem {
    /// All of it.
    pub text: String,
    /// Which of the two.
    pub origin: Origin,
    /// When, where the file says so.
    pub at: Option<Timestamp>,
}

/// One response of the model with all its results.
#[derive(Debug, Clone, PartialEq)]
pub struct CallItem {
    /// Hash of the provider's id of the response, where the file has it: copies of a session have the same.
    pub id: Option<u64>,
    /// Of its first line on the main thread.
    pub at: Option<Timestamp>,
    /// Where the file names it.
    pub model: Option<String>,
    /// The answer.
    pub parts: Vec<NewPart>,
    /// How it ended.
    pub stop: Stop,
    /// One for each finished call of `parts`, in their order.
    pub results: Vec<ToolResult>,
    /// Where the file shows a bill.
    pub billed: Option<Billed>,
    /// What is not in it.
    pub unpriced: Unpriced,
}

/// What the provider billed for a call. Prompt = uncached + read + written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Billed {
    pub uncached: u64,
    pub read: u64,
    pub written: u64,
    pub output: u64,
    /// Of `written`, what was asked to live for an hour.
    pub written_1h: u64,
}

/// That the client made its own context shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// How.
    pub kind: CompactionKind,
    /// When, where the file says so.
    pub at: Option<Timestamp>,
    /// The bill of the call that wrote the summary, where it is recorded.
    pub billed: Option<Billed>,
}

/// Something in a file that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Counted from 1; 0 for the file as a whole.
    pub line: u64,
    /// In words for a person.
    pub reason: String,
}

impl Format {
    /// In the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::SweAgent,
        Self::MiniSweAgent,
        Self::Opencode,
        Self::Pi,
        Self::GeminiCli,
        Self::Lookback,
    ];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// As in JSON and on the command line.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// For a person.
    pub fn label(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::ClaudeCode => ("claude-code", "Claude Code"),
            Self::Codex => ("codex", "Codex"),
            Self::SweAgent => ("swe-agent", "SWE-agent"),
            Self::MiniSweAgent => ("mini-swe-agent", "mini-swe-agent"),
            Self::Opencode => ("opencode", "opencode"),
            Self::Pi => ("pi", "pi"),
            Self::GeminiCli => ("gemini-cli", "gemini-cli"),
            Self::Lookback => ("lookback", "Lookback"),
        }
    }
}

impl About {
    /// The model of a call.
    pub(crate) fn see_model(&mut self, model: Option<&str>) {
        if self.model.is_none() {
            self.model = model.filter(|name| !name.is_empty()).map(str::to_owned);
        }
    }
}

impl Billed {
    /// From the tokens of a whole prompt: what was read and written is part of it.
    pub(crate) fn of_prompt(prompt: u64, read: u64, written: u64, output: u64) -> Self {
        let read = read.min(prompt);
        let written = written.min(prompt - read);
        Self { uncached: prompt - read - written, read, written, output, written_1h: 0 }
    }

    /// None where nothing was billed at all: a usage of zeros is none.
    pub(crate) fn known(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }

    /// Tokens of the whole prompt.
    pub fn prompt(&self) -> u64 {
        self.uncached + self.read + self.written
    }

    /// The prompt by what it was billed as.
    pub(crate) fn split(&self) -> Split {
        let Self { uncached, read, written, written_1h, .. } = *self;
        Split { read, written, written_1h: written_1h.min(written), uncached }
    }
}

/// Of the models of calls, the one that most of them have, of equals the first.
pub(crate) fn most_used<'m>(models: impl Iterator<Item = &'m str>) -> Option<&'m str> {
    let mut calls: Vec<(&str, u64)> = Vec::new();
    for model in models {
        match calls.iter_mut().find(|(name, _)| *name == model) {
            Some((_, count)) => *count += 1,
            None => calls.push((model, 1)),
        }
    }
    calls.into_iter().rev().max_by_key(|(_, count)| *count).map(|(model, _)| model)
}

impl From<TokenUsage> for Billed {
    fn from(usage: TokenUsage) -> Self {
        let TokenUsage { uncached, cached, written, output, written_1h, .. } = usage;
        let [uncached, read, written, output, written_1h] =
            [uncached, cached, written, output, written_1h].map(u64::from);
        Self { uncached, read, written, output, written_1h }
    }
}

impl Recording {
    /// Whose habits it shows: what Lookback imported is still a session of that agent.
    pub fn agent(&self) -> Format {
        self.about.imported_from.unwrap_or(self.format)
    }

    /// The model of most calls, of equals the one that was used first; else what the file names.
    pub fn model(&self) -> Option<&str> {
        most_used(self.calls().filter_map(|call| call.model.as_deref())).or(self.about.model.as_deref())
    }

    /// How long the client asked its provider to hold entries: as most of what was written was billed, by one model or all.
    pub fn lifetime_of(&self, model: Option<&str>) -> Lifetime {
        let is_its = |named: &str| model.is_none_or(|model| named == model);
        let bills = self.calls().filter(|call| call.model.as_deref().is_none_or(is_its)).filter_map(|call| call.billed);
        let (hour, all) = bills.fold((0, 0), |(hour, all), bill| (hour + bill.written_1h, all + bill.written));
        if 2 * hour > all { Lifetime::OneHour } else { Lifetime::Usual }
    }

    /// Its calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CallItem> {
        self.items.iter().filter_map(|item| match item {
            Item::Call(call) => Some(&**call),
            _ => None,
        })
    }
}
