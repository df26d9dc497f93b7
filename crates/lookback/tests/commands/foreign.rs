//! Sessions of other agents, imported: each format, compressed or not, whole or broken.

pub(crate) mod sessions;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::person::Person;
use sessions::{ALL, CLAUDE_CODE, claude_code};

#[test]
fn every_format_is_known_by_its_content() {
    let person = Person::new();
    for (label, calls, text) in ALL {
        // The name says nothing.
        let said = person.import(text).shown();
        assert!(said.starts_with(&format!("imported {label} session ")), "{label}: {said}");
        assert!(said.contains(&format!(": {calls} call")), "{label}: {said}");
        let id = said.split_whitespace().find(|word| word.ends_with('`')).expect("how to look at it");
        let shown = person.run(&["show", id.trim_end_matches('`'), "--trace", "--json"]).shown();
        assert!(shown.contains("pytest"), "{label}: {shown}");
    }
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(ALL.len()));
}

#[test]
fn what_an_agent_saw_and_did_can_be_recalled_and_folded() {
    let person = Person::new();
    person.import(CLAUDE_CODE).shown();
    let id = person.run(&["sessions", "--json"]).json()[0]["id"].as_str().expect("an id").to_owned();
    assert!(person.run(&["recall", "cmd#1 exit=1", "--session", &id]).shown().contains("1 failed"));
    assert_eq!(person.run(&["recall", "file:src/ledger.py:L2", "--session", &id]).out, "    return 0\n");
    let ledger = person.run(&["show", &id, "--ledger", "--json"]).json();
    assert_eq!(ledger[1]["billed"]["cached"], 9_000);
    // Nothing is archived or folded while it is brought in.
    let trace = person.run(&["show", &id, "--trace", "--json"]).out;
    assert!(!trace.contains("\"fold\"") && !trace.contains("\"archive\"") && !trace.contains("\"note_shown\""));
    // It is an ordinary session: what is exported from here can be imported elsewhere, byte for byte.
    let other = Person::new();
    other.import(&trace).shown();
    assert_eq!(other.run(&["show", &id, "--trace", "--json"]).out, trace);
}

#[test]
fn compressed_files_and_standard_input_are_read() {
    let person = Person::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(claude_code("in-gzip").as_bytes()).expect("memory");
    assert!(person.import(gzip.finish().expect("memory")).shown().contains("3 calls"));
    let zstd = zstd::encode_all(claude_code("in-zstd").as_bytes(), 3).expect("memory");
    assert!(person.import(zstd).shown().contains("3 calls"));
    let mut import =
        person.command(&["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("runs");
    import.stdin.take().expect("piped").write_all(claude_code("piped").as_bytes()).expect("it reads");
    let output = import.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("from standard input: 3 calls"));
}

#[test]
fn broken_lines_are_said_with_their_place_and_skipped() {
    let person = Person::new();
    let mut lines: Vec<&str> = CLAUDE_CODE.lines().collect();
    lines.insert(2, "{\"type\":\"user\",");
    let said = person.import(lines.join("\n"));
    assert!(said.err.contains("trace.jsonl, line 3: ") && said.err.contains("; skipped"), "{}", said.err);
    assert!(said.out.contains("3 calls, 6 turns, 1 skipped"), "{}", said.out);

    let person = Person::new();
    let broken = vec!["{\"type\":"; 25].join("\n");
    let said = person.import(format!("{CLAUDE_CODE}{broken}\n"));
    assert_eq!(said.err.lines().count(), 11, "{}", said.err);
    assert!(said.err.contains("15 more skipped") && said.out.contains("25 skipped"), "{}", said.err);
}

#[test]
fn a_session_is_stored_once() {
    let person = Person::new();
    let said = person.import(CLAUDE_CODE).shown();
    let id = said.split_whitespace().nth(4).expect("an id");
    let again = person.import(CLAUDE_CODE).shown();
    assert!(again.contains(&format!("session {id} is stored already: look at it with `lookback show ")), "{again}");
    // A longer copy: what is new goes behind what is stored.
    let more = r#"{"parentUuid":"u9","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"user","message":{"role":"user","content":"and now?"},"uuid":"u10","timestamp":"2026-05-01T10:09:00.000Z"}"#;
    let longer = person.import(format!("{CLAUDE_CODE}{more}\n")).shown();
    assert!(longer.contains(": 1 new turn\n"), "{longer}");
    assert_eq!(person.run(&["sessions", "--json"]).json()[0]["turns"], 7);
}

#[test]
fn folders_are_imported_and_other_files_left_alone() {
    let person = Person::new();
    let folder = person.home.path().join("projects");
    fs::create_dir_all(folder.join("a/b")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("a/one.jsonl", &claude_code("one"));
    write("a/b/two.jsonl", &claude_code("two"));
    write("a/settings.json", "{\"theme\":\"dark\"}");
    let import = || person.run(&["import", folder.to_str().expect("text")]);
    let said = import().shown();
    assert_eq!(said, "Claude Code: 2 sessions imported · 1 other file in the folders is no session (-v says which)\n");
    assert!(import().shown().contains("0 sessions imported · 2 stored already"));
    fs::create_dir_all(folder.join("c")).expect("a folder");
    let bare = folder.join("c");
    let said = person.run(&["import", bare.to_str().expect("text")]).complaint();
    assert!(said.contains("no file under") && said.contains("they end in .jsonl"), "{said}");
    let beside = person.run(&["import", bare.to_str().expect("text"), folder.to_str().expect("text")]);
    assert_eq!(beside.code, Some(0), "a project without sessions keeps the others out of nothing: {}", beside.err);
    assert!(beside.out.contains("2 stored already") && beside.err.contains("no file under"), "{}", beside.err);
    write("c/package.json", "{}");
    let said = person.run(&["import", bare.to_str().expect("text")]).complaint();
    assert_eq!(said, "error: nothing was imported: there is no session in 1 file\n");
    let missing = folder.join("missing.jsonl");
    let said = person.run(&["import", folder.to_str().expect("text"), missing.to_str().expect("text")]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("cannot read") && said.err.contains("1 file could not be imported"), "{}", said.err);
}

#[test]
fn a_session_that_lies_twice_in_a_folder_is_stored_once() {
    let person = Person::new();
    let folder = person.home.path().join("projects");
    fs::create_dir_all(&folder).expect("a folder");
    let more = r#"{"parentUuid":"u9","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"user","message":{"role":"user","content":"and now?"},"uuid":"u10","timestamp":"2026-05-01T10:09:00.000Z"}"#;
    fs::write(folder.join("a.jsonl"), CLAUDE_CODE).expect("a file");
    fs::write(folder.join("b.jsonl"), claude_code("other")).expect("a file");
    fs::write(folder.join("c.jsonl"), format!("{CLAUDE_CODE}{more}\n")).expect("a file");
    let said = person.run(&["import", "-v", folder.to_str().expect("text")]);
    assert!(said.out.contains("2 sessions imported · 1 brought up to date (1 new turn)"), "{}", said.out);
    assert_eq!(said.out.matches("look at it with `lookback show ").count(), 3, "{}", said.out);
}

#[test]
fn a_file_that_is_no_session_is_refused() {
    let person = Person::new();
    for text in ["hello\nworld\n", "{\"theme\":\"dark\"}", "[1,2,3]", "\u{0}\u{1}\u{2}"] {
        let complaint = person.import(text).complaint();
        assert!(complaint.contains("no known session format"), "{text}: {complaint}");
    }
    let empty = r#"{"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":"s","version":"2.1.0","type":"user","message":{"role":"user","content":"hello?"},"uuid":"u1","timestamp":"2026-05-01T10:00:00.000Z"}"#;
    let complaint = person.import(empty).complaint();
    assert!(complaint.contains("without any call of a model"), "{complaint}");
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n");
}

#[test]
fn a_killed_import_leaves_nothing_behind() {
    let person = Person::new();
    let mut import =
        person.command(&["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("runs");
    let mut pipe = import.stdin.take().expect("piped");
    let long = long_session();
    pipe.write_all(long.as_bytes()).expect("it reads");
    pipe.flush().expect("it reads");
    // It has stored a part when its database has grown, and it waits for more.
    let database = person.home.path().join("lookback.db-wal");
    wait_for(|| fs::metadata(&database).is_ok_and(|file| file.len() > 400_000));
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n", "nobody sees a part of a session");
    import.kill().expect("it lives");
    import.wait().expect("it ends");
    drop(pipe);
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n");
    assert!(person.import(&long).shown().contains("imported Claude Code session"));
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

/// Some megabytes.
fn long_session() -> String {
    let mut text = String::new();
    for part in 0..400 {
        let output = (0..60).map(|line| format!("{part}.{line} {}\\n", "word ".repeat(12))).collect::<String>();
        text.push_str(&sessions::step(part, &output));
    }
    text
}

#[test]
fn the_memory_of_an_import_does_not_grow_with_the_file() {
    // The kernel says what a process had at most; elsewhere there is nothing to read.
    if !Path::new("/proc/self/status").exists() {
        return;
    }
    let peak = |parts: usize| {
        let person = Person::new();
        let mut import: Command = person.command(&["import", "-"]);
        let mut import = import.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("runs");
        let mut pipe = import.stdin.take().expect("piped");
        let output = (0..800).map(|line| format!("{line} {}\\n", "word ".repeat(12))).collect::<String>();
        for part in 0..parts {
            pipe.write_all(sessions::step(part, &format!("{part} {output}")).as_bytes()).expect("it reads");
        }
        // It waits for the end of its input: what it had at most is there to be read.
        let status = fs::read_to_string(format!("/proc/{}/status", import.id())).expect("it lives");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        drop(pipe);
        assert!(import.wait().expect("it ends").success());
        peak
    };
    let (short, long) = (peak(40), peak(400));
    // Ten times the file, 18 MB more of it.
    assert!(long < short + 12_000, "{short} kB, then {long} kB");
}

#[test]
fn sessions_are_listed_by_agent_project_calls_cost_and_what_was_asked() {
    let person = Person::new();
    let file = person.home.path().join("plan.jsonl");
    let asked = CLAUDE_CODE.replace(
        "why does it fail?",
        "Implement the following plan:\\n\\n# Exact balances for every account\\n\\n1. fix it",
    );
    std::fs::write(&file, asked).expect("a file");
    person.run(&["import", file.to_str().expect("UTF-8")]).shown();
    let all = person.run(&["sessions", "--json"]).json();
    assert_eq!((all[0]["agent"].as_str(), all[0]["calls"].as_u64() > Some(0)), (Some("claude-code"), true), "{all}");
    assert_eq!(all[0]["title"], "Exact balances for every account");
    assert_eq!(
        person.run(&["sessions", "--agent", "codex"]).out,
        "no session is as you ask: `lookback sessions` lists all\n"
    );
    assert_eq!(person.run(&["sessions", "--agent", "claude", "--json"]).json().as_array().map(Vec::len), Some(1));
}

/// What a session is about is what people look for: agent and project give way to it.
#[test]
fn the_title_has_the_room_that_agent_and_project_leave() {
    let person = Person::new();
    let asked = "exact balances for every account of the shop";
    let named =
        CLAUDE_CODE.replace("why does it fail?", asked).replace("\"cwd\":\"/", "\"cwd\":\"/a-project-of-a-long-name/");
    person.import(named).shown();
    let list = |columns| person.run_in(columns, &["sessions"]).out;
    let told = |columns: usize| {
        let line = list(columns).lines().nth(1).expect("a session").to_owned();
        line.find("exact").map(|start| line[start..].chars().count()).expect("a title")
    };
    assert!(told(80) >= 18, "{}", list(80));
    assert!(told(60) >= 28, "{}", list(60));
    assert!(!list(60).contains("project") && list(72).contains("project"), "{}", list(60));
}

#[test]
fn a_greeting_is_no_title_and_use_is_what_the_list_shows() {
    let person = Person::new();
    person.import(CLAUDE_CODE).shown();
    let greeting = |text: &str| {
        let first = CLAUDE_CODE.lines().next().expect("a line").replace("the-session", "greeted");
        let mut first: serde_json::Value = serde_json::from_str(&first).expect("JSON");
        first["message"]["content"] = text.into();
        (first["uuid"], first["parentUuid"]) = ("greeting".into(), serde_json::Value::Null);
        format!("{first}\n{}", claude_code("greeted").replacen("\"parentUuid\":null", "\"parentUuid\":\"greeting\"", 1))
    };
    person.import(greeting("hi")).shown();
    let sessions = person.run(&["sessions", "--json"]).json();
    assert_eq!(sessions[0]["title"], sessions[1]["title"]);
    // Imported now, used months ago.
    assert!(person.run(&["sessions", "--used-within", "1d"]).shown().starts_with("no session is as you ask"));
    assert_eq!(person.run(&["sessions", "--used-within", "9999w", "--json"]).json().as_array().map(Vec::len), Some(2));
}
