//! Admission against a small story: a failing ledger test, its cause, its repair.

mod blocks;
mod deltas;
mod facts;
mod planted;
mod properties;

use serde_json::{Value, json};

use super::*;
use crate::{
    context::Context,
    proposal::{DeltaProposal, parse_compaction, parse_delta},
    recorder::{NewPart, SessionSetup},
    session::Session,
    trace::{
        NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, TurnNo,
        result::{EditData, Hunk, LineForm, ReadData, RunData, SearchData, SearchMatch, WriteData},
    },
};

fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

const NOW: Context<'static> = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };

const LEDGER: &str = "class Ledger:\n    def __init__(self):\n        self.entries = []\n\n    def balance(self, account):\n        \
    return sum(e.amount for e in self.entries if e.account.startswith(account))\n\n    def size(self):\n        return 41\n";

/// Turns 0 to 9: `user#1`, `cmd#1 exit=1`, `file:src/ledger.py`, an edit, `cmd#2 exit=0`, an answer.
fn story() -> Session {
    let mut session = Session::start(
        SessionSetup { root: "/repo".into(), ..SessionSetup::new(SessionId("gatestory000".into())) },
        &NOW,
    )
    .expect("it starts");
    session.user_turn("fix the failing ledger test, don't touch the test", Origin::Person, &NOW).expect("idle");
    let dots = "tests/test_ledger.py ....\n".repeat(200);
    let failure = format!(
        "{dots}E   AssertionError: assert 130 == 100\nFAILED tests/test_ledger.py::test_cash - cash-reserve\n\
         1 failed, 2 passed in 0.83s\n"
    );
    let command = json!({ "command": "pytest -q tests/test_ledger.py" });
    step(&mut session, "", "Bash", &command, run("pytest -q tests/test_ledger.py", 1, &failure));
    let numbered: String =
        LEDGER.lines().enumerate().map(|(place, line)| format!("{:>4}→{line}\n", place + 1)).collect();
    let read = ReadData {
        path: "src/ledger.py".into(),
        first_line: 1,
        line_count: 9,
        total_lines: Some(9),
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    let read = ToolResult::success(numbered, ResultData::Read(read));
    step(&mut session, "", "Read", &json!({ "path": "src/ledger.py" }), read);
    let hunk = Hunk {
        first_line: 6,
        removed: vec![LEDGER.lines().nth(5).expect("line 6").into()],
        added: vec!["        return sum(e.amount for e in self.entries if e.account == account)".into()],
    };
    let edit = EditData { path: "src/ledger.py".into(), hunks: vec![hunk] };
    let edit = ToolResult::success("edited", ResultData::Edit(edit));
    let said = "Prefix matching is the cause. After this edit all tests pass.";
    step(&mut session, said, "Edit", &json!({ "path": "src/ledger.py" }), edit);
    step(&mut session, "", "Bash", &json!({ "command": "pytest -q" }), run("pytest -q", 0, "3 passed in 0.79s\n"));
    session.start_call(&NOW).expect("a call");
    session.assistant_turn(vec![NewPart::Text("Done.".into())], Stop::End, &NOW).expect("an answer");
    session
}

fn step(session: &mut Session, said: &str, tool: &str, arguments: &Value, result: ToolResult) -> TurnNo {
    session.start_call(&NOW).expect("a call");
    let id = format!("call{}", session.turns());
    let call = NewPart::Call { id: id.clone(), name: tool.into(), arguments: arguments.to_string() };
    let mut parts = vec![call];
    if !said.is_empty() {
        parts.insert(0, NewPart::Text(said.into()));
    }
    let turn = session.assistant_turn(parts, Stop::End, &NOW).expect("a turn").turn;
    session.tool_result(&id, result, &NOW).expect("it waits");
    TurnNo(turn.0 + 1)
}

fn run(command: &str, exit: i32, output: &str) -> ToolResult {
    let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
    ToolResult::success(output, ResultData::Run(data))
}

fn whole(session: &Session) -> TurnRange {
    TurnRange { first: TurnNo(0), last: TurnNo(session.turns() - 1) }
}

/// A block for the whole story with these fields, as a model would write it.
fn block(session: &Session, fields: Value) -> Result<AdmittedBlock, AdmissionRefused> {
    let range = whole(session);
    let mut compressed = json!({ "replaces": { "start_turn": range.first.0, "end_turn": range.last.0 } });
    merge(&mut compressed, fields);
    let text = json!({ "compressed_turns": compressed, "state_delta": {} }).to_string();
    let parsed = parse_compaction(&text).expect("it is JSON");
    admit_block(session.bench(), range, parsed.block, &AdmissionLimits::default(), &count, &NoBlobs)
}

fn delta(session: &Session, fields: Value) -> Result<(crate::trace::claim::Delta, Vec<Refusal>), AdmissionRefused> {
    let proposal: DeltaProposal = parse_delta(&fields.to_string()).expect("it is JSON").delta;
    admit_delta(session.bench(), proposal, &AdmissionLimits::default(), &NoBlobs)
}

fn merge(into: &mut Value, fields: Value) {
    if let (Value::Object(into), Value::Object(fields)) = (into, fields) {
        into.extend(fields);
    }
}

/// One claim that is refused, beside one that holds; gives the refusal and what was admitted.
fn refused(session: &Session, fields: Value) -> (RefusalKind, AdmittedBlock) {
    let mut all = json!({ "notes": ["is anything left?"] });
    merge(&mut all, fields);
    let admitted = block(session, all).expect("the rest holds");
    assert_eq!(admitted.refused.len(), 1, "{:?}", admitted.refused);
    (admitted.refused[0].kind.clone(), admitted)
}
