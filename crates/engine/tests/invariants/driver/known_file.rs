//! A file whose contents are known, so that reads show the truth and edits have real hunks.
//!
//! A rollback of the session puts the file back, as a tool that keeps snapshots does.

use lookback_engine::trace::{
    EventNo, Output, ResultData, ToolResult,
    result::{EditData, Hunk, LineForm, ReadData, RunData, WriteData},
};

use super::Driver;
use crate::operations::KnownTool;

pub(super) const PATH: &str = "src/known.py";

#[derive(Debug)]
pub(super) struct KnownFile {
    /// Since which event the file has these lines.
    history: Vec<(EventNo, Vec<String>)>,
    /// How often it was changed: makes new lines new.
    changes: u32,
}

impl Default for KnownFile {
    fn default() -> Self {
        let lines = (1..=24).map(|line| format!("value_{line} = {line}")).collect();
        Self { history: vec![(EventNo(0), lines)], changes: 0 }
    }
}

impl KnownFile {
    pub(super) fn lines(&self) -> &[String] {
        &self.history[self.history.len() - 1].1
    }

    fn set(&mut self, now: EventNo, lines: Vec<String>) {
        self.changes += 1;
        self.history.push((now, lines));
    }

    /// As it was at the end of event `end`.
    pub(super) fn roll_back(&mut self, end: EventNo, now: EventNo) {
        let then = self.history.iter().rev().find(|(since, _)| *since <= end);
        let lines = then.expect("the file has always been there").1.clone();
        self.history.push((now, lines));
    }

    /// What a tool shows, and the lines that the file has then.
    pub(super) fn use_tool(&self, tool: KnownTool, seed: u64) -> (ToolResult, Option<Vec<String>>) {
        let lines = self.lines();
        match tool {
            KnownTool::Read => {
                let first = seed as usize % lines.len().max(1);
                let first = if seed.is_multiple_of(3) { 0 } else { first };
                let shown = (1 + (seed >> 8) as usize % 30).min(lines.len() - first.min(lines.len()));
                let data = ReadData {
                    path: PATH.into(),
                    first_line: first as u32 + 1,
                    line_count: shown as u32,
                    total_lines: Some(lines.len() as u32),
                    form: LineForm::Numbered { separator: "→".into() },
                    mtime: Some(1),
                    truncated: false,
                };
                let numbered = (first + 1..).zip(&lines[first..first + shown]);
                let text: String = numbered.map(|(number, line)| format!("{number:6}→{line}\n")).collect();
                (ToolResult::success(text, ResultData::Read(data)), None)
            }
            KnownTool::Edit => {
                let (hunks, after) = self.edit(seed);
                let data = EditData { path: PATH.into(), hunks };
                (ToolResult::success("edited", ResultData::Edit(data)), Some(after))
            }
            KnownTool::Write => {
                let after = self.rewritten(seed);
                let content: String = after.iter().map(|line| format!("{line}\n")).collect();
                let data = WriteData { path: PATH.into(), created: false, content: Output::new(content.into_bytes()) };
                (ToolResult::success("written", ResultData::Write(data)), Some(after))
            }
            KnownTool::Cat => {
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                let data = RunData { command: format!("cat {PATH}"), exit_code: Some(0), ..RunData::default() };
                (ToolResult::success(text, ResultData::Run(data)), None)
            }
        }
    }

    /// One or two hunks, down the file: lines removed, added, or both.
    fn edit(&self, seed: u64) -> (Vec<Hunk>, Vec<String>) {
        let mut lines = self.lines().to_vec();
        let mut hunks = Vec::new();
        let mut from = 0;
        for round in 0..1 + seed % 2 {
            let seed = seed.rotate_right(11 * (round as u32 + 1));
            let at = from + seed as usize % (lines.len() - from + 1);
            let removed = (seed >> 5) as usize % 3;
            let removed = removed.min(lines.len() - at);
            let added = match ((seed >> 7) as usize % 4, removed) {
                (0, 0) => 1,
                (added, _) => added,
            };
            let added: Vec<String> =
                (0..added).map(|line| format!("changed_{}_{round}_{line} = 0", self.changes)).collect();
            let first_line = at as u32 + 1;
            from = at + added.len();
            let removed: Vec<String> = lines.splice(at..at + removed, added.iter().cloned()).collect();
            hunks.push(Hunk { first_line, removed, added });
        }
        (hunks, lines)
    }

    fn rewritten(&self, seed: u64) -> Vec<String> {
        let mut lines = self.lines().to_vec();
        match seed % 3 {
            0 => lines.insert(0, format!("import new_{}", self.changes)),
            1 if !lines.is_empty() => drop(lines.remove(seed as usize % lines.len())),
            _ => lines.iter_mut().step_by(5).for_each(|line| line.push_str("  # rewritten")),
        }
        lines
    }
}

impl Driver<'_> {
    pub(super) fn set_known_file(&mut self, lines: Vec<String>) {
        self.file.set(self.session.next_event(), lines);
    }

    pub(super) fn change_known_file(&mut self, seed: u64, noticed: bool) {
        let (_, after) = self.file.edit(seed);
        self.set_known_file(after);
        if noticed {
            self.session.file_changed_outside(PATH.into(), Some(2), &self.context()).expect("a change");
        }
    }
}
