//! What SWE-agent shows after an action, and which file its editor has open.
//!
//! The editor shows a window of the open file: `[File: /app/a.py (94 lines total)]`, then `12:text` lines. An edit names
//! line numbers only, so what it removed is known from the window before it, if that shows all of it.

use std::collections::BTreeMap;

use lookback_engine::{
    evidence::lines_in,
    trace::{
        ResultData, ToolResult,
        result::{EditData, Hunk, LineForm, ReadData},
    },
};
use serde_json::Value;

use crate::import::{
    bounds::parse_within,
    change::{self, UNKNOWN_LINE},
    fields::{count, text},
    open_call::Call,
    paths::Root,
    results::{failed, find_numbered, first_number, listed, parse_matches, search, written},
};

pub(super) struct Files {
    root: Root,
    open: Option<String>,
    /// The lines of the open file that the last window showed.
    window: BTreeMap<u32, String>,
}

impl Files {
    pub(super) fn new(cwd: Option<&str>) -> Self {
        Self { root: Root::new(cwd.unwrap_or_default()), open: None, window: BTreeMap::new() }
    }

    pub(super) fn observed(&mut self, call: &Call, content: &str) -> ToolResult {
        let arguments: &Value = &parse_within(&call.arguments).unwrap_or_default();
        let shown = Window::of(content, ":");
        let result = match call.name.as_str() {
            "open" | "goto" | "scroll_up" | "scroll_down" => self.read(arguments, content, shown.as_ref()),
            "create" if arguments.get("command").is_none() => self.created(arguments, content, shown.as_ref()),
            "edit" | "insert" => self.edited(&call.name, arguments, content, shown.as_ref()),
            "str_replace_editor" | "str_replace_based_edit_tool" => self.editor(arguments, content),
            "search_dir" | "search_file" => self.searched(arguments, content),
            "find_file" => self.found(arguments, content),
            _ => self.ran(&call.name, arguments, content),
        };
        if let Some(window) = shown {
            self.open = Some(self.root.name(&window.path));
            self.window = window.lines;
        }
        result
    }

    fn path(&self, arguments: &Value) -> Option<String> {
        let keys = ["path", "filename", "file", "file_name"];
        keys.iter().find_map(|key| text(arguments, key)).map(|path| self.root.name(path))
    }

    fn read(&self, arguments: &Value, content: &str, shown: Option<&Window>) -> ToolResult {
        let Some(window) = shown else { return failed(content, ResultData::Other(arguments.clone())) };
        let path = self.root.name(&window.path);
        match find_numbered(path, content, &[":"]) {
            Some(read) => {
                let read = ReadData { total_lines: Some(window.total), ..read };
                ToolResult::success(content, ResultData::Read(read))
            }
            None => failed(content, ResultData::Other(arguments.clone())),
        }
    }

    /// A new file has one empty line.
    fn created(&self, arguments: &Value, content: &str, shown: Option<&Window>) -> ToolResult {
        let path = self.path(arguments).unwrap_or_default();
        let data = written(path, true, "\n");
        if shown.is_some() { ToolResult::success(content, data) } else { failed(content, data) }
    }

    fn edited(&self, name: &str, arguments: &Value, content: &str, shown: Option<&Window>) -> ToolResult {
        let line = |key: &str| count(arguments, key).map(|line| line as u32);
        let either = |keys: [&str; 2]| keys.iter().find_map(|key| text(arguments, key));
        let path = shown.map(|window| self.root.name(&window.path)).or_else(|| self.open.clone());
        let hunk = if let (Some(first), Some(last)) = (line("start_line"), line("end_line")) {
            let new = either(["replacement", "replacement_text"]).unwrap_or_default();
            match self.lines(first, last) {
                Some(removed) => Hunk { removed, ..change::hunk(first, "", new) },
                None => change::hunk(UNKNOWN_LINE, "", new),
            }
        } else if name == "insert" {
            let new = text(arguments, "text").unwrap_or_default();
            // Without a line it goes to the end of the file.
            let place = line("line").or_else(|| Some(shown?.total.saturating_sub(new.lines().count() as u32)));
            change::hunk(place.map_or(UNKNOWN_LINE, |line| line.saturating_add(1)), "", new)
        } else {
            let (old, new) = (either(["old_string", "search"]), either(["new_string", "replace"]));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            placed(old, new, shown.map(|window| &window.lines))
        };
        let data = ResultData::Edit(EditData { path: path.clone().unwrap_or_default(), hunks: vec![hunk] });
        // Refused edits show windows, too, of what would have been and what is.
        let refused = content.contains("Your changes have NOT been applied")
            || content.contains("has introduced new syntax error");
        match path {
            Some(_) if shown.is_some() && !refused => ToolResult::success(content, data),
            Some(_) => failed(content, data),
            None => failed(content, ResultData::Other(arguments.clone())),
        }
    }

    /// These lines, if the window shows them all.
    fn lines(&self, first: u32, last: u32) -> Option<Vec<String>> {
        (first..=last).map(|number| self.window.get(&number).cloned()).collect()
    }

    /// `view`, `create`, `str_replace`, `insert` and `undo_edit` of one tool.
    fn editor(&mut self, arguments: &Value, content: &str) -> ToolResult {
        let side = |key: &str| text(arguments, key).unwrap_or_default();
        let path = self.path(arguments).unwrap_or_default();
        let numbered: BTreeMap<u32, String> = numbered(content, "\t");
        let data = match side("command") {
            "view" => match find_numbered(path.clone(), content, &["\t"]) {
                Some(read) => ResultData::Read(read),
                None => {
                    let entries = content.lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect();
                    listed(&path, entries, false)
                }
            },
            "create" => written(path, true, side("file_text")),
            "str_replace" => {
                let hunk = placed(side("old_str"), side("new_str"), Some(&numbered));
                ResultData::Edit(EditData { path, hunks: vec![hunk] })
            }
            "insert" => {
                let first =
                    count(arguments, "insert_line").map_or(UNKNOWN_LINE, |line| (line as u32).saturating_add(1));
                ResultData::Edit(EditData { path, hunks: vec![change::hunk(first, "", side("new_str"))] })
            }
            _ => ResultData::Other(arguments.clone()),
        };
        let refused = ["No replacement was performed", "Invalid `", "ERROR", "The path "].iter();
        let said = content.trim_start().strip_prefix("OBSERVATION:").unwrap_or(content).trim_start();
        if refused.into_iter().any(|start| said.starts_with(start)) {
            failed(content, data)
        } else {
            ToolResult::success(content, data)
        }
    }

    /// `Found 3 matches for "x" in /app/a.py:`, then `Line 12:text`, or `path (2 matches)` for a directory.
    fn searched(&self, arguments: &Value, content: &str) -> ToolResult {
        let pattern = ["pattern", "search_term"].iter().find_map(|key| text(arguments, key)).unwrap_or_default();
        let head = content.lines().find(|line| line.starts_with("Found ")).unwrap_or_default();
        let path = head.rsplit_once(" in ").map_or("", |(_, path)| path.trim_end_matches(':'));
        let as_grep: String =
            content.lines().filter_map(|line| Some(format!("{path}:{}\n", line.strip_prefix("Line ")?))).collect();
        let matches = parse_matches(&as_grep, None, &self.root, "");
        ToolResult::success(content, search(pattern, matches, first_number(head), false))
    }

    fn found(&self, arguments: &Value, content: &str) -> ToolResult {
        let pattern = ["pattern", "file_name"].iter().find_map(|key| text(arguments, key)).unwrap_or_default();
        let paths = content.lines().filter(|line| line.starts_with('/'));
        let entries = paths.map(|path| self.root.name(path)).collect();
        ToolResult::success(content, listed(pattern, entries, false))
    }

    /// The exit code is not written down. What the agent says around the output is left out, so that its lines can be
    /// counted.
    fn ran(&self, tool: &str, arguments: &Value, content: &str) -> ToolResult {
        let written = text(arguments, "command").map(str::to_owned);
        let command = written.unwrap_or_else(|| {
            let values = arguments.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Value::as_str);
            std::iter::once(tool).chain(values).collect::<Vec<_>>().join(" ")
        });
        ToolResult::success(without_frame(content), ResultData::Run(self.root.run(&command)))
    }
}

/// `OBSERVATION:` before the output, and the state of the interface behind it.
fn without_frame(content: &str) -> &str {
    let output = content.strip_prefix("OBSERVATION:\n").unwrap_or(content);
    let state = ["\n(Open file: ", "\n(Current directory: ", "\nbash-$"].iter().filter_map(|state| output.rfind(state));
    let is_last = |at: &usize| output[*at..].trim_end().ends_with("bash-$");
    state.filter(is_last).min().map_or(output, |at| &output[..at])
}

struct Window {
    path: String,
    total: u32,
    lines: BTreeMap<u32, String>,
}

impl Window {
    fn of(content: &str, separator: &str) -> Option<Self> {
        let head = content.lines().find(|line| line.starts_with("[File: "))?;
        let (path, rest) = head.strip_prefix("[File: ")?.rsplit_once(" (")?;
        Some(Self { path: path.to_owned(), total: first_number(rest)?, lines: numbered(content, separator) })
    }
}

fn numbered(content: &str, separator: &str) -> BTreeMap<u32, String> {
    let form = LineForm::Numbered { separator: separator.to_owned() };
    lines_in(content.as_bytes(), &form, 1).into_iter().map(|(number, line)| (number, line.into_owned())).collect()
}

/// One text in the place of another, where the new one is shown exactly once. An edit within a line changes the line:
/// what stands around the text is taken from the window.
fn placed(old: &str, new: &str, shown: Option<&BTreeMap<u32, String>>) -> Hunk {
    let mut places = shown.into_iter().flat_map(stretches).flat_map(|(first_line, text)| {
        let found: Vec<Hunk> =
            text.match_indices(new).map(|(at, _)| whole_lines(old, new, first_line, &text, at)).collect();
        found
    });
    match (places.next(), places.next()) {
        (Some(place), None) if !new.is_empty() => place,
        _ => change::hunk(UNKNOWN_LINE, old, new),
    }
}

/// Lines that follow one another, each with its line feed, and the number of the first.
fn stretches(shown: &BTreeMap<u32, String>) -> Vec<(u32, String)> {
    let mut stretches: Vec<(u32, String)> = Vec::new();
    let mut next = None;
    for (number, line) in shown {
        match stretches.last_mut().filter(|_| next == Some(*number)) {
            Some((_, text)) => text.push_str(line),
            None => stretches.push((*number, line.clone())),
        }
        if let Some((_, text)) = stretches.last_mut() {
            text.push('\n');
        }
        next = number.checked_add(1);
    }
    stretches
}

/// The new text stands at a place of a stretch that begins with line `first_line`.
fn whole_lines(old: &str, new: &str, first_line: u32, text: &str, at: usize) -> Hunk {
    let start = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let behind = at + new.len();
    // A text that ends with its line feed takes nothing of the next line.
    let end =
        if new.ends_with('\n') { behind } else { text[behind..].find('\n').map_or(text.len(), |feed| behind + feed) };
    let above = text[..start].matches('\n').count() as u32;
    let removed = format!("{}{old}{}", &text[start..at], &text[behind..end]);
    change::hunk(first_line.saturating_add(above), &removed, &text[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_within_a_line_changes_the_line() {
        let shown = numbered("3:a\n4:    return int(x)  # now\n5:b\n9:b", ":");
        let place = |old: &str, new: &str| placed(old, new, Some(&shown));
        assert_eq!(
            place("round(x)", "int(x)"),
            change::hunk(4, "    return round(x)  # now", "    return int(x)  # now")
        );
        assert_eq!(place("q", "now\nb"), change::hunk(4, "    return int(x)  # q", "    return int(x)  # now\nb"));
        assert_eq!(place("z\n", "a\n"), change::hunk(3, "z", "a"));
        // Found twice, nowhere, or empty: the place is not known.
        for new in ["b", "gone", ""] {
            assert_eq!(place("q", new), change::hunk(UNKNOWN_LINE, "q", new));
        }
    }
}
