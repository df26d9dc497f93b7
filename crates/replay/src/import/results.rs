//! Results typed from the texts that foreign tools show: failures, stretches of files, matches, lists, to-dos.
//!
//! Which tool it was is not known here.

use lookback_engine::{
    evidence::{lines_in, split_lines},
    trace::{
        ResultData, Status, ToolResult,
        result::{LineForm, ListData, ReadData, SearchData, SearchMatch, TodoItem, TodoState, ToolError, WriteData},
    },
};
use serde_json::Value;

use super::{
    fields::{list, text},
    paths::Root,
};

/// The tool failed; the model was shown `text`.
pub(super) fn failed(text: impl Into<String>, data: ResultData) -> ToolResult {
    let text = text.into();
    let error = ToolError { code: error_code(&text).to_owned(), message: text.clone() };
    ToolResult { status: Status::Error, error: Some(Box::new(error)), ..ToolResult::success(text, data) }
}

/// The tool says itself that it gave less than there was.
pub(super) fn partial(text: impl Into<String>, data: ResultData) -> ToolResult {
    ToolResult { status: Status::Partial, ..ToolResult::success(text.into(), data) }
}

/// The tool was stopped; the model was shown `text`.
pub(super) fn stopped(text: impl Into<String>, data: ResultData) -> ToolResult {
    ToolResult { status: Status::Interrupted, ..ToolResult::success(text.into(), data) }
}

/// It went well; `cut` where the tool shows less than there was.
pub(super) fn done(text: impl Into<String>, data: ResultData, cut: bool) -> ToolResult {
    let cut = cut || matches!(&data, ResultData::Read(ReadData { truncated: true, .. }));
    if cut { partial(text, data) } else { ToolResult::success(text.into(), data) }
}

/// The engine's codes, as far as the words of a foreign message tell.
fn error_code(text: &str) -> &'static str {
    let start: String = text.chars().take(400).collect::<String>().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| start.contains(word));
    if says(&["doesn't want to proceed", "rejected", "denied", "not allowed", "permission"]) {
        "PERMISSION_DENIED"
    } else if says(&[
        "has not been read",
        "modified since",
        "to replace not found",
        "failed to find expected",
        "matches of",
    ]) {
        "CONFLICT"
    } else if says(&["does not exist", "no such file", "not found", "enoent"]) {
        "NOT_FOUND"
    } else if says(&["timed out", "timeout"]) {
        "TIMEOUT"
    } else if says(&["is a directory", "eisdir"]) {
        "IS_DIRECTORY"
    } else if says(&["invalid", "validation", "missing required"]) {
        "INVALID_PARAM"
    } else {
        "EXECUTION_ERROR"
    }
}

/// A file as a tool printed it, behind line numbers with one of these separators. A text without such lines (a picture, a
/// notice) shows nothing of the file.
pub(super) fn numbered_read(path: String, text: &str, separators: &[&str]) -> ReadData {
    find_numbered(path.clone(), text, separators).unwrap_or_else(|| nothing_read(path))
}

/// The same, none where no line is numbered.
pub(super) fn find_numbered(path: String, text: &str, separators: &[&str]) -> Option<ReadData> {
    let forms = separators.iter().map(|separator| LineForm::Numbered { separator: (*separator).to_owned() });
    // A line of the file may look like the other separator's: the form that most lines have is theirs.
    let seen = forms.filter_map(|form| {
        let lines = lines_in(text.as_bytes(), &form, 1);
        let first = lines.first()?.0;
        Some((lines.len() as u32, first, form))
    });
    let (line_count, first_line, form) = seen.max_by_key(|(count, ..)| *count)?;
    Some(ReadData { path, first_line, line_count, total_lines: None, form, mtime: None, truncated: false })
}

pub(super) fn nothing_read(path: String) -> ReadData {
    let form = LineForm::Plain { start: 0, end: 0 };
    ReadData { path, first_line: 1, line_count: 0, total_lines: None, form, mtime: None, truncated: false }
}

/// The matches in the output of a search with line numbers: `path:12:text`, or `12:text` where one file was searched.
/// Context lines are not matches.
pub(super) fn parse_matches(text: &str, searched: Option<&str>, root: &Root, directory: &str) -> Vec<SearchMatch> {
    let mut matches = Vec::new();
    for line in text.lines() {
        let found = match (searched, split_number(line)) {
            (Some(path), Some((number, rest))) => Some((path, number, rest)),
            _ => split_path(line),
        };
        if let Some((path, line, text)) = found {
            matches.push(SearchMatch { path: root.file(directory, path), line, text: text.to_owned() });
        }
    }
    matches
}

/// The matches of a search that names each file once (`file_of` a line) and its matches below (`12: text`, `match_of` one).
pub(super) fn grouped_matches(
    shown: &str,
    root: &Root,
    file_of: impl Fn(&str) -> Option<&str>,
    match_of: impl Fn(&str) -> Option<&str>,
) -> Vec<SearchMatch> {
    let (mut path, mut found) = (String::new(), Vec::new());
    for line in shown.lines() {
        let numbered = match_of(line).and_then(|rest| rest.split_once(": "));
        if let Some((line, text)) = numbered.and_then(|(number, text)| Some((number.parse().ok()?, text))) {
            found.push(SearchMatch { path: path.clone(), line, text: text.to_owned() });
        } else if let Some(named) = file_of(line) {
            path = root.name(named);
        }
    }
    found
}

fn split_number(line: &str) -> Option<(u32, &str)> {
    let (number, rest) = line.split_once(':')?;
    Some((number.parse().ok().filter(|number| *number > 0)?, rest))
}

fn split_path(line: &str) -> Option<(&str, u32, &str)> {
    for (at, _) in line.match_indices(':') {
        let path = &line[..at];
        if path.contains(char::is_whitespace) {
            return None;
        }
        if let Some((number, text)) = split_number(&line[at + 1..]) {
            return (!path.is_empty()).then_some((path, number, text));
        }
    }
    None
}

/// Lines as they are in these bytes of the text.
pub(super) fn read_plain(path: String, shown: &str, start: usize, end: usize, first_line: u32) -> ReadData {
    let end = end.min(shown.len());
    let start = start.min(end);
    let line_count = split_lines(&shown.as_bytes()[start..end]).count() as u32;
    let form = LineForm::Plain { start: start as u64, end: end as u64 };
    ReadData { path, first_line, line_count, total_lines: None, form, mtime: None, truncated: false }
}

/// `announced` is the count that the tool named, where it did.
pub(super) fn search(pattern: &str, matches: Vec<SearchMatch>, announced: Option<u32>, cut: bool) -> ResultData {
    let match_count = announced.unwrap_or(matches.len() as u32);
    ResultData::Search(SearchData { pattern: pattern.to_owned(), match_count, matches, truncated: cut })
}

pub(super) fn listed(subject: &str, entries: Vec<String>, cut: bool) -> ResultData {
    let entry_count = entries.len() as u32;
    ResultData::List(ListData { subject: subject.to_owned(), entry_count, entries, truncated: cut })
}

/// The first number in a text: of `Found 15 matches…`.
pub(super) fn first_number(text: &str) -> Option<u32> {
    let start = text.find(|character: char| character.is_ascii_digit())?;
    text[start..].split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// The to-dos that arguments hold under a name: objects with a text and a state.
pub(super) fn todos_under(name: &str, arguments: &Value) -> ResultData {
    let item = |item: &Value| {
        let texts = ["content", "description", "text", "title", "task", "step"];
        let content = texts.iter().find_map(|key| text(item, key))?;
        let state = todo_state(text(item, "status").or_else(|| text(item, "state")));
        Some(TodoItem { text: content.to_owned(), state })
    };
    ResultData::Todo { items: list(arguments, name).iter().filter_map(item).collect() }
}

/// In whatever words agents say it.
pub(super) fn todo_state(word: Option<&str>) -> TodoState {
    match word {
        Some("in_progress" | "in-progress" | "active") => TodoState::InProgress,
        Some("completed" | "done") => TodoState::Done,
        Some("cancelled" | "canceled" | "deleted") => TodoState::Cancelled,
        _ => TodoState::Pending,
    }
}

pub(super) fn written(path: String, created: bool, content: &str) -> ResultData {
    ResultData::Write(WriteData { path, created, content: content.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_lines_tell_their_separator() {
        let read = numbered_read("a".into(), "    12→one\n    13→two\t3\n\n<system-reminder>\n14 no\n", &["→", "\t"]);
        assert_eq!((read.first_line, read.line_count), (12, 2));
        assert_eq!(read.form, LineForm::Numbered { separator: "→".into() });
        let read = numbered_read("a".into(), "7\tx→y\n8\t\n", &["→", "\t"]);
        assert_eq!((read.first_line, read.line_count), (7, 2));
        assert_eq!(read.form, LineForm::Numbered { separator: "\t".into() });
        assert_eq!(numbered_read("a".into(), "[image: image/png, 5 bytes]", &["→"]), nothing_read("a".into()));
    }

    #[test]
    fn matches_are_lines_with_path_and_number() {
        let root = Root::new("/shop");
        let text = "/shop/src/a.py:12:x: 1\nsrc/a.py-13-context\n--\nb.py:3:\nnot:a match\nb.py:text without a number";
        let found = parse_matches(text, None, &root, "");
        let found: Vec<_> = found.iter().map(|found| (found.path.as_str(), found.line, found.text.as_str())).collect();
        assert_eq!(found, [("src/a.py", 12, "x: 1"), ("b.py", 3, "")]);
        let found = parse_matches("4:one\n5-context", Some("/shop/c.py"), &root, "");
        assert_eq!(found, [SearchMatch { path: "c.py".into(), line: 4, text: "one".into() }]);
    }

    #[test]
    fn failures_say_what_failed() {
        let code = |text: &str| failed(text, ResultData::Other(serde_json::Value::Null)).error.unwrap().code;
        assert_eq!(code("<tool_use_error>File does not exist.</tool_use_error>"), "NOT_FOUND");
        assert_eq!(code("File has not been read yet. Read it first"), "CONFLICT");
        assert_eq!(code("The user doesn't want to proceed with this tool use."), "PERMISSION_DENIED");
        assert_eq!(code("something else"), "EXECUTION_ERROR");
    }
}
