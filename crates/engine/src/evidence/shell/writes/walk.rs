//! Goes through a script as a shell would: from directory to directory, with the variables that it sets.
//!
//! Nothing is run: values that are not in the text are unknown. A variable keeps every value that it ever had, because
//! which of them it has when a command runs depends on what ran before.

use std::{collections::BTreeMap, rc::Rc};

use super::{
    Changes, Rest,
    pattern::{Element, Pattern},
    place::{Directory, Root},
    script::{Command, Item, Piece, Script, Word, parse_script},
};

pub(super) struct Walk {
    directory: Rc<Directory>,
    variables: BTreeMap<String, Vec<Pattern>>,
    changes: Changes,
    /// Of scripts in scripts, and of programs that run programs.
    depth: u32,
}

/// What comes into a command through its pipe or its here-documents.
#[derive(Debug, Default)]
pub(super) struct Input {
    /// The words of the pipeline's first command, where this is a later one.
    pub(super) first: Option<Vec<Pattern>>,
    pub(super) bodies: Vec<String>,
}

const DEEPEST: u32 = 12;
/// Beyond these numbers a command names too much to be worth telling apart.
const MOST_VALUES: usize = 256;
const MOST_CHANGES: usize = 4096;
const LONGEST_VALUE: usize = 4096;

pub(super) fn walk(script: &Script, cwd: &str) -> Changes {
    let directory = Rc::new(Directory::new(cwd));
    let mut walk = Walk { directory, variables: BTreeMap::new(), changes: Changes::default(), depth: 0 };
    walk.script(script);
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
                Item::Pipe => {}
                Item::End => input = Input::default(),
                Item::Open => {
                    outside.push(Rc::clone(&self.directory));
                    input = Input::default();
                }
                Item::Close => {
                    self.directory = outside.pop().unwrap_or(Rc::clone(&self.directory));
                    input = Input::default();
                }
            }
        }
    }

    /// A script that comes back to the directory where it began.
    fn subshell(&mut self, script: &Script) {
        if self.depth >= DEEPEST {
            return self.unknown();
        }
        let directory = Rc::clone(&self.directory);
        self.depth += 1;
        self.script(script);
        self.depth -= 1;
        self.directory = directory;
    }

    /// A script that stands in a word or in a here-document.
    pub(super) fn text(&mut self, text: &str) {
        self.subshell(&parse_script(text));
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
        for word in command.writes.iter().filter(|_| !compares) {
            self.resolve(word, 0).iter().for_each(|target| self.file(target));
        }
        input.bodies.extend(command.bodies.iter().map(|body| script.bodies[*body].clone()));
        self.program(&arguments, input);
        input.first.get_or_insert(arguments);
    }

    /// Everything that a word may stand for.
    fn resolve(&self, word: &Word, so_far: usize) -> Vec<Pattern> {
        if let [Piece::Variable { name, quoted: false }] = word.0.as_slice() {
            let split = |value: &Pattern| match value.literal() {
                Some(text) => text.split_whitespace().map(|word| Pattern::text(word).globbed()).collect(),
                None => vec![value.clone()],
            };
            let words: Vec<Pattern> = self.values(name).iter().flat_map(split).collect();
            return if words.len() + so_far > MOST_CHANGES { vec![Pattern::unknown()] } else { words };
        }
        let mut resolved = vec![Pattern::default()];
        for piece in &word.0 {
            let name = match piece {
                Piece::Plain(element) => {
                    resolved.iter_mut().for_each(|pattern| pattern.push_plain(element));
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
            if resolved.iter().any(|pattern| pattern.text_length() > LONGEST_VALUE) {
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

    pub(super) fn bind(&mut self, name: &str, values: Vec<Pattern>) {
        let held = self.variables.entry(name.to_owned()).or_default();
        held.extend(values);
        held.sort_unstable();
        held.dedup();
        let length: usize = held.iter().map(Pattern::text_length).sum();
        if held.len() > MOST_VALUES || length > 4 * LONGEST_VALUE {
            *held = vec![Pattern::unknown()];
        }
    }

    /// Runs what another program runs.
    pub(super) fn inner(&mut self, arguments: &[Pattern], input: &Input) {
        if self.depth >= DEEPEST {
            return self.unknown();
        }
        self.depth += 1;
        self.program(arguments, input);
        self.depth -= 1;
    }

    pub(super) fn enter(&mut self, name: Option<&Pattern>) {
        self.directory = Rc::new(match name {
            Some(name) => self.directory.enter(name),
            None => Directory::unknown(),
        });
    }

    /// The same, and back again.
    pub(super) fn inside(&mut self, name: Option<&Pattern>, run: impl FnOnce(&mut Self)) {
        let directory = Rc::clone(&self.directory);
        if name.is_some() {
            self.enter(name);
        }
        run(self);
        self.directory = directory;
    }

    pub(super) fn unknown(&mut self) {
        self.changes.rest = Rest::Unknown;
    }

    /// A file of this name. One whose name is all unknown is most often a log or a file for the time being.
    pub(super) fn file(&mut self, name: &Pattern) {
        for place in self.directory.place(name, Root::IsNotMeant) {
            if place.is_unresolved() { self.unknown() } else { self.note(place) }
        }
    }

    /// A file of this name, or all below the directory of this name.
    pub(super) fn tree(&mut self, name: &Pattern) {
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
    pub(super) fn swept(&mut self, name: &Pattern, endings: &[&str]) {
        for place in self.directory.place(name, Root::MayBeMeant) {
            for ending in if endings.is_empty() { &[""] } else { endings } {
                self.note(if place.is_unresolved() { Pattern::default().below(ending) } else { place.below(ending) });
            }
            if !place.is_unresolved() {
                self.note(place);
            }
        }
    }

    /// A file that is edited in place.
    pub(super) fn edited(&mut self, name: &Pattern) {
        for place in self.directory.place(name, Root::IsNotMeant) {
            self.note(if place.is_unresolved() { Pattern::anything() } else { place });
        }
    }

    /// Every file with such an ending, wherever the shell is.
    pub(super) fn everything(&mut self, ending: &str) {
        self.note(Pattern::default().below(ending));
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

impl Pattern {
    fn followed_by(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.append(other);
        both
    }

    fn text_length(&self) -> usize {
        let length = |element: &Element| if let Element::Text(text) = element { text.len() } else { 1 };
        self.elements().iter().map(length).sum()
    }
}
