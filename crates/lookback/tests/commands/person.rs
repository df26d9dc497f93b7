//! Somebody at a terminal with a home of their own, and a small session to look at.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{
        Blobs, NoBlobs, Origin, Output as ToolOutput, ResultData, SessionId, Stop, Timestamp, ToolResult, TurnNo,
        event::Usage,
        result::{LineForm, ReadData, RunData, TodoItem, TodoState},
    },
};
use lookback_store::{Durability, Store};
use lookback_wire::{TokenUsage, ToolSpec};

pub(crate) struct Person {
    pub(crate) home: tempfile::TempDir,
}

pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    success: bool,
    pub(crate) code: Option<i32>,
}

impl Said {
    /// Both streams of a command that worked.
    pub(crate) fn shown(&self) -> String {
        assert!(self.success, "{}", self.err);
        [self.out.as_str(), self.err.as_str()].concat()
    }

    /// The same, with the age of the sample left open: it grows.
    pub(crate) fn ageless(&self) -> String {
        let ageless = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_age = |place: usize| words.get(place + 1) == Some(&"d") && words[place].parse::<u32>().is_ok();
            let word = |place: usize| if is_age(place) { "N" } else { words[place] };
            (0..words.len()).map(word).collect::<Vec<_>>().join(" ")
        };
        self.shown().lines().map(ageless).collect::<Vec<_>>().join("\n")
    }

    /// What a command said that did not work.
    pub(crate) fn complaint(&self) -> String {
        assert!(!self.success, "it worked: {}", self.out);
        assert_eq!(self.out, "", "an error belongs to standard error");
        self.err.clone()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).expect("JSON")
    }
}

impl Person {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().expect("a directory") }
    }

    pub(crate) fn with_sample() -> Self {
        let person = Self::new();
        let store = Store::open(person.home.path()).expect("a store");
        drop(store.create(sample().trace()).expect("a new session"));
        person
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.home.path()).expect("a store")
    }

    /// Writes the lines to a file and imports it.
    pub(crate) fn import(&self, lines: impl AsRef<[u8]>) -> Said {
        let file = self.home.path().join("trace.jsonl");
        std::fs::write(&file, lines).expect("a file");
        self.run(&["import", file.to_str().expect("text")])
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        Self::said(self.command(arguments).output())
    }

    /// The same in a terminal of that width.
    pub(crate) fn run_in(&self, columns: usize, arguments: &[&str]) -> Said {
        Self::said(self.command(arguments).env("COLUMNS", columns.to_string()).output())
    }

    pub(crate) fn said(output: io::Result<Output>) -> Said {
        let output = output.expect("the program runs");
        Said {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            success: output.status.success(),
            code: output.status.code(),
        }
    }

    pub(crate) fn run_raw(&self, arguments: &[&str]) -> Vec<u8> {
        self.command(arguments).output().expect("the program runs").stdout
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookback"));
        command.args(arguments).env("LOOKBACK_HOME", self.home.path()).env("TZ", "UTC").env_remove("COLUMNS");
        // The settings of whoever runs the tests are not this person's.
        command.env("XDG_CONFIG_HOME", self.home.path());
        for variable in ["CONFIG", "MODEL", "LANGUAGE", "BASE_URL", "PROXY", "CA_FILE"] {
            command.env_remove(format!("LOOKBACK_{variable}"));
        }
        command
    }

    /// The version number stands at a fixed place of SQLite's header.
    /// As if all sessions had been stored when their last event happened, and not by this test.
    pub(crate) fn forget_imports(&self) {
        let database = rusqlite::Connection::open(self.home.path().join("lookback.db")).expect("a database");
        database.execute("UPDATE sessions SET stored = 0", []).expect("a column");
    }

    pub(crate) fn set_database_version(&self, version: u32) {
        let path = self.home.path().join("lookback.db");
        let mut bytes = std::fs::read(&path).expect("a database");
        bytes[60..64].copy_from_slice(&version.to_be_bytes());
        std::fs::write(&path, bytes).expect("a database");
    }
}

/// Recorded sessions of real agents, where they are at hand.
#[allow(clippy::print_stderr, reason = "what is left out is said")]
pub(crate) fn corpus() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(folders) = fs::read_dir(&corpus) else {
        eprintln!("NOT TESTED: there is no {}", corpus.display());
        return Vec::new();
    };
    let files = folders.flatten().filter_map(|folder| fs::read_dir(folder.path()).ok()).flat_map(Iterator::flatten);
    files.map(|file| file.path()).collect()
}

/// One event a line, as files have it.
pub(crate) fn trace_lines(session: &Session) -> String {
    let line = |event| format!("{}\n", serde_json::to_string(event).expect("events are JSON"));
    session.trace().iter().map(line).collect()
}

fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

/// When the sample began.
pub(crate) const BEGINNING: i64 = 1_763_200_000_000;

fn at(seconds: i64, blobs: &dyn Blobs) -> Context<'_> {
    Context { now: Timestamp(BEGINNING + seconds * 1_000), count: &count, blobs }
}

/// Seconds from the sample's beginning until now.
pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    since.as_secs() as i64 - BEGINNING / 1_000
}

/// A session with one question, stored.
pub(crate) fn store_question(store: &Store, id: &str, question: &str, seconds: i64) {
    let now = at(seconds, &NoBlobs);
    let mut session = Session::start(SessionSetup::new(SessionId(id.into())), &now).expect("it starts");
    session.user_turn(question, Origin::Person, &now).expect("idle");
    drop(store.create(session.trace()).expect("a new session"));
}

/// A question, a failing command with a long log, a read, a result with odd bytes, a reminder, an answer.
pub(crate) fn sample() -> Session {
    let setup = SessionSetup {
        system: "You are a careful engineer.".into(),
        tools: vec![ToolSpec { name: "Bash".into(), description: "Runs.".into(), parameters: "{}".into() }],
        rules: "Never touch a test.".into(),
        model: "example-model".into(),
        tokenizer: "bytes/4".into(),
        root: "ledger".into(),
        window: 8_000,
        ..SessionSetup::new(SessionId("sample000000".into()))
    };
    let mut session = Session::start(setup, &at(0, &NoBlobs)).expect("it starts");
    session.user_turn("why is the 余额 wrong?", Origin::Person, &at(1, &NoBlobs)).expect("idle");
    let log: String = (1..=6_000)
        .map(|line| format!("line_{line} of a log that is much too long to be shown whole to any model\n"))
        .collect();
    step(&mut session, 2, "I'll run it.", run("make check", 1, log.into_bytes()));
    let billed = TokenUsage { uncached: 60, output: 9, ..TokenUsage::default() };
    let usage = Usage { call: session.last_call(), billed };
    session.usage(usage, &at(3, &NoBlobs)).expect("usage");
    let items = vec![TodoItem { text: "compare exactly".into(), state: TodoState::InProgress }];
    session.todo(items, &at(3, &NoBlobs)).expect("a list");
    let read = ReadData {
        path: "src/ledger.py".into(),
        first_line: 21,
        line_count: 2,
        total_lines: Some(38),
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    let text = "    21→def balance(self):\n    22→    return sum(self.entries)\n";
    step(&mut session, 4, "", ToolResult::success(text, ResultData::Read(read)));
    let billed = TokenUsage { uncached: 10, cached: 90, written: 30, output: 9, ..TokenUsage::default() };
    let usage = Usage { call: session.last_call(), billed };
    session.usage(usage, &at(5, &NoBlobs)).expect("usage");
    let mut odd = ToolResult::success("", ResultData::Other(serde_json::Value::Null));
    odd.text = ToolOutput::new(b"\x1b[31mred\x1b[0m \xff\xfe raw\n".to_vec());
    step(&mut session, 6, "", odd);
    session.start_call(&at(400, &NoBlobs)).expect("it fits");
    let parts = vec![NewPart::Text("It sums all entries.".into())];
    session.assistant_turn(parts, Stop::End, &at(401, &NoBlobs)).expect("an answer");
    session
}

fn step(session: &mut Session, seconds: i64, says: &str, result: ToolResult) {
    let now = at(seconds, &NoBlobs);
    let call = session.start_call(&now).expect("it fits");
    let id = format!("call_{call}");
    let call = NewPart::Call { id: id.clone(), name: "Bash".into(), arguments: "{\"command\":\"…\"}".into() };
    let text = (!says.is_empty()).then(|| NewPart::Text(says.into()));
    session.assistant_turn(text.into_iter().chain([call]).collect(), Stop::End, &now).expect("a turn");
    session.tool_result(&id, result, &now).expect("it waits");
}

fn run(command: &str, exit: i32, output: Vec<u8>) -> ToolResult {
    let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
    let mut result = ToolResult::success("", ResultData::Run(data));
    result.text = ToolOutput::new(output);
    result
}

/// Branches off after the first step, says something else, and stores the fork.
pub(crate) fn fork(parent: &Session, store: &Store, seconds: i64) -> Session {
    let now = at(seconds, store);
    let child = SessionId("forked000000".into());
    let turn = TurnNo(2);
    let shared = parent.end_of_turn(turn).expect("a whole turn");
    let mut fork = parent.fork(child.clone(), turn, &now).expect("it forks");
    fork.user_turn("try something else", Origin::Person, &now).expect("idle");
    let mut writer = store.create_fork(&child, parent.id(), shared).expect("a new session");
    let own = &fork.trace()[writer.next().0 as usize..];
    writer.append(own, Durability::Durable).expect("a fork");
    fork
}
