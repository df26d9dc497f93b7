use lookback_engine::trace::{NoBlobs, ResultData, Status, Timestamp, ToolResult, result::Hunk};
use serde_json::json;

use super::*;
use crate::{
    import::parse_document,
    recording::{CallItem, Format, Recording},
};

fn import_bytes(bytes: &[u8]) -> Recording {
    let mut recording = Recording::new(Format::GeminiCli);
    recording.about = parse_document(Format::GeminiCli, bytes, &mut recording).expect("a whole document");
    recording
}

fn import(messages: Value) -> Recording {
    import_bytes(json!({"sessionId": "s", "directories": ["/app"], "messages": messages}).to_string().as_bytes())
}

fn user(id: &str, said: &str) -> Value {
    json!({"id": id, "timestamp": "2026-04-17T15:00:00Z", "type": "user", "content": [{"text": said}]})
}

fn gemini(id: &str, calls: Value) -> Value {
    json!({"id": id, "timestamp": "2026-04-17T15:00:05Z", "type": "gemini", "content": "Yes.", "model": "g",
        "thoughts": [{"subject": "Plan", "description": "look"}], "toolCalls": calls,
        "tokens": {"input": 100, "output": 5, "cached": 64, "thoughts": 7, "tool": 0, "total": 112}})
}

fn call(name: &str, args: Value, output: &str) -> Value {
    json!({"id": "c", "name": name, "args": args, "status": "success",
        "result": [{"functionResponse": {"id": "c", "name": name, "response": {"output": output}}}]})
}

fn only_result(call: Value) -> ToolResult {
    let recording = import(json!([gemini("g", json!([call]))]));
    assert_eq!(recording.skipped, []);
    recording.calls().next().unwrap().results[0].clone()
}

fn shown(result: &ToolResult) -> String {
    String::from_utf8(result.text.bytes(&NoBlobs).unwrap().to_vec()).unwrap()
}

#[test]
fn responses_with_their_bills() {
    let mut cancelled = call("run_shell_command", json!({"command": "rm x"}), "");
    cancelled["status"] = json!("cancelled");
    cancelled["result"] =
        json!([{"functionResponse": {"response": {"error": "[Operation Cancelled] Reason: denied"}}}]);
    let mut lost = call("glob", json!({"pattern": "*"}), "");
    lost["result"] = json!(null);
    let recording = import(json!([
        user("u", "hello"),
        gemini("g", json!([cancelled, lost])),
        {"id": "i", "type": "info", "content": "Request cancelled."},
        {"id": "x", "type": "gemini", "content": "", "thoughts": []},
        {"id": "y", "type": "quip"}
    ]));
    assert_eq!(
        recording.skipped.iter().map(|skipped| skipped.reason.as_str()).collect::<Vec<_>>(),
        ["message 5: unknown type \"quip\""]
    );
    assert_eq!(recording.items.len(), 2);
    let calls: Vec<&CallItem> = recording.calls().collect();
    assert_eq!(calls[0].at, Some(Timestamp(1_776_438_005_000)));
    assert_eq!(calls[0].billed, Some(Billed { uncached: 36, read: 64, written: 0, output: 12, written_1h: 0 }));
    assert_eq!(calls[0].parts[0], NewPart::Thinking { text: "Plan: look".into(), seal: Seal::None });
    assert_eq!(calls[0].results[0].status, Status::Interrupted);
    assert!(shown(&calls[0].results[0]).contains("denied"));
    assert_eq!(calls[0].results[1], ToolResult::interrupted());
}

#[test]
fn tools_by_what_they_did() {
    let ResultData::Read(read) =
        only_result(call("read_file", json!({"file_path": "/app/a.rs", "start_line": 3, "end_line": 4}), "x\ny\n"))
            .data
    else {
        panic!("no read")
    };
    assert_eq!((read.path.as_str(), read.first_line, read.line_count, read.total_lines), ("a.rs", 3, 2, None));
    let long = "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 11-12 of 90 total lines.\nAction: read on\n\n--- FILE CONTENT (truncated) ---\nx\ny";
    let result = only_result(call("read_file", json!({"absolute_path": "/app/a.rs", "offset": 10}), long));
    assert_eq!(result.status, Status::Partial);
    let ResultData::Read(read) = result.data else { panic!("no read") };
    assert_eq!((read.first_line, read.line_count, read.total_lines), (11, 2, Some(90)));

    let mut edit = call("replace", json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"}), "ok");
    let ResultData::Edit(unplaced) = only_result(edit.clone()).data else { panic!("no edit") };
    assert_eq!(unplaced.hunks[0].first_line, 0);
    edit["resultDisplay"] = json!({"fileDiff": "@@ -2,1 +2,1 @@\n-x\n+y\n"});
    let ResultData::Edit(placed) = only_result(edit).data else { panic!("no edit") };
    assert_eq!(placed.hunks, [Hunk { first_line: 2, removed: vec!["x".into()], added: vec!["y".into()] }]);

    let run = |output: &str| {
        let result = only_result(call("run_shell_command", json!({"command": "make"}), output));
        let ResultData::Run(run) = &result.data else { panic!("no run") };
        (run.exit_code, shown(&result))
    };
    assert_eq!(run("Output: a\nb\nProcess Group PGID: 7"), (Some(0), "a\nb\n".into()));
    assert_eq!(run("Output: (empty)\nProcess Group PGID: 7"), (Some(0), String::new()));
    let failed = "Output: no\nExit Code: 2\nProcess Group PGID: 7";
    assert_eq!(run(failed), (Some(2), failed.into()));
    let older = "Command: make\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: 0";
    assert_eq!(run(older), (Some(0), older.into()));

    let found = "Found 2 matches for pattern \"x\" in path \".\":\n---\nFile: src/a.rs\nL3:   x\nL9: x: 1\n---";
    let ResultData::Search(found) = only_result(call("grep_search", json!({"pattern": "x"}), found)).data else {
        panic!("no search")
    };
    assert_eq!((found.match_count, found.matches[1].line, found.matches[1].text.as_str()), (2, 9, "x: 1"));
    let ResultData::List(list) = only_result(call(
        "glob",
        json!({"pattern": "*.rs"}),
        "Found 1 file(s) matching \"*.rs\" within /app:\n/app/a.rs",
    ))
    .data
    else {
        panic!("no list")
    };
    assert_eq!(list.entries, ["a.rs"]);
    let ResultData::Write(write) = only_result(call(
        "write_file",
        json!({"file_path": "n", "content": "1"}),
        "Successfully created and wrote to new file: /app/n.",
    ))
    .data
    else {
        panic!("no write")
    };
    assert!(write.created);
    let ResultData::Todo { items } =
        only_result(call("write_todos", json!({"todos": [{"description": "d", "status": "completed"}]}), "ok")).data
    else {
        panic!("no todo")
    };
    assert_eq!(items.len(), 1);
    let mut refused = call("replace", json!({"file_path": "a", "old_string": "x", "new_string": "y"}), "");
    refused["status"] = json!("error");
    refused["result"] = json!([{"functionResponse": {"response": {"error": "0 occurrences found"}}}]);
    let refused = only_result(refused);
    assert_eq!((refused.status, shown(&refused).as_str()), (Status::Error, "0 occurrences found"));
}

#[test]
fn a_log_is_replayed() {
    let lines = [
        json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-04-17T15:00:00Z", "kind": "main"}),
        user("a", "one"),
        json!({"id": "b", "type": "gemini", "content": "Ye"}),
        gemini("b", json!([call("glob", json!({"pattern": "*"}), "Found 0")])),
        json!({"$set": {"lastUpdated": "2026-04-17T15:01:00Z"}}),
        user("c", "two"),
        gemini("d", json!([])),
        json!({"$rewindTo": "c"}),
        user("e", "two again"),
        json!({"$set": {"messages": [{"id": "z", "type": "user", "content": "summary"}], "lastUpdated": "2026-04-17T16:00:00Z"}}),
        user("f", "three"),
        json!({"$set": {"messages": [{"id": "a", "type": "user", "content": "one"}]}}),
    ];
    let mut text = lines.iter().map(|line| line.to_string() + "\n").collect::<String>();
    text.push_str("{\"id\": \"g\", \"ty");
    let recording = import_bytes(text.as_bytes());
    assert_eq!(recording.about.session.as_deref(), Some("s"));
    assert_eq!(recording.skipped.iter().map(|skipped| skipped.line).collect::<Vec<_>>(), [13]);
    let story: Vec<String> = recording
        .items
        .iter()
        .map(|item| match item {
            Item::User(user) => user.text.clone(),
            Item::Call(call) => format!("call {}", call.results.len()),
            Item::Compaction(_) => "compaction".into(),
            Item::Rewind { last } => format!("back to {last:?}"),
        })
        .collect();
    assert_eq!(
        story,
        ["one", "call 1", "two", "call 0", "back to Some(1)", "two again", "compaction", "three", "back to Some(0)"]
    );
}

#[test]
fn a_cut_document_is_damaged() {
    let mut recording = Recording::new(Format::GeminiCli);
    let cut = b"{\n \"sessionId\": \"s\",\n \"messages\": [\n {\"id\": \"a\", \"type\": \"user\"},\n";
    let error = parse_document(Format::GeminiCli, cut, &mut recording).unwrap_err();
    assert!(matches!(error, ImportError::Damaged { .. }), "{error}");
}
