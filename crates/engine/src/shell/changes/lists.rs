//! Files that one program finds and another one changes: `find -exec`, `find | xargs`, `grep -l | xargs`.
//!
//! What is on disk is not known, so a search stands for all that it could find.

use super::{Input, Walk};
use crate::shell::{
    arguments::{Given, actions_of_find, behind_options},
    pattern::Pattern,
    programs::{Words, programs},
};

impl Walk {
    pub(super) fn find(&mut self, arguments: &[Pattern], input: &Input) {
        let found = found_by_find(arguments);
        for action in actions_of_find(arguments, &["-exec", "-execdir", "-ok", "-okdir"]) {
            match action {
                None => found.iter().for_each(|name| self.tree(name)),
                Some(command) => self.inner(&fill(command, "{}", &found), input),
            }
        }
    }

    /// The words that come through the pipe become arguments, at the end or where `-I` says.
    pub(super) fn xargs(&mut self, arguments: &[Pattern], input: &Input) {
        let rest = behind_options(arguments, programs().values.of("xargs"));
        let options = &arguments[..arguments.len() - rest.len()];
        let mark = options.iter().enumerate().rev().find_map(|(at, option)| match option.literal()? {
            "-I" => options.get(at + 1).and_then(Pattern::literal),
            "-i" => Some("{}"),
            option => option.strip_prefix("-I"),
        });
        let listed = self.listed(input);
        let command = match mark {
            Some(mark) => fill(rest, mark, &listed),
            None => [rest, &listed].concat(),
        };
        self.inner(&command, input);
    }

    /// What the first program of a pipeline prints, as far as that is names of files.
    pub(super) fn listed(&self, input: &Input) -> Vec<Pattern> {
        let unknown = || vec![Pattern::unknown()];
        let Some((program, arguments)) = input.first.as_deref().and_then(<[_]>::split_first) else { return unknown() };
        match program.literal() {
            Some("find") => found_by_find(arguments),
            Some(name) if programs().searches.has(name) => found_by_search(arguments),
            Some("git") => match arguments.first().and_then(Pattern::literal) {
                Some("grep") => found_by_search(&arguments[1..]),
                Some("ls-files") => {
                    let given = Given::new(&arguments[1..], Words::NONE);
                    below_each(given.operands.iter().map(|name| name.globbed()).collect(), &[])
                }
                _ => vec![Pattern::text(".").below("")],
            },
            Some(name) if programs().repeats.has(name) => {
                let given = Given::new(arguments, Words::NONE);
                let names = given.operands.iter().flat_map(|name| match name.literal() {
                    Some(text) => text.split_whitespace().map(Pattern::text).collect(),
                    None => vec![(*name).clone()],
                });
                names.collect()
            }
            _ => unknown(),
        }
    }
}

/// Puts each of the names in the place of the word that stands for them.
fn fill(command: &[Pattern], mark: &str, names: &[Pattern]) -> Vec<Pattern> {
    let with_name = |word: &Pattern| match word.literal() {
        Some(text) if text == mark => names.to_vec(),
        // `sh -c 'sed -i … {}'`: the name stands in a text and is unknown.
        Some(text) if !mark.is_empty() && text.contains(mark) => vec![Pattern::text(&text.replace(mark, "\"$@\""))],
        _ => vec![word.clone()],
    };
    command.iter().flat_map(with_name).collect()
}

/// `find A B -name '*.py'`.
fn found_by_find(arguments: &[Pattern]) -> Vec<Pattern> {
    let is_test = |word: &Pattern| word.prefix().starts_with(['-', '(', '!']);
    let arguments = match arguments.iter().position(|word| !matches!(word.literal(), Some("-L" | "-H" | "-P"))) {
        Some(first) => &arguments[first..],
        None => arguments,
    };
    let (places, tests) = arguments.split_at(arguments.iter().position(is_test).unwrap_or(arguments.len()));
    // What comes before `-prune` says what is left out.
    let pruned = tests.iter().rposition(|word| word.literal() == Some("-prune")).map_or(0, |at| at + 1);
    let tests = &tests[pruned..];
    let mut names = Vec::new();
    for (at, word) in tests.iter().enumerate() {
        let denied = at > 0 && matches!(tests[at - 1].literal(), Some("!" | "-not"));
        if matches!(word.literal(), Some("-name" | "-iname")) && !denied {
            names.extend(tests.get(at + 1).map(Pattern::globbed));
        }
    }
    below_each(places.to_vec(), &names)
}

/// `grep -rl WHAT A B --include='*.py'`.
fn found_by_search(arguments: &[Pattern]) -> Vec<Pattern> {
    let given = Given::new(arguments, programs().values.of("search"));
    let skipped = usize::from(!given.has_any(&["-e", "-f", "--regexp"]));
    let places = given.operands.iter().skip(skipped).map(|name| (*name).clone()).collect();
    let names: Vec<Pattern> = arguments
        .iter()
        .filter_map(|word| Some(Pattern::text(word.literal()?.strip_prefix("--include=")?).globbed()))
        .collect();
    below_each(places, &names)
}

/// All below these places, if so with these names; no place: here.
fn below_each(places: Vec<Pattern>, names: &[Pattern]) -> Vec<Pattern> {
    let places = if places.is_empty() { vec![Pattern::text(".")] } else { places };
    let any = [Pattern::default()];
    let names = if names.is_empty() { &any[..] } else { names };
    let mut found = Vec::new();
    for place in &places {
        // A place may be a file itself.
        found.extend((place.literal() != Some(".")).then(|| place.clone()));
        for name in names {
            let mut below = place.below("");
            below.append(name);
            found.push(below);
        }
    }
    found
}
