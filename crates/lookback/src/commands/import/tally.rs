//! What became of many files: a line for each agent and one for all. Every file and every skip only for whoever asks.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Result, anyhow};
use lookback_replay::recording::Format;
use lookback_store::StoreError;
use serde_json::{Value, json};

use super::{Done, Kind, Named, Outcome, of_store};
use crate::{cli::ImportArguments, reading, screen};

/// Whoever wants more says so.
const ERRORS: usize = 3;

#[derive(Default)]
pub(super) struct Tally {
    verbose: bool,
    json: bool,
    agents: BTreeMap<Format, Counts>,
    /// Files in folders that are no sessions.
    others: u64,
    unread: u64,
    unstored: u64,
    /// Whose disk is.
    full: Option<PathBuf>,
    /// Files with something skipped, and how much it was.
    skipped: (u64, u64),
    sessions: Vec<Value>,
    errors: Vec<Value>,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    imported: u64,
    grown: u64,
    new_turns: u64,
    stored: u64,
    empty: u64,
}

impl Tally {
    pub(super) fn new(arguments: &ImportArguments) -> Self {
        Self { verbose: arguments.verbose, json: arguments.json, ..Self::default() }
    }

    /// No file that follows could be stored.
    pub(super) fn is_full(&self) -> bool {
        self.full.is_some()
    }

    pub(super) fn add(&mut self, outcome: Result<Outcome>, named: Named) {
        match outcome {
            Ok(Outcome::Gathered) => {}
            Ok(Outcome::Done(done)) => self.done(&done),
            Err(error) if named == Named::InFolder && reading::is_no_session(&error) => {
                self.others += 1;
                if self.verbose {
                    screen::remark(&format!("{error:#}"));
                }
            }
            Err(error) => self.failed(&error),
        }
    }

    fn done(&mut self, Done { kind, format, id, name, text, skips }: &Done) {
        let counts = self.agents.entry(*format).or_default();
        let (what, turns) = match kind {
            Kind::Imported => (("imported", &mut counts.imported), 0),
            Kind::Grown(turns) => (("grown", &mut counts.grown), *turns),
            Kind::Stored => (("stored already", &mut counts.stored), 0),
            Kind::Empty => (("empty", &mut counts.empty), 0),
        };
        let (what, count) = what;
        *count += 1;
        counts.new_turns += turns;
        if skips.count > 0 {
            self.skipped.0 += 1;
            self.skipped.1 += skips.count;
        }
        if self.json {
            self.sessions.push(json!({
                "file": name, "agent": format.name(), "id": id, "outcome": what, "new_turns": turns, "skipped": skips.count,
            }));
        } else if self.verbose {
            skips.tell(name);
            // Whoever reads no further does not end the import.
            let _ = screen::say(text);
        } else if let Some(beside) = text.lines().find(|line| line.ends_with("as another session")) {
            screen::remark(&format!("{name}: {beside}"));
        }
    }

    fn failed(&mut self, error: &anyhow::Error) {
        let of_store = of_store(error);
        let (count, what) = match of_store {
            Some(_) => (&mut self.unstored, "could not be stored"),
            None => (&mut self.unread, "could not be read"),
        };
        *count += 1;
        if let Some(StoreError::Full { path }) = of_store {
            // Said once, at the end: it is the same for every file.
            self.full.get_or_insert_with(|| path.clone());
        } else if self.verbose || self.unread + self.unstored <= ERRORS as u64 {
            screen::complain(error);
        }
        self.errors.push(json!({ "outcome": what, "reason": format!("{error:#}") }));
    }

    pub(super) fn tell(self, files: usize) -> Result<()> {
        let failed = self.unread + self.unstored;
        if let more @ 1.. = failed.saturating_sub(ERRORS as u64)
            && !self.verbose
            && self.full.is_none()
        {
            screen::remark(&format!("{} more could not be imported; -v shows them", screen::exact(more)));
        }
        match self.json {
            true => self.print_json()?,
            false if self.agents.is_empty() && failed == 0 => {}
            false => self.print()?,
        }
        match (self.full, failed) {
            (Some(path), _) => Err(anyhow!(
                "the disk of {} is full: the import ended before all of the {} were stored, what was imported before \
                 stays; free some space and import again",
                path.display(),
                screen::counted(files as u64, "file")
            )),
            (None, 0) if self.agents.is_empty() => {
                Err(anyhow!("nothing was imported: there is no session in {}", screen::counted(files as u64, "file")))
            }
            (None, 0) => Ok(()),
            (None, failed) => Err(anyhow!("{} could not be imported", screen::counted(failed, "file"))),
        }
    }

    fn print(&self) -> Result<()> {
        let mut out = screen::screen();
        if self.skipped.0 > 0 && !self.verbose {
            let (files, parts) = (screen::counted(self.skipped.0, "file"), screen::counted(self.skipped.1, "part"));
            screen::remark(&format!("{parts} of {files} could not be used; -v says which"));
        }
        if self.agents.len() > 1 {
            for (format, counts) in &self.agents {
                writeln!(out, "{:<14} {}", format.label(), counts.facts().join(" · "))?;
            }
        }
        let mut all = Counts::default();
        self.agents.values().for_each(|counts| all.add(counts));
        let mut facts = all.facts();
        let nothing = if self.others == 1 { "is no session" } else { "are no sessions" };
        let which = if self.verbose { "" } else { " (-v says which)" };
        let nothing = format!("in the folders {nothing}{which}");
        let others = [
            (self.others, "other file", nothing.as_str()),
            (self.unread, "file", "could not be read"),
            (self.unstored, "file", "could not be stored"),
        ];
        let others = others.iter().filter(|(count, ..)| *count > 0);
        facts.extend(others.map(|(count, noun, what)| format!("{} {what}", screen::counted(*count, noun))));
        let one = match self.agents.first_key_value() {
            Some((format, _)) if self.agents.len() == 1 => format!("{}: ", format.label()),
            _ => String::new(),
        };
        writeln!(out, "{one}{}", facts.join(" · "))?;
        Ok(out.flush()?)
    }

    fn print_json(&self) -> Result<()> {
        let agents = self.agents.iter().map(|(format, counts)| (format.name().to_owned(), counts.told()));
        let agents: serde_json::Map<String, Value> = agents.collect();
        screen::show_json(&json!({
            "agents": agents,
            "sessions": self.sessions,
            "no_sessions": self.others,
            "errors": self.errors,
        }))
    }
}

impl Counts {
    fn add(&mut self, other: &Self) {
        let Self { imported, grown, new_turns, stored, empty } = other;
        self.imported += imported;
        self.grown += grown;
        self.new_turns += new_turns;
        self.stored += stored;
        self.empty += empty;
    }

    fn facts(&self) -> Vec<String> {
        let mut facts = vec![format!("{} imported", screen::counted(self.imported, "session"))];
        if self.grown > 0 {
            let turns = screen::counted(self.new_turns, "new turn");
            facts.push(format!("{} brought up to date ({turns})", screen::exact(self.grown)));
        }
        let others = [(self.stored, "stored already"), (self.empty, "without any call of a model")];
        facts.extend(
            others
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{} {what}", screen::exact(*count))),
        );
        facts
    }

    fn told(&self) -> Value {
        let Self { imported, grown, new_turns, stored, empty } = self;
        json!({"imported": imported, "grown": grown, "new_turns": new_turns, "stored_already": stored, "empty": empty})
    }
}
