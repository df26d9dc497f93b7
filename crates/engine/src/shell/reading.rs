//! What a command is for, and which part of its text says so: read once, when the command is recorded.
//!
//! By its programs alone. What came of it is not known here.

use serde::{Deserialize, Serialize};

use super::{
    arguments::{Given, text_to_run},
    pattern::Pattern,
    programs::programs,
    purpose::{Purpose, of_command, purpose_of, words_of},
    script::{Command, Item, Joint, Script},
    wrappers::{Unwrapped, unwrapped},
};

/// A command as later readers need it. Places are bytes of its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// What it is for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub purpose: Purpose,
    /// Where the command begins, behind what only leads to its place: the `npm` of `cd web && npm test`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub begins: u32,
    /// Where the pipe begins that only says how much is shown: ` | tail -5`. What begins so only shows or writes a text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ends: Option<u32>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Reading {
    /// Of a whole command.
    pub fn of(script: &Script) -> Self {
        let led = leads(script);
        let begins = match led.checked_sub(1).map(|last| &script.items[last]) {
            Some(Item::Joint(_, span)) => span.end,
            _ => 0,
        };
        let is_pager = |item: &Item| match item {
            Item::Command(command) => {
                command.words.first().and_then(|word| word.literal()).is_some_and(|name| programs().pagers.has(name))
            }
            Item::Joint(..) => false,
        };
        let ends = match &script.items[led..] {
            [first, ..] if is_pager(first) => Some(begins),
            items => items.windows(2).find_map(|pair| match pair {
                [Item::Joint(Joint::Pipe, span), next] if is_pager(next) => Some(span.start),
                _ => None,
            }),
        };
        Self { purpose: purpose_of(script, led, 0), begins: begins as u32, ends: ends.map(|end| end as u32) }
    }

    /// The command without what leads to its place.
    pub fn claimed<'a>(&self, command: &'a str) -> &'a str {
        command.get(self.begins as usize..).unwrap_or(command).trim()
    }

    /// Two runs are of the same command when they differ only in how much of the output is shown. Of all that only show
    /// or write a text the newest one counts.
    pub fn key(&self, command: &str) -> String {
        let end = self.ends.map_or(command.len(), |end| end as usize);
        let shown = without_settings(command.get(self.begins as usize..end).unwrap_or(command));
        let words = shown.split_whitespace().filter(|word| *word != "2>&1");
        words.collect::<Vec<_>>().join(" ")
    }
}

/// A command without the variables that are set for it alone: `CI=1 make` is `make`.
fn without_settings(command: &str) -> &str {
    let mut rest = command.trim_start();
    while let Some((word, behind)) = rest.split_once(' ')
        && let Some((name, value)) = word.split_once('=')
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !value.contains(['$', '`', '"', '\'', '\n', '(', ';', '&', '|'])
    {
        rest = behind.trim_start();
    }
    rest
}

/// What each command of a script is for, with what stands behind it. A shell that is only given another script counts as
/// that script.
pub fn purposes(script: &Script) -> Vec<(Purpose, Joint)> {
    if let Some(inner) = only_inner(script) {
        return purposes(&inner);
    }
    let mut found: Vec<(Purpose, Joint)> = Vec::new();
    for item in &script.items {
        match (item, found.last_mut()) {
            (Item::Command(command), _) => found.push((of_command(script, command, 0), Joint::Semicolon)),
            (Item::Joint(Joint::Open | Joint::Close, _), _) => {}
            // The end of the line behind a `&` joins nothing more.
            (Item::Joint(joint, _), Some(last)) if last.1 != Joint::Background => last.1 = *joint,
            (Item::Joint(..), _) => {}
        }
    }
    found
}

/// Whether tests are run by a program made for it. A file that only is called a test may check nothing: that it ended says so
/// only where it reports what it ran.
pub fn runs_tests(script: &Script) -> bool {
    if let Some(inner) = only_inner(script) {
        return runs_tests(&inner);
    }
    let tests = |command: &&Command| of_command(script, command, 0) == Purpose::Tests;
    script.commands().filter(tests).any(|command| !is_test_file(command))
}

/// `python test_x.py`, `./x_test.sh`; not `./test.sh` or `python run_tests.py`, which run others.
fn is_test_file(command: &Command) -> bool {
    let words = words_of(command);
    let Unwrapped::Program(program) = unwrapped(&words) else { return false };
    let given = Given::new(program.arguments, programs().values.of(program.name()));
    let path = match programs().interpreters.has(program.name()) {
        true if given.has_any(&["-m"]) => None,
        true => given.operands.first().and_then(|file| file.literal()),
        false => Some(program.path).filter(|path| path.contains('/')),
    };
    let stem = path.and_then(|path| path.rsplit('/').next()?.rsplit_once('.')).map_or("", |(stem, _)| stem);
    let parts: Vec<&str> = stem.split(['_', '-', '.']).collect();
    matches!(parts.as_slice(), ["test", _, ..] | [_, .., "test" | "spec"])
}

/// Where the command begins that does most, the first of them; None where all only look or write files.
pub fn telling(script: &Script) -> Option<usize> {
    let commands = script.commands().map(|command| (of_command(script, command, 0), command));
    let most = commands.reduce(|most, other| if other.0 > most.0 { other } else { most });
    most.filter(|(purpose, _)| *purpose > Purpose::Files).and_then(|(_, command)| Some(command.words.first()?.start))
}

/// The script of `bash -c '…'`.
fn only_inner(script: &Script) -> Option<Script> {
    let mut commands = script.commands();
    let (command, None) = (commands.next()?, commands.next()) else { return None };
    let words: Vec<Pattern> = command.words.iter().map(|word| word.pattern()).collect();
    match unwrapped(&words) {
        Unwrapped::Program(named) if programs().shells.has(named.name()) => {
            text_to_run(named.arguments)?.literal().map(Script::parse)
        }
        _ => None,
    }
}

/// Whether the exit code of a command in it is turned round: `! pytest`.
pub(crate) fn negates(script: &Script) -> bool {
    let turned = |command: &Command| command.words.first().and_then(|word| word.literal()) == Some("!");
    script.commands().any(turned) || only_inner(script).is_some_and(|inner| negates(&inner))
}

/// How many of the first items lead to the place of the others: `cd web &&`.
fn leads(script: &Script) -> usize {
    let mut led = 0;
    while let [Item::Command(command), Item::Joint(Joint::And | Joint::Semicolon, _), _, ..] = &script.items[led..] {
        let leads = |name: &str| programs().leads.has(name);
        let goes_on = script.items[led + 2..].iter().any(|item| matches!(item, Item::Command(_)));
        if !goes_on || !command.words.first().and_then(|word| word.literal()).is_some_and(leads) {
            break;
        }
        led += 2;
    }
    led
}

#[cfg(test)]
mod tests;
