//! The rules of the seed, one test each, on results as tools give them.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;
use crate::trace::{
    BlobHash, NoBlobs,
    output::BothEnds,
    result::{
        EditData, Hunk, LineForm, ListData, ReadData, RunData, SearchData, SearchMatch, TestReport, TodoItem,
        TodoState, WriteData,
    },
};

mod properties;

fn settle(result: &ToolResult) -> String {
    let text = result.text.bytes(&NoBlobs).unwrap();
    settle_result(result, "cmd#7", &text, &SettleLimits::default())
}

fn data(result: &ToolResult) -> Value {
    let settled: Value = serde_json::from_str(&settle(result)).unwrap();
    settled["data"].clone()
}

fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

fn lines(range: std::ops::RangeInclusive<u32>) -> Vec<String> {
    range.map(|number| format!("line {number}")).collect()
}

fn read(line_count: u32) -> ToolResult {
    let text: String = (1..=line_count).map(|number| format!("{number:6}→line {number}\n")).collect();
    ToolResult::success(
        text,
        ResultData::Read(ReadData {
            path: "src/a.py".into(),
            first_line: 1,
            line_count,
            total_lines: Some(2_000),
            form: LineForm::Numbered { separator: "→".into() },
            mtime: Some(1_700_000_000_000),
            truncated: false,
        }),
    )
}

fn search(found: u32) -> ToolResult {
    let matches = (1..=found)
        .map(|number| SearchMatch { path: format!("src/{}.py", number % 3), line: number, text: "import re".into() })
        .collect();
    let data = SearchData { pattern: "import \\w+".into(), match_count: found, matches, truncated: false };
    ToolResult::success("", ResultData::Search(data))
}

fn list(subject: &str, entries: &[String]) -> ToolResult {
    let data = ListData {
        subject: subject.into(),
        entry_count: entries.len() as u32,
        entries: entries.to_vec(),
        truncated: false,
    };
    ToolResult::success("", ResultData::List(data))
}

fn edit(hunks: Vec<Hunk>) -> ToolResult {
    ToolResult::success("", ResultData::Edit(EditData { path: "src/a.py".into(), hunks }))
}

fn write(content: impl Into<Output>) -> ToolResult {
    let data = WriteData { path: "src/new.py".into(), created: true, content: content.into() };
    ToolResult::success("wrote src/new.py", ResultData::Write(data))
}

fn run(text: &str, run: RunData) -> ToolResult {
    ToolResult::success(text, ResultData::Run(run))
}

fn ended(exit_code: Option<i32>) -> RunData {
    RunData { command: "pytest -q".into(), exit_code, ..RunData::default() }
}

#[test]
fn seed_a3_ls_keeps_counts_and_the_first_entries() {
    let entries: Vec<String> =
        ["src/", "tests/"].map(String::from).into_iter().chain((0..38).map(|n| format!("{n}.txt"))).collect();
    assert_snapshot!(settle(&list(".", &entries)), @r#"{"pointer":"cmd#7","status":"success","data":{"subject":".","entry_count":40,"directory_count":2,"entries":["src/","tests/","0.txt","1.txt","2.txt"],"entries_left_out":35}}"#);
}

#[test]
fn seed_a3_glob_keeps_ten_hits_or_the_first_five() {
    let hits: Vec<String> = (1..=11).map(|number| format!("src/{number}.rs")).collect();
    assert_eq!(data(&list("**/*.rs", &hits[..10]))["entries"], json!(hits[..10]));
    assert_snapshot!(settle(&list("**/*.rs", &hits)), @r#"{"pointer":"cmd#7","status":"success","data":{"subject":"**/*.rs","entry_count":11,"entries":["src/1.rs","src/2.rs","src/3.rs","src/4.rs","src/5.rs"],"entries_left_out":6}}"#);
}

#[test]
fn seed_a3_grep_keeps_five_matches() {
    assert_snapshot!(settle(&search(7)), @r#"{"pointer":"cmd#7","status":"success","data":{"pattern":"import \\w+","match_count":7,"file_count":3,"matches":["src/1.py:1: import re","src/2.py:2: import re","src/0.py:3: import re","src/1.py:4: import re","src/2.py:5: import re"],"matches_left_out":2}}"#);
    assert_eq!(data(&search(5)).get("matches_left_out"), None);
}

#[test]
fn seed_a3_read_keeps_the_range_with_line_numbers() {
    let mut result = read(3);
    if let ResultData::Read(read) = &mut result.data {
        read.first_line = 40;
        read.form = LineForm::Plain { start: 8, end: 25 };
    }
    result.text = "reading\ndef f():\n\ty=1\nend".into();
    assert_snapshot!(settle(&result), @r#"{"pointer":"cmd#7","status":"success","data":{"path":"src/a.py","lines":"40-42","total_lines":2000,"mtime":1700000000000,"content":"40: def f():\n41: \ty=1\n42: end"}}"#);
}

#[test]
fn seed_a3_read_keeps_five_hundred_lines() {
    let whole = data(&read(500));
    assert_eq!(whole["content"].as_str().unwrap().lines().count(), 500);
    assert_eq!(whole.get("lines_left_out"), None);

    let longer = data(&read(700));
    assert_eq!(longer["lines"], "1-700");
    assert_eq!(longer["content"].as_str().unwrap().lines().last(), Some("500: line 500"));
    assert_eq!(longer["lines_left_out"], 200);
}

#[test]
fn lines_that_cannot_be_found_in_the_text_count_as_left_out() {
    let mut result = read(3);
    result.text = "%PDF".into();
    assert_eq!(data(&result)["lines_left_out"], 3);
}

#[test]
fn seed_a3_edit_keeps_the_changed_ranges_and_a_snippet() {
    let hunks = vec![
        Hunk { first_line: 3, removed: vec!["x = 1".into()], added: vec!["x = 2".into(), "y = 3".into()] },
        Hunk { first_line: 90, removed: vec!["pass".into()], added: vec![] },
    ];
    assert_snapshot!(settle(&edit(hunks)), @r#"{"pointer":"cmd#7","status":"success","data":{"path":"src/a.py","lines_added":2,"lines_removed":2,"changes":["3-4 +2 -1","90 +0 -1"],"diff":"-3: x = 1\n+3: x = 2\n+4: y = 3\n-90: pass"}}"#);
}

#[test]
fn seed_a3_a_large_diff_keeps_only_its_summary() {
    let hunk = |added| Hunk { first_line: 3, removed: vec!["x".into()], added };
    assert_eq!(data(&edit(vec![hunk(lines(1..=49))]))["diff"].as_str().unwrap().lines().count(), 50);
    assert_snapshot!(settle(&edit(vec![hunk(lines(1..=50))])), @r#"{"pointer":"cmd#7","status":"success","data":{"path":"src/a.py","lines_added":50,"lines_removed":1,"changes":["3-52 +50 -1"],"diff_lines_left_out":51}}"#);
}

#[test]
fn seed_a3_write_keeps_fifty_lines_or_the_first_twenty() {
    assert_snapshot!(settle(&write("import re\n\nprint(re)\n")), @r#"{"pointer":"cmd#7","status":"success","data":{"path":"src/new.py","created":true,"bytes":21,"line_count":3,"content":"1: import re\n2: \n3: print(re)"}}"#);

    assert_eq!(data(&write(lines(1..=50).join("\n")))["content"].as_str().unwrap().lines().count(), 50);
    let longer = data(&write(lines(1..=51).join("\n")));
    assert_eq!(longer["content"].as_str().unwrap().lines().last(), Some("20: line 20"));
    assert_eq!((&longer["line_count"], &longer["lines_left_out"]), (&json!(51), &json!(31)));
}

#[test]
fn written_content_that_lies_in_a_store_is_fetched() {
    struct Store(Output);
    impl Blobs for Store {
        fn blob(&self, _: &BlobHash) -> Result<bytes::Bytes, BlobError> {
            self.0.bytes(&NoBlobs)
        }
    }
    let inline = Output::from("import re\n");
    let stored = Output::Blob { hash: BlobHash::of(b"import re\n"), len: 10 };
    let plan = |result: &ToolResult, blobs: &dyn Blobs| {
        plan_settle(result, "cmd#7", u32::MAX, &SettleLimits::default(), &count, blobs)
    };

    let settled = Settled::Shorter(settle(&write(inline.clone())));
    assert_eq!(plan(&write(stored.clone()), &Store(inline)), Ok(settled));
    assert!(plan(&write(stored.clone()), &NoBlobs).is_err());
    assert_eq!(data(&write(stored)), json!({"path": "src/new.py", "created": true, "bytes": 10}));
}

#[test]
fn seed_a3_bash_summarises_stdout_and_keeps_twenty_lines_of_stderr() {
    let stderr_tail = lines(1..=30).join("\n");
    let settled = data(&run("lots\nof\noutput\n", RunData { stderr_tail, ..ended(Some(1)) }));
    assert_eq!(settled["stderr_tail"], lines(11..=30).join("\n"));
    assert_eq!(settled["output"], "3 lines, 15 bytes");
    assert!(!settled.to_string().contains("lots"));
}

#[test]
fn a_command_that_went_well_keeps_its_edges_and_the_files_it_names() {
    let output = format!("diff --git a/src/a.rs b/src/a.rs\n{}\n+++ b/lib/b.py\n+end\n", lines(1..=30).join("\n"));
    let settled = data(&run(&output, ended(Some(0))));
    assert_eq!(settled["output"], "33 lines, 284 bytes");
    assert_eq!(settled["output_head"], "diff --git a/src/a.rs b/src/a.rs\nline 1");
    assert_eq!(settled["output_tail"], "+++ b/lib/b.py\n+end");
    assert_eq!(settled["files"], json!(["src/a.rs", "lib/b.py"]));
    assert_eq!(data(&run("one\n", ended(Some(0))))["output_head"], "one");
}

#[test]
fn seed_a3_bash_gives_its_tests_in_one_line() {
    let failures = (1..=12).map(|number| format!("test_{number}")).collect();
    let tests = TestReport { framework: "pytest".into(), passed: 40, failed: 12, skipped: 1, failures };
    let result =
        run("…\n12 failed, 40 passed\n", RunData { tests: Some(Box::new(tests)), cwd: "api".into(), ..ended(Some(0)) });
    assert_snapshot!(settle(&result), @r#"{"pointer":"cmd#7","status":"success","data":{"command":"pytest -q","cwd":"api","exit_code":0,"tests":"pytest: 40 passed, 12 failed, 1 skipped; failed: test_1, test_2, test_3, test_4, test_5 (and 7 more)","output":"2 lines, 25 bytes"}}"#);
}

#[test]
fn a_failed_command_without_stderr_of_its_own_keeps_the_end_of_its_output() {
    assert_eq!(data(&run("compiling\nerror: E0308\n", ended(Some(1))))["output_tail"], "compiling\nerror: E0308");
    assert_eq!(data(&run("compiling\nerror: E0308\n", ended(None)))["output_tail"], "compiling\nerror: E0308");
    assert_eq!(data(&run("ok\n", ended(Some(0)))).get("output_tail"), None);
}

#[test]
fn seed_a3_todo_keeps_only_the_recap() {
    let item = |text: &str, state| TodoItem { text: text.into(), state };
    let items = vec![
        item("reproduce", TodoState::Done),
        item("fix the parser", TodoState::InProgress),
        item("add a test", TodoState::Pending),
        item("write the notes", TodoState::Pending),
        item("rewrite it all", TodoState::Cancelled),
    ];
    assert_snapshot!(settle(&ToolResult::success("", ResultData::Todo { items })), @r#"{"pointer":"cmd#7","status":"success","data":{"recap":"1 of 5 done; now: fix the parser; next: add a test; 1 cancelled"}}"#);
}

#[test]
fn seed_d2_unknown_data_is_cut_in_breadth_depth_and_length() {
    let value = json!({
        "items": (0..30).collect::<Vec<_>>(),
        "body": "x".repeat(500),
        "a": {"b": {"c": {"d": {"e": 1, "applied": false}}}},
        "fallback": "plain",
    });
    assert_snapshot!(
        settle(&ToolResult::success("", ResultData::Other(value))).replace(&"x".repeat(400), "x…x"), @r#"{"pointer":"cmd#7","status":"success","data":{"a":{"b":{"c":{"d":{"applied":false,"…":"[+1 keys]"}}}},"body":"x…x…[+100 characters]","fallback":"plain","items":[0,1,2,3,4,"…[+25 items]"]}}"#);
}

#[test]
fn unknown_data_that_is_too_much_loses_length_and_then_levels() {
    let table = |length| {
        let row = json!({"body": "x".repeat(length)});
        ToolResult::success("", ResultData::Other(json!({"rows": vec![row; 10], "truncated": true})))
    };
    let short = json!({"body": format!("{}…[+240 characters]", "x".repeat(200))});
    assert_eq!(data(&table(440)), json!({"rows": vec![short; 10], "truncated": true}));

    let wide = json!({"rows": vec![json!(vec![json!(vec!["x".repeat(90); 9]); 9]); 9], "applied": false});
    let cut = data(&ToolResult::success("", ResultData::Other(wide)));
    assert_eq!(cut, json!({"rows": vec![json!(vec![["…[+9 items]"]; 9]); 9], "applied": false}));
}

#[test]
fn a_tool_without_data_keeps_the_start_of_its_text() {
    let result = ToolResult::success(lines(1..=60).join("\n"), ResultData::Other(Value::Null));
    assert_eq!(data(&result), json!({"text": lines(1..=20).join("\n"), "lines_left_out": 40}));
}

#[test]
fn seed_c1_keeps_status_and_the_complete_error() {
    let message = "no such file\n".repeat(200);
    let result = ToolResult::failure("NOT_FOUND", &message, ResultData::Other(Value::Null));
    let settled: Value = serde_json::from_str(&settle(&result)).unwrap();
    let error = json!({"code": "NOT_FOUND", "message": message});
    assert_eq!(settled, json!({"pointer": "cmd#7", "status": "error", "data": null, "error": error}));
    let result = ToolResult::failure("CONFLICT", "changed since", edit(vec![]).data);
    assert_snapshot!(settle(&result), @r#"{"pointer":"cmd#7","status":"error","data":{"path":"src/a.py","lines_added":0,"lines_removed":0,"changes":[]},"error":{"code":"CONFLICT","message":"changed since"}}"#);
}

#[test]
fn seed_c1_drops_text_stats_and_context() {
    let mut result = search(1);
    result.text = "the text".into();
    result.stats = Some(Box::new(json!({"time_ms": 12})));
    result.context = Some(Box::new(json!({"cwd": "/srv"})));
    let settled = settle(&result);
    for gone in ["the text", "time_ms", "cwd", "stats", "context"] {
        assert!(!settled.contains(gone), "{settled}");
    }
}

#[test]
fn seed_c1_keeps_state_marks() {
    let mut result = search(1);
    result.status = Status::Partial;
    if let ResultData::Search(search) = &mut result.data {
        search.truncated = true;
    }
    assert_snapshot!(settle(&result), @r#"{"pointer":"cmd#7","status":"partial","data":{"pattern":"import \\w+","match_count":1,"truncated":true,"matches":["src/1.py:1: import re"]}}"#);

    let mut fields: serde_json::Map<String, Value> = (0..100).map(|n| (format!("a{n}"), Value::Null)).collect();
    fields.insert("applied".into(), true.into());
    fields.insert("truncated".into(), false.into());
    let cut = data(&ToolResult::success("", ResultData::Other(Value::Object(fields))));
    assert_eq!((&cut["applied"], &cut["truncated"], &cut["…"]), (&json!(true), &json!(false), &json!("[+80 keys]")));
}

#[test]
fn an_interrupted_result_settles_too() {
    assert_snapshot!(settle(&ToolResult::interrupted()), @r#"{"pointer":"cmd#7","status":"interrupted","data":{"text":"interrupted: this call did not run to its end; what it did before is not known"}}"#);
}

#[test]
fn only_the_shorter_form_is_used() {
    let plan = |result: &ToolResult| {
        let live = count(&result.text.bytes(&NoBlobs).unwrap());
        plan_settle(result, "cmd#7", live, &SettleLimits::default(), &count, &NoBlobs).unwrap()
    };
    assert_eq!(plan(&read(3)), Settled::AsItIs);
    assert_eq!(plan(&read(900)), Settled::Shorter(settle(&read(900))));
}

#[test]
fn a_result_that_was_cut_in_the_view_settles_from_the_whole() {
    let log = lines(1..=9_000).join("\n");
    let result = run(&log, ended(Some(0)));
    assert_eq!(data(&result)["output"], format!("9000 lines, {} bytes", log.len()));

    // The cut of a read can be shorter than five hundred lines: then it stays.
    let plan = |live| plan_settle(&read(900), "cmd#7", live, &SettleLimits::default(), &count, &NoBlobs).unwrap();
    assert_eq!(plan(100), Settled::AsItIs);
}

#[test]
fn behind_the_head_of_an_output_beyond_the_limit_no_line_is_taken() {
    let ends = BothEnds { head: "a\nb\n".into(), tail: "z\n".into(), len: 1 << 30, hash: BlobHash::of(b"") };
    let text = Output::Beyond(Box::new(ends));
    let mut result = read(3);
    result.text = text;
    if let ResultData::Read(read) = &mut result.data {
        read.form = LineForm::Plain { start: 0, end: 1 << 30 };
    }
    assert_eq!(data(&result)["content"], "1: a\n2: b");
    let result = ToolResult { text: result.text, ..run("", ended(None)) };
    assert_eq!(data(&result)["output"], "1073741824 bytes");
}

#[test]
fn a_delta_settles_to_its_header_and_its_ids() {
    let questions: Vec<Value> =
        (1..=30).map(|number| json!({ "id": format!("q{number}"), "text": "x".repeat(90) })).collect();
    let body = json!({ "open_questions": questions, "anchors": ["a1 stale since turn#4", { "id": "a2" }] });
    let text = format!("STATE_DELTA v7\n{body}\n1 refused: no evidence");
    let ids: Vec<String> = (1..=30).map(|number| format!("q{number}")).collect();
    let recap = format!("STATE_DELTA v7: {}, a2", ids.join(", "));
    let settled = data(&ToolResult::success(text, ResultData::Other(Value::Null)));
    assert_eq!(settled, json!({ "recap": recap, "lines_left_out": 1 }));
    let other = data(&ToolResult::success("STATE_DELTA views\n{}", ResultData::Other(Value::Null)));
    assert_eq!(other["text"], "STATE_DELTA views\n{}");
}
