//! What may run without asking, by mode, tool and command.
//!
//! Commands are judged as the shell reads them: every part of a pipe, a list or a substitution counts. What cannot be read
//! is never taken to be harmless.

use std::{collections::BTreeSet, str::FromStr};

use lookback_engine::shell::{Command, Script, is_shell};
use lookback_tools::ToolName;
use serde_json::Value;

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
    pub fn permit(&self, tool: ToolName, arguments: &Value) -> Permit {
        let changes = matches!(tool, ToolName::Edit | ToolName::MultiEdit | ToolName::Write);
        match (self.mode, tool) {
            (Mode::Full, _) => Permit::Runs,
            (Mode::ReadOnly, ToolName::Bash) => Permit::Never("commands do not run with --permission read-only".into()),
            (Mode::ReadOnly, _) if changes => Permit::Never("nothing is changed with --permission read-only".into()),
            (Mode::Ask, _) if changes => Permit::Asks("changes ask first with --permission ask".into()),
            (_, ToolName::Bash) => self.command(arguments["command"].as_str().unwrap_or_default()),
            _ => Permit::Runs,
        }
    }

    fn command(&self, text: &str) -> Permit {
        let script = Script::parse(text);
        if self.allows(&script) {
            return Permit::Runs;
        }
        if let Some(what) = destructive(&script) {
            return Permit::Asks(format!("{what} cannot be taken back: it is held unless --allow names it"));
        }
        match self.mode {
            Mode::Ask => Permit::Asks("commands ask first with --permission ask".into()),
            _ if self.sandbox_is_whole => Permit::Runs,
            _ => Permit::Asks("the sandbox is not whole here, so commands ask first".into()),
        }
    }

    /// Whether every command of it was allowed by name.
    fn allows(&self, script: &Script) -> bool {
        let mut commands = script.commands().peekable();
        script.complete
            && commands.peek().is_some()
            && commands.all(|command| {
                let words = command.literal();
                let is_named = words.is_some_and(|words| {
                    self.allowed.iter().any(|allowed| words.iter().map(|word| &**word).take(allowed.len()).eq(allowed))
                });
                is_named && command.nested.iter().all(|nested| self.allows(nested))
            })
    }
}

/// What of a script cannot be taken back: `git reset --hard`, `git clean`, a forced push, `rm -r`. A shell inside is read
/// too; what is put together when it runs counts as one of them where its program is.
fn destructive(script: &Script) -> Option<String> {
    script
        .commands()
        .find_map(|command| command.nested.iter().find_map(destructive).or_else(|| of_command(command, script)))
}

fn of_command(command: &Command, script: &Script) -> Option<String> {
    let words: Vec<String> = command.words.iter().map(lookback_engine::shell::Word::text).collect();
    let start = words.iter().position(|word| !is_prefix(word))?;
    let (program, rest) = words[start..].split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let has = |flag: &str| rest.iter().any(|word| word == flag);
    let short = |letter: char| rest.iter().any(|word| is_short(word) && word.contains(letter));
    match program {
        "git" => {
            let verb = git_verb(rest)?;
            match verb {
                "reset" if has("--hard") => Some("git reset --hard".to_owned()),
                "clean" if !has("-n") && !has("--dry-run") => Some("git clean".to_owned()),
                "push" if has("--force") || short('f') || rest.iter().any(|word| word.starts_with("--force")) => {
                    Some("git push --force".to_owned())
                }
                "checkout" | "restore" if has(".") || has("--") || has("-f") => {
                    Some(format!("git {verb} over changes"))
                }
                "branch" if has("-D") => Some("git branch -D".to_owned()),
                "stash" if has("drop") || has("clear") => Some("git stash drop".to_owned()),
                _ => None,
            }
        }
        "rm" if short('r') || short('R') || has("--recursive") => Some("rm -r".to_owned()),
        "find" if has("-delete") => Some("find -delete".to_owned()),
        "xargs" | "env" | "nohup" | "time" | "sudo" | "timeout" => {
            let inner = rest.iter().position(|word| matches!(word.as_str(), "rm" | "git" | "find"))?;
            let text = rest[inner..].iter().map(|word| lookback_engine::shell::quoted(word)).collect::<Vec<_>>();
            destructive(&Script::parse(&text.join(" ")))
        }
        shell if is_shell(shell) => {
            let text = rest.iter().position(|word| word == "-c").and_then(|place| rest.get(place + 1));
            let inside = text.map(String::as_str).into_iter().chain(script.documents_of(command));
            inside.map(Script::parse).find_map(|script| destructive(&script))
        }
        _ => None,
    }
}

/// Behind the options of git itself, some of which have a value.
fn git_verb(words: &[String]) -> Option<&str> {
    let mut words = words.iter().map(String::as_str);
    loop {
        match words.next()? {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => drop(words.next()),
            option if option.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
}

fn is_short(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}

/// `VAR=x`, `if`, `then`, `!`: words before the program.
fn is_prefix(word: &str) -> bool {
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
    });
    is_assignment || matches!(word, "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "!" | "{" | "time")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(mode: Mode) -> Rules {
        Rules { mode, sandbox_is_whole: true, allowed: Vec::new(), tools: ToolName::ALL.into_iter().collect() }
    }

    fn run(rules: &Rules, command: &str) -> Permit {
        rules.permit(ToolName::Bash, &json!({ "command": command }))
    }

    #[test]
    fn what_cannot_be_taken_back_is_held_however_it_is_written() {
        let rules = rules(Mode::AutoEdit);
        for command in [
            "git reset --hard",
            "cd a && git reset --hard HEAD~1",
            "git clean -fd",
            "git push --force",
            "git push -f origin main",
            "git push --force-with-lease",
            "rm -r src",
            "rm -rf -- src",
            "X=1 rm -fr src",
            "true | xargs rm -r",
            "bash -c 'rm -r src'",
            "echo $(rm -r src)",
            "sh <<E\nrm -r src\nE",
            "if true; then rm -r src; fi",
            "/bin/rm -R src",
            "find . -name x -delete",
            "sudo git -C x reset --hard",
        ] {
            assert!(matches!(run(&rules, command), Permit::Asks(_)), "{command}");
        }
        for command in
            ["git status", "rm a.txt", "git push", "git reset src/a.py", "pytest -q | tail", "echo rm -r src"]
        {
            assert_eq!(run(&rules, command), Permit::Runs, "{command}");
        }
        assert_eq!(run(&super::Rules { mode: Mode::Full, ..rules }, "rm -r src"), Permit::Runs);
    }

    #[test]
    fn every_part_must_be_allowed() {
        let mut rules = rules(Mode::AutoEdit);
        rules.sandbox_is_whole = false;
        rules.allowed = vec![vec!["git".into(), "status".into()], vec!["rm".into(), "-r".into(), "build".into()]];
        assert_eq!(run(&rules, "git status && rm -r build"), Permit::Runs);
        for command in ["git status | sh", "git status; curl x", "git status $(rm -r src)", "git stat", "git status 'x"]
        {
            assert!(matches!(run(&rules, command), Permit::Asks(_)), "{command}");
        }
    }

    #[test]
    fn modes_say_what_runs_by_itself() {
        let write = |mode| rules(mode).permit(ToolName::Write, &json!({}));
        assert!(matches!(write(Mode::ReadOnly), Permit::Never(_)));
        assert!(matches!(write(Mode::Ask), Permit::Asks(_)));
        assert_eq!(write(Mode::AutoEdit), Permit::Runs);
        assert!(matches!(run(&rules(Mode::ReadOnly), "ls"), Permit::Never(_)));
        assert!(matches!(run(&rules(Mode::Ask), "ls"), Permit::Asks(_)));
        assert_eq!(rules(Mode::ReadOnly).permit(ToolName::Read, &json!({})), Permit::Runs);
        assert!("yolo".parse::<Mode>().is_err());
    }
}
