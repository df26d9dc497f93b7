//! What a command does at most, by its programs and what they are given.
//!
//! Files, aliases and what came of it are not known here.

use serde::{Deserialize, Serialize};

use super::{
    arguments::{Given, actions_of_find, behind_options, text_to_run},
    pattern::Pattern,
    programs::{Words, programs},
    script::{Command, Item, RedirectionKind, Script},
    wrappers::{Named, Unwrapped, unwrapped},
};
use crate::configuration::commands::{COMMANDS_DEEP, TELLING_OPERANDS};

/// The most that any of its programs does; each is more than those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Shows what is there and changes nothing.
    Looks,
    /// The same of something else than files: of the history, or of what another service says.
    Asks,
    /// Changes files, or decides by a condition or a loop of the shell. No test can have run up to here.
    Files,
    /// Anything else.
    #[default]
    Works,
    /// Hands the work on.
    Commits,
    /// Builds or checks.
    Builds,
    /// Runs tests.
    Tests,
}

/// Of the items before `led`, what they do to the shell does not count.
pub(super) fn purpose_of(script: &Script, led: usize, depth: u32) -> Purpose {
    if depth > COMMANDS_DEEP || !script.complete {
        return Purpose::Works;
    }
    let mut purpose = None;
    for (place, item) in script.items.iter().enumerate() {
        let Item::Command(command) = item else { continue };
        let nested = command.nested.iter().map(|nested| purpose_of(nested, 0, depth + 1));
        let around = nested.chain(of_redirections(script, command)).max();
        let own = if place < led { Purpose::Looks } else { of_command(script, command, depth) };
        purpose = purpose.max(around).max(Some(own));
    }
    // A command without a command is nothing that anybody knows.
    purpose.unwrap_or_default()
}

fn of_redirections(script: &Script, command: &Command) -> Option<Purpose> {
    let writes = |target: Option<&str>| target.is_none_or(|target| !target.starts_with("/dev/"));
    let mut written = command.redirections.iter().filter(|to| to.kind == RedirectionKind::Write);
    // Where the end of a here-document is not quoted, these run; whether it was is not worth knowing.
    if script.documents_of(command).any(|text| text.contains("$(") || text.contains('`')) {
        return Some(Purpose::Works);
    }
    written.any(|to| writes(to.target.literal())).then_some(Purpose::Files)
}

pub(super) fn of_command(script: &Script, command: &Command, depth: u32) -> Purpose {
    let words = words_of(command);
    let documents: Vec<&str> = script.documents_of(command).collect();
    of_words(&words, &documents, depth)
}

/// Behind the variables that are set for it.
pub(super) fn words_of(command: &Command) -> Vec<Pattern> {
    let settings = command.words.iter().take_while(|word| word.assignment().is_some()).count();
    command.words[settings..].iter().map(|word| word.pattern()).collect()
}

fn of_words(words: &[Pattern], documents: &[&str], depth: u32) -> Purpose {
    if depth > COMMANDS_DEEP {
        return Purpose::Works;
    }
    match unwrapped(words) {
        Unwrapped::Nothing => Purpose::Looks,
        Unwrapped::Unknown => Purpose::Works,
        Unwrapped::Program(program) => of_program(&program, documents, depth),
    }
}

fn of_program(program: &Named<'_>, documents: &[&str], depth: u32) -> Purpose {
    let given = Given::new(program.arguments, programs().values.of(program.name()));
    match running(program, &given, documents, depth) {
        Purpose::Tests | Purpose::Builds if is_idle(program, &given) => Purpose::Asks,
        Purpose::Tests if has_one(program, programs().unrun.of(program.name())) => Purpose::Builds,
        purpose => purpose,
    }
}

/// Whether one of these options is given, also behind `--`, where they are for another program.
fn has_one(program: &Named<'_>, options: &Words) -> bool {
    program.arguments.iter().filter_map(Pattern::literal).filter(|word| word.starts_with('-')).any(|word| {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        (options.has(option) || options.has(word)) && value != "false"
    })
}

/// Whether a program that tests or builds is only asked what it has or would do.
fn is_idle(program: &Named<'_>, given: &Given<'_>) -> bool {
    let idle = &programs().idle;
    let module = given.options.iter().find(|(option, _)| *option == "-m").and_then(|(_, module)| module.as_ref());
    let module = module.and_then(|module| module.literal()).filter(|_| programs().interpreters.has(program.name()));
    let own = idle.of.of(module.unwrap_or(program.name()));
    let mut operands = given.operands.iter().filter_map(|word| word.literal()).filter(|word| !word.starts_with('+'));
    let (first, second) = (operands.next().unwrap_or_default(), operands.next().unwrap_or_default());
    has_one(program, &idle.all) || has_one(program, own) || own.has(first) || own.has(&format!("{first} {second}"))
}

/// By the program, whatever its options make of it.
fn running(program: &Named<'_>, given: &Given<'_>, documents: &[&str], depth: u32) -> Purpose {
    let (programs, name, arguments) = (programs(), program.name(), program.arguments);
    let folder = &program.path[..program.path.len() - name.len()];
    let is_own = program.launched || !["", "/bin/", "/usr/bin/", "/usr/local/bin/"].contains(&folder);
    let files_or_looks = |files: bool| if files { Purpose::Files } else { Purpose::Looks };
    let text = |text: &str| purpose_of(&Script::parse(text), 0, depth + 1);
    match name {
        _ if programs.tests.has(name) => Purpose::Tests,
        _ if programs.checks.has(name) => Purpose::Builds,
        _ if programs.shells.has(name) && !is_own => match text_to_run(arguments) {
            Some(script) => script.literal().map_or(Purpose::Works, text),
            None if given.operands.is_empty() => documents.iter().map(|script| text(script)).max().unwrap_or_default(),
            None => of_file(None, given),
        },
        _ if programs.interpreters.has(name) => of_file(None, given),
        _ if programs.runs.has(name) => {
            of_task(given, if programs.builds.has(name) { Purpose::Builds } else { Purpose::Works })
        }
        _ if is_own => of_file(Some(name), given),
        "eval" => match arguments.iter().map(Pattern::literal).collect::<Option<Vec<_>>>() {
            Some(words) => text(&words.join(" ")),
            None => Purpose::Works,
        },
        "xargs" | "parallel" => of_words(behind_options(arguments, programs.values.of("xargs")), &[], depth + 1),
        "find" | "fd" | "fdfind" => of_find(arguments, depth),
        "awk" | "gawk" | "mawk" => of_awk(arguments, given),
        "sed" | "gsed" | "yq" => files_or_looks(given.in_place()),
        "git" => of_git(arguments),
        _ if programs.forges.has(name) => {
            let looks = given.operands.get(1).and_then(|verb| verb.literal());
            if looks.is_some_and(|verb| programs.forge_looks.has(verb)) { Purpose::Asks } else { Purpose::Works }
        }
        _ if programs.looks.has(name) || programs.quiet.has(name) => {
            files_or_looks(programs.outputs.of(name).iter().any(|option| given.value(option).is_some()))
        }
        _ if [&programs.decides, &programs.touches, &programs.writes].iter().any(|words| words.has(name)) => {
            Purpose::Files
        }
        _ if programs.builds.has(name) => Purpose::Builds,
        _ if programs.containers.has(name) => {
            let runs = |word: &&Pattern| word.literal().is_some_and(|word| programs.container_runs.has(word));
            let run = given.operands.iter().position(runs);
            let command = run.and_then(|run| given.operands.get(run + 2..)).unwrap_or_default();
            let command: Vec<Pattern> = command.iter().map(|word| (*word).clone()).collect();
            if command.is_empty() { Purpose::Works } else { of_words(&command, &[], depth + 1).max(Purpose::Works) }
        }
        _ => {
            let mut operands = given.operands.iter().filter_map(|operand| operand.literal());
            let first = operands.find(|operand| !operand.starts_with('+')).unwrap_or_default();
            match () {
                _ if programs.tests_with.of(name).has(first) => Purpose::Tests,
                _ if programs.builds_with.of(name).has(first) => Purpose::Builds,
                _ => Purpose::Works,
            }
        }
    }
}

/// The targets of a task runner, told by the words of their names.
fn of_task(given: &Given<'_>, otherwise: Purpose) -> Purpose {
    let tasks = given.operands.iter().take(given.operands.len() - given.handed_on);
    let mut told = tasks.map(|operand| operand.known_text()).take(TELLING_OPERANDS).peekable();
    if told.peek().is_some_and(|first| programs().package_words.has(first)) {
        return Purpose::Works;
    }
    told.map(|operand| of_name(&operand).unwrap_or(otherwise)).max().unwrap_or(otherwise)
}

/// A module, or a file of the project: told by its own name, not by those of its folders. Its first operand tells what it
/// does where it is such a word itself: `manage.py test`.
fn of_file(own: Option<&str>, given: &Given<'_>) -> Purpose {
    let module = given.options.iter().find(|(option, _)| *option == "-m").and_then(|(_, module)| *module);
    let mut operands = module.into_iter().chain(given.operands.iter().copied()).map(Pattern::known_text);
    let file = own.map(str::to_owned).or_else(|| operands.next()).unwrap_or_default();
    let verb = operands.next().filter(|verb| programs().test_words.has(verb) || programs().build_words.has(verb));
    let name = file.rsplit('/').next().unwrap_or(&file);
    let verb = verb.filter(|verb| name.contains('.') || programs().tests_with.of(name).has(verb));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_script = !ending.is_empty() && !programs().shells.has(ending);
    let is_test = is_script
        && (programs().test_file_starts.begin(stem) || programs().test_file_ends.iter().any(|end| stem.ends_with(end)));
    // What a script checks may be anything.
    let builds = |name: &str| words_in(name).any(|word| programs().script_build_words.has(word));
    let own = match of_name(name) {
        _ if is_test => Some(Purpose::Tests),
        Some(Purpose::Builds) if is_script && !builds(stem) => None,
        own => own,
    };
    own.max(verb.and_then(|verb| of_name(&verb))).unwrap_or(Purpose::Works)
}

/// What a name says in its words. One of them can say that it is about something else.
fn of_name(name: &str) -> Option<Purpose> {
    let programs = programs();
    let names = |words: &Words| words_in(name).any(|word| words.has(word));
    match () {
        _ if programs.tests.has(name) => Some(Purpose::Tests),
        _ if names(&programs.apart_words) => Some(Purpose::Works),
        _ if names(&programs.test_words) => Some(Purpose::Tests),
        _ if programs.checks.has(name) || names(&programs.build_words) => Some(Purpose::Builds),
        _ => None,
    }
}

fn words_in(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphabetic())
}

fn of_find(arguments: &[Pattern], depth: u32) -> Purpose {
    const RUNS: [&str; 8] = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    let of_action = |run: Option<&[Pattern]>| run.map_or(Purpose::Files, |command| of_words(command, &[], depth + 1));
    actions_of_find(arguments, &RUNS).into_iter().map(of_action).max().unwrap_or(Purpose::Looks)
}

/// A script in a file may run anything, too.
fn of_awk(arguments: &[Pattern], given: &Given<'_>) -> Purpose {
    let runs = ["system", "getline", "| \"", "|\"", "|&"];
    let runs_something = |word: &Pattern| runs.iter().any(|how| word.contains(how));
    let from_file = |word: &Pattern| word.prefix().starts_with("-f") || word.prefix().starts_with("--file");
    match arguments.iter().any(|word| runs_something(word) || from_file(word)) {
        true => Purpose::Works,
        false if given.value("-i").is_some_and(|value| value.literal() == Some("inplace")) => Purpose::Files,
        false => Purpose::Looks,
    }
}

/// By its command: others run hooks, and hooks run tests. Any option before it could be an alias that does.
fn of_git(arguments: &[Pattern]) -> Purpose {
    let git = &programs().git;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.literal() {
            Some("-C") => drop(arguments.next()),
            Some("--no-pager" | "-P") => {}
            Some(command) if git.looks.has(command) => return Purpose::Asks,
            Some(command) if git.commits.has(command) => return Purpose::Commits,
            _ => return Purpose::Works,
        }
    }
    Purpose::Asks
}
