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
mod patch;
mod shell;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lookback_engine::NewPart;

pub(crate) use arguments::push_decoded;
use index::Index;

use super::{Call, Piece};

/// Something that a step's calls name and that had been seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub kind: NeedKind,
    pub text: String,
    /// Of the text, multiplied by the session's factor.
    pub tokens: u32,
    /// The earlier pieces in which it occurs, in order.
    pub seen: Box<[usize]>,
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
    let mut seen = Seen { index: Index::new(pieces), known: BTreeMap::new(), count };
    let outcomes: Vec<_> = calls.iter().map(|call| apart::Outcome::of(call, pieces)).collect();
    for number in 0..calls.len() {
        let needs = needs_of(number, calls, &outcomes, &mut seen);
        calls[number].needs = needs;
    }
}

fn needs_of(number: usize, calls: &[Call<'_>], outcomes: &[apart::Outcome], seen: &mut Seen<'_, '_>) -> Vec<Need> {
    let call = &calls[number];
    let mut named = arguments::Named::default();
    for part in &call.recorded.parts {
        if let NewPart::Call { arguments, .. } = part {
            named.read(arguments);
        }
    }
    let mut wanted = named.items;
    for place in &named.places {
        wanted.extend(apart::printed_place(place, call, seen).map(|text| (NeedKind::LineRange, text)));
    }
    if !call.results.is_empty() {
        wanted.extend(apart::open_failures(number, calls, outcomes));
    }
    let mut once = BTreeSet::new();
    let mut needs = Vec::new();
    for (kind, text) in wanted {
        if !once.insert((kind, text.clone())) {
            continue;
        }
        let known = seen.find(&text);
        let earlier: Box<[usize]> = known.pieces.iter().copied().filter(|piece| is_before(call, *piece)).collect();
        if !earlier.is_empty() {
            needs.push(Need { kind, text, tokens: known.tokens, seen: earlier });
        }
    }
    needs
}

fn is_before(call: &Call<'_>, piece: usize) -> bool {
    call.before.iter().any(|range| range.contains(&piece))
}

/// Where texts occur in a session. Steps ask for the same texts again and again, so answers are kept.
struct Seen<'a, 'c> {
    index: Index<'a>,
    known: BTreeMap<String, Known>,
    count: &'c dyn Fn(&str) -> u32,
}

#[derive(Clone)]
struct Known {
    pieces: Rc<[usize]>,
    tokens: u32,
}

impl Seen<'_, '_> {
    fn find(&mut self, text: &str) -> Known {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let pieces: Rc<[usize]> = self.index.find(text).into();
        let tokens = if pieces.is_empty() { 0 } else { (self.count)(text) };
        let known = Known { pieces, tokens };
        self.known.insert(text.to_owned(), known.clone());
        known
    }
}
