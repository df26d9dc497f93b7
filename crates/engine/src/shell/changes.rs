//! Which files a shell command changes, as told by its text alone.
//!
//! Lines seen before a change say nothing about the file of today, so whoever keeps them asks here after each command.
//! To name a file too many costs one more look at it; to name one too few would show old lines as current. Therefore
//! every branch of a condition counts as taken, every command as successful, and a name of which a part is unknown
//! stands for all that fit it. Programs that rewrite whole trees by design (version control, patches, formatters) change
//! all that they can reach.
//!
//! What is not known here: the disk, links, the absolute path of the root where nobody says it (an absolute name then counts
//! for every known file that it may be), and what programs do that run code of the project: interpreters, builds, package managers, scripts.
//! If those counted for everything, each build would wipe all that was seen; they count for nothing, and
//! [`Rest::Unknown`] says so. Whoever has the disk notes what they changed by its time.
//!
//! A script is gone through as a shell would: from folder to folder, with the variables that it sets. Values that are not
//! in the text are unknown. A variable keeps every value that it ever had, because which of them it has when a command
//! runs depends on what ran before.

mod formatters;
mod git;
mod lists;
mod patches;
mod place;
mod rules;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    rc::Rc,
};

use place::{Directory, Root};

use super::{
    pattern::Pattern,
    programs::Words,
    script::{Command, Item, Joint, Piece, RedirectionKind, Script, Word},
};
use crate::configuration::commands::{COMMANDS_DEEP, LONGEST_VALUE, MOST_CHANGES, MOST_VALUES};

/// What a command changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Files by name: relative to the root, normalised, in order.
    pub paths: Vec<String>,
    /// Known files that match one of these have changed too.
    pub patterns: Vec<Pattern>,
    /// Whether there may be more.
    pub rest: Rest,
}

/// Whether anything else may have changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing else.
    #[default]
    Known,
    /// Something ran whose text does not say what it changes.
    Unknown,
}

struct Walk {
    directory: Rc<Directory>,
    variables: BTreeMap<String, Vec<Pattern>>,
    changes: Changes,
    /// Of scripts in scripts, and of programs that run programs.
    depth: u32,
}

/// What comes into a command through its pipe or its here-documents.
#[derive(Debug, Default)]
struct Input {
    /// The words of the pipeline's first command, where this is a later one.
    first: Option<Vec<Pattern>>,
    bodies: Vec<String>,
}

/// What a command changes when it is run in `cwd`, which is relative to the root.
pub(crate) fn changed_files(script: &Script, cwd: &str) -> Changes {
    changed_under(script, cwd, None)
}

/// The files that a command names and changes in a root whose absolute path is known: only those whose place is certain.
pub(crate) fn named_files(script: &Script, cwd: &str, root: &str) -> Vec<String> {
    changed_under(script, cwd, Some(root)).paths
}

fn changed_under(script: &Script, cwd: &str, root: Option<&str>) -> Changes {
    let directory = Rc::new(Directory::new(cwd, root));
    let mut walk = Walk { directory, variables: BTreeMap::new(), changes: Changes::default(), depth: 0 };
    match script.items.is_empty() && !script.complete {
        // It was not read.
        true => walk.everything(Words::NONE),
        false => walk.script(script),
    }
    let mut changes = walk.changes;
    changes.paths.sort_unstable();
    changes.paths.dedup();
    changes.patterns.sort_unstable();
    changes.patterns.dedup();
    changes
}

impl Walk {
    fn script(&mut self, script: &Script) {
        let mut input = Input::default();
        let mut outside = Vec::new();
        for item in &script.items {
            match item {
                Item::Command(command) => self.command(command, script, &mut input),
                Item::Joint(Joint::Pipe, _) => continue,
                Item::Joint(joint, _) => {
                    match joint {
                        Joint::Open => outside.push(Rc::clone(&self.directory)),
                        Joint::Close => self.directory = outside.pop().unwrap_or(Rc::clone(&self.directory)),
                        _ => {}
                    }
                    input = Input::default();
                }
            }
        }
    }

    /// A script that comes back to the directory where it began.
    fn subshell(&mut self, script: &Script) {
        if self.depth >= COMMANDS_DEEP {
            return self.unknown();
        }
        let directory = Rc::clone(&self.directory);
        self.depth += 1;
        self.script(script);
        self.depth -= 1;
        self.directory = directory;
    }

    /// A script that stands in a word or in a here-document.
    fn text(&mut self, text: &str) {
        self.subshell(&Script::parse(text));
    }

    fn command(&mut self, command: &Command, script: &Script, input: &mut Input) {
        command.nested.iter().for_each(|nested| self.subshell(nested));
        let mut arguments: Vec<Pattern> = Vec::new();
        let mut declares = true;
        for word in &command.words {
            match word.assignment().filter(|_| declares) {
                Some((name, value)) => {
                    let values = self.resolve(&value, arguments.len());
                    self.bind(name, values);
                }
                None => {
                    let resolved = self.resolve(word, arguments.len());
                    arguments.extend(resolved);
                    let first = arguments.first().and_then(Pattern::literal);
                    declares = matches!(first, Some("export" | "local" | "declare" | "readonly" | "typeset"));
                }
            }
        }
        let compares = arguments.first().and_then(Pattern::literal) == Some("[[");
        let writes = command.redirections.iter().filter(|to| to.kind == RedirectionKind::Write && !compares);
        for redirection in writes {
            self.resolve(&redirection.target, 0).iter().for_each(|target| self.file(target));
        }
        input.bodies.extend(script.documents_of(command).map(str::to_owned));
        self.program(&arguments, input);
        input.first.get_or_insert(arguments);
    }

    /// Everything that a word may stand for.
    fn resolve(&self, word: &Word, so_far: usize) -> Vec<Pattern> {
        if let [Piece::Variable { name, quoted: false }] = word.pieces.as_slice() {
            let split = |value: &Pattern| match value.literal() {
                Some(text) => text.split_whitespace().map(|word| Pattern::text(word).globbed()).collect(),
                None => vec![value.clone()],
            };
            let words: Vec<Pattern> = self.values(name).iter().flat_map(split).collect();
            return if words.len() + so_far > MOST_CHANGES { vec![Pattern::unknown()] } else { words };
        }
        let mut resolved = vec![Pattern::default()];
        for piece in &word.pieces {
            let name = match piece {
                Piece::Plain(element) => {
                    resolved.iter_mut().for_each(|pattern| pattern.push(element.clone()));
                    continue;
                }
                Piece::Variable { name, .. } => name,
            };
            let values = self.values(name);
            let count = resolved.len() * values.len();
            if count > 1 && count + so_far > MOST_VALUES {
                return vec![Pattern::unknown()];
            }
            let with = |start: &Pattern| values.iter().map(|value| start.followed_by(value)).collect::<Vec<_>>();
            resolved = resolved.iter().flat_map(with).collect();
            if resolved.iter().any(|pattern| pattern.length() > LONGEST_VALUE) {
                return vec![Pattern::unknown()];
            }
        }
        resolved
    }

    fn values(&self, name: &str) -> Vec<Pattern> {
        match (self.variables.get(name), name) {
            (Some(values), _) => values.clone(),
            (None, "PWD") => vec![Pattern::text(".")],
            (None, _) => vec![Pattern::unknown()],
        }
    }

    fn bind(&mut self, name: &str, values: Vec<Pattern>) {
        let held = self.variables.entry(name.to_owned()).or_default();
        held.extend(values);
        held.sort_unstable();
        held.dedup();
        let length: usize = held.iter().map(Pattern::length).sum();
        if held.len() > MOST_VALUES || length > 4 * LONGEST_VALUE {
            *held = vec![Pattern::unknown()];
        }
    }

    /// Runs what another program runs.
    fn inner(&mut self, arguments: &[Pattern], input: &Input) {
        if self.depth >= COMMANDS_DEEP {
            return self.unknown();
        }
        self.depth += 1;
        self.program(arguments, input);
        self.depth -= 1;
    }

    fn enter(&mut self, name: Option<&Pattern>) {
        self.directory = Rc::new(match name {
            Some(name) => self.directory.enter(name),
            None => self.directory.unknown(),
        });
    }

    /// The same, and back again.
    fn inside(&mut self, name: Option<&Pattern>, run: impl FnOnce(&mut Self)) {
        let directory = Rc::clone(&self.directory);
        if name.is_some() {
            self.enter(name);
        }
        run(self);
        self.directory = directory;
    }

    fn unknown(&mut self) {
        self.changes.rest = Rest::Unknown;
    }

    /// A file of this name. One whose name is all unknown is most often a log or a file for the time being.
    fn file(&mut self, name: &Pattern) {
        for place in self.directory.place(name, Root::IsNotMeant) {
            if place.is_unresolved() { self.unknown() } else { self.note(place) }
        }
    }

    /// A file of this name, or all below the directory of this name.
    fn tree(&mut self, name: &Pattern) {
        for place in self.directory.place(name, Root::IsNotMeant) {
            if place.is_unresolved() {
                self.unknown();
            } else {
                self.note(place.below(""));
                self.note(place);
            }
        }
    }

    /// The same for a program that works on the project: where nobody knows the name, it may be any.
    fn swept(&mut self, name: &Pattern, endings: &Words) {
        for place in self.directory.place(name, Root::MayBeMeant) {
            let place_or_root = if place.is_unresolved() { &Pattern::default() } else { &place };
            self.note_below(place_or_root, endings);
            if !place.is_unresolved() {
                self.note(place);
            }
        }
    }

    /// A file that is edited in place.
    fn edited(&mut self, name: &Pattern) {
        for place in self.directory.place(name, Root::IsNotMeant) {
            self.note(if place.is_unresolved() { Pattern::anything() } else { place });
        }
    }

    /// Every file, wherever the shell is; with one of the endings, where there are any.
    fn everything(&mut self, endings: &Words) {
        self.note_below(&Pattern::default(), endings);
    }

    fn note_below(&mut self, place: &Pattern, endings: &Words) {
        match endings.is_empty() {
            true => self.note(place.below("")),
            false => endings.iter().for_each(|ending| self.note(place.below(ending))),
        }
    }

    fn note(&mut self, place: Pattern) {
        if self.changes.paths.len() + self.changes.patterns.len() >= MOST_CHANGES {
            self.changes.patterns.insert(0, Pattern::anything());
            self.changes.patterns.truncate(1);
            return;
        }
        match place.literal() {
            Some("") => {}
            Some(path) => self.changes.paths.push(path.to_owned()),
            None => self.changes.patterns.push(place),
        }
    }
}

impl Changes {
    /// Those of the known files that it changes, in their order.
    pub(crate) fn among<'a>(&self, known: &'a BTreeSet<String>) -> Vec<&'a str> {
        let mut changed: BTreeSet<&str> =
            self.paths.iter().filter_map(|path| known.get(path)).map(|path| &**path).collect();
        let mut by_prefix: BTreeMap<&str, Vec<&Pattern>> = BTreeMap::new();
        for pattern in &self.patterns {
            by_prefix.entry(pattern.prefix()).or_default().push(pattern);
        }
        for (prefix, patterns) in by_prefix {
            let from = (Bound::Included(prefix), Bound::Unbounded);
            let near = known.range::<str, _>(from).take_while(|path| path.starts_with(prefix));
            changed
                .extend(near.map(String::as_str).filter(|path| patterns.iter().any(|pattern| pattern.matches(path))));
        }
        changed.into_iter().collect()
    }
}

#[cfg(test)]
mod tests;
