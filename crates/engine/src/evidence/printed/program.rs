//! What the programs that show files do, as told by their arguments: read, select lines, number them, search.
//!
//! A program or an option that is not listed here could change the output in any way, so it is not understood at all.

use super::search::Search;
use crate::evidence::pointer::LineRange;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Program {
    /// Every line as it is, behind its number and a tab if so numbered.
    Copy {
        numbered: bool,
    },
    /// These lines, from the top; `u32::MAX` for the last line.
    Select(Vec<LineRange>),
    /// The last lines; where they begin is unknown.
    Last,
    Search(Search),
}

/// A program with the files that it reads; none: standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) program: Program,
    pub(super) operands: Vec<String>,
}

pub(super) fn parse_stage(words: &[&str]) -> Option<Stage> {
    let (name, arguments) = words.split_first()?;
    match *name {
        "cat" => parse_cat(arguments),
        "nl" => parse_nl(arguments),
        "head" => parse_head(arguments),
        "tail" => parse_tail(arguments),
        "sed" => parse_sed(arguments),
        "grep" | "rg" => {
            let (search, operands) = Search::parse(name, arguments)?;
            Some(Stage { program: Program::Search(search), operands })
        }
        _ => None,
    }
}

fn parse_cat(arguments: &[&str]) -> Option<Stage> {
    let (options, operands) = split_options(arguments);
    let numbered = match options.as_slice() {
        [] => false,
        ["-n"] => true,
        _ => return None,
    };
    Some(Stage { program: Program::Copy { numbered }, operands })
}

/// Without `-ba`, empty lines have no number and do not count.
fn parse_nl(arguments: &[&str]) -> Option<Stage> {
    let (options, operands) = split_options(arguments);
    let all_lines = matches!(options.as_slice(), ["-ba"] | ["--body-numbering=a"]);
    all_lines.then_some(Stage { program: Program::Copy { numbered: true }, operands })
}

fn split_options<'a>(arguments: &[&'a str]) -> (Vec<&'a str>, Vec<String>) {
    let (options, operands): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    (options, operands.into_iter().map(str::to_owned).collect())
}

fn parse_head(arguments: &[&str]) -> Option<Stage> {
    let (count, operands) = parse_count(arguments)?;
    let last = match count {
        Some(count) => parse_number(count)?,
        None => 10,
    };
    Some(Stage { program: Program::Select(vec![LineRange { first: 1, last }]), operands })
}

fn parse_tail(arguments: &[&str]) -> Option<Stage> {
    let (count, operands) = parse_count(arguments)?;
    let program = match count.and_then(|count| count.strip_prefix('+')) {
        Some(first) => Program::Select(vec![LineRange { first: parse_number(first)?, last: u32::MAX }]),
        None => Program::Last,
    };
    Some(Stage { program, operands })
}

/// `-n 5`, `-n5`, `--lines=5`, `-5`, or nothing; and the operands.
fn parse_count<'a>(arguments: &[&'a str]) -> Option<(Option<&'a str>, Vec<String>)> {
    let mut count = None;
    let mut operands = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let value = if *argument == "-n" {
            arguments.next()?
        } else if let Some(value) = argument.strip_prefix("-n").or_else(|| argument.strip_prefix("--lines=")) {
            value
        } else if let Some(value) = argument.strip_prefix('-') {
            parse_number(value)?;
            value
        } else {
            operands.push((*argument).to_owned());
            continue;
        };
        if count.replace(value).is_some() {
            return None;
        }
    }
    Some((count, operands))
}

/// `sed -n 'A,Bp' F`, also with several ranges that follow one another.
fn parse_sed(arguments: &[&str]) -> Option<Stage> {
    let mut quiet = false;
    let mut scripts = Vec::new();
    let mut operands = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "-n" | "--quiet" | "--silent" => quiet = true,
            "-e" => scripts.push(arguments.next()?),
            "-ne" => {
                quiet = true;
                scripts.push(arguments.next()?);
            }
            option if option.starts_with('-') => return None,
            _ => operands.push(argument),
        }
    }
    if scripts.is_empty() && !operands.is_empty() {
        scripts.push(operands.remove(0));
    }
    let mut ranges: Vec<LineRange> = Vec::new();
    for command in scripts.iter().flat_map(|script| script.split(';')) {
        let range = parse_print(command.trim())?;
        // Out of order or overlapping, lines would come in the file's order, or twice.
        if ranges.last().is_some_and(|last| range.first <= last.last) {
            return None;
        }
        ranges.push(range);
    }
    let program = Program::Select(ranges);
    quiet.then(|| Stage { program, operands: operands.into_iter().map(|name| (*name).to_owned()).collect() })
}

/// `Ap`, `A,Bp`, `A,$p`. A range that ends before it begins is its first line.
fn parse_print(command: &str) -> Option<LineRange> {
    let addresses = command.strip_suffix('p')?.trim_end();
    let (first, last) = addresses.split_once(',').unwrap_or((addresses, addresses));
    let first = parse_number(first)?;
    let last = if last == "$" { u32::MAX } else { parse_number(last)? };
    Some(LineRange { first, last: last.max(first) })
}

fn parse_number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| digits && *number > 0)
}
