//! Results typed from the texts that foreign tools show: stretches of files, matches, lists, to-dos.
//!
//! Which tool it was is not known here.

use lookback_engine::{
    evidence::lines::split_lines,
    trace::{
        ResultData,
        result::{LineForm, ListData, ReadData, SearchData, SearchMatch, TodoData, TodoItem, TodoState},
    },
};
use serde_json::Value;

use super::fields::{list, text};

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

/// `path:12:text`, `path:12: text` lines.
pub(super) fn path_numbered(shown: &str, path_of: &dyn Fn(&str) -> String) -> Vec<SearchMatch> {
    let found = |line: &str| {
        let (path, rest) = line.split_once(':')?;
        let (number, text) = rest.split_once(':')?;
        Some(SearchMatch { path: path_of(path), line: number.parse().ok()?, text: text.to_owned() })
    };
    shown.lines().filter_map(found).collect()
}

/// The to-dos of arguments that hold them under `todos`, as objects with a text and a state.
pub(super) fn todos_in(arguments: &Value) -> ResultData {
    let item = |item: &Value| {
        let content = ["content", "description", "text", "title", "task"].iter().find_map(|key| text(item, key))?;
        let state = todo_state(text(item, "status").or_else(|| text(item, "state")));
        Some(TodoItem { text: content.to_owned(), state })
    };
    ResultData::Todo(TodoData { items: list(arguments, "todos").iter().filter_map(item).collect() })
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
