//! What may run without asking, by mode, tool and command.
//!
//! Commands are judged as the shell reads them: every part of a pipe, a list or a substitution counts. What cannot be read
//! is never taken to be harmless.

mod argument;
mod destructive;
mod git;
mod lasting;

use std::{collections::BTreeSet, str::FromStr};

use destructive::{Walk, parsed};
use lookback_engine::shell::{Command, RedirectionKind, Script};
use lookback_tools::ToolName;
use serde_json::Value;

pub use lasting::{Lasting, lasting};

/// How much an agent may do by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// No edits, no commands.
    ReadOnly,
    /// Edits and commands ask.
    Ask,
    /// Edits run; commands run inside a whole sandbox, else they ask.
    #[default]
    AutoEdit,
    /// Nothing asks.
    Full,
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "read-only" => Ok(Self::ReadOnly),
            "ask" => Ok(Self::Ask),
            "auto-edit" => Ok(Self::AutoEdit),
            "full" => Ok(Self::Full),
            other => Err(format!("no permission \"{other}\": choose read-only, ask, auto-edit or full")),
        }
    }
}

/// Whether a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// It does.
    Runs,
    /// Only if a person says so, for this reason.
    Asks(String),
    /// It does not, for this reason.
    Never(String),
}

/// What is known of the files of the project.
pub struct Around<'a> {
    /// Whether everything at a path was made in this session.
    pub is_own: &'a dyn Fn(&str) -> bool,
    /// Whether there is a file or a folder, seen from where a command begins.
    pub is_there: &'a dyn Fn(&str) -> bool,
}

impl std::fmt::Debug for Around<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Around")
    }
}

/// What holds in one run.
#[derive(Debug, Clone)]
pub struct Rules {
    /// How much runs by itself.
    pub mode: Mode,
    /// Whether commands are kept inside by a sandbox that enforces everything.
    pub sandbox_is_whole: bool,
    /// Commands that run all the same, by their first words: `--allow "git push"`.
    pub allowed: Vec<Vec<String>>,
    /// Of the tools, those that the model was told of.
    pub tools: BTreeSet<ToolName>,
}

impl Rules {
    /// Whether the model was told of a tool.
    pub fn declares(&self, tool: ToolName) -> bool {
        self.tools.contains(&tool)
    }

    /// In the order of their declaration.
    pub fn declared(&self) -> impl Iterator<Item = ToolName> {
        ToolName::ALL.into_iter().filter(|tool| self.declares(*tool))
    }

    /// Whether this call runs.
    pub fn permit(&self, tool: ToolName, arguments: &Value, around: &Around<'_>) -> Permit {
        let changes = matches!(tool, ToolName::Edit | ToolName::MultiEdit | ToolName::Write);
        match (self.mode, tool) {
            (Mode::Full, _) => Permit::Runs,
            (Mode::ReadOnly, ToolName::Bash) => Permit::Never("commands do not run with --permission read-only".into()),
            (Mode::ReadOnly, _) if changes => Permit::Never("nothing is changed with --permission read-only".into()),
            (Mode::Ask, _) if changes => Permit::Asks("changes ask first with --permission ask".into()),
            (_, ToolName::Bash) => self.command(arguments["command"].as_str().unwrap_or_default(), around),
            _ => Permit::Runs,
        }
    }

    fn command(&self, text: &str, around: &Around<'_>) -> Permit {
        // What stands in `((` is not read as commands.
        if !text.contains("((") && self.allows(&parsed(text), text) {
            return Permit::Runs;
        }
        let made_here = || lasting::removed(text).is_some_and(|paths| paths.iter().all(|path| (around.is_own)(path)));
        if let Some(held) = Walk::among(text, around.is_there).text(text).filter(|_| !made_here()) {
            return Permit::Asks(held.to_string());
        }
        match self.mode {
            Mode::Ask => Permit::Asks("commands ask first with --permission ask".into()),
            _ if self.sandbox_is_whole => Permit::Runs,
            _ => Permit::Asks(
                "the sandbox is not whole here, so commands ask first (--without-sandbox lets them run)".into(),
            ),
        }
    }

    /// Whether every command of it was allowed by name.
    fn allows(&self, script: &Script, text: &str) -> bool {
        let mut commands = script.commands().peekable();
        script.complete
            && commands.peek().is_some()
            && commands.all(|command| {
                self.names(command, script, text) && command.nested.iter().all(|nested| self.allows(nested, text))
            })
    }

    /// By its first words; what cannot be taken back by all of them, because one more word is one more thing lost. What
    /// it writes or reads beside its words was not named.
    fn names(&self, command: &Command, script: &Script, text: &str) -> bool {
        let Some(words) = command.literal() else { return false };
        let is_held = Walk::default().command(command, script, text).is_some();
        let is_said = command.redirections.iter().all(|redirection| match redirection.kind {
            RedirectionKind::Write => redirection.target.literal() == Some("/dev/null"),
            RedirectionKind::Document(_) | RedirectionKind::Text => !is_held,
            RedirectionKind::Read => redirection.target.literal().is_some(),
            RedirectionKind::Duplicate => true,
        });
        let is_named = |allowed: &Vec<String>| {
            let first = if is_held { words.len() } else { allowed.len() };
            allowed.iter().any(|word| !word.trim().is_empty()) && words.iter().take(first).eq(allowed)
        };
        is_said && self.allowed.iter().any(is_named)
    }
}

#[cfg(test)]
mod tests;
