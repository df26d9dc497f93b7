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
    let (program, operands) = match *name {
        "cat" | "nl" => parse_copy(name, arguments)?,
        "head" => {
            let (count, operands) = parse_count(arguments)?;
            let last = count.map_or(Some(10), parse_number)?;
            (Program::Select(vec![LineRange { first: 1, last }]), operands)
        }
        "tail" => {
            let (count, operands) = parse_count(arguments)?;
            match count.and_then(|count| count.strip_prefix('+')) {
                Some(first) => {
                    (Program::Select(vec![LineRange { first: parse_number(first)?, last: u32::MAX }]), operands)
                }
                None => (Program::Last, operands),
            }
        }
        "sed" => parse_sed(arguments)?,
        "grep" | "rg" => {
            let (search, operands) = Search::parse(name, arguments)?;
            (Program::Search(search), operands)
        }
        _ => return None,
    };
    Some(Stage { program, operands: operands.into_iter().map(str::to_owned).collect() })
}

/// Without `-ba`, `nl` gives empty lines no number and does not count them.
fn parse_copy<'a>(name: &str, arguments: &[&'a str]) -> Option<(Program, Vec<&'a str>)> {
    let (options, operands): (Vec<&str>, _) = arguments.iter().partition(|argument| argument.starts_with('-'));
    let numbered = match (name, options.as_slice()) {
        ("cat", []) => false,
        ("cat", ["-n"]) | ("nl", ["-ba"] | ["--body-numbering=a"]) => true,
        _ => return None,
    };
    Some((Program::Copy { numbered }, operands))
}

/// `-n 5`, `-n5`, `--lines=5`, `-5`, or nothing; and the operands.
fn parse_count<'a>(arguments: &[&'a str]) -> Option<(Option<&'a str>, Vec<&'a str>)> {
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
            operands.push(*argument);
            continue;
        };
        if count.replace(value).is_some() {
            return None;
        }
    }
    Some((count, operands))
}

/// `sed -n 'A,Bp' F`, also with several ranges that follow one another.
fn parse_sed<'a>(arguments: &[&'a str]) -> Option<(Program, Vec<&'a str>)> {
    let mut quiet = false;
    let mut scripts = Vec::new();
    let mut operands = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "-n" | "--quiet" | "--silent" => quiet = true,
            "-e" | "-ne" => {
                quiet |= *argument == "-ne";
                scripts.push(*arguments.next()?);
            }
            option if option.starts_with('-') => return None,
            _ => operands.push(*argument),
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
    quiet.then_some((Program::Select(ranges), operands))
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
