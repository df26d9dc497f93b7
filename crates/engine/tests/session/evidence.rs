//! What pointers resolve to, and what they never resolve to.

use crate::story::*;
use lookback_engine::{
    SessionError,
    recall::RecallError,
    trace::{
        Output, ResultData, Status, ToolResult, TurnNo,
        result::{EditData, Hunk, LineForm, ReadData, SearchData, SearchMatch, WriteData},
    },
};

#[test]
fn seed_11_2_the_raw_trace_keeps_what_the_view_leaves_out() {
    let mut session = session();
    user(&mut session, "run it");
    let log = (0..60_000).map(|line| format!("line {line}\n")).collect::<String>();
    step(&mut session, "a", run("make", 0, &log));
    session.start_call(&NOW).expect("it fits");
    let shown = sent(&session);
    assert!(shown.contains("line 59999") && !shown.contains("line 30000"), "both ends are shown, the middle is not");
    assert!(shown.contains("Recall cmd#1"));
    assert!(recall(&session, "cmd#1").expect("it ran").contains("line 30000\n"));
}

#[test]
fn seed_11_3_spans_are_explicit_and_nest() {
    let mut session = session();
    user(&mut session, "fix it");
    let outer = session.start_span("fix", "make it green", &NOW).expect("a span");
    let inner = session.start_span("diagnose", "find the cause", &NOW).expect("a span");
    step(&mut session, "a", other("cause"));
    session.end_span(&inner, "a typo", &NOW).expect("open");
    step(&mut session, "b", other("patched"));
    assert_eq!(session.end_span(&inner, "again", &NOW), Err(SessionError::NoSuchSpan("diagnose#2".into())));
    session.end_span(&outer, "green", &NOW).expect("open");
    let diagnosis = recall(&session, "span#diagnose#2").expect("a span");
    assert!(diagnosis.contains("goal: find the cause\noutcome: a typo"), "{diagnosis}");
    assert!(diagnosis.contains("cause") && !diagnosis.contains("patched"), "{diagnosis}");
    assert!(recall(&session, "span#fix#1").expect("a span").contains("patched"));
}

#[test]
fn seed_11_5_call_ids_stay_in_the_trace() {
    let mut session = session();
    user(&mut session, "go");
    step(&mut session, "toolu_77", other("x"));
    let line = serde_json::to_string(session.trace()).expect("JSON");
    assert!(line.contains("toolu_77"));
}

#[test]
fn seed_5_2_evidence_is_what_the_trace_says() {
    let mut session = session();
    user(&mut session, "test it");
    let failing = "tests/a.py F\n=== short test summary info ===\nFAILED tests/a.py::test_sum - assert 1 == 2\n=== 1 failed, 2 passed in 0.12s ===\n";
    step(&mut session, "a", run("pytest -q", 1, failing));
    assert!(recall(&session, "cmd#1 exit=1").is_ok());
    assert!(matches!(recall(&session, "cmd#1 exit=0"), Err(RecallError::OtherExit { .. })));
    assert!(matches!(recall(&session, "cmd#2"), Err(RecallError::NoSuch { .. })));
    assert!(recall(&session, "test#1 failed:tests/a.py::test_sum").is_ok());
    assert!(matches!(recall(&session, "test#1 failed:test_other"), Err(RecallError::NoSuchFailure { .. })));
    assert_eq!(recall(&session, "user#1").expect("a user turn"), "test it");
}

#[test]
fn observed_lines_follow_reads_edits_searches_and_shell_output() {
    let mut session = session();
    user(&mut session, "look");
    let read = ReadData {
        path: "src/a.py".into(),
        first_line: 10,
        line_count: 3,
        total_lines: Some(40),
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    let text = "    10→def balance(self):\n    11→    return 1\n    12→\n";
    step(&mut session, "a", ToolResult::success(text, ResultData::Read(read)));
    assert_eq!(recall(&session, "file:src/a.py:L10-L11").expect("seen"), "def balance(self):\n    return 1");
    assert!(matches!(recall(&session, "file:src/a.py:L13"), Err(RecallError::LinesNotSeen { .. })));
    assert!(matches!(recall(&session, "file:src/b.py:L1"), Err(RecallError::FileNotSeen { .. })));

    let hunk = Hunk { first_line: 10, removed: vec![], added: vec!["@cached".into(), "@traced".into()] };
    let edit = EditData { path: "src/a.py".into(), hunks: vec![hunk] };
    let edited = step(&mut session, "b", ToolResult::success("ok", ResultData::Edit(edit)));
    assert_eq!(
        recall(&session, "file:src/a.py:L10-L13").expect("seen"),
        "@cached\n@traced\ndef balance(self):\n    return 1"
    );
    let before = TurnNo(edited.0 - 2);
    assert_eq!(recall(&session, &format!("file:src/a.py:L10@turn#{before}")).expect("as it was"), "def balance(self):");

    let found = SearchMatch { path: "src/a.py".into(), line: 30, text: "    total = 0".into() };
    let search = SearchData { pattern: "total".into(), match_count: 1, matches: vec![found], truncated: false };
    step(&mut session, "c", ToolResult::success("1 match", ResultData::Search(search)));
    assert_eq!(recall(&session, "file:src/a.py:L30").expect("seen"), "    total = 0");

    step(&mut session, "d", run("sed -n '20,21p' src/a.py", 0, "twenty\ntwenty-one\n"));
    assert_eq!(recall(&session, "file:src/a.py:L20-L21").expect("seen"), "twenty\ntwenty-one");

    let write = WriteData { path: "new.txt".into(), created: true, content: Output::from("one\ntwo\n") };
    step(&mut session, "e", ToolResult::success("wrote", ResultData::Write(write)));
    assert_eq!(recall(&session, "file:new.txt").expect("seen"), "one\ntwo");
}

/// A patch tells lines but no numbers; what is known of the file says where they stand, so that nothing known is given up.
#[test]
fn an_edit_without_a_place_is_put_where_its_lines_stand() {
    let mut session = session();
    user(&mut session, "look");
    let write =
        WriteData { path: "a.py".into(), created: true, content: Output::from("one = 1\ntwo = 2\nthree = 3\n") };
    step(&mut session, "a", ToolResult::success("wrote", ResultData::Write(write)));
    let edit = |removed: &[&str], added: &[&str]| {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let hunk = Hunk { first_line: 0, removed: owned(removed), added: owned(added) };
        ToolResult::success("ok", ResultData::Edit(EditData { path: "a.py".into(), hunks: vec![hunk] }))
    };
    step(&mut session, "b", edit(&["two = 2", "three = 3"], &["two = 2", "half = 2.5", "three = 3"]));
    assert_eq!(recall(&session, "file:a.py:L1-L4").expect("known"), "one = 1\ntwo = 2\nhalf = 2.5\nthree = 3");
    step(&mut session, "c", edit(&["four = 4"], &["five = 5"]));
    assert!(matches!(recall(&session, "file:a.py:L1"), Err(RecallError::LinesNotSeen { .. })));
}

#[test]
fn a_failed_read_shows_nothing_of_a_file() {
    let mut session = session();
    user(&mut session, "look");
    let read = ReadData {
        path: "gone.py".into(),
        first_line: 1,
        line_count: 0,
        total_lines: None,
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    step(&mut session, "a", ToolResult::failure("NOT_FOUND", "no file gone.py", ResultData::Read(read)));
    session.start_call(&NOW).expect("a call");
    assert!(sent(&session).contains("NOT_FOUND: no file gone.py"));
    assert!(matches!(recall(&session, "file:gone.py"), Err(RecallError::FileNotSeen { .. })));
}

#[test]
fn only_a_command_that_ended_well_shows_lines_of_a_file() {
    let shows = |result: ToolResult| {
        let mut session = session();
        user(&mut session, "look");
        step(&mut session, "a", result);
        recall(&session, "file:a.py:L1").is_ok()
    };
    assert!(shows(run("cat a.py", 0, "one\n")));
    assert!(!shows(run("cat a.py", 1, "one\n")));
    assert!(!shows(ToolResult { status: Status::Partial, ..run("cat a.py", 0, "one\n[... 500 lines omitted ...]\n") }));
    let mut timed_out = run("cat a.py", 0, "Command timed out after 10s\n");
    if let ResultData::Run(data) = &mut timed_out.data {
        data.timed_out = true;
        data.exit_code = None;
    }
    assert!(!shows(timed_out));
}

fn read(first: u32, total: Option<u32>, lines: &[&str]) -> ToolResult {
    let text: String = (first..).zip(lines).map(|(number, line)| format!("{number}→{line}\n")).collect();
    let data = ReadData {
        path: "a.py".into(),
        first_line: first,
        line_count: lines.len() as u32,
        total_lines: total,
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    ToolResult::success(text.as_str(), ResultData::Read(data))
}

#[test]
fn what_was_seen_before_a_change_from_outside_is_no_longer_mixed_in() {
    let mut session = session();
    user(&mut session, "look");
    let old = step(&mut session, "a", read(1, None, &["old1", "old2", "old3"]));
    session.file_changed_outside("a.py".into(), None, &NOW).expect("recorded");
    assert!(recall(&session, "file:a.py").is_err(), "nobody saw it since");
    step(&mut session, "b", read(1, None, &["new0", "old1"]));
    assert_eq!(recall(&session, "file:a.py:L1-L2").expect("seen"), "new0\nold1");
    assert!(recall(&session, "file:a.py:L1-L3").is_err());
    assert_eq!(recall(&session, &format!("file:a.py:L3@turn#{old}")).expect("as it was"), "old3");
}

#[test]
fn what_was_seen_before_a_command_changed_the_file_is_no_longer_current() {
    for command in [
        "sed -i 's/old/new/' a.py",
        "cat > a.py <<'EOF'\nnew1\nEOF",
        "git checkout -- a.py",
        "git stash",
        "black .",
        "cd /srv/app && perl -pi -e 's/old/new/' a.py",
    ] {
        for exit in [0, 1] {
            let mut session = session();
            user(&mut session, "look");
            let old = step(&mut session, "a", read(1, None, &["old1", "old2", "old3"]));
            step(&mut session, "b", run(command, exit, ""));
            assert!(
                matches!(recall(&session, "file:a.py:L3"), Err(RecallError::LinesNotSeen { .. })),
                "{command}: nobody saw it since"
            );
            assert_eq!(recall(&session, &format!("file:a.py:L3@turn#{old}")).expect("as it was"), "old3", "{command}");
            step(&mut session, "c", read(1, None, &["new1", "old2"]));
            assert_eq!(recall(&session, "file:a.py:L1-L2").expect("seen"), "new1\nold2", "{command}");
            assert!(recall(&session, "file:a.py:L1-L3").is_err(), "{command}: two ages are not mixed");
        }
    }
}

#[test]
fn a_command_that_changes_other_files_or_none_leaves_what_was_seen() {
    let mut session = session();
    user(&mut session, "look");
    step(&mut session, "a", read(1, None, &["one"]));
    for (id, command) in [
        "pytest -q",
        "cargo build",
        "echo a.py > b.py",
        "grep -n one a.py 2>/dev/null",
        "rm /dev/shm/a.py",
        "python a.py",
    ]
    .into_iter()
    .enumerate()
    {
        step(&mut session, &format!("c{id}"), run(command, 0, ""));
        assert_eq!(recall(&session, "file:a.py:L1").expect("seen"), "one", "{command}");
    }
}

#[test]
fn a_command_shows_what_it_made_of_a_file() {
    let mut session = session();
    user(&mut session, "look");
    step(&mut session, "a", read(1, None, &["old1", "old2", "old3"]));
    step(&mut session, "b", run("sed -i 's/old/new/' a.py && sed -n '1,2p' a.py", 0, "new1\nnew2\n"));
    assert_eq!(recall(&session, "file:a.py:L1-L2").expect("printed"), "new1\nnew2");
    assert!(recall(&session, "file:a.py:L3").is_err(), "that is from before");
    step(&mut session, "c", run("cat > new.py <<'EOF'\nx\nEOF", 0, ""));
    assert!(matches!(recall(&session, "file:new.py"), Err(RecallError::FileNotSeen { .. })), "nobody ever saw it");
}

#[test]
fn each_sight_is_made_void_once() {
    let mut session = session();
    user(&mut session, "look");
    let seen = step(&mut session, "a", read(1, None, &["one"]));
    let changes = |session: &lookback_engine::Session| {
        session.trace().iter().filter(|event| event.event.name() == "file_changed").count()
    };
    for id in ["b", "c", "d"] {
        step(&mut session, id, run("git stash", 0, ""));
    }
    assert_eq!(changes(&session), 1);
    session.roll_back(seen, &NOW).expect("a whole turn");
    user(&mut session, "again");
    assert_eq!(recall(&session, "file:a.py:L1").expect("before the changes"), "one");
    step(&mut session, "e", run("git stash", 0, ""));
    assert!(recall(&session, "file:a.py:L1").is_err());
    assert_eq!(changes(&session), 2);
}

#[test]
fn a_command_that_was_given_up_has_changed_what_it_changed() {
    let mut session = session();
    user(&mut session, "look");
    step(&mut session, "a", read(1, None, &["one"]));
    calls(&mut session, &["b"]);
    session.interrupt(lookback_engine::trace::event::Interruption::Cancelled, &NOW).expect("open");
    session.tool_result("b", run("sed -i s/one/two/ a.py", 0, ""), &NOW).expect("known");
    assert!(recall(&session, "file:a.py:L1").is_err());
}

#[test]
fn a_run_of_tests_behind_a_change_is_a_run_of_tests() {
    let mut session = session();
    user(&mut session, "look");
    step(&mut session, "a", read(1, None, &["one"]));
    let passing = "=== 3 passed in 0.12s ===\n";
    step(&mut session, "b", run("git checkout -- a.py && pytest -q", 0, passing));
    assert!(recall(&session, "test#1").is_ok());
    assert!(recall(&session, "file:a.py:L1").is_err());
}

#[test]
fn a_whole_read_says_that_there_is_no_more() {
    let mut session = session();
    user(&mut session, "look");
    step(&mut session, "a", read(1, None, &["one", "two", "three"]));
    step(&mut session, "b", read(1, Some(1), &["one"]));
    assert!(recall(&session, "file:a.py:L2").is_err(), "the file has one line now");
    step(&mut session, "c", read(1, Some(0), &[]));
    assert!(recall(&session, "file:a.py:L1").is_err(), "the file is empty now");
}

#[test]
fn pointers_do_not_mix_branches() {
    let mut session = session();
    user(&mut session, "look");
    let seen = step(&mut session, "a", read(1, None, &["one"]));
    let hunk = Hunk { first_line: 1, removed: vec!["one".into()], added: vec!["DEAD".into()] };
    let edit = EditData { path: "a.py".into(), hunks: vec![hunk] };
    let edited = step(&mut session, "b", ToolResult::success("ok", ResultData::Edit(edit)));
    session.roll_back(seen, &NOW).expect("a whole turn");
    let later = user(&mut session, "go on");
    assert_eq!(recall(&session, "file:a.py:L1").expect("seen"), "one");
    assert_eq!(recall(&session, &format!("file:a.py:L1@turn#{later}")).expect("seen"), "one");
    assert_eq!(recall(&session, &format!("file:a.py:L1@turn#{edited}")).expect("seen"), "DEAD", "as it was then");
}

#[test]
fn an_output_beyond_the_limit_says_so_wherever_it_is_cut() {
    let ends = lookback_engine::trace::BothEnds {
        head: "first\n".repeat(20_000).into(),
        tail: "last\n".repeat(20_000).into(),
        len: 300 << 20,
        hash: lookback_engine::trace::BlobHash::of(b"all of it"),
    };
    let mut session = session();
    user(&mut session, "go");
    let mut huge = run("cat big.txt", 0, "");
    huge.text = Output::Beyond(Box::new(ends));
    step(&mut session, "a", huge);
    session.start_call(&NOW).expect("it fits");
    assert!(sent(&session).contains("of 314572800 bytes only both ends stand here"));
    assert!(recall(&session, "file:big.txt:L1").is_err(), "nobody can count its lines");
}
