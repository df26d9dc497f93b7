mod odd;

use lookback_engine::trace::Timestamp;
use serde_json::{Value, json};

use super::super::described::{describe, read, read_bytes, skipped};
use crate::recording::{Billed, Format, Item, Recording};

/// A line of a session: `fields` over what every line has.
fn line(kind: &str, uuid: &str, parent: Option<&str>, fields: Value) -> String {
    let mut line = json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "isSidechain": false,
        "cwd": "/shop", "timestamp": "2026-01-01T00:00:00.000Z",
    });
    for (name, value) in fields.as_object().expect("fields") {
        line[name] = value.clone();
    }
    line.to_string()
}

fn typed(uuid: &str, parent: Option<&str>, text: &str) -> String {
    line("user", uuid, parent, json!({"message": {"role": "user", "content": text}}))
}

fn answer(uuid: &str, parent: &str, id: &str, block: Value) -> String {
    let usage =
        json!({"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 7, "output_tokens": 1});
    let message = json!({"id": id, "model": "claude-x", "role": "assistant", "content": [block], "usage": usage});
    line("assistant", uuid, Some(parent), json!({ "message": message }))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn uses(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn result(uuid: &str, parent: &str, id: &str, text: &str) -> String {
    let content = json!([{"type": "tool_result", "tool_use_id": id, "content": text}]);
    line("user", uuid, Some(parent), json!({"message": {"role": "user", "content": content}}))
}

fn session(lines: &[String]) -> Recording {
    read(Format::ClaudeCode, &lines.join("\n"))
}

/// The result of one call as it is described.
fn one_call(name: &str, input: Value, content: Value, failed: bool, client: Value) -> String {
    let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": failed});
    let fields = json!({"message": {"role": "user", "content": [block]}, "toolUseResult": client});
    let recording = session(&[
        typed("u1", None, "go"),
        answer("a1", "u1", "m1", uses("t1", name, input)),
        line("user", "r1", Some("a1"), fields),
    ]);
    let described = describe(&recording);
    let (_, result) = described[1].split_once(" => ").expect("a call");
    result.to_owned()
}

#[test]
fn lines_of_one_response_are_one_call_wherever_they_stand() {
    let recording = session(&[
        typed("u1", None, "fix it"),
        answer("a1", "u1", "m1", json!({"type": "thinking", "thinking": "hm", "signature": "sig"})),
        answer("a2", "a1", "m1", uses("t1", "Bash", json!({"command": "ls"}))),
        result("r1", "a2", "t1", "a.py"),
        answer("a3", "a2", "m1", uses("t2", "Bash", json!({"command": "pwd"}))),
        answer("a4", "a3", "m1", uses("t3", "Bash", json!({"command": "false"}))),
        result("r3", "a4", "t3", "third"),
        result("r2", "a3", "t2", "/shop"),
        answer("a5", "r2", "m2", text("done")),
    ]);
    assert_eq!(
        describe(&recording),
        [
            "person: fix it",
            "call End: thinking \"hm\", Bash t1, Bash t2, Bash t3 => [Run Success `ls` in \"\" = Some(0) \"a.py\"], \
             [Run Success `pwd` in \"\" = Some(0) \"/shop\"], [Run Success `false` in \"\" = Some(0) \"third\"]",
            "call End: \"done\" => ",
        ]
    );
    assert_eq!(skipped(&recording), []);
    let call = recording.calls().next().unwrap();
    assert_eq!(call.at, Some(Timestamp(1_767_225_600_000)));
    assert_eq!(call.billed, Some(Billed { uncached: 3, read: 20, written: 7, output: 1, written_1h: 0 }));
    assert_eq!(recording.about.session.as_deref(), Some("s1"));
    assert_eq!(recording.about.model.as_deref(), Some("claude-x"));
}

#[test]
fn the_last_line_of_a_response_has_its_bill() {
    let with_usage = |uuid: &str, output: u64, hour: u64, minutes: u64| {
        let usage = json!({"input_tokens": 1, "output_tokens": output, "cache_creation_input_tokens": hour + minutes,
            "cache_creation": {"ephemeral_1h_input_tokens": hour, "ephemeral_5m_input_tokens": minutes}});
        let message = json!({"id": "m1", "model": "claude-x", "content": [text("x")], "usage": usage, "stop_reason": "max_tokens"});
        line("assistant", uuid, Some("u1"), json!({ "message": message }))
    };
    let billed = |lines: &[String]| session(lines).calls().next().unwrap().billed.unwrap();
    let bill = billed(&[with_usage("a1", 1, 0, 9), with_usage("a2", 50, 8, 0)]);
    assert_eq!((bill.output, bill.written, bill.written_1h), (50, 8, 8));
    assert_eq!(billed(&[with_usage("a1", 1, 0, 9)]).written_1h, 0);
    assert_eq!(describe(&session(&[with_usage("a1", 1, 0, 0)])), ["call Limit: \"x\" => "]);
}

#[test]
fn who_speaks_is_told_by_the_line() {
    let meta = line("user", "u2", Some("u1"), json!({"isMeta": true, "message": {"content": "Caveat: …"}}));
    let picture = json!([text("look"), {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGFsbG8="}}]);
    let recording = session(&[
        typed("u1", None, "hello"),
        meta,
        typed("u3", Some("u2"), "<command-name>/clear</command-name>"),
        typed("u4", Some("u3"), "<local-command-stdout>ok</local-command-stdout>"),
        line("user", "u5", Some("u4"), json!({"message": {"content": picture}})),
        answer("a1", "u5", "m1", text("I was")),
        typed("u6", Some("a1"), "[Request interrupted by user]"),
        line(
            "assistant",
            "a2",
            Some("u6"),
            json!({"message": {"id": "x", "model": "<synthetic>", "content": [text("No response")]}}),
        ),
        line(
            "assistant",
            "a3",
            Some("u6"),
            json!({"isApiErrorMessage": true, "message": {"id": "y", "model": "m", "content": [text("API Error")]}}),
        ),
    ]);
    assert_eq!(
        describe(&recording),
        [
            "person: hello",
            "machine: Caveat: …",
            "machine: <command-name>/clear</command-name>",
            "machine: <local-command-stdout>ok</local-command-stdout>",
            "person: look\n[image: image/png, 5 bytes]",
            "call Cancelled: \"I was\" => ",
            "machine: [Request interrupted by user]",
        ]
    );
}

#[test]
fn what_was_typed_during_a_round_is_delivered_once() {
    let operation = |operation: &str, content: Value| {
        json!({"type": "queue-operation", "operation": operation, "content": content, "sessionId": "s1"}).to_string()
    };
    let attachment = |prompt: Value| {
        json!({"type": "attachment", "uuid": "x", "attachment": {"type": "queued_command", "prompt": prompt}})
            .to_string()
    };
    let recording = session(&[
        typed("u1", None, "go"),
        answer("a1", "u1", "m1", uses("t1", "Bash", json!({"command": "ls"}))),
        operation("enqueue", json!("delivered")),
        operation("remove", Value::Null),
        attachment(json!("delivered")),
        result("r1", "a1", "t1", "a"),
        operation("enqueue", json!("given back")),
        operation("popAll", json!("given back")),
        answer("a2", "r1", "m2", text("done")),
        operation("enqueue", json!("next round")),
        operation("dequeue", Value::Null),
        typed("u2", Some("a2"), "next round"),
        attachment(json!([{"type": "text", "text": "only attached"}])),
    ]);
    assert_eq!(
        describe(&recording),
        [
            "person: go",
            "call End: Bash t1 => [Run Success `ls` in \"\" = Some(0) \"a\"]",
            "queued: delivered",
            "call End: \"done\" => ",
            "person: next round",
            "queued: only attached",
        ]
    );
}

#[test]
fn compactions_stand_where_they_were_and_summaries_are_left_out() {
    let boundary = |uuid: &str, subtype: &str| line("system", uuid, None, json!({"subtype": subtype}));
    let summary = line("user", "u2", Some("b1"), json!({"isCompactSummary": true, "message": {"content": "Summary"}}));
    let recording = session(&[
        typed("u1", None, "go"),
        answer("a1", "u1", "m1", text("one")),
        boundary("b0", "microcompact_boundary"),
        boundary("b1", "compact_boundary"),
        summary.clone(),
        answer("a2", "u2", "m2", text("two")),
        summary.replace("\"u2\"", "\"u3\""),
    ]);
    let expected = [
        "person: go",
        "call End: \"one\" => ",
        "compaction of results",
        "compaction of the head",
        "call End: \"two\" => ",
        "compaction of the head",
    ];
    assert_eq!(describe(&recording), expected);
    // A file that goes on from another one has nothing but the summary.
    assert_eq!(describe(&session(&[summary])), ["machine: Summary"]);
}

#[test]
fn only_a_person_goes_back() {
    let recording = session(&[
        typed("u1", None, "first"),
        answer("a1", "u1", "m1", uses("t1", "Bash", json!({"command": "ls"}))),
        answer("a2", "a1", "m1", uses("t2", "Bash", json!({"command": "ls"}))),
        result("r1", "a1", "t1", "x"),
        result("r2", "a2", "t2", "y"),
        answer("a3", "r1", "m2", text("answer")),
        typed("u2", Some("a3"), "second"),
        answer("a4", "u2", "m3", text("wrong way")),
        typed("u3", Some("a3"), "second, better"),
        answer("a5", "u3", "m4", text("right")),
        typed("u4", None, "from the beginning"),
    ]);
    let described = describe(&recording);
    assert_eq!(described[3..6], ["person: second", "call End: \"wrong way\" => ", "back to Some(2)"]);
    assert_eq!(
        described[6..],
        ["person: second, better", "call End: \"right\" => ", "back to None", "person: from the beginning"]
    );
}

#[test]
fn a_file_without_parents_is_a_list() {
    let alone = |line: String| line.replace("\"parentUuid\":\"u1\"", "\"parentUuid\":null");
    let recording = session(&[
        typed("u1", None, "first"),
        alone(answer("a1", "u1", "m1", text("answer"))),
        typed("u2", None, "second"),
        alone(answer("a2", "u1", "m2", text("another"))),
    ]);
    let said = ["person: first", "call End: \"answer\" => ", "person: second", "call End: \"another\" => "];
    assert_eq!(describe(&recording), said);
}

#[test]
fn sub_agents_are_left_out_unless_the_file_is_theirs() {
    let aside = |line: String| line.replace("\"isSidechain\":false", "\"isSidechain\":true");
    let lines =
        [typed("u1", None, "go"), aside(typed("s1", None, "task")), aside(answer("s2", "s1", "m1", text("sub")))];
    let recording = session(&lines);
    assert_eq!(describe(&recording), ["person: go"]);
    assert_eq!(skipped(&recording), [(0, "2 lines of sub-agents left out")]);
    let own = session(&lines[1..]);
    assert_eq!(describe(&own), ["person: task", "call End: \"sub\" => "]);
    assert_eq!(skipped(&own), []);
    let mixed = session(&[lines[1].clone(), lines[0].clone()]);
    assert_eq!(describe(&mixed), ["person: task", "back to None", "person: go"]);
}

#[test]
fn what_cannot_be_used_costs_its_line() {
    let lines = [
        typed("u1", None, "go"),
        "{broken".to_owned(),
        answer("a1", "u1", "m1", uses("t1", "Bash", json!({"command": "ls"}))),
        result("r0", "a1", "t9", "nobody asked"),
        answer("a2", "a1", "m2", text("next")),
        answer("a3", "a2", "m1", text("late")),
        typed("u1", None, "go"),
        r#"{"type":"user","message":{"role":"user","content":"cut o"#.to_owned(),
    ];
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend(b"\n{\"type\":\"\xff\"}\n\n");
    let recording = read_bytes(Format::ClaudeCode, &bytes);
    assert_eq!(describe(&recording).len(), 3);
    assert!(describe(&recording)[1].contains("[Other Interrupted"));
    let reasons = skipped(&recording);
    let lines: Vec<u64> = reasons.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 4, 6, 7, 8, 9]);
    assert_eq!(reasons[1].1, "the result of t9, which no open call has");
    assert_eq!(reasons[2].1, "a line of response m1 behind other responses");
    assert_eq!(reasons[4].1, "the line ends in the middle of its JSON");
    assert_eq!(reasons[5].1, "no UTF-8 from byte 9");
}

#[test]
fn a_response_does_not_stay_open_for_ever() {
    let mut lines = vec![answer("a1", "u0", "m1", text("x"))];
    lines.extend((0..200).map(|number| typed(&format!("u{number}"), Some("a1"), "again")));
    let mut recording = Recording::new(Format::ClaudeCode);
    let mut importer = crate::import::importer(Format::ClaudeCode).unwrap();
    for line in &lines {
        importer.line(1, line.as_bytes(), &mut recording);
    }
    assert!(matches!(recording.items.first(), Some(Item::Call(_))), "given out before the end");
}

#[test]
fn files_are_read_edited_and_written() {
    let file = json!({"file_path": "/shop/src/a.py"});
    let shown = "    12→x = 1\n    13→\n\n<system-reminder>\nbe careful\n</system-reminder>\n";
    let client = json!({"type": "text", "file": {"totalLines": 40}});
    assert!(one_call("Read", file.clone(), json!(shown), false, client).starts_with("[Read Success src/a.py 12+2 "));
    assert!(
        one_call("Read", file.clone(), json!("7\tx→\n8\ty"), false, Value::Null)
            .starts_with("[Read Success src/a.py 7+2 ")
    );
    let error = json!("<tool_use_error>File does not exist.</tool_use_error>");
    assert!(one_call("Read", file, error, true, json!("Error")).starts_with("[Read Error src/a.py 1+0 "));

    let edit = json!({"file_path": "/shop/a.py", "old_string": "b\nc", "new_string": "B\nc"});
    let patch = json!({"structuredPatch": [{"oldStart": 4, "oldLines": 3, "newStart": 4, "newLines": 3,
        "lines": [" a", "-b", "+B", " c", "\\ No newline at end of file"]}]});
    assert!(
        one_call("Edit", edit.clone(), json!("updated"), false, patch)
            .starts_with("[Edit Success a.py @5 -[\"b\"] +[\"B\"] ")
    );
    assert!(
        one_call("Edit", edit, json!("updated"), false, Value::Null)
            .starts_with("[Edit Success a.py @0 -[\"b\", \"c\"] +[\"B\", \"c\"] ")
    );
    let many = json!({"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": ""}]});
    assert!(
        one_call("MultiEdit", many, json!("ok"), false, Value::Null)
            .contains("@0 -[\"a\"] +[\"b\"] @0 -[\"c\"] +[\"\"]")
    );
    let notebook = json!({"notebook_path": "/shop/n.ipynb", "new_source": "x = 1"});
    assert!(
        one_call("NotebookEdit", notebook, json!("ok"), false, Value::Null)
            .starts_with("[Edit Success n.ipynb @0 -[] +[\"x = 1\"]")
    );
    let write = json!({"file_path": "/shop/b.py", "content": "x\n"});
    assert!(
        one_call("Write", write, json!("File created successfully at: /shop/b.py"), false, Value::Null)
            .starts_with("[Write Success b.py ")
    );
}

#[test]
fn commands_say_how_they_ended() {
    let run = |content: &str, failed: bool, client: Value| {
        one_call("Bash", json!({"command": "cat /shop/a.py"}), json!(content), failed, client)
    };
    assert!(run("x", false, Value::Null).starts_with("[Run Success `cat a.py` in \"\" = Some(0) "));
    assert!(run("Exit code 101\nboom", true, Value::Null).starts_with("[Run Success `cat a.py` in \"\" = Some(101) "));
    assert!(run("Exit code 3 is what it prints", false, Value::Null).contains("= Some(0)"));
    assert!(
        run("Command timed out after 2m 0.0s", true, Value::Null)
            .starts_with("[Run Success `cat a.py` in \"\" = None ")
    );
    assert!(run("The user doesn't want to proceed with this tool use.", true, Value::Null).starts_with("[Run Error "));
    assert!(run("half", false, json!({"stdout": "half", "interrupted": true})).contains("= None"));
    assert!(run("<persisted-output>\nOutput too large", false, Value::Null).starts_with("[Run Partial "));
}

#[test]
fn searches_and_lists_name_files_from_the_root() {
    let grep = |mode: &str, path: &str, text: &str| {
        one_call("Grep", json!({"pattern": "x", "path": path, "output_mode": mode}), json!(text), false, Value::Null)
    };
    assert!(grep("content", "", "/shop/a.py:3:x\n/shop/a.py-4-y\nb.py:1:x").starts_with("[Search Success x 2/2 "));
    assert!(grep("content", "a.py", "3:x\n4-y").starts_with("[Search Success x 1/1 "));
    assert!(grep("content", "", "a.py:x\nb.py:x").starts_with("[Search Success x 0/2 "));
    assert!(grep("files_with_matches", "", "Found 2 files\na.py\nb.py").starts_with("[Search Success x 0/2 "));
    assert!(grep("count", "", "a.py:3\nb.py:4\n\nFound 7 total occurrences").starts_with("[Search Success x 0/7 "));
    assert!(grep("content", "", "No matches found").starts_with("[Search Success x 0/0 "));
    let glob = one_call("Glob", json!({"pattern": "*.py"}), json!("/shop/a.py\n/shop/w/b.py"), false, Value::Null);
    assert!(glob.starts_with("[List Success *.py [\"a.py\", \"w/b.py\"] "), "{glob}");
    let list = one_call("LS", json!({"path": "/shop"}), json!("- /shop/\n  - a.py\n  - w/\n"), false, Value::Null);
    assert!(list.starts_with("[List Success  [\"a.py\", \"w/\"] "), "{list}");
}

#[test]
fn lists_of_tasks_are_whole() {
    let todos = json!({"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]});
    let todo = one_call("TodoWrite", todos, json!("ok"), false, Value::Null);
    assert!(todo.starts_with("[Todo Success [(\"a\", Done), (\"b\", InProgress)] "), "{todo}");
    let recording = session(&[
        answer("a1", "u1", "m1", uses("t1", "TaskCreate", json!({"subject": "one"}))),
        answer("a2", "u1", "m1", uses("t2", "TaskCreate", json!({"subject": "two"}))),
        answer("a3", "u1", "m1", uses("t3", "TaskUpdate", json!({"taskId": "2", "status": "completed"}))),
        result("r1", "a1", "t1", "Task #1 created successfully: one"),
        result("r2", "a2", "t2", "Task #2 created successfully: two"),
        result("r3", "a3", "t3", "Updated task #2 status"),
    ]);
    let described = describe(&recording);
    assert!(described[0].contains("[(\"one\", Pending), (\"two\", Done)]"), "{described:?}");
    let listed = "#1 [completed] one\n#3 [pending] three [blocked by #1]";
    let listed = one_call("TaskList", json!({}), json!(listed), false, Value::Null);
    assert!(listed.contains("[(\"one\", Done), (\"three\", Pending)]"), "{listed}");
    let other = one_call("WebFetch", json!({"url": "https://example.com"}), json!([text("page")]), false, Value::Null);
    assert_eq!(other, "[Other Success  \"page\"]");
}
