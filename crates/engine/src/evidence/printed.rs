//! Which lines of which files the output of a shell command shows.
//!
//! Only where that is certain: one reader of one file, a search that prints numbers, or such a one piped through
//! programs that pick lines; after `cd` perhaps, or after commands that print nothing where they succeed. Of several
//! readers it is said where the borders between their outputs can be told.
//! The output must be complete and untrimmed at its beginning; a caller that cut it must not ask. What is not known
//! here: the file system. A link, an alias or a function of the same name as a program would deceive this module.

mod found;
mod joined;
mod path;
mod program;
mod search;

use crate::{
    configuration::commands::DIRECTORIES_DEEP,
    evidence::{
        lines::{parse_numbered, split_lines},
        pointer::LineRange,
    },
    shell::{Command, Item, Joint, Redirection, RedirectionKind, Script, programs},
    trace::result::LineForm,
};
use found::{find_numbered, find_path_numbered};
use path::join_path;
use program::{Program, Stage, parse_stage};
use search::{Names, Search};

/// Lines of one file that stand in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attributed {
    /// Relative to the root, normalised.
    pub path: String,
    pub first_line: u32,
    /// How many lines stand there. In search output they need not follow one another: each carries its number.
    pub line_count: u32,
    pub form: LineForm,
}

/// What the output shows, file by file; empty where that is not certain. `cwd` is relative to the root.
pub(crate) fn attribute(script: &Script, cwd: &str, output: &[u8]) -> Vec<Attributed> {
    match parse_pipeline(script, cwd) {
        Some(pipeline) => pipeline.attribute(output).unwrap_or_default(),
        None => joined::attribute(script, cwd, output).unwrap_or_default(),
    }
}

#[derive(Debug)]
struct Pipeline {
    directory: String,
    stages: Vec<Stage>,
}

/// What comes out of a pipeline.
enum Shown {
    /// These lines of a file, one after another; behind their numbers if so numbered.
    Lines {
        path: String,
        ranges: Vec<LineRange>,
        numbered: bool,
    },
    /// Matches in one file, or in whatever the operands name.
    InFile(String),
    InFiles {
        search: Search,
        operands: Vec<String>,
    },
}

/// None where the words depend on anything that does not stand there (variables, globs, substitutions, here-documents), or
/// where anything but pipes and `&&` joins the commands.
fn parse_pipeline(script: &Script, cwd: &str) -> Option<Pipeline> {
    let is_end = |item: &Item| matches!(item, Item::Joint(Joint::Semicolon | Joint::Line, _));
    let last = script.items.iter().rposition(|item| !is_end(item))?;
    let items = &script.items[script.items.iter().position(|item| !is_end(item))?..=last];
    let mut directory = join_path("", cwd)?;
    let mut stages: Vec<Vec<&str>> = Vec::new();
    let mut joint = Joint::And;
    for pair in items.chunks(2) {
        let [Item::Command(command), next @ ..] = pair else { return None };
        let words = plain_words(command).filter(|_| script.complete)?;
        if joint == Joint::And {
            match stages.as_slice() {
                [] => {}
                [before] if before[0] == "cd" => directory = enter(&directory, before)?,
                [before] if is_silent(before) => {}
                _ => return None,
            }
            stages.clear();
        }
        stages.push(words);
        joint = match next {
            [] => break,
            [Item::Joint(joint @ (Joint::And | Joint::Pipe), _)] => *joint,
            _ => return None,
        };
    }
    // A joint that nothing follows joins nothing.
    let ended = items.len() % 2 == 1;
    let stages = stages.iter().map(|words| parse_stage(words)).collect::<Option<_>>()?;
    ended.then_some(Pipeline { directory, stages })
}

/// Of redirections only `2>&1` and `2>/dev/null` are plain.
fn plain_words(command: &Command) -> Option<Vec<&str>> {
    let is_plain = |redirection: &Redirection| {
        let target = redirection.target.literal();
        redirection.descriptor == Some(2)
            && match redirection.kind {
                RedirectionKind::Duplicate => target == Some("1"),
                kind => kind == RedirectionKind::Write && target == Some("/dev/null"),
            }
    };
    let plain = command.redirections.iter().all(is_plain) && command.nested.is_empty();
    command.literal().filter(|words| plain && !words.is_empty())
}

/// Not deeper than anybody's folders are: a command of thousands of `cd` would be read in the square of its length.
fn enter(directory: &str, words: &[&str]) -> Option<String> {
    match words {
        [_, to] if !to.is_empty() && !to.starts_with('-') => join_path(directory, to),
        _ => None,
    }
    .filter(|entered| entered.split('/').count() <= DIRECTORIES_DEEP)
}

/// `sed -i … &&`, `mv … &&`: behind `&&` they succeeded, and then they print nothing.
fn is_silent(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    // `--verbose`, `--debug`, `-v` in any cluster; `w /dev/stdout` and the like in a script.
    let speaks =
        |word: &&str| word.starts_with("--") || (word.starts_with('-') && word.contains('v')) || word.contains("/dev/");
    let in_place = arguments.first().is_some_and(|word| word.starts_with("-i"));
    (programs().silent.has(program) || (*program == "sed" && in_place)) && !arguments.iter().any(speaks)
}

impl Pipeline {
    fn attribute(self, output: &[u8]) -> Option<Vec<Attributed>> {
        let directory = self.directory.clone();
        match self.shown(output)? {
            Shown::Lines { path, ranges, numbered } => {
                let path = refuse_complaints(output, join_path(&directory, &path)?)?;
                if numbered { number_slices(path, &ranges, output) } else { slice(&path, &ranges, output) }
            }
            Shown::InFile(path) => {
                let path = refuse_complaints(output, join_path(&directory, &path)?)?;
                let attributed = |(separator, first_line, line_count): (&str, u32, u32)| Attributed {
                    path: path.clone(),
                    first_line,
                    line_count,
                    form: LineForm::Numbered { separator: separator.to_owned() },
                };
                Some(find_numbered(output)?.into_iter().map(attributed).collect())
            }
            Shown::InFiles { search, operands } => {
                let found = find_path_numbered(output, search.context, &operands)?;
                // A path that leaves the root is left out; the others are no less certain for it.
                let attributed = found.into_iter().filter_map(|found| {
                    Some(Attributed {
                        path: join_path(&directory, &found.printed)?,
                        first_line: found.first_line,
                        line_count: found.line_count,
                        form: LineForm::PathNumbered { path: found.printed },
                    })
                });
                Some(attributed.filter(|attributed| attributed.line_count > 0).collect())
            }
        }
    }
}

impl Pipeline {
    fn shown(self, output: &[u8]) -> Option<Shown> {
        let mut stages = self.stages.into_iter();
        let first = Shown::first(stages.next()?, output)?;
        stages.try_fold(first, Shown::piped_through)
    }
}

const WHOLE: LineRange = LineRange { first: 1, last: u32::MAX };

impl Shown {
    fn first(stage: Stage, output: &[u8]) -> Option<Self> {
        let Stage { program, mut operands } = stage;
        if operands.iter().any(|operand| operand == "-") {
            return None;
        }
        match (program, operands.len()) {
            (Program::Search(search), 1) if search.names == Names::IfDirectory => {
                let in_file = find_numbered(output).is_some();
                let in_files = find_path_numbered(output, search.context, &operands).is_some();
                match (in_file, in_files) {
                    (true, false) => operands.pop().map(Self::InFile),
                    (false, true) => Some(Self::InFiles { search, operands }),
                    _ => None,
                }
            }
            // Without operands, a search below the working directory; a plain `grep` would read standard input.
            (Program::Search(search), 0 | 1) if search.names == Names::IfSeveral => operands.pop().map(Self::InFile),
            (Program::Search(search), _) => Some(Self::InFiles { search, operands }),
            (program, 1) => {
                Self::Lines { path: operands.pop()?, ranges: vec![WHOLE], numbered: false }.filtered(program)
            }
            _ => None,
        }
    }

    fn piped_through(self, stage: Stage) -> Option<Self> {
        if stage.operands.is_empty() { self.filtered(stage.program) } else { None }
    }

    fn filtered(self, program: Program) -> Option<Self> {
        match (self, program) {
            (Self::Lines { path, ranges, numbered }, Program::Select(selected)) => {
                Some(Self::Lines { path, ranges: select(&ranges, &selected)?, numbered })
            }
            (shown, Program::Copy { numbered: false }) => Some(shown),
            // From line 1 on, what counts the lines that come in counts the lines of the file.
            (Self::Lines { path, ranges, numbered: false }, Program::Copy { numbered: true })
                if matches!(ranges[..], [LineRange { first: 1, .. }]) =>
            {
                Some(Self::Lines { path, ranges, numbered: true })
            }
            (Self::Lines { path, ranges, numbered: false }, Program::Search(search))
                if matches!(ranges[..], [LineRange { first: 1, .. }]) && search.names != Names::Always =>
            {
                Some(Self::InFile(path))
            }
            (shown @ (Self::InFile(_) | Self::InFiles { .. }), Program::Last) => Some(shown),
            // One stretch of the output still is an output.
            (shown @ (Self::InFile(_) | Self::InFiles { .. }), Program::Select(selected)) if selected.len() == 1 => {
                Some(shown)
            }
            _ => None,
        }
    }
}

/// The selected ones of the lines that come in, by their numbers in the file.
fn select(ranges: &[LineRange], selected: &[LineRange]) -> Option<Vec<LineRange>> {
    let [incoming] = ranges else { return None };
    let shift = |number: u32| number.saturating_add(incoming.first - 1).min(incoming.last);
    let reached = selected.iter().filter(|range| range.first <= incoming.last - incoming.first + 1);
    Some(reached.map(|range| LineRange { first: shift(range.first), last: shift(range.last) }).collect())
}

/// None where the first or the last line is what a shell or a program says when it fails.
fn refuse_complaints(output: &[u8], path: String) -> Option<String> {
    let complains = |line: &[u8]| {
        let speaker =
            line.split(|byte| *byte == b':').next().filter(|speaker| line[speaker.len()..].starts_with(b": "));
        let speaker = speaker.and_then(|speaker| std::str::from_utf8(speaker).ok()).unwrap_or_default();
        let programs = programs();
        programs.readers.has(speaker) || programs.shells.has(speaker.strip_prefix("/bin/").unwrap_or(speaker))
    };
    let mut lines = split_lines(output);
    let first = lines.next()?;
    (!complains(first) && !lines.last().is_some_and(complains)).then_some(path)
}

/// The output cut into the ranges. Where it is shorter, the file ended; where it is longer, it is something else.
fn slice(path: &str, ranges: &[LineRange], output: &[u8]) -> Option<Vec<Attributed>> {
    let mut attributed = Vec::new();
    let mut start = 0;
    for range in ranges {
        if start == output.len() {
            break;
        }
        let most = ((range.last - range.first) as usize).saturating_add(1);
        let lines = output[start..].split_inclusive(|byte| *byte == b'\n').take(most);
        let (end, line_count) = lines.fold((start, 0), |(end, count), line| (end + line.len(), count + 1));
        let form = LineForm::Plain { start: start as u64, end: end as u64 };
        attributed.push(Attributed { path: path.to_owned(), first_line: range.first, line_count, form });
        start = end;
    }
    (start == output.len()).then_some(attributed)
}

/// The same for an output whose lines carry their numbers; they must be the ones that the ranges name.
fn number_slices(path: String, ranges: &[LineRange], output: &[u8]) -> Option<Vec<Attributed>> {
    let mut expected = ranges.iter().flat_map(|range| range.first..=range.last);
    let mut line_count = 0;
    for line in split_lines(output) {
        let (number, _) = parse_numbered(line, b"\t")?;
        expected.next().filter(|expected| *expected == number)?;
        line_count += 1;
    }
    let form = LineForm::Numbered { separator: "\t".to_owned() };
    Some(vec![Attributed { path, first_line: ranges.first()?.first, line_count, form }])
}

#[cfg(test)]
mod tests;
