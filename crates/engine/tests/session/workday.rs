//! A day of work that can be folded: steps with long outputs, a file with known lines, tests that fail and pass.

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{
        NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult, TurnNo,
        result::{EditData, Hunk, LineForm, ReadData, RunData},
    },
};
use serde_json::{Value, json};

use crate::story::count;

/// Line N of `src/ledger.py`.
pub(crate) fn line(number: u32) -> String {
    format!("    entry_{number} = load_entry({number}, strict=True)")
}

/// What a tool gives that reads these lines.
pub(crate) fn read(first: u32, last: u32) -> ToolResult {
    let text: String = (first..=last).map(|number| format!("{number:>6}→{}\n", line(number))).collect();
    let read = ReadData {
        path: "src/ledger.py".into(),
        first_line: first,
        line_count: last + 1 - first,
        total_lines: Some(60),
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    ToolResult::success(text, ResultData::Read(read))
}

pub(crate) struct Day {
    pub(crate) session: Session,
    pub(crate) minute: i64,
}

impl Day {
    pub(crate) fn new() -> Self {
        Self::with(SessionSetup::new(SessionId("workday00000".into())))
    }

    pub(crate) fn with(setup: SessionSetup) -> Self {
        let setup = SessionSetup {
            system: "SYSTEM".into(),
            rules: "RULES".into(),
            tokenizer: "bytes/4".into(),
            model: if setup.model.is_empty() { "test".into() } else { setup.model.clone() },
            ..setup
        };
        let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
        Self { session: Session::start(setup, &context).expect("it starts"), minute: 0 }
    }

    pub(crate) fn now(&self) -> Context<'static> {
        Context { now: Timestamp(self.minute * 60_000), count: &count, blobs: &NoBlobs }
    }

    pub(crate) fn user(&mut self, text: &str) -> TurnNo {
        self.session.user_turn(text, Origin::Person, &self.now()).expect("idle")
    }

    pub(crate) fn answer(&mut self, text: &str) -> TurnNo {
        self.session.start_call(&self.now()).expect("a call");
        let parts = vec![NewPart::Text(text.into())];
        self.session.assistant_turn(parts, Stop::End, &self.now()).expect("an answer").turn
    }

    pub(crate) fn step(&mut self, said: &str, tool: &str, arguments: Value, result: ToolResult) -> TurnNo {
        self.session.start_call(&self.now()).expect("a call");
        let id = format!("call{}", self.session.turns());
        let call = NewPart::Call { id: id.clone(), name: tool.into(), arguments: arguments.to_string() };
        let said = (!said.is_empty()).then(|| NewPart::Text(said.into()));
        let turn = self.session.assistant_turn(said.into_iter().chain([call]).collect(), Stop::End, &self.now());
        self.session.tool_result(&id, result, &self.now()).expect("it waits");
        TurnNo(turn.expect("a turn").turn.0 + 1)
    }

    pub(crate) fn run(&mut self, command: &str, exit: i32, output: &str) -> TurnNo {
        let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
        let result = ToolResult::success(output.to_owned(), ResultData::Run(data));
        self.step("", "Bash", json!({ "command": command }), result)
    }

    /// Lines 1 to `lines` of `src/ledger.py`.
    pub(crate) fn read(&mut self, lines: u32) -> TurnNo {
        self.step("", "Read", json!({ "path": "src/ledger.py" }), read(1, lines))
    }

    /// Puts one new line in the place of line `number`.
    pub(crate) fn edit(&mut self, number: u32, added: &str) -> TurnNo {
        let hunk = Hunk { first_line: number, removed: vec![line(number)], added: vec![added.into()] };
        let edit = EditData { path: "src/ledger.py".into(), hunks: vec![hunk] };
        let result = ToolResult::success("edited src/ledger.py", ResultData::Edit(edit));
        self.step("", "Edit", json!({ "path": "src/ledger.py" }), result)
    }

    /// Turns 0 to 2·steps: a task, a read of 60 lines, failing tests, and searches with long outputs.
    pub(crate) fn work(steps: u32) -> Self {
        let mut day = Self::new();
        day.go_on_working("fix the failing ledger test, don't touch the test", steps);
        day
    }

    pub(crate) fn go_on_working(&mut self, task: &str, steps: u32) {
        self.user(task);
        for step in 0..steps {
            match step {
                0 => self.read(60),
                1 => self.run(
                    "pytest -q",
                    1,
                    "E  assert 130 == 100\nFAILED tests/test_ledger.py::test_cash\n1 failed, 2 passed in 0.83s\n",
                ),
                step => self.run(
                    &format!("grep -rn word{step} src"),
                    0,
                    &format!("src/a.py:{step}: word{step}\n").repeat(60),
                ),
            };
        }
    }
}

/// A model's answer for the turns `first..=last`, with what `block` and `delta` say.
pub(crate) fn proposal(first: u32, last: u32, block: Value, delta: Value) -> String {
    let mut turns = json!({
        "replaces": { "start_turn": first, "end_turn": last },
        "task": { "pointer": "user#1", "text": "fix the failing ledger test" },
        "facts": [],
        "anchors": [],
    });
    for (field, value) in block.as_object().expect("fields") {
        turns[field] = value.clone();
    }
    json!({ "compressed_turns": turns, "state_delta": delta }).to_string()
}

/// One fact that the day's failing tests bear out.
pub(crate) fn true_fact() -> Value {
    json!({ "facts": [{ "kind": "error", "evidence": ["cmd#1 exit=1"] }] })
}

/// A fact about a line of `src/ledger.py`.
pub(crate) fn line_fact(number: u32) -> Value {
    json!({ "kind": "line_text", "evidence": [format!("file:src/ledger.py:L{number}")] })
}
