//! `import` without a name, opencode's database, and what goes wrong around an import: other imports, full disks, folders
//! that may not be read, pipes that close, Ctrl-C.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use rusqlite::Connection;

use crate::{
    foreign::sessions::{ALL, CLAUDE_CODE, claude_code},
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

fn run(person: &Person, arguments: &[&str]) -> Said {
    Person::said(command(person, arguments).output())
}

fn write(person: &Person, name: &str, text: &str) -> String {
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

#[test]
fn two_imports_wait_for_each_other() {
    let person = Person::new();
    let mut first =
        person.command(&["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("runs");
    let mut pipe = first.stdin.take().expect("piped");
    pipe.write_all(CLAUDE_CODE.as_bytes()).expect("it reads");
    // It has its turn when its number stands in the file.
    let turn = person.home.path().join("locks/import");
    let pid = first.id().to_string();
    wait_for(|| fs::read_to_string(&turn).is_ok_and(|text| text == pid));
    let file = write(&person, "other.jsonl", &claude_code("other"));
    let mut second =
        person.command(&["import", &file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    let mut said = String::new();
    BufReader::new(second.stderr.as_mut().expect("piped")).read_line(&mut said).expect("a line");
    assert_eq!(said, format!("waiting for another import (pid {pid})\n"));
    assert!(second.try_wait().expect("it lives").is_none());
    drop(pipe);
    assert!(first.wait_with_output().expect("it ends").status.success());
    assert!(second.wait_with_output().expect("it ends").status.success());
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(2));
}

fn wait_for(done: impl Fn() -> bool) {
    for _ in 0..600 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("it never came");
}

#[test]
fn a_full_disk_is_not_a_file_that_cannot_be_read() {
    let person = Person::new();
    let disk = person.home.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "this machine does not let tests mount a file system");
        eprintln!("SKIPPED: this machine does not let tests mount a file system");
        return;
    }
    let noise = |part: usize| {
        let mut state = part as u64;
        let mut letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + ((state >> 33) % 26) as u8)
        };
        (0..60_000).map(|_| letter()).collect::<String>()
    };
    for session in 0..4 {
        let steps: String =
            (0..10).map(|part| crate::foreign::sessions::step(part, &noise(session * 10 + part))).collect();
        write(&person, &format!("many/{session}.jsonl"), &steps.replace("\"long\"", &format!("\"s{session}\"")));
    }
    let folder = person.home.path().join("many");
    let said = Person::said(
        person.command(&["import", folder.to_str().expect("text")]).env("LOOKBACK_HOME", disk.join("home")).output(),
    );
    let _ = Command::new("umount").arg("-l").arg(&disk).status();
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("could not be stored") && !said.out.contains("could not be read"), "{}", said.out);
    assert!(said.err.contains("the import ended before all of the 4 files were stored"), "{}", said.err);
    assert_eq!(said.err.matches("is full").count(), 1, "{}", said.err);
}

#[test]
fn a_folder_that_may_not_be_read_is_said_and_keeps_no_other_out() {
    use std::os::unix::fs::PermissionsExt;
    let person = Person::new();
    write(&person, "all/open/one.jsonl", &claude_code("one"));
    write(&person, "all/shut/two.jsonl", &claude_code("two"));
    let shut = person.home.path().join("all/shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).expect("ours");
    if fs::read_dir(&shut).is_ok() {
        // Whoever may read everything cannot be kept out.
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).expect("ours");
        eprintln!("SKIPPED: this user may read every folder");
        return;
    }
    let said = person.run(&["import", person.home.path().join("all").to_str().expect("text")]);
    assert!(
        said.shown().contains("1 session imported") && said.err.contains("shut: Permission denied"),
        "{}",
        said.err
    );
    let complaint = person.run(&["import", shut.to_str().expect("text")]).complaint();
    assert!(complaint.contains("cannot read") && complaint.contains("Permission denied"), "{complaint}");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).expect("ours");
}

#[test]
fn empty_and_binary_files_and_unknown_ids_are_said() {
    let person = Person::new();
    write(&person, "many/empty.jsonl", "");
    write(&person, "many/blank.jsonl", "\n \n");
    fs::write(person.home.path().join("many/binary.json"), [0, 159, 146, 150, 255]).expect("a file");
    write(&person, "many/one.jsonl", CLAUDE_CODE);
    let said = person.run(&["import", person.home.path().join("many").to_str().expect("text")]);
    assert!(said.shown().contains("1 session imported · 3 other files in the folders"), "{}", said.out);
    for file in ["empty", "blank"] {
        let complaint = person
            .run(&["import", person.home.path().join(format!("many/{file}.jsonl")).to_str().expect("text")])
            .complaint();
        assert!(complaint.contains("is empty") || complaint.contains("not a whole trace"), "{complaint}");
    }
    for command in ["show", "fold", "record"] {
        assert!(person.run(&[command, "nothing-like-it"]).complaint().contains("there is no session nothing-like-it"));
    }
    for command in ["pin", "unpin"] {
        assert!(person.run(&[command, "nothing-like-it", "turn#1"]).complaint().contains("there is no session"));
    }
    assert!(person.run(&["unfold", "nothing-like-it", "1"]).complaint().contains("there is no session"));
    assert!(
        person.run(&["recall", "turn#1", "--session", "nothing-like-it"]).complaint().contains("there is no session")
    );
    assert!(person.run(&["sessions", "rm", "nothing-like-it"]).complaint().contains("there is no session"));
}

#[test]
fn a_closed_pipe_ends_no_import() {
    let person = Person::new();
    for number in 0..20 {
        write(&person, &format!("many/{number}.jsonl"), &claude_code(&format!("s{number}")));
    }
    let folder = person.home.path().join("many");
    let mut import =
        person.command(&["import", "-v", folder.to_str().expect("text")]).stdout(Stdio::piped()).spawn().expect("runs");
    drop(import.stdout.take());
    assert!(import.wait().expect("it ends").success());
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(20));
}

#[test]
fn ctrl_c_keeps_what_was_imported_and_says_so() {
    let person = Person::new();
    person.import(CLAUDE_CODE).shown();
    let mut import = person
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut pipe = import.stdin.take().expect("piped");
    pipe.write_all(claude_code("half").as_bytes()).expect("it reads");
    let (turn, pid) = (person.home.path().join("locks/import"), import.id().to_string());
    wait_for(|| fs::read_to_string(&turn).is_ok_and(|text| text == pid));
    thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    let said = Person::said(import.wait_with_output());
    assert_eq!((said.code, said.err.as_str()), (Some(130), "interrupted: what was imported before stays\n"));
    drop(pipe);
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(1));
}

#[test]
fn a_broken_line_of_an_own_trace_is_refused_by_import_and_by_replay() {
    let person = Person::with_sample();
    let lines = person.run(&["show", "sample", "--trace", "--json"]).out;
    let mut lines: Vec<&str> = lines.lines().collect();
    let cut = lines[4][..20].to_owned();
    lines[4] = &cut;
    let broken = write(&person, "broken.jsonl", &lines.join("\n"));
    lines.remove(4);
    let lacking = write(&person, "lacking.jsonl", &lines.join("\n"));
    for file in [&broken, &lacking] {
        assert_eq!(person.run(&["import", file]).code, Some(1));
        let said = run(&person, &["replay", file, "--json"]);
        assert_eq!(said.code, Some(1));
        assert!(said.err.contains("line 5 is not an event of a whole trace"), "{}", said.err);
    }
}
