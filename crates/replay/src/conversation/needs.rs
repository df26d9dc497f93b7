//! What a step needs of what was seen before.
//!
//! A step's calls name things: files, symbols, the text that an edit replaces. Where such a thing had been seen
//! earlier, a model that writes the call must have had it from there, so a view without it would have cost another look
//! (docs/measuring.md, "Recall"). Whether a need is in some view is not known here.
//!
//! | kind | what | example |
//! |---|---|---|
//! | path | the last component of every path in the arguments | `{"file_path": "/w/src/main.rs"}` needs `main.rs` |
//! | symbol | `[A-Za-z_][A-Za-z0-9_]{5,}` in patterns, queries, commands (not in the messages of commits), paths | `{"pattern": "fn open_door"}` needs `open_door` |
//! | edit line | each line of 12 characters or more of the replaced text, with the blanks before it | `{"old_string": "  let door = open();\n}"}` needs `  let door = open();` |
//!
//! Each item once for a step and kind, and only if it occurs in an earlier piece that is still part of the conversation.
//! Occurs means: as a substring, arguments taken as decoded strings. Four more kinds are reported apart and do not enter
//! recall: see [`apart`].

mod apart;
mod arguments;
mod index;
mod names;
mod patch;
mod printed;
mod seen;
mod shell;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, ops::RangeInclusive, rc::Rc};

use lookback_engine::NewPart;

pub(crate) use arguments::push_decoded;
pub use seen::SeenIn;

use super::{Call, Piece};
use crate::parameters::MOST_PRINTED;
use arguments::{Named, Place};
use index::pieces_with;
use names::Names;
use printed::Printed;

/// Something that a step's calls name and that had been seen.
#[derive(Debug, Clone)]
pub struct Need {
    pub kind: NeedKind,
    pub text: Rc<str>,
    /// Of the text, multiplied by the session's factor.
    pub tokens: u32,
    /// The earlier pieces in which it occurs, in order.
    pub seen: SeenIn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeedKind {
    Path,
    Symbol,
    EditLine,
    /// Reported apart, as are all that follow.
    LineRange,
    Error,
    Test,
    Command,
}

impl NeedKind {
    /// Whether it is one of the three kinds of which `recall` and repairs are made.
    pub fn enters_recall(self) -> bool {
        matches!(self, Self::Path | Self::Symbol | Self::EditLine)
    }
}

/// What the value of an argument is. This table is the whole knowledge of argument names; it holds for every agent, since
/// none uses a name for something else.
fn holds(argument: &str) -> Holds {
    match argument {
        // Where something is. A working directory is a path that the model had to know, too.
        "file_path"
        | "filePath"
        | "path"
        | "paths"
        | "file"
        | "files"
        | "filename"
        | "notebook_path"
        | "absolute_path"
        | "dir_path"
        | "directory"
        | "dir"
        | "target_file"
        | "relative_path"
        | "relative_workspace_path"
        | "cwd"
        | "workdir" => Holds::Path,
        // What is looked for.
        "pattern" | "query" | "regex" | "glob" | "include" | "include_pattern" | "exclude_pattern" | "symbol"
        | "symbols" | "symbol_name" | "name_path" | "search_term" | "keyword" | "keywords" => Holds::Pattern,
        // What is run. Here-documents in it are contents (or a patch), as are texts of SWE-agent's `edit`.
        "command" | "cmd" | "script" => Holds::Command,
        // What an edit replaces.
        "old_string" | "oldString" | "old_str" | "oldText" | "old_text" | "old" => Holds::Replaced,
        // Where tools take a patch. Anything else in these is contents.
        "patch" | "patchText" | "patch_text" | "diff" | "input" => Holds::Patch,
        // content, contents, new_string, newString, new_str, newText, file_text, new_source, text, chars, body, prompt,
        // description, question, plan, todos, instruction, justification, url, ids, flags and all others: what the model
        // writes for the first time, or says about the call.
        _ => Holds::Contents,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Path,
    Pattern,
    Command,
    Replaced,
    Patch,
    Contents,
}

/// Fills in what every call needs. `count` is the session's count of a text.
pub(super) fn find_needs(calls: &mut [Call<'_>], pieces: &[Piece], count: &dyn Fn(&str) -> u32) {
    let (mut names, mut outcomes, mut asked) = (Names::default(), apart::Outcomes::default(), Names::default());
    let mut wanted = Vec::with_capacity(calls.len());
    for call in &*calls {
        let (named, places) = named_by(call, &mut names);
        let asked_for = |place: Place| Some((asked.number(&format!("{}:", place.name))?, place.first..=place.last));
        let places: Vec<(u32, RangeInclusive<u32>)> = places.into_iter().filter_map(asked_for).collect();
        wanted.push((named, places));
        outcomes.add(apart::Outcome::of(call, pieces, &mut names));
    }
    let mut most = MOST_PRINTED;
    let within = pieces_with(asked.texts(), pieces);
    let of = asked.texts().iter().zip(&within);
    let mut printed: Vec<Printed> = of.map(|(name, within)| Printed::of(name, within, pieces, &mut most)).collect();
    for (call, (named, places)) in calls.iter().zip(&mut wanted) {
        for (number, lines) in std::mem::take(places) {
            let line = printed[number as usize].newest(&lines, call);
            let text = line.map(|line| format!("{}{line}:", asked.texts()[number as usize]));
            named.extend(text.and_then(|text| names.number(&text)).map(|name| (NeedKind::LineRange, name)));
        }
    }
    drop(printed);
    let within = pieces_with(names.texts(), pieces);
    // Some are needed by many steps.
    let mut counts = vec![None; within.len()];
    for (number, (mut wanted, _)) in wanted.into_iter().enumerate() {
        let call = &calls[number];
        if !call.results.is_empty() {
            wanted.extend(apart::open_failures(number, calls, &outcomes));
        }
        let mut once = BTreeSet::new();
        let mut needs = Vec::new();
        for (kind, name) in wanted.into_iter().filter(|need| once.insert(*need)) {
            let name = name as usize;
            let (text, seen) = (Rc::clone(&names.texts()[name]), SeenIn::before(call, &within[name]));
            if !seen.is_empty() {
                let tokens = *counts[name].get_or_insert_with(|| count(&text));
                needs.push(Need { kind, text, tokens, seen });
            }
        }
        calls[number].needs = needs;
    }
}

/// What the calls of a step name, each once, and the lines of files that they ask for.
fn named_by(call: &Call<'_>, names: &mut Names) -> (Vec<(NeedKind, u32)>, Vec<Place>) {
    let mut named = Named::default();
    for part in &call.recorded.parts {
        if let NewPart::Call { arguments, .. } = part {
            named.read(arguments);
        }
    }
    let mut once = BTreeSet::new();
    let items = named.items.into_iter().filter_map(|(kind, text)| Some((kind, names.number(&text)?)));
    (items.filter(|item| once.insert(*item)).collect(), named.places)
}

fn is_before(call: &Call<'_>, piece: usize) -> bool {
    call.before.iter().any(|range| range.contains(&piece))
}
