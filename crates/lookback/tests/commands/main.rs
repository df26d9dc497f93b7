//! The program as a person runs it: whole commands, their output and their errors.

mod believed;
mod billed;
mod billed_once;
mod bounded;
mod browsed;
mod doctor;
mod folded;
mod foreign;
mod given;
mod grown;
mod hostile;
mod imported;
mod led;
mod machine;
mod mishaps;
mod mutated;
mod names;
mod person;
mod played;
mod private;
mod ran;
mod recalled;
mod recorded;
mod removed;
mod replayed;
mod same_blocks;
mod terminal;
mod two_models;
mod widths;
mod work;

use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use lookback_engine::{Session, trace::NoBlobs};
use lookback_store::Store;
use lookback_wire::Provider;

use person::{Person, sample, trace_lines};

#[test]
fn an_empty_store_says_how_to_fill_it() {
    let person = Person::new();
    insta::assert_snapshot!(person.run(&["sessions"]).shown(), @"no sessions yet: `lookback import FILE` stores one");
}

#[test]
fn a_session_is_imported_listed_and_shown() {
    let person = Person::with_sample();
    insta::assert_snapshot!("sessions", person.run(&["sessions"]).ageless());
    insta::assert_snapshot!("show_view", person.run(&["show", "sample"]).shown());
    insta::assert_snapshot!(
        "show_view_react",
        person.run(&["show", "sample", "--view", "--provider", "react"]).shown()
    );
    insta::assert_snapshot!("show_trace", person.run(&["show", "sample", "--trace"]).shown());
    insta::assert_snapshot!("show_ledger", person.run(&["show", "sample", "--ledger"]).shown());
    let ledger = person.run(&["show", "sample", "--ledger", "--provider", "react", "--json"]);
    assert_eq!(ledger.json()[0]["provider"], "react");
    assert_eq!(ledger.json()[1]["billed"]["cached"], 90);
    assert_eq!(person.run(&["sessions", "--json"]).json()[0]["id"], "sample000000");
}

#[test]
fn the_view_has_the_same_bytes_in_another_process() {
    let person = Person::with_sample();
    let session = sample();
    for provider in Provider::ALL {
        let shown = person.run(&["show", "sample", "--view", "--json", "--provider", provider.name()]);
        let body = session.body_for(provider, &NoBlobs).expect("no blobs");
        match provider {
            Provider::React => assert_eq!(shown.json()["prompt"], String::from_utf8_lossy(&body).as_ref()),
            _ => assert_eq!(shown.out.trim_end().as_bytes(), body, "{provider}"),
        }
    }
}

#[test]
fn what_show_writes_import_reads() {
    let (writer, reader) = (Person::with_sample(), Person::new());
    let lines = writer.run(&["show", "sample", "--trace", "--json"]).out;
    assert_eq!(lines, trace_lines(&sample()));
    let mut import = Command::new(env!("CARGO_BIN_EXE_lookback"))
        .args(["import", "-"])
        .env("LOOKBACK_HOME", reader.home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    import.stdin.take().expect("piped").write_all(lines.as_bytes()).expect("it reads");
    assert!(import.wait().expect("it ends").success());
    assert_eq!(reader.run(&["show", "sample", "--trace", "--json"]).out, lines);
}

#[test]
fn any_detail_comes_back_by_its_pointer_or_by_words() {
    let person = Person::with_sample();
    assert_eq!(person.run(&["recall", "file:src/ledger.py:L22"]).out, "    return sum(self.entries)\n");
    assert_eq!(person.run(&["recall", "sample00/user#1"]).out, "why is the 余额 wrong?\n");
    assert_eq!(person.run(&["recall", "cmd#1", "exit=1", "--session", "sample"]).out.lines().count(), 2 + 6_000);
    insta::assert_snapshot!("recall_words", person.run(&["recall", "余额"]).shown());
    insta::assert_snapshot!("recall_identifier", person.run(&["recall", "line_4711"]).shown());
}

#[test]
fn raw_bytes_go_through_a_pipe_unchanged() {
    let person = Person::with_sample();
    let recalled = person.run_raw(&["recall", "turn#6"]);
    assert_eq!(recalled, b"\x1b[31mred\x1b[0m \xff\xfe raw\n");
    let shown = person.run(&["show", "sample"]).out;
    assert!(shown.contains("␛[31mred") && !shown.contains('\u{1b}'), "a view cannot command the terminal");
}

#[test]
fn errors_say_what_to_do() {
    let person = Person::with_sample();
    let complaints = [
        &["show", "nothing"][..],
        &["show", "sa"],
        &["show", "sample", "--trace", "--provider", "chat"],
        &["recall", "cmd#9"],
        &["recall", "cmd#1 exit=0"],
        &["recall", "cmd#x"],
        &["recall", "file:src/other.py:L1"],
        &["recall", "file:src/ledger.py:L900"],
        &["recall", "no_such_word_anywhere"],
        &["recall", "???"],
        &["import", "missing.jsonl"],
        &["sessions", "rm", "sample", "sample00"],
    ]
    .map(|arguments| format!("$ lookback {}\n{}", arguments.join(" "), person.run(arguments).complaint()));
    insta::assert_snapshot!("errors", complaints.join("\n"));
}

#[test]
fn a_damaged_file_is_refused_with_its_place_and_leaves_nothing() {
    let person = Person::new();
    let mut lines: Vec<String> = trace_lines(&sample()).lines().map(str::to_owned).collect();
    let file = person.home.path().join("damaged.jsonl");
    let import = |lines: &[String]| {
        fs::write(&file, lines.join("\n")).expect("a file");
        person.run(&["import", file.to_str().expect("text")]).complaint().replace(&*file.to_string_lossy(), "FILE")
    };
    let whole = lines.clone();
    lines[4].truncate(20);
    let cut = import(&lines);
    lines.remove(4);
    let gap = import(&lines);
    let empty = import(&[]);
    let foreign = import(&["{\"type\":\"user\"}".to_owned()]);
    let newer = import(&[whole[0].replace("\"schema\":2", "\"schema\":9")]);
    insta::assert_snapshot!("import_errors", [cut, gap, empty, foreign, newer].join("\n"));
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n");
    import_again_changes_nothing(&person, &whole);
}

fn import_again_changes_nothing(person: &Person, lines: &[String]) {
    let file = person.home.path().join("whole.jsonl");
    fs::write(&file, lines.join("\n")).expect("a file");
    let import = || person.run(&["import", file.to_str().expect("text")]);
    assert!(import().out.starts_with("imported session sample000000: 8 turns"));
    assert!(import().shown().contains("stored already"));
}

#[test]
fn sessions_can_be_removed_by_name_and_by_age() {
    let person = Person::with_sample();
    assert_eq!(
        person.run(&["sessions", "rm", "--older-than", "9999w"]).out,
        "nothing to remove: 1 session used or imported since then\n"
    );
    assert_eq!(person.run(&["sessions", "rm", "sample"]).out, "removed 1 session: sample00\n");
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n");
    let person = Person::with_sample();
    person.forget_imports();
    assert_eq!(person.run(&["sessions", "rm", "--older-than", "30d", "--yes"]).out, "removed 1 session\n");
}

#[test]
fn readers_go_on_while_a_session_is_written_and_it_cannot_be_removed() {
    let person = Person::with_sample();
    let store = Store::open(person.home.path()).expect("a store");
    let id = store.find("sample").expect("stored");
    let _writer = store.writer(&id).expect("nobody else writes");
    assert!(person.run(&["show", "sample", "--ledger"]).out.contains("first call"));
    let complaint = person.run(&["sessions", "rm", "sample"]).complaint();
    assert!(complaint.contains("is being written by process"), "{complaint}");
}

#[test]
fn a_database_from_a_newer_version_is_refused() {
    let person = Person::with_sample();
    person.set_database_version(99);
    let complaint = person.run(&["sessions"]).complaint();
    assert!(complaint.contains("format 99") && complaint.contains("upgrade lookback"), "{complaint}");
}

#[test]
fn a_fork_is_shown_exported_and_imported_on_its_own() {
    let person = Person::with_sample();
    let store = Store::open(person.home.path()).expect("a store");
    let parent = Session::replay(store.events(&store.find("sample").expect("stored")).expect("events"), &store);
    let fork = person::fork(&parent.expect("it replays"), &store, 500);
    let child = person.run(&["sessions"]).shown();
    assert!(child.contains("(fork of sample00)"), "{child}");
    let lines = person.run(&["show", "forked", "--trace", "--json"]).out;
    let refused = person.run(&["sessions", "rm", "sample"]).complaint();
    assert!(refused.contains("has forks (forked000000)"), "{refused}");

    let other = Person::new();
    let file = other.home.path().join("fork.jsonl");
    fs::write(&file, &lines).expect("a file");
    assert!(other.run(&["import", file.to_str().expect("text")]).out.contains("session forked000000"));
    assert_eq!(other.run(&["show", "forked", "--trace", "--json"]).out, lines, "not a byte of the trace is changed");
    let view = other.run(&["show", "forked", "--json"]).out;
    assert_eq!(view.trim_end().as_bytes(), fork.body(&store).expect("a view"));
}

#[test]
fn the_help_says_where_sessions_are() {
    let help = Person::new().run(&["--help"]).out;
    for place in ["LOOKBACK_HOME", "XDG_DATA_HOME", "~/.local/share/lookback"] {
        assert!(help.contains(place), "{place}: {help}");
    }
}

#[test]
fn every_shell_gets_its_completions() {
    let person = Person::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(person.run(&["completions", shell]).out.contains("lookback"), "{shell}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let person = Person::with_sample();
    let script = format!("{} show sample --trace --json | head -c 10", env!("CARGO_BIN_EXE_lookback"));
    let output = Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {script}")])
        .env("LOOKBACK_HOME", person.home.path())
        .output()
        .expect("bash runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
