//! The one line of a command's output that tells what came of it.
//!
//! Of a failure the error, of a success the closing line; progress, decoration and escapes tell nothing. It is read by
//! shape, without knowledge of the program that printed it.

use super::{lines::lossy, places::begins_with_place};
use crate::{
    configuration::evidence::{CLOSING_CHARACTERS, OUTPUT_EDGE, SHORTEST_EXCEPTION, TOLD_CHARACTERS},
    text::shorten_at_word,
    words::lists,
};

/// The parts of an output that are worth looking at, as text.
pub(crate) fn edges(bytes: &[u8]) -> String {
    if bytes.len() <= 2 * OUTPUT_EDGE {
        return lossy(bytes).into_owned();
    }
    let head = lossy(&bytes[..OUTPUT_EDGE]);
    let tail = lossy(&bytes[bytes.len() - OUTPUT_EDGE..]);
    // Where the two meet, lines are cut and must not be used.
    let head = head.rsplit_once('\n').map_or("", |(head, _)| head);
    let tail = tail.split_once('\n').map_or("", |(_, tail)| tail);
    format!("{head}\n{tail}")
}

pub(crate) fn telling_line(output: &str, failed: bool) -> Option<String> {
    if failed && let Some(line) = error_line(output).or_else(|| stated_error(output)) {
        return Some(cut(line));
    }
    let mut closing = output.lines().rev().map(str::trim).filter(|line| !line.is_empty() && !is_aside(line));
    let last = closing.next()?;
    // Of a failure without an error, a line that is a sentence.
    let first = output.lines().map(str::trim).find(|line| is_telling(line));
    let last = if failed && last.split_whitespace().count() < 3 { first.unwrap_or(last) } else { last };
    (is_telling(last) && (failed || last.len() <= CLOSING_CHARACTERS)).then(|| cut(last))
}

/// What a program adds about itself, or another one around what it said: `<returncode>1</returncode>`.
fn is_aside(line: &str) -> bool {
    is_tagged(line)
        || ["WARNING", "warning:", "[notice]", "npm notice", "hint:", "DeprecationWarning", "Shell cwd was reset to "]
            .iter()
            .any(|mark| line.starts_with(mark))
}

fn is_tagged(line: &str) -> bool {
    line.starts_with('<') && line.ends_with('>')
}

/// The exception at the end of a Python traceback, or what an assertion said.
pub(crate) fn error_line(output: &str) -> Option<&str> {
    let is_error = |line: &&str| is_telling(line.trim()) && (is_exception(line) || line.starts_with("E  "));
    output.lines().rfind(is_error).map(|line| line.strip_prefix("E  ").unwrap_or(line).trim())
}

/// A line without the name that a task runner puts before it: `[lint:go] a.go:3:5: …`.
pub(crate) fn without_tag(line: &str) -> &str {
    let line = line.trim();
    let inside = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    inside.filter(|(tag, _)| !tag.contains(char::is_whitespace)).map_or(line, |(_, rest)| rest.trim_start())
}

/// The first line that states an error, one that names its place before others: compilers and task runners repeat
/// themselves at the end.
pub(crate) fn stated_error(output: &str) -> Option<&str> {
    let mut lines = output.lines().map(str::trim).filter(|line| is_telling(line)).map(without_tag);
    let placed = lines.clone().find(|line| begins_with_place(line));
    placed.or_else(|| lines.find(|line| lists().error_starts.begin(line) || lists().error_marks.stand_in(line)))
}

/// `KeyError: 'x'` at the very beginning of a line.
fn is_exception(line: &str) -> bool {
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    (last.ends_with("Error") || last.ends_with("Exception") || last.ends_with("Warning"))
        && last.len() >= SHORTEST_EXCEPTION
        && last.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte))
}

/// Enough letters to be words, and nothing that only a terminal understands.
fn is_telling(line: &str) -> bool {
    let letters = line.chars().filter(|character| character.is_alphanumeric()).count();
    letters >= 3
        && letters * 3 >= line.chars().count()
        && !line.contains(['\u{1b}', '\r', '\u{8}'])
        && !line.contains("%|")
        && !line.starts_with("...")
        && !is_tagged(line)
        // A task runner that says what it runs.
        && !line.contains("] $ ")
}

pub(crate) fn cut(line: &str) -> String {
    shorten_at_word(line, TOLD_CHARACTERS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_by_its_error() {
        let traceback = "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'cash'\n";
        assert_eq!(telling_line(traceback, true).as_deref(), Some("KeyError: 'cash'"));
        let compiler =
            "   Compiling x\nerror[E0308]: mismatched types\n --> src/a.rs:3:5\nerror: could not compile `x`\n";
        assert_eq!(telling_line(compiler, true).as_deref(), Some("error[E0308]: mismatched types"));
        assert_eq!(
            telling_line("x\nmake: *** [all] Stopped here\n", true).as_deref(),
            Some("make: *** [all] Stopped here")
        );
    }

    #[test]
    fn a_success_is_told_by_its_last_line_unless_that_is_decoration() {
        assert_eq!(telling_line("a\n2 files changed\n\n", false).as_deref(), Some("2 files changed"));
        assert_eq!(telling_line("done\n==========\n", false), None);
        let tagged = "<output>\nno such table\n</output>\n<returncode>1</returncode>\n";
        assert_eq!(telling_line(tagged, true).as_deref(), Some("no such table"));
        assert_eq!(telling_line("100%|####| 3/3\n", false), None);
        assert_eq!(telling_line("", false), None);
    }

    #[test]
    fn of_a_huge_output_both_ends_are_read() {
        let output = format!("error: first\n{}KeyError: 'last'\n", "x\n".repeat(200_000));
        let edges = edges(output.as_bytes());
        assert!(edges.len() < 140_000 && edges.starts_with("error: first") && edges.ends_with("KeyError: 'last'\n"));
    }
}
