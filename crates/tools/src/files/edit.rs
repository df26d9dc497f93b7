//! `Edit` and `MultiEdit`: exact text for exact text, all of it or nothing.

use lookback_engine::{
    evidence::split_lines,
    trace::{ResultData, result::EditData},
};
use memchr::memmem;
use serde::Deserialize;

use super::{
    Outcome,
    change::{Current, store},
    diff::Diff,
    replace::Before,
    text::Ending,
};
use crate::{
    envelope::{Code, Done, Failure},
    project::Project,
    seen::Seen,
};

/// How many places of an ambiguous text are named.
const NAMED_PLACES: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    #[serde(alias = "file_path")]
    path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Several {
    #[serde(alias = "file_path")]
    path: String,
    edits: Vec<Replacement>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Replacement {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

pub(super) fn edit(project: &Project, seen: &Seen, arguments: Arguments) -> Result<Outcome, Failure> {
    let Arguments { path, old_string, new_string, replace_all } = arguments;
    apply(project, seen, &path, &[Replacement { old_string, new_string, replace_all }])
}

pub(super) fn multi_edit(project: &Project, seen: &Seen, arguments: &Several) -> Result<Outcome, Failure> {
    if arguments.edits.is_empty() {
        return Err(Failure::new(Code::InvalidParam, "edits is empty"));
    }
    apply(project, seen, &arguments.path, &arguments.edits)
}

fn apply(project: &Project, seen: &Seen, path: &str, edits: &[Replacement]) -> Result<Outcome, Failure> {
    let place = project.place(path)?;
    let current = Current::load(&place, seen)?;
    let mut text = current.text.clone();
    let mut places = 0;
    for (number, edit) in (1..).zip(edits) {
        places += edit.apply(&mut text).map_err(|failure| match edits.len() {
            1 => failure,
            all => {
                Failure::new(failure.code, format!("edit {number} of {all}, nothing was changed: {}", failure.message))
            }
        })?;
    }
    let file = store(&place, seen, current.form, &text, Before::File(&current.about))?;

    let diff = Diff::new(&current.text, &text);
    let noun = if places == 1 { "place" } else { "places" };
    let answer = format!("changed {} in {places} {noun}\n{}", place.name, diff.render());
    let data = ResultData::Edit(EditData { path: place.name.clone(), hunks: diff.hunks() });
    let done = Done { text: answer.into(), data, is_partial: false, path: Some(place.name) };
    Ok(Outcome { done, file: Some(file), as_came: None })
}

impl Replacement {
    /// In how many places.
    fn apply(&self, text: &mut Vec<u8>) -> Result<usize, Failure> {
        let invalid = |what: String| Err(Failure::new(Code::InvalidParam, what));
        if self.old_string.is_empty() {
            return invalid(
                "old_string is empty: Write makes a file, and Edit needs the text that it replaces".to_owned(),
            );
        }
        if self.old_string == self.new_string {
            return invalid("old_string and new_string are the same".to_owned());
        }
        // Models write \n whatever the file has. A file with both is searched for either.
        let usual = Ending::of(text);
        for ending in [usual, usual.other()] {
            let old = ending.put(&self.old_string);
            let found: Vec<usize> = memmem::find_iter(text, &old).collect();
            if found.is_empty() {
                continue;
            }
            if found.len() > 1 && !self.replace_all {
                let lines: Vec<String> =
                    found.iter().take(NAMED_PLACES).map(|at| line_of(text, *at).to_string()).collect();
                let more = if found.len() > NAMED_PLACES { "…" } else { "" };
                return invalid(format!(
                    "old_string stands {} times in the file (lines {}{more}): add lines around it until it is unique, or set replace_all",
                    found.len(),
                    lines.join(", "),
                ));
            }
            *text = replaced(text, &found, old.len(), ending.put(&self.new_string).as_bytes());
            return Ok(found.len());
        }
        Err(Failure::new(Code::NotFound, format!("old_string is not in the file{}", self.hint(text))))
    }

    /// Why it may not have been found.
    fn hint(&self, text: &[u8]) -> String {
        let first = self.old_string.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let digits = first.trim_start().trim_start_matches(|character: char| character.is_ascii_digit());
        if digits.len() < first.trim_start().len() && digits.starts_with('\t') {
            return ": it begins with a line number, which is not part of the file".to_owned();
        }
        let wanted = first.trim();
        let near = split_lines(text).position(|line| String::from_utf8_lossy(line).trim() == wanted);
        match near {
            Some(index) => format!(": line {} is like its first line, but blanks or what follows differ", index + 1),
            None => ": it must match exactly, blanks included".to_owned(),
        }
    }
}

fn replaced(text: &[u8], found: &[usize], length: usize, new: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len() + found.len() * new.len());
    let mut from = 0;
    for at in found {
        result.extend_from_slice(&text[from..*at]);
        result.extend_from_slice(new);
        from = at + length;
    }
    result.extend_from_slice(&text[from..]);
    result
}

fn line_of(text: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[..at]).count() + 1
}
