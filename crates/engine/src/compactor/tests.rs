//! The rules against small sessions, and one complete block from a session of thirty steps.

mod rules;
mod story;
mod whole;

use serde_json::{Value, json};

use super::{Compaction, Request, compact};
use crate::{
    admission::{AdmissionLimits, AdmissionRefused, admit_block, admit_delta},
    board::Board,
    configuration::Configuration,
    context::Context,
    proposal::{BlockProposal, DeltaProposal},
    recorder::{NewPart, SessionSetup},
    session::Session,
    trace::claim::{BlockContent, Delta},
    trace::{
        NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, TurnNo,
        decision::TurnRange,
        result::{
            EditData, Hunk, LineForm, ReadData, RunData, SearchData, SearchMatch, TodoItem, TodoState, WriteData,
        },
    },
};

pub(super) fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

pub(super) const NOW: Context<'static> = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };

/// A session that is written down step by step.
pub(super) struct Story {
    pub(super) session: Session,
}

impl Story {
    pub(super) fn new() -> Self {
        let setup = SessionSetup { root: "/repo".into(), ..SessionSetup::new(SessionId("compactor000".into())) };
        Self { session: Session::start(setup, &NOW).expect("it starts") }
    }

    pub(super) fn user(&mut self, text: &str) -> &mut Self {
        self.session.user_turn(text, Origin::Person, &NOW).expect("idle");
        self
    }

    pub(super) fn answer(&mut self, text: &str) -> &mut Self {
        self.session.start_call(&NOW).expect("a call");
        self.session.assistant_turn(vec![NewPart::Text(text.into())], Stop::End, &NOW).expect("an answer");
        self
    }

    pub(super) fn step(&mut self, said: &str, tool: &str, arguments: &Value, result: ToolResult) -> &mut Self {
        self.session.start_call(&NOW).expect("a call");
        let id = format!("call{}", self.session.turns());
        let call = NewPart::Call { id: id.clone(), name: tool.into(), arguments: arguments.to_string() };
        let said = (!said.is_empty()).then(|| NewPart::Text(said.into()));
        self.session.assistant_turn(said.into_iter().chain([call]).collect(), Stop::End, &NOW).expect("a turn");
        self.session.tool_result(&id, result, &NOW).expect("it waits");
        self
    }

    pub(super) fn run(&mut self, said: &str, command: &str, exit: i32, output: &str) -> &mut Self {
        let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
        self.step(said, "Bash", &json!({ "command": command }), ToolResult::success(output, ResultData::Run(data)))
    }

    pub(super) fn read(&mut self, said: &str, path: &str, first: u32, lines: &str) -> &mut Self {
        let numbered: String =
            (first..).zip(lines.lines()).map(|(number, line)| format!("{number:>6}→{line}\n")).collect();
        let data = ReadData {
            path: path.into(),
            first_line: first,
            line_count: lines.lines().count() as u32,
            total_lines: None,
            form: LineForm::Numbered { separator: "→".into() },
            mtime: None,
            truncated: false,
        };
        self.step(said, "Read", &json!({ "path": path }), ToolResult::success(numbered, ResultData::Read(data)))
    }

    pub(super) fn edit(&mut self, said: &str, path: &str, first: u32, removed: &[&str], added: &[&str]) -> &mut Self {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let hunk = Hunk { first_line: first, removed: owned(removed), added: owned(added) };
        let data = EditData { path: path.into(), hunks: vec![hunk] };
        let arguments = json!({ "path": path, "old": removed.join("\n"), "new": added.join("\n") });
        self.step(said, "Edit", &arguments, ToolResult::success("edited", ResultData::Edit(data)))
    }

    pub(super) fn write(&mut self, said: &str, path: &str, content: &str) -> &mut Self {
        let data = WriteData { path: path.into(), created: true, content: content.into() };
        let arguments = json!({ "path": path, "content": content });
        self.step(said, "Write", &arguments, ToolResult::success("written", ResultData::Write(data)))
    }

    pub(super) fn search(&mut self, said: &str, pattern: &str, found: &[(&str, u32, &str)]) -> &mut Self {
        let matches: Vec<SearchMatch> = found
            .iter()
            .map(|(path, line, text)| SearchMatch { path: (*path).into(), line: *line, text: (*text).into() })
            .collect();
        let text: String = found.iter().map(|(path, line, text)| format!("{path}:{line}:{text}\n")).collect();
        let data = SearchData { pattern: pattern.into(), match_count: matches.len() as u32, matches, truncated: false };
        self.step(said, "Grep", &json!({ "pattern": pattern }), ToolResult::success(text, ResultData::Search(data)))
    }

    pub(super) fn todo(&mut self, items: &[(&str, TodoState)]) -> &mut Self {
        let items: Vec<TodoItem> =
            items.iter().map(|(text, state)| TodoItem { text: (*text).into(), state: *state }).collect();
        let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
        let arguments = json!({ "items": texts });
        self.step("", "TodoWrite", &arguments, ToolResult::success("noted", ResultData::Todo { items }))
    }

    pub(super) fn whole(&self) -> TurnRange {
        TurnRange { first: TurnNo(0), last: TurnNo(self.session.turns() - 1) }
    }

    pub(super) fn compact(&self, board: &Board, budget: u32, focus: Option<&str>) -> Compaction {
        let request = Request { range: self.whole(), budget, focus };
        compact(self.session.bench(), board, &Configuration::default(), &request, &count, &NoBlobs)
            .expect("no blobs are needed")
    }

    /// The block as it is admitted, without a single refusal.
    pub(super) fn block(&self, board: &Board, budget: u32) -> Result<BlockContent, AdmissionRefused> {
        let compaction = self.compact(board, budget, None);
        let limits = AdmissionLimits { block_tokens: budget, ..AdmissionLimits::default() };
        let admitted = admit_block(
            self.session.bench(),
            self.whole(),
            BlockProposal::of(self.whole(), &compaction.block),
            &limits,
            &count,
            &NoBlobs,
        )?;
        assert_eq!(admitted.refused, []);
        Ok(admitted.content)
    }

    /// The delta, of which nothing would be refused; None where it says nothing.
    pub(super) fn delta(&self, board: &Board) -> Option<Delta> {
        let delta = self.compact(board, 800, None).delta;
        if delta == Delta::default() {
            return None;
        }
        let again = admit_delta(self.session.bench(), DeltaProposal::of(&delta), &AdmissionLimits::default(), &NoBlobs);
        assert_eq!(again.map_or_else(|_| Vec::new(), |(_, refused)| refused), []);
        assert_eq!(board.check(&delta, &crate::configuration::BoardLimits::default(), &count), Ok(()));
        Some(delta)
    }
}

/// Enough output to make a block worth it.
pub(super) fn noise() -> String {
    "tests/test_bulk.py ................................................ ok\n".repeat(120)
}
