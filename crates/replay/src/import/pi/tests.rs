use lookback_engine::trace::{
    ResultData, Status, Timestamp, ToolResult,
    result::{Hunk, LineForm},
};
use serde_json::json;

use super::*;
use crate::import::change;
use crate::recording::{CallItem, Format, Recording};

fn import(lines: &[Value]) -> Recording {
    let mut recording = Recording::new(Format::Pi);
    let mut importer = PiImporter::default();
    for (number, line) in (1..).zip(lines) {
        importer.line(number, line.to_string().as_bytes(), &mut recording);
    }
    importer.finish(&mut recording);
    recording.about = importer.about().clone();
    recording
}

fn user(said: &str) -> Value {
    json!({"type": "message", "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": [{"type": "text", "text": said}]}})
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"type": "message", "timestamp": "2026-01-01T00:00:09Z", "message": {"role": "assistant", "model": "m", "stopReason": "toolUse", "timestamp": 1_767_225_605_000_i64,
        "content": [{"type": "toolCall", "id": "c", "name": name, "arguments": arguments}],
        "usage": {"input": 5, "output": 7, "cacheRead": 100, "cacheWrite": 20}}})
}

fn result(shown: &str, is_error: bool, details: Value) -> Value {
    json!({"type": "message", "message": {"role": "toolResult", "toolCallId": "c", "isError": is_error, "details": details,
        "content": [{"type": "text", "text": shown}]}})
}

fn only_result(name: &str, arguments: Value, shown: &str, is_error: bool, details: Value) -> ToolResult {
    let session = json!({"type": "session", "cwd": "/app"});
    let recording = import(&[session, user("go"), call(name, arguments), result(shown, is_error, details)]);
    assert_eq!(recording.skipped, []);
    recording.calls().next().unwrap().results[0].clone()
}

#[test]
fn a_plain_list() {
    let recording = import(&[
        json!({"type": "session", "id": "s", "cwd": "/app", "provider": "p", "modelId": "m"}),
        user("one"),
        json!({"type": "message", "message": {"role": "assistant", "content": [], "stopReason": "aborted", "usage": {"input": 0}}}),
        json!({"type": "model_change", "provider": "p", "modelId": "m"}),
        user("two"),
        call("bash", json!({"command": "ls"})),
        result("a\n", false, json!({})),
        json!({"type": "compaction", "timestamp": "2026-01-01T01:00:00Z", "summary": "all of it"}),
        json!({"type": "message", "message": {"role": "assistant", "stopReason": "aborted", "model": "m",
            "content": [{"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"}, {"type": "toolCall", "id": "d", "name": "edit", "arguments": {"path": "x"}}]}}),
    ]);
    assert_eq!(recording.skipped, []);
    assert_eq!(recording.about.model.as_deref(), Some("m"));
    let kinds: Vec<&str> = recording
        .items
        .iter()
        .map(|item| match item {
            Item::User(_) => "user",
            Item::Call(_) => "call",
            Item::Compaction(_) => "compaction",
            Item::Rewind { .. } => "rewind",
        })
        .collect();
    assert_eq!(kinds, ["user", "user", "call", "compaction", "call"]);
    let calls: Vec<&CallItem> = recording.calls().collect();
    assert_eq!(calls[0].at, Some(Timestamp(1_767_225_605_000)));
    assert_eq!(calls[0].billed, Some(Billed { uncached: 5, read: 100, written: 20, output: 7, written_1h: 0 }));
    assert_eq!((calls[1].stop, &calls[1].results[..]), (Stop::Cancelled, &[ToolResult::never_ran()][..]));
    assert_eq!(calls[1].billed, None);
    assert!(matches!(&calls[1].parts[0], NewPart::Thinking { seal: Seal::Signature(seal), .. } if seal == "sig"));
}

#[test]
fn a_tree_is_gone_back_in() {
    let at = |entry: Value, id: &str, parent: Value| {
        let mut entry = entry;
        entry["id"] = json!(id);
        entry["parentId"] = parent;
        entry
    };
    let recording = import(&[
        json!({"type": "session", "version": 3, "id": "s", "cwd": "/app"}),
        at(json!({"type": "model_change"}), "m0", json!(null)),
        at(user("one"), "u1", json!("m0")),
        at(call("bash", json!({"command": "ls"})), "a1", json!("u1")),
        at(result("a", false, json!({})), "r1", json!("a1")),
        at(json!({"type": "label"}), "l1", json!("r1")),
        at(user("two"), "u2", json!("l1")),
        at(call("bash", json!({"command": "pwd"})), "a2", json!("u2")),
        at(user("two again"), "u3", json!("r1")),
        at(call("bash", json!({"command": "id"})), "a3", json!("u3")),
        at(json!({"type": "branch_summary", "summary": "left", "fromId": "a3"}), "b", json!("a2")),
        at(user("anew"), "u4", json!("m0")),
    ]);
    assert_eq!(recording.skipped, []);
    let rewinds: Vec<(usize, Option<usize>)> = recording
        .items
        .iter()
        .enumerate()
        .filter_map(|(place, item)| match item {
            Item::Rewind { last } => Some((place, *last)),
            _ => None,
        })
        .collect();
    // Items: u1 0, a1 1, u2 2, a2 3, back to a1, u3 4, a3 5, back to a2, summary 6, back to the beginning, u4.
    assert_eq!(rewinds, [(4, Some(1)), (7, Some(3)), (9, None)]);
}

#[test]
fn files_are_read_edited_and_written() {
    let shown = "a\nb\n\n... (620 more lines not shown. Use offset=12 to continue reading)";
    let read = only_result("read", json!({"path": "/app/src/a.rs", "offset": 10, "limit": 2}), shown, false, json!({}));
    assert_eq!(read.status, Status::Partial);
    let ResultData::Read(data) = read.data else { panic!("no read") };
    assert_eq!((data.path.as_str(), data.first_line, data.line_count), ("src/a.rs", 10, 2));
    assert_eq!(data.form, LineForm::Plain { start: 0, end: 4 });

    let ResultData::Read(data) = only_result("read", json!({"path": "b"}), "x\ny\n", false, json!({})).data else {
        panic!("no read")
    };
    assert_eq!(data.total_lines, Some(2));

    let arguments = json!({"path": "a.rs", "oldText": "old", "newText": "new"});
    let diff = json!({"diff": "   6 x\n-  7 old\n+  7 new\n"});
    let ResultData::Edit(edit) = only_result("edit", arguments.clone(), "ok", false, diff).data else {
        panic!("no edit")
    };
    assert_eq!(edit.hunks, [Hunk { first_line: 7, removed: vec!["old".into()], added: vec!["new".into()] }]);
    let refused = only_result("edit", arguments, "no such text", true, json!({}));
    assert_eq!(refused.status, Status::Error);
    let ResultData::Edit(edit) = refused.data else { panic!("no edit") };
    assert_eq!(edit.hunks[0].first_line, change::UNKNOWN_LINE);

    let written = only_result("write", json!({"path": "n", "content": "hello\n"}), "ok", false, json!({}));
    assert!(matches!(written.data, ResultData::Write(write) if write.content.len() == 6));
}

#[test]
fn commands_searches_and_lists() {
    let run = |shown: &str, is_error: bool| {
        let result = only_result("bash", json!({"command": "cd /app/web && npm test"}), shown, is_error, json!({}));
        let ResultData::Run(run) = result.data else { panic!("no run") };
        (result.status, run.cwd, run.exit_code, run.timed_out)
    };
    assert_eq!(run("ok", false), (Status::Success, "web".into(), Some(0), false));
    assert_eq!(run("no\n\nCommand exited with code 2", true), (Status::Success, "web".into(), Some(2), false));
    assert_eq!(run("Command timed out after 5 seconds", true), (Status::Success, "web".into(), None, true));
    assert_eq!(run("half\n\nCommand aborted", true), (Status::Interrupted, "web".into(), None, false));

    let found =
        only_result("grep", json!({"pattern": "x"}), "src/a.rs:3: let x = 1;\nsrc/a.rs-4- y\n", false, json!({}));
    let ResultData::Search(found) = found.data else { panic!("no search") };
    assert_eq!((found.match_count, found.matches[0].line, found.matches[0].path.as_str()), (1, 3, "src/a.rs"));
    let listed = only_result("ls", json!({}), "a\nb/\n", false, json!({}));
    assert!(matches!(listed.data, ResultData::List(list) if list.subject == "." && list.entry_count == 2));
    let other = only_result("fetch", json!({"url": "u"}), "page", false, json!({}));
    assert_eq!(other.data, ResultData::Other(json!({"url": "u"})));
}

#[test]
fn broken_lines_cost_themselves() {
    let mut recording = Recording::new(Format::Pi);
    let mut importer = PiImporter::default();
    importer.line(1, b"{\"type\": \"sess", &mut recording);
    importer.line(2, b"", &mut recording);
    importer.line(3, result("?", false, json!({})).to_string().as_bytes(), &mut recording);
    importer.line(4, user("go").to_string().as_bytes(), &mut recording);
    importer.finish(&mut recording);
    assert_eq!(recording.skipped.iter().map(|skipped| skipped.line).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(recording.items.len(), 1);
}
