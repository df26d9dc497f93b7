//! Places in files that an output names: `src/a.rs:12:5`, `File "a.py", line 12`.
//!
//! The grammar alone. Which file of the session is meant, and whether its lines were seen, is not known here.

use crate::{
    configuration::evidence::{LONGEST_EXTENSION, PLACES},
    words::lists,
};

/// A line of a file, as an output names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedPlace<'a> {
    pub(crate) path: &'a str,
    pub(crate) line: u32,
    /// What stands around it tells of an error; else it may be a mere log line.
    pub(crate) is_error: bool,
}

/// Lines of files, in the order of the output, each once.
pub(crate) fn places(output: &str) -> Vec<NamedPlace<'_>> {
    let mut found: Vec<NamedPlace<'_>> = Vec::new();
    for line in output.lines() {
        if found.len() >= PLACES {
            break;
        }
        let python = line.trim_start().strip_prefix("File \"").and_then(|rest| {
            let (path, rest) = rest.split_once('"')?;
            Some((path, number(rest.strip_prefix(", line ")?)?))
        });
        let found_here = python.into_iter().chain(line.split([' ', '\t', '(', '"', '\'', '`', ')']).filter_map(place));
        for (path, number) in found_here {
            if !found.iter().any(|place| (place.path, place.line) == (path, number)) {
                let is_error = python.is_some() || tells_of_an_error(line);
                found.push(NamedPlace { path, line: number, is_error });
            }
        }
    }
    found
}

/// Files that an output names by a path, in its order, each once: `M src/a.rs`, `diff --git a/src/a.rs b/src/a.rs`.
pub(crate) fn named_files(output: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for line in output.lines().filter(|line| line.contains('/')) {
        let is_diff = ["diff --git ", "--- a/", "+++ b/"].iter().any(|mark| line.starts_with(mark));
        for word in line.split([' ', '\t', '(', ')', '"', '\'', '`', ',', ':']) {
            let word = if is_diff { word.get(2..).unwrap_or_default() } else { word.trim_start_matches("./") };
            let is_path = word.contains('/') && is_file_name(word) && !word.starts_with('/');
            if is_path && !found.contains(&word) {
                found.push(word);
            }
            if found.len() >= PLACES {
                return found;
            }
        }
    }
    found
}

fn is_file_name(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(before, extension)| {
        !before.is_empty()
            && !extension.is_empty()
            && extension.len() <= LONGEST_EXTENSION
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && path.bytes().all(|byte| byte.is_ascii_graphic())
    })
}

fn tells_of_an_error(line: &str) -> bool {
    lists().error_words.stand_in(&line.to_lowercase())
}

/// Whether a line begins with a place, as compilers write their errors.
pub(crate) fn begins_with_place(line: &str) -> bool {
    line.split(' ').next().and_then(place).is_some()
}

/// `path.ext:12` and what follows it.
fn place(word: &str) -> Option<(&str, u32)> {
    let (path, rest) = word.split_once(':')?;
    is_file_name(path).then_some(())?;
    Some((path.trim_start_matches("./"), number(rest)?))
}

fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_and_tracebacks_name_places() {
        let output = " --> src/a.rs:12:5\n  File \"/repo/b.py\", line 3, in x\n./c_test.go:7: bad\nat f (lib/d.ts:9:1)\n\
            10:30:12 http://localhost:80 v1.2:3 src/a.rs:12:5\n";
        let found: Vec<(&str, u32)> = places(output).iter().map(|place| (place.path, place.line)).collect();
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n M lib/b.py\n/etc/x.conf and/or https://x.y\n";
        assert_eq!(named_files(diff), ["src/a.rs", "lib/b.py"]);
        assert_eq!(found, [("src/a.rs", 12), ("/repo/b.py", 3), ("c_test.go", 7), ("lib/d.ts", 9), ("v1.2", 3)]);
    }
}
