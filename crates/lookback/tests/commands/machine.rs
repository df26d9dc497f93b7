//! `import` without a name, and opencode's database.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use rusqlite::Connection;

use crate::{
    foreign::sessions::{ALL, claude_code},
    person::{Person, Said},
};

/// On a machine on which no agent has left anything but what the test writes.
fn command(person: &Person, arguments: &[&str]) -> Command {
    let mut command = person.command(arguments);
    command.current_dir(person.home.path()).env("HOME", person.home.path()).stdin(Stdio::null());
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"] {
        command.env_remove(variable);
    }
    command
}

pub(crate) fn run(person: &Person, arguments: &[&str]) -> Said {
    Person::said(command(person, arguments).output())
}

pub(crate) fn write(person: &Person, name: &str, text: &str) -> String {
    let path = person.home.path().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    path.to_str().expect("text").to_owned()
}

/// As opencode 1.18 makes it, of what is read.
const SCHEMA: &str = "
    CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL,
        title text NOT NULL, version text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
        time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER NOT NULL);
    INSERT INTO migration VALUES ('20260901120000_first', 1), ('20261001120000_second', 2);";

/// A session with one call, and a sub-agent's.
fn opencode(path: &Path) -> Connection {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let database = Connection::open(path).expect("a database");
    database.pragma_update(None, "journal_mode", "wal").expect("a log");
    database.execute_batch(SCHEMA).expect("tables");
    let rows = "
        INSERT INTO session VALUES ('ses_1', 'p', NULL, '/w', 't', '1', 1, 1777629600000), ('ses_2', 'p', 'ses_1', '/w', 't', '1', 1, 2);
        INSERT INTO message VALUES
            ('msg_1', 'ses_1', 10, 10, '{\"role\":\"user\",\"time\":{\"created\":1777629600000}}'),
            ('msg_2', 'ses_1', 20, 20, '{\"role\":\"assistant\",\"modelID\":\"claude-sonnet-4-5\",\"time\":{\"created\":1777629601000}}'),
            ('msg_3', 'ses_2', 30, 30, '{\"role\":\"assistant\",\"modelID\":\"claude-sonnet-4-5\"}');
        INSERT INTO part VALUES
            ('prt_2', 'msg_2', 'ses_1', 2, 2, '{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"bash\",\"state\":{\"status\":\"completed\",\"input\":{\"command\":\"pytest\"},\"output\":\"1 failed\"}}'),
            ('prt_1', 'msg_1', 'ses_1', 1, 1, '{\"type\":\"text\",\"text\":\"why does it fail?\"}'),
            ('prt_3', 'msg_2', 'ses_1', 3, 3, '{\"type\":\"step-finish\",\"reason\":\"stop\",\"tokens\":{\"input\":7,\"output\":5,\"cache\":{\"read\":100,\"write\":0}}}'),
            ('prt_4', 'msg_3', 'ses_2', 4, 4, '{\"type\":\"text\",\"text\":\"a sub-agent says\"}');";
    database.execute_batch(rows).expect("rows");
    database
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into())
        .collect();
    names.sort();
    names
}

#[test]
fn opencodes_database_is_read_and_left_as_it_is() {
    for is_open in [true, false] {
        let person = Person::new();
        let path = person.home.path().join("data/opencode.db");
        let database = opencode(&path);
        // An open one has its newest rows in the log alone.
        let database = is_open.then_some(database);
        let before = (names(path.parent().expect("a folder")), fs::read(&path).expect("a file"));
        let said = person.run(&["import", path.to_str().expect("text")]).shown();
        assert_eq!(said, "opencode: 2 sessions imported\n");
        assert_eq!((names(path.parent().expect("a folder")), fs::read(&path).expect("a file")), before);
        let folder = path.parent().expect("a folder").to_str().expect("text");
        assert!(person.run(&["import", folder]).shown().contains("2 stored already"));
        let sessions = person.run(&["sessions", "--json"]).json();
        let main =
            sessions.as_array().expect("a list").iter().find(|s| s["billed"]["cached"] == 100).expect("the main one");
        let shown = person.run(&["show", main["id"].as_str().expect("an id"), "--trace", "--json"]).shown();
        assert!(shown.contains("why does it fail?") && shown.contains("1 failed"), "{shown}");
        drop(database);
    }
}

/// Each costs itself.
#[test]
fn what_is_odd_in_a_database_or_in_folders_is_left_out_and_said() {
    let person = Person::new();
    let path = person.home.path().join("data/opencode.db");
    let odd = "
        UPDATE session SET directory = 7 WHERE id = 'ses_1';
        CREATE TABLE loose AS SELECT * FROM part; DROP TABLE part; ALTER TABLE loose RENAME TO part;
        CREATE TABLE loose AS SELECT * FROM message; DROP TABLE message; ALTER TABLE loose RENAME TO message;
        INSERT INTO part VALUES
            ('prt_1a', 'msg_1', 'ses_1', 1, 1, NULL),
            ('prt_2a', 'msg_2', 'ses_1', 1, 1, '{\"type\":');
        INSERT INTO message VALUES ('msg_4', 'ses_1', 40, 40, 'no JSON'), ('msg_5', 'ses_1', 50, 50, NULL);";
    opencode(&path).execute_batch(odd).expect("odd rows");
    let said = person.run(&["import", "-v", path.to_str().expect("text")]);
    assert!(said.shown().contains("opencode: 2 sessions imported"), "{} {}", said.out, said.err);
    for what in ["part prt_1a is empty", "part prt_2a is no JSON", "message msg_4 is no JSON", "message msg_5 is empty"]
    {
        assert!(said.err.contains(&format!("(ses_1): {what}; skipped")), "{what}: {}", said.err);
    }
    let sessions = person.run(&["sessions", "--json"]).json();
    assert!(
        sessions.as_array().expect("a list").iter().any(|session| session["billed"]["cached"] == 100),
        "{sessions}"
    );

    write(&person, "oc/storage/message/ses_1/msg_1.json", r#"{"id":"msg_1","role":"user"}"#);
    write(&person, "oc/storage/message/ses_1/msg_2.json", r#"{"id":"msg_2","role":"assistant","modelID":"m"}"#);
    write(&person, "oc/storage/part/msg_1/prt_1.json", r#"{"type":"text","text":"hello?"}"#);
    let broken = write(&person, "oc/storage/part/msg_2/prt_2.json", r#"{"type":"text","text":"Hel"#);
    write(&person, "oc/storage/part/msg_2/prt_3.json", r#"{"type":"text","text":"Hello."}"#);
    let session = write(&person, "oc/storage/session/p/ses_1.json", "");
    let said = person.run(&["import", &session]);
    assert!(said.shown().starts_with("imported opencode session ") && said.err.contains(&broken), "{}", said.err);
}

#[test]
fn another_schema_is_named() {
    let person = Person::new();
    let path = person.home.path().join("opencode.db");
    opencode(&path).execute_batch("ALTER TABLE part RENAME COLUMN data TO body").expect("another schema");
    let path = path.to_str().expect("text");
    let complaint = person.run(&["import", path]).complaint();
    assert!(
        complaint.contains("no column part.data") && complaint.contains("migration 20261001120000_second"),
        "{complaint}"
    );
    assert!(complaint.contains("opencode export"), "{complaint}");
    Connection::open(path).expect("a database").execute_batch("DROP TABLE migration; DROP TABLE part").expect("tables");
    let said = person.run(&["import", person.home.path().join(".").to_str().expect("text")]);
    assert!(said.err.contains("no table part") && said.err.contains("tables message, session"), "{}", said.err);
}

#[test]
fn sessions_that_only_a_later_opencode_has_are_not_passed_over_in_silence() {
    let person = Person::new();
    let path = person.home.path().join("opencode.db");
    let rows = "CREATE TABLE session_v2 (id TEXT); INSERT INTO session_v2 VALUES ('ses_1'), ('ses_8'), ('ses_9');";
    opencode(&path).execute_batch(rows).expect("a later schema");
    let said = person.run(&["import", path.to_str().expect("text")]);
    assert!(said.out.contains("2 sessions imported"), "{}", said.out);
    assert!(said.err.contains("2 sessions of a newer opencode (table session_v2) are not read"), "{}", said.err);
}

#[test]
fn opencodes_folders_are_read_by_name() {
    let person = Person::new();
    write(&person, "oc/storage/message/ses_1/msg_1.json", r#"{"id":"msg_1","role":"user"}"#);
    write(&person, "oc/storage/message/ses_1/msg_2.json", r#"{"id":"msg_2","role":"assistant","modelID":"m"}"#);
    write(&person, "oc/storage/part/msg_1/prt_1.json", r#"{"type":"text","text":"hello?"}"#);
    write(&person, "oc/storage/part/msg_2/prt_2.json", r#"{"type":"text","text":"Hello."}"#);
    let session = write(&person, "oc/storage/session/p/ses_1.json", r#"{"id":"ses_1","directory":"/w"}"#);
    assert!(person.run(&["import", &session]).shown().starts_with("imported opencode session "));
    for folder in ["oc", "oc/storage", "oc/storage/session"] {
        let said = person.run(&["import", person.home.path().join(folder).to_str().expect("text")]);
        assert_eq!(said.shown(), "opencode: 0 sessions imported · 1 stored already\n", "{folder}");
    }
}

fn with_agents() -> Person {
    let person = Person::new();
    write(&person, ".claude/projects/-w/one.jsonl", &claude_code("one"));
    write(&person, ".claude/projects/-w/two.jsonl", &format!("{}{{\"type\":\n", claude_code("two")));
    write(&person, ".claude/projects/-w/one/subagents/agent-1.jsonl", &claude_code("sub"));
    write(&person, ".codex/sessions/2026/05/01/rollout.jsonl", ALL[1].2);
    drop(opencode(&person.home.path().join(".local/share/opencode/opencode.db")));
    // What the database took over from the folders.
    write(&person, ".local/share/opencode/storage/session/p/ses_1.json", r#"{"id":"ses_1"}"#);
    write(&person, ".local/share/opencode/storage/message/ses_1/msg_1.json", "{}");
    person
}

#[test]
fn import_alone_finds_what_replay_finds_and_asks() {
    let person = with_agents();
    let found = |err: &str| err.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect::<Vec<_>>();
    let asked = run(&person, &["import"]).complaint();
    assert!(asked.contains("Claude Code     2 sessions") && asked.contains("opencode         1 session"), "{asked}");
    assert!(asked.contains("error: there is nobody to ask: use --yes to read them"), "{asked}");
    assert_eq!(found(&asked), found(&run(&person, &["replay"]).complaint()));
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n");

    let said = run(&person, &["import", "--yes"]);
    assert_eq!(
        said.out,
        "Claude Code    2 sessions imported\nCodex          1 session imported\nopencode       1 session imported\n\
         4 sessions imported\n"
    );
    assert!(said.err.contains("1 part of 1 file could not be used; -v says which"), "{}", said.err);
    let told = run(&person, &["import", "--yes", "-v"]);
    assert!(told.out.matches(" is stored already: look at it").count() == 4, "{}", told.out);
    assert!(told.err.contains("two.jsonl, line ") && told.err.contains("; skipped"), "{}", told.err);
    let json = run(&person, &["import", "--yes", "--json"]).json();
    assert_eq!(json["agents"]["claude-code"]["stored_already"], 2, "{json}");
    assert_eq!(json["sessions"].as_array().map(Vec::len), Some(4));
    let nothing = Person::new();
    assert!(run(&nothing, &["import"]).shown().contains("no recorded sessions of Claude Code, Codex or opencode"));
}

/// With a terminal, as `script` makes one, and an answer typed into it.
fn answered(person: &Person, words: &str, answer: &str) -> Said {
    let typed = format!("{} {words}", env!("CARGO_BIN_EXE_lookback"));
    let mut script = Command::new("script");
    script.args(["-qec", &typed, "/dev/null"]).current_dir(person.home.path());
    script.env("LOOKBACK_HOME", person.home.path()).env("HOME", person.home.path());
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        script.env_remove(variable);
    }
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script (util-linux) runs");
    child.stdin.take().expect("piped").write_all(answer.as_bytes()).expect("it reads");
    Person::said(child.wait_with_output())
}

#[test]
fn a_no_is_no_error() {
    let person = with_agents();
    let said = answered(&person, "import", "n\n").shown();
    assert!(said.contains("[y/N]") && said.contains("nothing was imported") && !said.contains("error"), "{said}");
    let said = answered(&person, "replay", "n\n").shown();
    assert!(said.contains("nothing was read") && !said.contains("error"), "{said}");
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n");
    assert!(answered(&person, "import", "y\n").shown().contains("4 sessions imported"));
}
