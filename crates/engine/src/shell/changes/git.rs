//! What the commands of git do to the work tree.
//!
//! Which names are branches and which are files, git sees on disk; here only the look of a name tells. Hooks and aliases
//! are not known.

use super::{Input, Walk};
use crate::shell::{
    arguments::{Given, behind_options},
    pattern::Pattern,
    programs::{Words, programs},
};

impl Walk {
    pub(super) fn git(&mut self, arguments: &[Pattern], input: &Input) {
        let rest = behind_options(arguments, programs().values.of("git"));
        let options = &arguments[..arguments.len() - rest.len()];
        let directory = options.iter().position(|word| word.literal() == Some("-C")).and_then(|at| options.get(at + 1));
        let Some((name, rest)) = rest.split_first() else { return };
        let Some(name) = name.literal() else { return self.unknown() };
        self.inside(directory, |walk| walk.git_command(name, rest, input));
    }

    fn git_command(&mut self, name: &str, arguments: &[Pattern], input: &Input) {
        let git = &programs().git;
        let given = Given::new(arguments, programs().values.of("git-command"));
        let after_dashes = arguments.iter().position(|word| word.literal() == Some("--"));
        let paths = after_dashes.map(|at| &arguments[at + 1..]);
        match name {
            _ if [&git.looks, &git.commits, &git.keeps].iter().any(|words| words.has(name)) => {}
            "checkout" => self.checkout(&given, paths),
            "switch" if given.has_any(&["-c", "-C", "--create"]) && given.operands.is_empty() => {}
            "switch" => self.everything(Words::NONE),
            "restore" => {
                let staged = given.has_any(&["--staged", "-S"]) && !given.has_any(&["--worktree", "-W", "-SW", "-WS"]);
                given.operands.iter().filter(|_| !staged).for_each(|path| self.pathspec(path));
            }
            "reset" if given.has_any(&["--hard", "--merge", "--keep"]) => self.everything(Words::NONE),
            "reset" => {}
            "stash" => match given.operands.first().and_then(|word| word.literal()) {
                Some("list" | "show" | "drop" | "clear" | "create" | "store") => {}
                _ => match paths {
                    Some(paths) => paths.iter().for_each(|path| self.pathspec(path)),
                    None => self.everything(Words::NONE),
                },
            },
            "rm" if given.has_any(&["--cached", "-n", "--dry-run"]) => {}
            "rm" => given.operands.iter().for_each(|path| self.pathspec(path)),
            "mv" => self.inner(&[&[Pattern::text("mv")], arguments].concat(), input),
            "clean" if given.has_short(&['n']) || given.has_any(&["--dry-run"]) => {}
            "clean" => match given.operands.as_slice() {
                [] => self.swept(&Pattern::text("."), Words::NONE),
                paths => paths.iter().for_each(|path| self.pathspec(path)),
            },
            "apply" => self.git_apply(&given, input),
            _ if git.replaces.has(name) => self.everything(Words::NONE),
            _ => self.unknown(),
        }
    }

    /// `git checkout -- F`, `git checkout REV F…`, `git checkout F`, `git checkout BRANCH`.
    fn checkout(&mut self, given: &Given<'_>, paths: Option<&[Pattern]>) {
        if let Some(paths) = paths.filter(|paths| !paths.is_empty()) {
            return paths.iter().for_each(|path| self.pathspec(path));
        }
        match given.operands.as_slice() {
            [] if given.has_any(&["-b", "-B", "--orphan"]) => {}
            [] => self.everything(Words::NONE),
            [_] if given.has_any(&["-b", "-B", "--orphan"]) => self.everything(Words::NONE),
            [name] if !looks_like_file(name) => self.everything(Words::NONE),
            names => names.iter().for_each(|path| self.pathspec(path)),
        }
    }

    fn pathspec(&mut self, path: &Pattern) {
        match path.prefix() {
            spec if spec.starts_with(":!") || spec.starts_with(":^") || spec.starts_with(":(exclude") => {}
            spec if spec.starts_with(':') => self.everything(Words::NONE),
            _ => self.swept(&path.globbed(), Words::NONE),
        }
    }
}

fn looks_like_file(name: &Pattern) -> bool {
    let Some(text) = name.literal() else { return !name.is_unresolved() };
    let is_directory = matches!(text, "." | "..") || text.ends_with('/');
    let ending = text.rsplit_once('.').map(|(_, ending)| ending);
    is_directory
        || ["./", "../", "/"].iter().any(|start| text.starts_with(start))
        || text.contains('*')
        || ending.is_some_and(|ending| programs().git.endings.has(ending))
}
