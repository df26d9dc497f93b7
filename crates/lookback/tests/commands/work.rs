//! An hour of work on a small ledger: long enough to be folded, with a span that ended, one that did not, and a board.

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{
        NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolResult,
        event::SpanId,
        result::{EditData, Hunk, LineForm, ReadData, RunData},
    },
};
pub(crate) use lookback_tokens::count_o200k as count;
use lookback_wire::{Provider, ToolSpec};
use serde_json::json;

use crate::person::BEGINNING;

/// A session that is being recorded: its clock goes on by ten seconds with everything that happens.
pub(crate) struct Work {
    pub(crate) session: Session,
    now: i64,
}

impl Work {
    /// Began so long after the samples did, with this model.
    pub(crate) fn begin(id: &str, seconds: i64, model: &str) -> Self {
        let now = BEGINNING + seconds * 1_000;
        let tool = |name: &str| ToolSpec {
            name: name.into(),
            description: format!("{name} something."),
            parameters: r#"{"type":"object"}"#.into(),
        };
        let setup = SessionSetup {
            system: "You are a careful engineer. Trust the newest delta and the anchors; Recall the rest.".into(),
            tools: ["Read", "Edit", "Bash"].map(tool).to_vec(),
            rules: "Never change a test to make it pass.".into(),
            provider: Provider::Anthropic,
            model: model.into(),
            tokenizer: "o200k".into(),
            root: "ledger".into(),
            window: 60_000,
            ..SessionSetup::new(SessionId(id.into()))
        };
        let context = Context { now: Timestamp(now), count: &count, blobs: &NoBlobs };
        Self { session: Session::start(setup, &context).expect("it starts"), now }
    }

    pub(crate) fn tell<T>(&mut self, what: impl FnOnce(&mut Session, &Context<'_>) -> T) -> T {
        self.now += 10_000;
        what(&mut self.session, &Context { now: Timestamp(self.now), count: &count, blobs: &NoBlobs })
    }

    pub(crate) fn wait(&mut self, seconds: i64) {
        self.now += seconds * 1_000;
    }

    pub(crate) fn user(&mut self, text: &str) {
        self.tell(|session, now| session.user_turn(text, Origin::Person, now).expect("idle"));
    }

    pub(crate) fn answer(&mut self, text: &str) {
        self.tell(|session, now| {
            session.start_call(now).expect("it fits");
            session.assistant_turn(vec![NewPart::Text(text.into())], Stop::End, now).expect("an answer");
        });
    }

    pub(crate) fn step(&mut self, says: &str, tool: &str, arguments: serde_json::Value, result: ToolResult) {
        let id = self.call(says, tool, arguments);
        self.tell(|session, now| session.tool_result(&id, result, now).expect("it waits"));
    }

    /// Asks for a tool and leaves it waiting.
    pub(crate) fn call(&mut self, says: &str, tool: &str, arguments: serde_json::Value) -> String {
        self.tell(|session, now| {
            let id = format!("call_{}", session.start_call(now).expect("it fits"));
            let call = NewPart::Call { id: id.clone(), name: tool.into(), arguments: arguments.to_string() };
            let says = (!says.is_empty()).then(|| NewPart::Text(says.into()));
            session.assistant_turn(says.into_iter().chain([call]).collect(), Stop::End, now).expect("a turn");
            id
        })
    }

    pub(crate) fn run(&mut self, says: &str, command: &str, exit: i32, output: &str) {
        let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
        let result = ToolResult::success(output, ResultData::Run(data));
        self.step(says, "Bash", json!({"command": command}), result);
    }

    pub(crate) fn read(&mut self, says: &str, path: &str, lines: &[String]) {
        let text: String = (1..).zip(lines).map(|(number, line)| format!("{number:>5}→{line}\n")).collect();
        let data = ReadData {
            path: path.into(),
            first_line: 1,
            line_count: lines.len() as u32,
            total_lines: Some(lines.len() as u32),
            form: LineForm::Numbered { separator: "→".into() },
            mtime: None,
            truncated: false,
        };
        self.step(says, "Read", json!({"path": path}), ToolResult::success(text, ResultData::Read(data)));
    }

    pub(crate) fn start_span(&mut self, name: &str, goal: &str) -> SpanId {
        self.tell(|session, now| session.start_span(name, goal, now).expect("idle"))
    }
}

/// A source file; line 22 of the ledger is the one that everything is about.
fn source(name: &str, lines: usize) -> Vec<String> {
    let line = |number: usize| match number {
        1 => format!("\"\"\"The {name} of a small shop.\"\"\""),
        21 if name == "ledger" => "    def balance(self, account):".to_owned(),
        22 if name == "ledger" => {
            "        return sum(e.amount for e in self.entries if e.account.startswith(account))".to_owned()
        }
        _ if number.is_multiple_of(7) => String::new(),
        _ => format!("    {name}_{number} = compute_{name}(entries[{number}], rate={number}.5)  # step {number}"),
    };
    (1..=lines).map(line).collect()
}

/// The work itself. `diagnose#1` has ended, `review#2` has not.
pub(crate) fn work(id: &str, seconds: i64, model: &str) -> Work {
    let mut work = Work::begin(id, seconds, model);
    work.user("fix the failing ledger test, don't touch the test");
    let diagnose = work.start_span("diagnose", "find out why the balance is wrong");
    let failing = "F..                                                                  [100%]\n\
        tests/test_ledger.py:14: AssertionError: 150 != 100\n\
        FAILED tests/test_ledger.py::test_balance_is_exact - AssertionError: 150 != 100\n\
        1 failed, 2 passed in 0.08s\n";
    work.run("I'll look at the failing test first.", "pytest -q", 1, failing);
    work.read("", "src/ledger.py", &source("ledger", 60));
    work.read("Now the test.", "tests/test_ledger.py", &source("test", 40));
    work.tell(|session, now| session.end_span(&diagnose, "balance() compares prefixes", now).expect("it is open"));
    let old = source("ledger", 22)[21].clone();
    let new = old.replace(".startswith(account)", " == account");
    let hunk = Hunk { first_line: 22, removed: vec![old], added: vec![new] };
    let edit = EditData { path: "src/ledger.py".into(), hunks: vec![hunk] };
    let edited = ToolResult::success("edited src/ledger.py:22 (+1 −1)", ResultData::Edit(edit));
    let says = "balance() uses startswith, so \"cash-reserve\" is counted as \"cash\".";
    work.step(says, "Edit", json!({"path": "src/ledger.py"}), edited);
    work.run("", "pytest -q", 0, "...                              [100%]\n3 passed in 0.07s\n");
    let delta = json!({
        "task": {"pointer": "user#1", "text": "fix the failing ledger test"},
        "facts": [
            {"kind": "verdict", "evidence": ["cmd#2 exit=0"]},
            {"kind": "test_changed", "evidence": ["test#1", "test#2"]},
        ],
        "next_actions": ["look at the failing test first"],
    });
    work.tell(|session, now| session.delta_from_text(&delta.to_string(), now).expect("it is true"));
    work.answer("The three tests pass now.");
    work.user("does report() rely on prefixes?");
    work.start_span("review", "look for other users of prefixes");
    work.read("", "src/report.py", &source("report", 50));
    work.run("", "grep -rn startswith src", 1, "");
    work.run("", "git diff --stat", 0, " src/ledger.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n");
    work.run("Once more, all of it.", "pytest -q", 0, "...                              [100%]\n3 passed in 0.07s\n");
    work.answer("No: nothing else uses startswith.");
    work
}
