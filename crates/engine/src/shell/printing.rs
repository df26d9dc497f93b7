//! Whose words the output of a script is: those of the programs that test and build in it, or of others, too.
//!
//! By its programs and the words that it prints itself. What they print is not known here.

use std::borrow::Cow;

use super::{
    arguments::{Given, text_to_run},
    pattern::{Element, Pattern},
    programs::programs,
    purpose::{Purpose, of_command, words_of},
    script::{Command, Item, Joint, Piece, Redirection, RedirectionKind, Script},
    wrappers::{Named, Unwrapped, unwrapped},
};
use crate::configuration::commands::COMMANDS_DEEP;

/// The output without the lines that the script prints itself. None: a program prints in it whose words come from elsewhere:
/// from a file, a service, a history.
pub(crate) fn of_runs<'a>(script: &Script, output: &'a str) -> Option<Cow<'a, str>> {
    let mut printed = Printed::default();
    if !printed.script(script, 0) {
        return None;
    }
    if printed.lines.is_empty() {
        return Some(Cow::Borrowed(output));
    }
    let is_own = |line: &&str| !printed.lines.iter().any(|known| known.matches(line.trim_end()));
    Some(Cow::Owned(output.lines().filter(is_own).collect::<Vec<_>>().join("\n")))
}

/// What the commands so far have printed beside what the runs say.
#[derive(Default)]
struct Printed {
    lines: Vec<Pattern>,
    /// Files that hold what a run said.
    written: Vec<String>,
}

impl Printed {
    /// Whether nobody prints in it but those that run, and those whose words are known.
    fn script(&mut self, script: &Script, depth: u32) -> bool {
        if depth > COMMANDS_DEEP || !script.complete {
            return false;
        }
        // The commands of a pipe, and whether something comes into the first of them.
        let mut pipe: Vec<&Command> = Vec::new();
        let mut fed = false;
        for item in &script.items {
            match item {
                Item::Command(command) => pipe.push(command),
                Item::Joint(Joint::Pipe, _) if pipe.is_empty() => fed = true,
                Item::Joint(Joint::Pipe, _) => {}
                Item::Joint(..) => {
                    if !self.pipe(script, &pipe, fed, depth) {
                        return false;
                    }
                    pipe.clear();
                    fed = false;
                }
            }
        }
        true
    }

    /// The last command prints; where it passes on what it reads, the one before it.
    fn pipe(&mut self, script: &Script, pipe: &[&Command], fed: bool, depth: u32) -> bool {
        let last = pipe.iter().enumerate().rev().find(|(place, command)| !((*place > 0 || fed) && passes_on(command)));
        let Some((place, source)) = last else { return true };
        let words: Vec<Pattern> = words_of(source);
        // Behind a redirection the others of the pipe read nothing.
        let to = pipe[place..].iter().find_map(|command| {
            let written = command.redirections.iter().filter(|to| to.kind == RedirectionKind::Write);
            written.filter(|to| to.descriptor.is_none_or(|number| number == 1)).map(|to| to.target.text()).next_back()
        });
        let runs = of_command(script, source, depth) >= Purpose::Builds;
        if let Some(file) = to {
            if runs {
                self.written.push(file);
            }
            return true;
        }
        match unwrapped(&words) {
            Unwrapped::Nothing => true,
            Unwrapped::Unknown => false,
            Unwrapped::Program(named) => self.program(&named, source, runs, depth),
        }
    }

    fn program(&mut self, named: &Named<'_>, command: &Command, runs: bool, depth: u32) -> bool {
        let (programs, name) = (programs(), named.name());
        let given = Given::new(named.arguments, programs.values.of(name));
        let first = given.operands.first().and_then(|word| word.literal()).unwrap_or_default();
        let quiet =
            [&programs.quiet, &programs.decides, &programs.touches, &programs.keeps, &programs.silent, &programs.leads];
        match name {
            _ if programs.shells.has(name) => match text_to_run(named.arguments).and_then(Pattern::literal) {
                Some(text) => self.script(&Script::parse(text), depth + 1),
                None => !given.operands.is_empty(),
            },
            _ if runs || programs.tests.has(name) || programs.terse.has(name) => true,
            "echo" | "printf" => self.own(name, named.arguments, command),
            _ if quiet.iter().any(|words| words.has(name)) => true,
            "git" => programs.git.terse.has(first),
            _ if programs.writes.has(name) => name != "tee",
            "sed" | "gsed" => given.in_place(),
            _ if programs.passes_on.has(name) => {
                let mut files = files(name, &given).peekable();
                files.peek().is_some() && files.all(|file| self.written.contains(&file))
            }
            // Text that stands in the script itself may be anything.
            _ if programs.interpreters.has(name) => {
                let inline = given.has_any(&["-c", "-e", "-E", "-r", "-p", "-ne", "-pe", "-lne"])
                    || command.redirections.iter().any(reads);
                !inline && (given.has_any(&["-m"]) || !matches!(first, "" | "-"))
            }
            _ => ![&programs.looks, &programs.forges, &programs.containers, &programs.tells]
                .iter()
                .any(|words| words.has(name)),
        }
    }

    /// What stands in the script can be told from what a run says.
    fn own(&mut self, name: &str, arguments: &[Pattern], command: &Command) -> bool {
        let mut line = Pattern::default();
        for word in arguments.iter().filter(|word| !matches!(word.literal(), Some("-e" | "-n" | "-E"))) {
            if line.length() > 0 {
                line.push_text(" ");
            }
            line.append(word);
        }
        let formats = name == "printf" && line.contains("%");
        if formats || !command.nested.is_empty() {
            return false;
        }
        if line.length() > 0 && line.is_unresolved() {
            // A number alone is no report.
            return command.words.iter().flat_map(|word| &word.pieces).all(|piece| match piece {
                Piece::Variable { name, .. } => name.is_empty(),
                Piece::Plain(element) => matches!(element, Element::Text(_)),
            });
        }
        match line.literal() {
            Some(text) => {
                let lines = text.replace("\\n", "\n");
                self.lines.extend(lines.lines().map(|line| Pattern::text(line.trim_end())));
            }
            None => self.lines.push(line),
        }
        true
    }
}

fn reads(from: &Redirection) -> bool {
    !matches!(from.kind, RedirectionKind::Write | RedirectionKind::Duplicate)
}

fn passes_on(command: &Command) -> bool {
    let words = words_of(command);
    let Unwrapped::Program(named) = unwrapped(&words) else { return false };
    let given = Given::new(named.arguments, programs().values.of(named.name()));
    programs().passes_on.has(named.name())
        && !command.redirections.iter().any(reads)
        && (named.name() == "tee" || files(named.name(), &given).next().is_none())
}

/// The files that such a program reads: operands that are no pattern, no number and no single sign.
fn files<'a>(name: &str, given: &'a Given<'_>) -> impl Iterator<Item = String> + use<'a> {
    let has_pattern = !programs().by_pattern.has(name) || given.has_any(&["-e", "-f", "-ne", "--regexp"]);
    let behind = given.operands.iter().skip(usize::from(!has_pattern)).map(|word| word.known_text());
    behind.filter(|word| word.chars().count() > 1 && word.bytes().any(|byte| !byte.is_ascii_digit()))
}
