//! What the words of a command say of files: taken away, moved, put into a commit, made, and used once made.
//!
//! Whether it went well, and which files it edits, is not known here.

use crate::{
    shell::{Command, Item, Joint, RedirectionKind, Script, programs},
    trace::result::RunData,
};

/// What the words of a command say of files.
#[derive(Default)]
pub(super) struct Named {
    pub(super) gone: Vec<String>,
    /// Those of the ones that are gone that have another name.
    pub(super) moved: Vec<(String, String)>,
    /// Put into a commit: changed, by whomever.
    pub(super) put: Vec<String>,
    /// Written by a redirection.
    pub(super) made: Vec<String>,
    /// Copies of files beside them, and what was written only to be handed on.
    pub(super) aside: Vec<String>,
    /// Run as a script, or given to a program that applies it.
    pub(super) used: Vec<String>,
    /// Other versions of files were put in place, nobody knows of which.
    pub(super) replaces: bool,
    /// Of these the version that was committed last, where each is a file.
    pub(super) restored: Vec<String>,
    pub(super) commits: bool,
}

pub(super) fn named(run: &RunData, script: &Script, root: &str) -> Named {
    let mut place = run.cwd.clone();
    let mut named = Named::default();
    for item in &script.items {
        match item {
            Item::Command(command) => named.read(command, &mut place, root),
            Item::Joint(Joint::Close, _) => place = run.cwd.clone(),
            Item::Joint(..) => {}
        }
    }
    named
}

impl Named {
    fn read(&mut self, command: &Command, place: &mut String, root: &str) {
        let Some(words) = command_words(command) else { return };
        let all = |names: &[&str]| operands(names).map(|name| joined(place, name, root)).collect::<Vec<_>>();
        let targets = |kind: RedirectionKind| {
            let of_kind = command.redirections.iter().filter(move |to| to.kind == kind);
            of_kind.filter_map(|to| Some(joined(place, to.target.literal()?, root))).collect::<Vec<_>>()
        };
        let written = targets(RedirectionKind::Write);
        match words.as_slice() {
            ["git", "diff" | "show" | "log" | "format-patch", ..] => self.aside.extend(written),
            _ => self.made.extend(written),
        }
        match words.as_slice() {
            ["cd", to] => *place = joined(place, to, root),
            ["git", "checkout" | "restore" | "stash" | "reset" | "clean" | "pull" | "merge" | "rebase", names @ ..] => {
                self.replaces = true;
                let is_plain = names.iter().all(|name| *name == "--" || !name.starts_with('-'));
                if matches!(words[1], "checkout" | "restore") && is_plain {
                    self.restored.extend(all(names).into_iter().filter(|name| !name.ends_with("HEAD")));
                }
            }
            ["git", "commit", ..] => self.commits = true,
            ["rm" | "unlink", names @ ..] | ["git", "rm", names @ ..] => self.gone.extend(all(names)),
            ["git", "add", names @ ..] => {
                self.put.extend(all(names).into_iter().filter(|name| name.contains('.')));
            }
            ["git", "apply" | "am", names @ ..] | ["patch", names @ ..] => {
                self.used.extend(all(names).into_iter().chain(targets(RedirectionKind::Read)));
            }
            ["mv", names @ ..] | ["git", "mv", names @ ..] => {
                if let Some((to, from)) = all(names).split_last() {
                    if let [from] = from {
                        self.moved.push((from.clone(), to.clone()));
                    }
                    self.gone.extend_from_slice(from);
                }
            }
            ["cp", names @ ..] => {
                if let [from, to] = all(names).as_slice()
                    && to.strip_prefix(from.as_str()).is_some_and(|rest| rest.starts_with(['.', '_', '~', '-']))
                {
                    self.aside.push(to.clone());
                }
            }
            [program, names @ ..] if programs().interpreters.has(program) => {
                // A module or a text is no file.
                let script = names.iter().take_while(|name| !["-m", "-c", "-e"].contains(name));
                self.used
                    .extend(script.copied().find(|name| !name.starts_with('-')).map(|name| joined(place, name, root)));
            }
            [program, ..] if program.starts_with("./") => self.used.push(joined(place, program, root)),
            _ => {}
        }
    }
}

/// The words of a command, where each is plain text; settings before it do not count.
pub(super) fn command_words(command: &Command) -> Option<Vec<&str>> {
    let words = command.literal()?;
    Some(words.into_iter().skip_while(|word| word.contains('=') && !word.starts_with('-')).collect())
}

fn operands<'a>(names: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    names.iter().copied().filter(|name| !name.starts_with('-') && !name.contains(['*', '?', '$']))
}

/// Relative to the root where it lies in it.
fn joined(place: &str, name: &str, root: &str) -> String {
    let whole =
        if name.starts_with(['/', '~']) || place.is_empty() { name.to_owned() } else { format!("{place}/{name}") };
    let inside = whole.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).filter(|_| !root.is_empty());
    let mut parts: Vec<&str> = Vec::new();
    let path = inside.unwrap_or(if whole == root { "" } else { &whole });
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/").trim_end_matches('/').to_owned()
}
