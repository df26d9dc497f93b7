use lookback_engine::trace::{
    ResultData, Status,
    result::{FileFate, Hunk, TodoState},
};
use serde_json::json;

use super::*;
use crate::{
    import::parse_document,
    recording::{CallItem, Format, Recording},
};

fn import(messages: Value) -> Recording {
    let mut recording = Recording::new(Format::Opencode);
    let document = json!({"info": {"id": "ses_1", "directory": "/app"}, "messages": messages}).to_string();
    recording.about = parse_document(Format::Opencode, document.as_bytes(), &mut recording).expect("a whole document");
    recording
}

fn user(parts: Value) -> Value {
    json!({"info": {"role": "user", "time": {"created": 1_700_000_000_000_i64}}, "parts": parts})
}

fn assistant(parts: Value) -> Value {
    json!({"info": {"role": "assistant", "mode": "build", "modelID": "m", "time": {"created": 1_700_000_001_000_i64},
        "tokens": {"input": 1, "output": 1}}, "parts": parts})
}

fn tool(name: &str, state: Value) -> Value {
    json!({"type": "tool", "tool": name, "callID": "c", "state": state})
}

fn only_result(name: &str, state: Value) -> ToolResult {
    let recording = import(json!([assistant(json!([tool(name, state)]))]));
    assert_eq!(recording.skipped, []);
    recording.calls().next().unwrap().results[0].clone()
}

#[test]
fn every_step_is_a_call() {
    let finish = |input: u64| json!({"type": "step-finish", "reason": "tool-calls", "tokens": {"input": input, "output": 3, "reasoning": 2, "cache": {"read": 10, "write": 4}}});
    let recording = import(json!([
        user(
            json!([{"type": "text", "text": "see @a"}, {"type": "text", "synthetic": true, "text": "a holds 1"}, {"type": "file"}])
        ),
        assistant(json!([
            {"type": "step-start"}, {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Look."},
            tool("bash", json!({"status": "completed", "input": {"command": "ls"}, "output": "a", "metadata": {"exit": 0}})), finish(100),
            {"type": "step-start"}, {"type": "text", "text": "Done.", "time": {"start": 1_700_000_009_000_i64}}, finish(20), {"type": "patch"}
        ])),
        assistant(json!([])),
        user(json!([{"type": "text", "synthetic": true, "text": "go on"}])),
        user(json!([{"type": "file", "filename": "a.png"}])),
        user(json!([{"type": "text", "text": " "}])),
    ]));
    assert_eq!(recording.skipped, []);
    assert_eq!(
        recording.about,
        About { session: Some("ses_1".into()), cwd: Some("/app".into()), model: Some("m".into()), ..About::default() }
    );
    let users: Vec<(&str, Origin)> = recording
        .items
        .iter()
        .filter_map(|item| match item {
            Item::User(user) => Some((user.text.as_str(), user.origin)),
            _ => None,
        })
        .collect();
    assert_eq!(
        users,
        [
            ("see @a", Origin::Person),
            ("a holds 1", Origin::Machine),
            ("go on", Origin::Machine),
            ("[file a.png]", Origin::Person)
        ]
    );
    let calls: Vec<&CallItem> = recording.calls().collect();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].billed, Some(Billed { uncached: 100, read: 10, written: 4, output: 5, written_1h: 0 }));
    assert_eq!((calls[0].parts.len(), calls[0].results.len(), calls[0].at), (3, 1, Some(Timestamp(1_700_000_001_000))));
    assert_eq!((calls[1].parts.len(), calls[1].results.len(), calls[1].at), (1, 0, Some(Timestamp(1_700_000_009_000))));
    assert_eq!(calls[1].billed.map(|billed| billed.uncached), Some(20));
}

#[test]
fn compactions_and_cleared_results() {
    let cleared = tool(
        "bash",
        json!({"status": "completed", "input": {"command": "ls"}, "output": "a",
        "time": {"start": 1, "compacted": 1_700_000_005_000_i64}}),
    );
    let mut late = user(json!([{"type": "text", "text": "more"}]));
    late["info"]["time"]["created"] = json!(1_700_000_006_000_i64);
    let mut summary = assistant(json!([{"type": "text", "text": "all of it"}]));
    summary["info"]["mode"] = json!("compaction");
    summary["info"]["tokens"] = json!({"input": 9000, "output": 50});
    let recording = import(json!([
        assistant(json!([cleared])),
        user(json!([{"type": "text", "text": "x"}])),
        late,
        user(json!([{"type": "compaction", "auto": false}])),
        summary
    ]));
    let compactions: Vec<(usize, CompactionKind, Option<u64>)> = recording
        .items
        .iter()
        .enumerate()
        .filter_map(|(place, item)| match item {
            Item::Compaction(compaction) => {
                Some((place, compaction.kind, compaction.billed.map(|billed| billed.uncached)))
            }
            _ => None,
        })
        .collect();
    assert_eq!(compactions, [(2, CompactionKind::Results, None), (4, CompactionKind::Head, Some(9000))]);
    assert_eq!(recording.items.len(), 5);
}

#[test]
fn tools_by_what_they_did() {
    let done = |input: Value, output: &str, metadata: Value| json!({"status": "completed", "input": input, "output": output, "metadata": metadata});
    let shown =
        "<path>/app/a.rs</path>\n<type>file</type>\n<content>\n3: x\n4: \n\n(End of file - total 4 lines)\n</content>";
    let ResultData::Read(read) = only_result(
        "read",
        done(json!({"filePath": "/app/a.rs", "offset": 3}), shown, json!({"display": {"totalLines": 4}})),
    )
    .data
    else {
        panic!("no read")
    };
    assert_eq!((read.path.as_str(), read.first_line, read.line_count, read.total_lines), ("a.rs", 3, 2, Some(4)));
    let ResultData::Read(read) =
        only_result("read", done(json!({"filePath": "a.rs"}), "<file>\n00001| x\n00002| y: 3\n</file>", json!({})))
            .data
    else {
        panic!("no read")
    };
    assert_eq!((read.first_line, read.line_count), (1, 2));

    let arguments = json!({"filePath": "/app/a.rs", "oldString": "x", "newString": "y"});
    let diff = "--- a\n+++ a\n@@ -3,1 +3,1 @@\n-x\n+y\n";
    let ResultData::Edit(edit) = only_result("edit", done(arguments.clone(), "ok", json!({"diff": diff}))).data else {
        panic!("no edit")
    };
    assert_eq!(edit.hunks, [Hunk { first_line: 3, removed: vec!["x".into()], added: vec!["y".into()] }]);
    let refused =
        only_result("edit", json!({"status": "error", "input": arguments, "error": "Could not find oldString"}));
    assert_eq!((refused.status, refused.data.kind()), (Status::Error, lookback_engine::trace::ToolKind::Edit));

    let ResultData::Write(write) =
        only_result("write", done(json!({"filePath": "/app/n", "content": "1\n"}), "ok", json!({"exists": false})))
            .data
    else {
        panic!("no write")
    };
    assert!(write.created);
    let ResultData::Run(run) =
        only_result("bash", done(json!({"command": "make", "workdir": "/app/web"}), "no", json!({"exit": 2}))).data
    else {
        panic!("no run")
    };
    assert_eq!((run.cwd.as_str(), run.exit_code), ("web", Some(2)));
    let found = "Found 2 matches\n/app/a.rs:\n  Line 3: fn x:\n\n/app/b.rs:\n  Line 9: x\n";
    let ResultData::Search(search) =
        only_result("grep", done(json!({"pattern": "x"}), found, json!({"matches": 2, "truncated": false}))).data
    else {
        panic!("no search")
    };
    assert_eq!(
        search.matches.iter().map(|found| (found.path.as_str(), found.line)).collect::<Vec<_>>(),
        [("a.rs", 3), ("b.rs", 9)]
    );
    let ResultData::List(list) = only_result(
        "glob",
        done(
            json!({"pattern": "*.rs"}),
            "/app/a.rs\n/app/b.rs\n\n(Results are truncated.)",
            json!({"truncated": true}),
        ),
    )
    .data
    else {
        panic!("no list")
    };
    assert_eq!((list.entries, list.truncated), (vec!["a.rs".to_owned(), "b.rs".to_owned()], true));
    let ResultData::Todo { items } =
        only_result("todowrite", done(json!({"todos": [{"content": "do", "status": "in_progress"}]}), "[]", json!({})))
            .data
    else {
        panic!("no todo")
    };
    assert_eq!(items[0].state, TodoState::InProgress);
    let ResultData::Run(run) =
        only_result("patch", done(json!({"patchText": "*** Begin Patch\n*** End Patch"}), "ok", json!({}))).data
    else {
        panic!("no run")
    };
    assert!(run.command.starts_with("apply_patch <<'PATCH'\n*** Begin"), "it names no file: anything may have changed");
    let two = "*** Begin Patch\n*** Update File: /app/a.rs\n@@\n-x\n+y\n*** Delete File: b.rs\n*** End Patch";
    let patched = only_result("apply_patch", done(json!({"patchText": two}), "ok", json!({}))).data;
    let ResultData::Patch(patch) = patched else { panic!("no patch") };
    let files: Vec<_> = patch.files.iter().map(|file| (file.edit.path.as_str(), file.fate)).collect();
    assert_eq!(files, [("a.rs", FileFate::Edited), ("b.rs", FileFate::Deleted)]);
    assert_eq!(
        only_result("task", done(json!({"prompt": "p"}), "r", json!({}))).data,
        ResultData::Other(json!({"prompt": "p"}))
    );
    assert_eq!(
        only_result("bash", json!({"status": "running", "input": {"command": "ls"}})),
        ToolResult::interrupted()
    );
}

#[test]
fn what_is_broken_is_skipped_and_said() {
    let recording =
        import(json!([3, user(json!([{"type": "text", "text": "x"}])), {"info": {"role": "cook"}, "parts": []}]));
    let said: Vec<&str> = recording.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    assert_eq!(said, ["message 1: no role", "message 3: unknown role \"cook\""]);
    assert_eq!(recording.items.len(), 1);
}
