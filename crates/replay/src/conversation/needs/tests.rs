use std::rc::Rc;

use lookback_engine::{
    NewPart,
    trace::{Origin, Output, ResultData, Status, Stop, ToolResult, result::RunData},
};

use super::{NeedKind, arguments::Named};
use crate::{
    conversation::Conversation,
    parameters::MOST_FAILED,
    recording::{CallItem, Format, Item, Recording, UserItem},
};

fn named(arguments: &str, kind: NeedKind) -> Vec<String> {
    let mut named = Named::default();
    named.read(arguments);
    named.items.into_iter().filter(|(of, _)| *of == kind).map(|(_, text)| text).collect()
}

#[test]
fn contents_name_nothing() {
    let edit = r#"{"file_path": "/w/src/main.rs", "old_string": "  let door = open();\n}", "new_string": "close_all(other.rs)"}"#;
    assert_eq!(named(edit, NeedKind::Path), ["main.rs"]);
    assert_eq!(named(edit, NeedKind::Symbol), Vec::<String>::new());
    assert_eq!(named(edit, NeedKind::EditLine), ["  let door = open();"]);
    let write = r#"{"path": "notes/a.md", "content": "see src/other_module.rs"}"#;
    assert_eq!(named(write, NeedKind::Path), ["a.md"]);
    let todo = r#"{"todos": [{"content": "open src/main.rs", "status": "pending"}]}"#;
    assert_eq!(named(todo, NeedKind::Path), Vec::<String>::new());
}

#[test]
fn symbols_start_behind_digits_and_have_six_characters() {
    let search = r#"{"pattern": "fn (open_door|short|1open_window)\\b", "path": "crates/replay"}"#;
    assert_eq!(named(search, NeedKind::Symbol), ["crates", "replay", "open_door", "open_window"]);
}

#[test]
fn symbols_are_names_and_not_the_words_of_a_commit_message() {
    for (command, symbols) in [
        (
            "git add src/ledger.rs && git commit -m 'Preserve existing balances' && cargo publish",
            "ledger commit publish",
        ),
        ("git commit -am \"Remove duplicate \\\"quoted\\\" handling\" src/ledger.rs", "commit ledger"),
        ("git commit --message='Explain everything' --author=somebody", "commit author somebody"),
        ("git commit -m Subject -m 'Longer explanation'", "commit"),
        ("git commit -m \"$(cat <<'EOF'\nWorkspace changes\nEOF\n)\"", "commit"),
        ("grep -m 1 open_door ledger.rs", "open_door ledger"),
        ("python -m pytest_runner", "python pytest_runner"),
    ] {
        let arguments = serde_json::json!({ "command": command }).to_string();
        assert_eq!(named(&arguments, NeedKind::Symbol).join(" "), symbols, "{command}");
    }
}

#[test]
fn several_edits_in_one_call() {
    let edits = r#"{"path": "a.rs", "edits": [{"oldText": "first line here", "newText": "x"}, {"oldText": "second line here", "newText": "y"}]}"#;
    assert_eq!(named(edits, NeedKind::EditLine), ["first line here", "second line here"]);
}

#[test]
fn words_of_a_command_that_look_like_paths() {
    for (command, paths) in [
        ("cd /w/repo && cat src/main.rs > /dev/null", vec!["repo", "main.rs"]),
        ("sed -i 's/one/other/' lib.rs", vec!["lib.rs"]),
        ("curl https://example.org/a.html -o out.html", vec!["out.html"]),
        ("rg -n --glob=src/door.rs 'a/b c' .", vec!["door.rs"]),
        ("go test ./... -run TestOpen", vec![]),
        ("bash -lc \"nl -ba src/a.py | sed -n '1,20p'\"", vec!["a.py"]),
        ("git show HEAD:crates/x/Cargo.toml # see also y.rs", vec!["Cargo.toml"]),
        ("ls *.rs src/*.rs", vec![]),
        ("python3.11 -m pytest tests/test_a.py::test_b 0.5", vec!["test_a.py"]),
        ("cargo test door::opens", vec![]),
        ("code -g src/lib.rs:12-40 src/main.rs:7:3", vec!["lib.rs", "main.rs"]),
        ("cat .gitignore", vec![".gitignore"]),
    ] {
        let arguments = serde_json::json!({ "command": command }).to_string();
        assert_eq!(named(&arguments, NeedKind::Path), paths, "{command}");
    }
}

#[test]
fn lines_that_are_asked_for() {
    for (arguments, place) in [
        (r#"{"command": "sed -n '120,160p' src/door.rs"}"#, ("door.rs", 120, 160)),
        (r#"{"command": "bat src/door.rs:12"}"#, ("door.rs", 12, 12)),
        (r#"{"file_path": "/w/door.rs", "offset": 40, "limit": 20}"#, ("door.rs", 40, 60)),
        (r#"{"file_path": "/w/door.rs", "start_line": 3, "end_line": 9}"#, ("door.rs", 3, 9)),
        (r#"{"path": "/w/door.rs", "view_range": [5, 6]}"#, ("door.rs", 5, 6)),
    ] {
        let mut named = Named::default();
        named.read(arguments);
        let found: Vec<_> = named.places.iter().map(|place| (place.name.as_str(), place.first, place.last)).collect();
        assert_eq!(found, [place], "{arguments}");
    }
}

#[test]
fn a_list_is_a_command_too() {
    let shell = r#"{"command": ["bash", "-lc", "cat src/main.rs"]}"#;
    assert_eq!(named(shell, NeedKind::Path), ["main.rs"]);
}

#[test]
fn documents_are_contents() {
    let command = "cat > src/new.rs <<'EOF'\nuse crate::other_module;\nEOF\nwc -l src/new.rs";
    let arguments = serde_json::json!({ "command": command }).to_string();
    assert_eq!(named(&arguments, NeedKind::Path), ["new.rs", "new.rs"]);
    assert_eq!(named(&arguments, NeedKind::Symbol), Vec::<String>::new());
}

const PATCH: &str = "*** Begin Patch\n*** Update File: src/door.rs\n@@ impl Door for Oak {\n     let hinge = oil();\n-    self.push(hinge)\n+    self.pull(hinge)\n*** End Patch";

#[test]
fn a_patch_needs_its_removed_and_context_lines() {
    let lines = ["impl Door for Oak {", "    let hinge = oil();", "    self.push(hinge)"];
    let as_code = format!("const r = await tools.apply_patch({});", serde_json::json!(PATCH));
    for arguments in [
        PATCH.to_owned(),
        serde_json::json!({ "input": PATCH }).to_string(),
        serde_json::json!({ "command": ["apply_patch", PATCH] }).to_string(),
        serde_json::json!({ "command": format!("cd /w\napply_patch <<'EOF'\n{PATCH}\nEOF\n") }).to_string(),
        as_code,
    ] {
        assert_eq!(named(&arguments, NeedKind::EditLine), lines, "{arguments}");
        assert_eq!(named(&arguments, NeedKind::Path), ["door.rs"], "{arguments}");
    }
}

#[test]
fn a_unified_patch_needs_the_same() {
    let patch = "--- a/src/door.rs\n+++ b/src/door.rs\n@@ -1,2 +1,2 @@\n let hinge = oil();\n-self.push(hinge)\n+self.pull(hinge)\n";
    let arguments = serde_json::json!({ "command": format!("git apply <<EOF\n{patch}EOF") }).to_string();
    assert_eq!(named(&arguments, NeedKind::EditLine), ["let hinge = oil();", "self.push(hinge)"]);
    assert_eq!(named(&arguments, NeedKind::Path), ["door.rs", "door.rs"]);
}

#[test]
fn code_has_commands_in_its_literals() {
    let code = "const r = await tools.exec_command({cmd: \"rg -n open_door src/main.rs\", yield_time_ms: 1000});";
    assert_eq!(named(code, NeedKind::Path), ["main.rs"]);
    assert_eq!(named(code, NeedKind::Symbol), ["open_door"]);
}

fn step(arguments: serde_json::Value, output: &str, exit_code: i32) -> Item {
    let command = arguments["command"].as_str().unwrap_or_default().to_owned();
    let run = RunData { command, exit_code: Some(exit_code), ..RunData::default() };
    Item::Call(Box::new(CallItem {
        id: None,
        at: None,
        model: None,
        parts: vec![NewPart::Call { id: "c".into(), name: "run".into(), arguments: arguments.to_string() }],
        stop: Stop::End,
        results: vec![ToolResult {
            status: Status::Success,
            text: Output::new(output.as_bytes().to_vec()),
            data: ResultData::Run(run),
            error: None,
            stats: None,
            context: None,
            as_came: None,
        }],
        billed: None,
        unpriced: Default::default(),
    }))
}

fn user(text: &str) -> Item {
    Item::User(UserItem { text: text.into(), origin: Origin::Person, at: None })
}

/// The needs of each call, as `kind text`, with the pieces in which they were seen.
fn needs(items: Vec<Item>) -> Vec<Vec<(NeedKind, String, Vec<usize>)>> {
    let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
    let conversation = Conversation::new(&recording, &|text| text.len() as u32);
    let of_call = |call: &crate::conversation::Call<'_>| {
        call.needs.iter().map(|need| (need.kind, need.text.to_string(), need.seen.to_vec())).collect()
    };
    conversation.calls.iter().map(of_call).collect()
}

#[test]
fn only_what_was_seen_before_counts_and_once() {
    let found = needs(vec![
        user("Look at main.rs, please."),
        step(serde_json::json!({"command": "cat main.rs other.rs main.rs"}), "fn open_door", 0),
        step(serde_json::json!({"pattern": "open_door|open_door|closed_door"}), "", 0),
    ]);
    assert_eq!(found[0], [(NeedKind::Path, "main.rs".to_owned(), vec![0])], "the step's own call is not earlier");
    assert_eq!(found[1], [(NeedKind::Symbol, "open_door".to_owned(), vec![2])]);
}

#[test]
fn what_a_rewind_took_away_was_not_seen() {
    let found = needs(vec![
        user("Look."),
        step(serde_json::json!({"command": "ls"}), "fn open_door", 0),
        Item::Rewind { last: Some(0) },
        step(serde_json::json!({"pattern": "open_door"}), "", 0),
    ]);
    assert_eq!(found[1], []);
}

#[test]
fn a_branch_that_was_taken_up_again_was_seen_and_the_other_was_not() {
    let found = needs(vec![
        user("Look."),
        step(serde_json::json!({"command": "ls"}), "fn open_door", 0),
        Item::Rewind { last: Some(0) },
        step(serde_json::json!({"command": "ls"}), "fn lock_door", 0),
        Item::Rewind { last: Some(1) },
        step(serde_json::json!({"pattern": "open_door|lock_door"}), "", 0),
    ]);
    assert_eq!(found[2], [(NeedKind::Symbol, "open_door".to_owned(), vec![2])]);
}

#[test]
fn an_error_stays_open_until_something_runs_well() {
    let fails = "error[E0425]: cannot find value";
    let found = needs(vec![
        user("Build."),
        step(serde_json::json!({"command": "make"}), &format!("{fails}\nbye"), 2),
        step(serde_json::json!({"command": "ls"}), "", 0),
        step(serde_json::json!({"command": "ls"}), "", 0),
    ]);
    assert_eq!(found[1], [(NeedKind::Error, fails.to_owned(), vec![2])]);
    assert_eq!(found[2], []);
}

#[test]
fn failed_tests_commands_and_places() {
    let output = "running 2 tests\ntest door::opens ... FAILED\ntest door::shuts ... ok\n\nfailures:\n\n---- door::opens stdout ----\nthread 'door::opens' panicked at src/door.rs:134:5:\nboom\n\nfailures:\n    door::opens\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let found = needs(vec![
        user("Test."),
        step(serde_json::json!({"command": "cargo test -p door"}), output, 101),
        step(serde_json::json!({"file_path": "/w/src/door.rs", "offset": 120, "limit": 40}), "", 0),
        step(serde_json::json!({"command": "cargo test -p door"}), "", 0),
    ]);
    assert!(found[1].contains(&(NeedKind::Test, "door::opens".to_owned(), vec![2])), "{found:?}");
    assert!(found[1].contains(&(NeedKind::LineRange, "door.rs:134:".to_owned(), vec![2])), "{found:?}");
    assert!(found[2].contains(&(NeedKind::Command, "cargo test -p door".to_owned(), vec![1])), "{found:?}");
}

#[test]
fn all_are_found_where_a_search_through_everything_finds_them() {
    let long = "let handler = open_door(a.b); // and a remark that makes the line long";
    let texts =
        [long, "x.handle()", "=> !!", "open_door\n  let handler", "äöü-door.rs", "", long, "a remark that makes"];
    let items = texts.iter().map(|text| user(text)).collect();
    let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
    let conversation = Conversation::new(&recording, &|text| text.len() as u32);
    let parts = (0..long.len()).flat_map(|start| (start + 1..=long.len()).map(move |end| &long[start..end]));
    let parts = parts.chain(["!!", "ü-door.rs", "x", "y"]);
    // Its end stands in another piece.
    let sought: Vec<Rc<str>> = parts.chain(["no and a remark that makes the line long"]).map(Rc::from).collect();
    for (text, found) in sought.iter().zip(super::index::pieces_with(&sought, &conversation.pieces)) {
        let all: Vec<usize> = (0..texts.len()).filter(|n| texts[*n].contains(&**text)).collect();
        assert_eq!(*found, all, "{text:?}");
    }
}

#[test]
fn the_newest_printed_place_is_needed_that_is_still_part_of_the_conversation() {
    let read = |first: u32| serde_json::json!({"file_path": "/w/door.rs", "offset": first, "limit": 9});
    let found = needs(vec![
        user("Look."),
        step(serde_json::json!({"command": "rg x"}), "door.rs:3: x\ndoor.rs:70: x\ndoor.rs:5: x\ndoor.rs:no:\n", 0),
        step(serde_json::json!({"command": "rg y"}), "door.rs:4: y\ndoor.rs:71: y\n", 0),
        step(read(1), "", 0),
        Item::Rewind { last: Some(1) },
        step(read(1), "", 0),
        step(read(62), "", 0),
        step(read(72), "", 0),
    ]);
    let places = |needs: &[(NeedKind, String, Vec<usize>)]| {
        let places = needs.iter().filter(|need| need.0 == NeedKind::LineRange);
        places.map(|need| need.1.clone()).collect::<Vec<String>>()
    };
    let found: Vec<Vec<String>> = found.iter().map(|needs| places(needs)).collect();
    assert_eq!(found[2..5], [["door.rs:4:"], ["door.rs:5:"], ["door.rs:70:"]]);
    assert_eq!(found[5], Vec::<String>::new());
}

#[test]
fn of_many_failed_tests_each_later_step_needs_the_first() {
    let list = |before: &str, behind: &str| -> String {
        (0..2 * MOST_FAILED).map(|test| format!("{before}door::test_{test}{behind}\n")).collect()
    };
    let (failed, again) = (list("test ", " ... FAILED"), list("    ", ""));
    let end = "test result: FAILED. 0 passed; 200 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    let output = format!("running 200 tests\n{failed}\nfailures:\n\nfailures:\n{again}\n{end}\n");
    let found = needs(vec![
        user("Test."),
        step(serde_json::json!({"command": "cargo test"}), &output, 101),
        step(serde_json::json!({"command": "ls"}), "", 0),
    ]);
    let tests: Vec<_> = found[1].iter().filter(|need| need.0 == NeedKind::Test).collect();
    assert_eq!((tests.len(), tests[9].1.as_str()), (MOST_FAILED, "door::test_9"));
}
