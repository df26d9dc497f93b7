//! Folding a stored session, looking at what became of it, and taking it back.

use std::process::Command;

use lookback_engine::{
    Configuration, Session,
    trace::{EventBody, decision::TurnRange},
};
use lookback_store::Durability;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::{
    person::{Person, now, trace_lines},
    work::{Work, work},
};

const MODEL: &str = "claude-sonnet-5";

fn with(session: &Session) -> Person {
    let person = Person::new();
    person.import(trace_lines(session)).shown();
    person
}

fn with_work() -> Person {
    with(&work("ledger000000", 0, MODEL).session)
}

/// Everything that a store holds of a session.
fn trace(person: &Person) -> String {
    person.run(&["show", "ledger", "--trace", "--json"]).shown()
}

/// Lines as they are, but the time of what happened just now left open: it is always another.
fn timeless(shown: &str) -> String {
    let is_time = |word: &str| word.len() == 8 && word.chars().filter(|sign| *sign == ':').count() == 2;
    let is_day = |word: &str| word.len() == 10 && word.chars().filter(|sign| *sign == '-').count() == 2;
    let word = |word: &str| match word {
        _ if is_day(word) => "DAY".to_owned(),
        _ if is_time(word) => "TIME".to_owned(),
        _ => word.to_owned(),
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    shown.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_stretch_is_folded_looked_at_recalled_and_unfolded() {
    let person = with_work();
    let raw = person.run(&["show", "ledger", "--view", "--json"]).shown();
    insta::assert_snapshot!("fold", person.run(&["fold", "ledger"]).shown());
    insta::assert_snapshot!("folded_view", person.run(&["show", "ledger"]).shown());
    insta::assert_snapshot!("folded_board", person.run(&["show", "ledger", "--board"]).shown());
    insta::assert_snapshot!("folded_board_wide", person.run_in(120, &["show", "ledger", "--board"]).shown());
    insta::assert_snapshot!("folded_ledger", person.run(&["show", "ledger", "--ledger"]).shown());
    let events = person.run(&["show", "ledger", "--trace"]).shown();
    insta::assert_snapshot!("folded_trace", timeless(events.lines().last().expect("an event")));

    let view = person.run(&["show", "ledger", "--view"]).out;
    assert!(!view.contains("ledger_51 = compute_ledger"), "{view}");
    assert_eq!(
        person.run(&["recall", "file:src/ledger.py:L51", "--session", "ledger"]).out,
        "    ledger_51 = compute_ledger(entries[51], rate=51.5)  # step 51\n"
    );
    assert!(person.run(&["recall", "compute_ledger entries 51"]).out.contains("ledger_51"));

    insta::assert_snapshot!("unfold", person.run(&["unfold", "ledger", "1"]).shown());
    let back = person.run(&["show", "ledger", "--view"]).out;
    assert!(back.contains("ledger_51 = compute_ledger") && !back.contains("block 1 for"), "{back}");
    let again = person.run(&["show", "ledger", "--view", "--json"]).json();
    let raw: serde_json::Value = serde_json::from_str(&raw).expect("JSON");
    let turns = |body: &serde_json::Value| body["messages"].as_array().expect("messages").len();
    assert!(turns(&again) >= turns(&raw) - 1, "{again}");
    let complaint = person.run(&["unfold", "ledger", "1"]).complaint();
    assert!(complaint.contains("block 1 is unfolded already"), "{complaint}");
    // What was unfolded lies before the seam: only its span names it.
    assert!(person.run(&["fold", "ledger", "--span", "diagnose"]).shown().contains("into block 2"));
}

#[test]
fn all_screens_agree_after_a_fold() {
    let person = with_work();
    let report = person.run(&["fold", "ledger", "--json"]).json();
    let session = Session::replay(
        person.store().events(&person.store().find("ledger").expect("stored")).expect("events"),
        &person.store(),
    );
    let session = session.expect("it replays");
    assert_eq!(report["session"], "ledger000000");
    assert_eq!([&report["block"], &report["author"]], [&json!(1), &json!("rules")]);
    let range: TurnRange = serde_json::from_value(report["range"].clone()).expect("a range");
    assert_eq!(session.state().blocks()[&1].range, range);
    let size = |name: &str| report[name].as_u64().expect("a number");
    let view = session.view();
    assert_eq!(size("before") + size("block_tokens") + size("board_tokens") + size("kept"), view.tokens());
    assert!(size("claims") >= size("facts") + size("anchors") + size("commands"), "{report}");
    assert!(report["costs"].is_number() && report["saves_per_call"].is_number(), "{report}");
    let heading = person.run(&["show", "ledger"]).out;
    let tokens = view.tokens().to_string();
    assert!(heading.replace(',', "").contains(&format!("{tokens} of 60000 tokens")), "{heading}");
    let mut board = person.run(&["show", "ledger", "--board", "--json"]).json();
    assert!(board["files"].take()["changed"].is_array(), "what was changed stands beside it");
    board.as_object_mut().expect("an object").retain(|name, _| name != "files");
    assert_eq!(board, serde_json::to_value(session.state().board()).expect("JSON"));

    let report = person.run(&["unfold", "ledger", "1", "--json"]).json();
    assert_eq!(report["range"], json!(range));
    assert!(report["turns_tokens"].as_u64() > report["block_tokens"].as_u64(), "{report}");
    assert!(report["costs"].is_number() && report["costs_per_call"].is_number(), "{report}");
}

#[test]
fn a_span_is_folded_alone() {
    let person = with_work();
    insta::assert_snapshot!(
        "fold_span",
        person.run(&["fold", "ledger", "--span", "diagnose#1", "--focus", "balance()"]).shown()
    );
    let view = person.run(&["show", "ledger"]).out;
    assert!(view.contains("── turn#0 user") && view.contains("── block 1 for turns 1–6"), "{view}");
}

#[test]
fn a_warm_cache_has_a_price_and_an_unknown_model_none() {
    let warm = with(&work("ledger000000", now() - 100, MODEL).session);
    let line = warm.run(&["fold", "ledger"]).shown();
    assert!(line.contains(" · costs ") && line.contains(" · pays for itself in "), "{line}");
    assert!(warm.run(&["unfold", "ledger", "1"]).shown().contains(" tokens more on every call from now on"));
    let unknown = with(&work("ledger000000", 0, "example-model").session);
    assert!(unknown.run(&["fold", "ledger"]).shown().contains("no prices for this model"));
    let report = unknown.run(&["unfold", "ledger", "1", "--json"]).json();
    assert_eq!([&report["tariff"], &report["costs"]], [&json!(null), &json!(null)]);
}

#[test]
fn what_is_refused_says_why_and_changes_nothing() {
    let person = with_work();
    let before = trace(&person);
    let mut complaints = Vec::new();
    let mut complain = |arguments: &[&str]| {
        complaints.push(format!("$ lookback {}\n{}", arguments.join(" "), person.run(arguments).complaint()));
    };
    complain(&["fold", "ledger", "--span", "nothing"]);
    complain(&["fold", "ledger", "--span", "review"]);
    complain(&["unfold", "ledger", "1"]);
    complain(&["show", "ledger", "--board", "--layout", "execute"]);
    complain(&["show", "ledger", "--layout", "react", "--provider", "chat"]);
    assert_eq!(trace(&person), before);
    person.run(&["fold", "ledger"]).shown();
    let before = trace(&person);
    let mut complain = |arguments: &[&str]| {
        complaints.push(format!("$ lookback {}\n{}", arguments.join(" "), person.run(arguments).complaint()));
    };
    complain(&["fold", "ledger"]);
    complain(&["fold", "ledger", "--json"]);
    complain(&["fold", "ledger", "--span", "diagnose"]);
    complain(&["unfold", "ledger", "0"]);
    complain(&["unfold", "ledger", "7", "--json"]);
    assert_eq!(trace(&person), before);
    insta::assert_snapshot!("fold_refusals", complaints.join("\n"));
    assert_eq!(person.run(&["fold", "ledger"]).code, Some(1));
}

#[test]
fn a_block_that_was_archived_stays_there() {
    let mut work = work("ledger000000", 0, MODEL);
    work.tell(|session, now| {
        let draft = session.draft_fold(None, now).expect("enough to fold");
        session.fold_by_rules(&draft, now).expect("a fold");
    });
    work.user("and now?");
    work.answer("Now it is done.");
    work.tell(|session, now| {
        let mut configuration = Configuration::default();
        configuration.archive.keep_rounds = 1;
        session.configure(configuration);
        let draft = session.draft_archive().expect("old rounds");
        session.archive_by_rules(&draft, now).expect("an archive");
    });
    let person = with(&work.session);
    let complaint = person.run(&["unfold", "ledger", "1"]).complaint();
    assert!(complaint.contains("block 1 is archived and cannot come back into the view"), "{complaint}");
    insta::assert_snapshot!("archived_view", person.run(&["show", "ledger"]).shown());
    let events = person.run_in(120, &["show", "ledger", "--trace"]).shown();
    insta::assert_snapshot!("archived_trace", events.lines().last().expect("an event"));
}

#[test]
fn a_session_in_use_elsewhere_is_left_alone() {
    let person = with_work();
    let store = person.store();
    let before = trace(&person);
    let writer = store.writer(&store.find("ledger").expect("stored")).expect("nobody else writes");
    for arguments in [&["fold", "ledger"][..], &["unfold", "ledger", "1"]] {
        let complaint = person.run(arguments).complaint();
        assert!(complaint.contains("session ledger000000 is being written by process"), "{complaint}");
    }
    drop(writer);
    assert_eq!(trace(&person), before);
}

#[test]
fn counts_of_another_tokenizer_are_not_mixed_in() {
    let lines = trace_lines(&work("ledger000000", 0, MODEL).session);
    for (name, expected) in [("cl100k", "counted by the tokenizer \"cl100k\""), ("", "does not say which tokenizer")] {
        let person = Person::new();
        person.import(lines.replacen("\"tokenizer\":\"o200k\"", &format!("\"tokenizer\":\"{name}\""), 1)).shown();
        let before = trace(&person);
        for arguments in [&["fold", "ledger"][..], &["show", "ledger", "--layout", "execute"]] {
            let complaint = person.run(arguments).complaint();
            assert!(complaint.contains(expected) && complaint.contains("o200k"), "{complaint}");
        }
        assert_eq!(trace(&person), before);
        person.run(&["show", "ledger", "--trace"]).shown();
    }
}

#[test]
fn what_a_dead_process_left_open_is_ended_with_the_fold() {
    let mut work = work("ledger000000", 0, MODEL);
    work.user("once more");
    work.call("", "Bash", json!({"command": "make check"}));
    let person = with(&work.session);
    let before = person.store().events(&person.store().find("ledger").expect("stored")).expect("events").len();
    let folded = person.run(&["fold", "ledger"]);
    assert!(folded.err.contains("had left open"), "{}", folded.err);
    let events = person.store().events(&person.store().find("ledger").expect("stored")).expect("events");
    let names: Vec<&str> = events[before..].iter().map(|event| event.event.name()).collect();
    assert_eq!(names, ["step_interrupted", "tool_result", "step_ended", "fold"]);
    assert_eq!(person.run(&["fold", "ledger"]).code, Some(1));
}

/// Files may not grow: the database fails in the middle of the append, or the process is killed there.
#[test]
fn a_fold_that_fails_or_is_killed_leaves_the_store_as_it_was() {
    let person = Person::new();
    // While somebody reads, SQLite's log only grows: the fold has to write behind a whole import.
    let _reading = person.store().snapshot().expect("a store");
    person.import(trace_lines(&work("ledger000000", 0, MODEL).session)).shown();
    let before = trace(&person);
    for trap in ["trap '' XFSZ; ", ""] {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("{trap}ulimit -c 0; ulimit -f 16; exec \"$0\" fold ledger"));
        shell.arg(env!("CARGO_BIN_EXE_lookback")).env("LOOKBACK_HOME", person.home.path());
        let output = shell.output().expect("a shell");
        assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(output.stdout, b"");
        assert_eq!(trace(&person), before);
    }
    person.run(&["fold", "ledger"]).shown();
}

#[test]
fn a_layout_is_tried_without_being_stored() {
    let mut work = work("ledger000000", 0, "example-model");
    work.user("and the README?");
    work.run("", "cat README.md", 0, "A ledger.\n");
    let person = with(&work.session);
    let before = trace(&person);
    insta::assert_snapshot!("view_execute", person.run(&["show", "ledger", "--layout", "execute"]).shown());
    insta::assert_snapshot!(
        "ledger_execute",
        person.run(&["show", "ledger", "--ledger", "--layout", "execute"]).shown()
    );
    let lines = person.run(&["show", "ledger", "--ledger", "--layout", "execute", "--json"]).json();
    let last = lines.as_array().and_then(|lines| lines.last()).expect("a line").clone();
    assert_eq!([&last["planned"], &last["reasons"]], [&json!(true), &json!(["layout_changed"])]);
    let body = person.run(&["show", "ledger", "--layout", "execute", "--json"]).json();
    assert!(body["messages"][0]["content"].to_string().contains("lookback-block"), "{body}");

    let same = |one: &[&str], other: &[&str]| assert_eq!(person.run(one).shown(), person.run(other).shown());
    same(&["show", "ledger", "--layout", "react", "--json"], &["show", "ledger", "--provider", "react", "--json"]);
    same(&["show", "ledger", "--ledger", "--layout", "react"], &["show", "ledger", "--ledger", "--provider", "react"]);
    same(&["show", "ledger", "--ledger", "--layout", "chat"], &["show", "ledger", "--ledger"]);
    same(&["show", "ledger", "--layout", "chat"], &["show", "ledger"]);
    assert_eq!(trace(&person), before);
}

#[test]
fn a_layout_that_does_not_fit_is_refused() {
    let mut work = Work::begin("ledger000000", 0, MODEL);
    work.user(&"a very long question. ".repeat(16_000));
    let person = with(&work.session);
    let complaint = person.run(&["show", "ledger", "--layout", "react"]).complaint();
    assert!(complaint.contains("the react layout would have") && complaint.contains("fit"), "{complaint}");
}

#[test]
fn an_empty_board_says_so() {
    let person = Person::with_sample();
    insta::assert_snapshot!(person.run(&["show", "sample", "--board"]).shown(), @"the board is empty: it says what the session knows, and a fold or the model's Board calls write on it");
    assert_eq!(person.run(&["show", "sample", "--board", "--json"]).json()["version"], 0);
}

#[test]
fn narrow_terminals_lose_no_reason() {
    let mut work = work("ledger000000", 0, MODEL);
    work.tell(|session, now| {
        let draft = session.draft_fold(None, now).expect("enough to fold");
        session.fold_by_rules(&draft, now).expect("a fold");
    });
    work.user("and now?");
    work.answer("Now it is done.");
    let person = with(&work.session);
    for columns in [60, 80, 120] {
        let shown = person.run_in(columns, &["show", "ledger", "--ledger"]).shown();
        assert!(shown.lines().all(|line| line.width() <= columns), "{shown}");
        assert!(shown.contains("fold#1"), "{shown}");
        let trace = person.run_in(columns, &["show", "ledger", "--trace"]).shown();
        assert!(trace.lines().all(|line| line.width() <= columns), "{trace}");
    }
    insta::assert_snapshot!("narrow_ledger", person.run_in(60, &["show", "ledger", "--ledger"]).shown());
    let narrow = with_work();
    let line = narrow.run_in(60, &["fold", "ledger"]).shown();
    assert!(line.lines().all(|line| line.width() <= 60) && line.lines().count() > 1, "{line}");
    assert_eq!(with_work().run(&["fold", "ledger"]).shown().replace(" · ", "\n"), line.replace(" · ", "\n"));
}

#[test]
fn every_decision_has_a_line_in_the_trace() {
    let person = with_work();
    let store = person.store();
    let mut writer = store.writer(&store.find("ledger").expect("stored")).expect("nobody else writes");
    let (mut seq, at) = (writer.next(), store.sessions().expect("a list")[0].updated);
    let mut events = Vec::new();
    for body in [
        r#"{"call_started":{"call":99,"input_tokens":900,"rents":{"fold":412000,"settle":0,"archive":0},"cold":{"idle_ms":400000,"lifetime_ms":300000}}}"#,
        r#"{"call_interrupted":{"call":99,"reason":"killed"}}"#,
        r#"{"state_delta":{"version":2,"author":"model","delta":{},"refused":[{"claim":"x","reason":"y"}]}}"#,
        r#"{"fold":{"block":1,"range":{"first":1,"last":6},"reach":"alone","author":"model","claims":{"what_we_learned":[],"anchors":[],"exec_assertions":[],"open_questions":[],"next_actions":[]},"content":{"text":"x","tokens":300},"thinking":"dropped","trigger":"/fold","refused":[{"claim":"x","reason":"y"},{"claim":"x","reason":"y"}]}}"#,
        r#"{"unfold":{"block":1}}"#,
        r#"{"settle":{"results":[{"turn":2,"index":0,"content":{"text":"{}","tokens":20},"replaced_tokens":1400}]}}"#,
        r#"{"archive":{"archive":1,"range":{"first":0,"last":12},"author":"timed_out","content":{"text":"x","tokens":350},"trigger":"window"}}"#,
        r#"{"layout_changed":{"layout":"execute","dialogue":{"through":11,"content":{"text":"x","tokens":700}},"board":{"text":"x","tokens":120}}}"#,
        r#"{"client_compacted":{"kind":"head","billed":{"uncached":9000,"cached":0,"written":0,"output":800}}}"#,
        r#"{"client_compacted":{"kind":"results"}}"#,
        r#""thinking_refused""#,
        r#"{"head_changed":{"system":{"text":"You are another.","tokens":4},"tools":[],"tools_tokens":0}}"#,
        r#"{"rules_changed":{"rules":{"text":"Be kind.","tokens":3},"effect":"later"}}"#,
    ] {
        let event: EventBody = serde_json::from_str(body).expect("an event");
        events.push(lookback_engine::trace::Event { seq, at, event });
        seq.0 += 1;
    }
    writer.append(&events, Durability::Durable).expect("it is stored as it is");
    drop(writer);
    let shown = person.run_in(140, &["show", "ledger", "--trace"]).shown();
    let lines: Vec<&str> = shown.lines().rev().take(events.len()).collect();
    insta::assert_snapshot!("trace_of_decisions", lines.into_iter().rev().collect::<Vec<_>>().join("\n"));
}
