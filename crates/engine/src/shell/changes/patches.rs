//! The files that a patch names, where the patch stands in the command.
//!
//! A patch that lies in a file or comes from a program is not known, and may change anything.

use super::{Input, Walk};
use crate::shell::{arguments::Given, pattern::Pattern, programs::Words};

impl Walk {
    /// `patch F`, `patch -p1 <<EOF`, `patch -p1 < F`.
    pub(super) fn patch(&mut self, given: &Given<'_>, input: &Input) {
        if given.has_any(&["--dry-run", "--version", "--help"]) {
            return;
        }
        let output = given.value("-o").or_else(|| given.value("--output"));
        let strip = given.value("-p").and_then(|count| count.literal()?.parse().ok());
        let directory = given.value("-d").or_else(|| given.value("--directory"));
        let is_file = given.value("-i").or_else(|| given.value("--input")).is_some();
        self.inside(directory.as_ref(), |walk| match (output, given.operands.first()) {
            (Some(output), _) => walk.file(&output),
            (None, Some(file)) => walk.edited(file),
            (None, None) if is_file => walk.swept(&Pattern::text("."), Words::NONE),
            (None, None) => walk.diffs(strip, input),
        });
    }

    pub(super) fn git_apply(&mut self, given: &Given<'_>, input: &Input) {
        if given.has_any(&["--check", "--stat", "--numstat", "--summary", "--cached"]) {
            return;
        }
        let strip = given.value("-p").and_then(|count| count.literal()?.parse().ok());
        let directory = given.value("--directory");
        let from_files = given.operands.iter().any(|name| name.literal() != Some("-"));
        self.inside(directory.as_ref(), |walk| match from_files {
            true => walk.everything(Words::NONE),
            false => walk.diffs(strip.or(Some(1)), input),
        });
    }

    fn diffs(&mut self, strip: Option<usize>, input: &Input) {
        let names: Vec<Pattern> = input.bodies.iter().flat_map(|body| names_in_diff(body, strip)).collect();
        match names.is_empty() {
            true => self.swept(&Pattern::text("."), Words::NONE),
            false => names.iter().for_each(|name| self.edited(name)),
        }
    }

    /// The patches of `apply_patch` name their files in lines of their own.
    pub(super) fn apply_patch(&mut self, arguments: &[Pattern], input: &Input) {
        const MARKS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
        let texts = arguments.iter().filter_map(Pattern::literal).chain(input.bodies.iter().map(String::as_str));
        let named = |line: &str| MARKS.iter().find_map(|mark| Some(Pattern::text(line.strip_prefix(mark)?.trim())));
        let names: Vec<Pattern> = texts.flat_map(str::lines).filter_map(named).collect();
        match names.is_empty() {
            true => self.everything(Words::NONE),
            false => names.iter().for_each(|name| self.edited(name)),
        }
    }
}

/// Without a count of names to leave out, each of the likely ones.
fn names_in_diff(diff: &str, strip: Option<usize>) -> Vec<Pattern> {
    let mut names = Vec::new();
    for line in diff.lines() {
        let Some(name) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) else { continue };
        let name = name.split('\t').next().unwrap_or(name).trim();
        if name == "/dev/null" {
            continue;
        }
        let parts: Vec<&str> = name.split('/').collect();
        let counts = match strip {
            Some(count) => vec![count],
            None => vec![0, 1, parts.len() - 1],
        };
        let kept = counts.into_iter().filter_map(|count| parts.get(count..).filter(|kept| !kept.is_empty()));
        names.extend(kept.map(|kept| Pattern::text(&kept.join("/"))));
    }
    names
}
