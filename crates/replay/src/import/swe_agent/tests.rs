use lookback_engine::trace::{
    NoBlobs, ResultData, Status, ToolResult,
    result::{Hunk, LineForm},
};
use serde_json::json;

use super::*;
use crate::{
    import::parse_document,
    recording::{CallItem, Format, Recording},
};

fn import(document: Value) -> Recording {
    let mut recording = Recording::new(Format::SweAgent);
    recording.about =
        parse_document(Format::SweAgent, document.to_string().as_bytes(), &mut recording).expect("a whole document");
    recording
}

fn act(action: &str, observation: &str) -> [Value; 2] {
    [
        json!({"role": "assistant", "agent": "main", "content": format!("Hm.\n```\n{action}\n```"), "thought": "Hm.\n", "action": action}),
        json!({"role": "user", "agent": "main", "content": format!("{observation}\n(Open file: n/a)\n(Current directory: /app)\nbash-$")}),
    ]
}

fn run_of(steps: &[(&str, &str)]) -> Recording {
    let mut history = vec![
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "user", "content": "A demonstration", "is_demo": true}),
        json!({"role": "user", "content": "Fix it."}),
    ];
    history.extend(steps.iter().flat_map(|(action, observation)| act(action, observation)));
    import(json!({"environment": "swe_main", "history": history,
        "trajectory": [{"state": "{\"open_file\": \"n/a\", \"working_dir\": \"/app\"}\n"}]}))
}

fn results(recording: &Recording) -> Vec<ToolResult> {
    recording.calls().flat_map(|call| call.results.clone()).collect()
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn the_layout_of_2024() {
    let window = "[File: /app/a.py (5 lines total)]\n(1 more lines above)\n2:x = 1\n3:\n4:y = 2\n(1 more lines below)";
    let edited = "[File: /app/a.py (4 lines total)]\n1:import os\n2:x = 3\n3:y = 2\nFile updated.";
    let refused = "Your proposed edit has introduced new syntax error(s).\n[File: /app/a.py (4 lines total)]\n2:x =\nYour changes have NOT been applied.";
    let recording = run_of(&[
        ("create n.py\n", "[File: /app/n.py (1 lines total)]\n1:"),
        ("open a.py 3\n", window),
        ("edit 2:3\nx = 3\nend_of_edit\n", edited),
        ("edit 2:2\nx =\nend_of_edit", refused),
        ("edit 90:91\nz\nend_of_edit", edited),
        ("search_file y a.py", "Found 1 matches for \"y\" in /app/a.py:\nLine 3:y = 2\nEnd of matches"),
        ("search_dir y", "Found 2 matches for \"y\" in /app:\n/app/a.py (2 matches)\nEnd of matches"),
        ("find_file a.py", "Found 1 matches for \"a.py\" in /app:\n/app/a.py"),
        ("cat a.py\n", "import os\nx = 3"),
        ("open gone.py", "File gone.py not found"),
    ]);
    assert_eq!(recording.skipped, []);
    assert_eq!(
        recording.about,
        About { cwd: Some("/app".into()), system: Some("Be brief.".into()), ..About::default() }
    );
    assert!(matches!(&recording.items[0], Item::User(user) if user.text == "Fix it." && user.origin == Origin::Person));
    let calls: Vec<&CallItem> = recording.calls().collect();
    assert_eq!(calls.len(), 10);
    assert_eq!(
        calls[1].parts,
        [
            NewPart::Text("Hm.\n".into()),
            NewPart::Call {
                id: "step_6".into(),
                name: "open".into(),
                arguments: r#"{"line_number":"3","path":"a.py"}"#.into()
            },
        ]
    );
    let results = results(&recording);
    assert!(matches!(&results[0].data, ResultData::Write(write) if write.path == "n.py" && write.created));
    let ResultData::Read(read) = &results[1].data else { panic!("no read") };
    assert_eq!((read.path.as_str(), read.first_line, read.line_count, read.total_lines), ("a.py", 2, 3, Some(5)));
    assert_eq!(read.form, LineForm::Numbered { separator: ":".into() });
    let ResultData::Edit(edit) = &results[2].data else { panic!("no edit") };
    assert_eq!(edit.hunks, [Hunk { first_line: 2, removed: owned(&["x = 1", ""]), added: owned(&["x = 3"]) }]);
    assert_eq!(results[3].status, Status::Error);
    let ResultData::Edit(edit) = &results[4].data else { panic!("no edit") };
    // Nobody saw what stood there.
    assert_eq!(edit.hunks[0].first_line, 0);
    assert!(
        matches!(&results[5].data, ResultData::Search(search) if search.match_count == 1 && search.matches[0].line == 3 && search.matches[0].path == "a.py")
    );
    assert!(
        matches!(&results[6].data, ResultData::Search(search) if search.match_count == 2 && search.matches.is_empty())
    );
    assert!(matches!(&results[7].data, ResultData::List(list) if list.entries == ["a.py"]));
    assert!(matches!(&results[8].data, ResultData::Run(run) if run.command == "cat a.py" && run.exit_code.is_none()));
    assert_eq!(results[8].text.bytes(&NoBlobs).unwrap(), "import os\nx = 3");
    assert_eq!(results[9].status, Status::Error);
}

#[test]
fn tool_calls_of_the_later_layout() {
    let call = |name: &str, arguments: Value| {
        json!({"role": "assistant", "content": "Go.", "action": "x", "thought": "Go.",
        "tool_calls": [{"id": "t", "function": {"name": name, "arguments": arguments.to_string()}}]})
    };
    let result =
        |content: &str| json!({"role": "tool", "tool_call_ids": ["t"], "content": [{"type": "text", "text": content}]});
    let window = "Text replaced.\n[File: /app/a.py (3 lines total)]\n1:a\n2:b2\n3:c";
    let recording = import(json!({"replay_config": "{\"agent\": {\"model\": {\"name\": \"gpt\"}}}",
    "trajectory": [{"state": {"working_dir": "/app"}}],
    "history": [
        {"role": "user", "content": "Fix it."},
        call("bash", json!({"command": "cd /app && ls"})), result("a.py"),
        call("edit", json!({"search": "b", "replace": "b2"})), result(window),
        call("insert", json!({"text": "d"})), result("[File: /app/a.py (4 lines total)]\n1:a\n4:d"),
        call("str_replace_editor", json!({"command": "view", "path": "/app/a.py", "view_range": [2, 3]})), result("Here's the result of running `cat -n` on /app/a.py:\n     2\tb2\n     3\tc\n"),
        call("str_replace_editor", json!({"command": "str_replace", "path": "/app/a.py", "old_str": "c", "new_str": "c2"})), result("The file /app/a.py has been edited.\n     2\tb2\n     3\tc2\n"),
        call("str_replace_editor", json!({"command": "str_replace", "path": "/app/a.py", "old_str": "q", "new_str": "r"})), result("No replacement was performed, old_str `q` did not appear"),
        call("submit", json!({})),
        {"role": "tool", "tool_call_ids": ["other"], "content": "?"}
    ]}));
    assert_eq!(recording.about.model.as_deref(), Some("gpt"));
    assert_eq!(
        recording.skipped.iter().map(|skipped| skipped.reason.as_str()).collect::<Vec<_>>(),
        ["message 15: a result for \"other\", which nobody called"]
    );
    let results = results(&recording);
    assert!(matches!(&results[0].data, ResultData::Run(run) if run.command == "ls"));
    let hunk = |result: &ToolResult| match &result.data {
        ResultData::Edit(edit) => edit.hunks[0].clone(),
        other => panic!("no edit: {other:?}"),
    };
    assert_eq!(hunk(&results[1]), Hunk { first_line: 2, removed: owned(&["b"]), added: owned(&["b2"]) });
    assert_eq!(hunk(&results[2]), Hunk { first_line: 4, removed: vec![], added: owned(&["d"]) });
    assert!(matches!(&results[3].data, ResultData::Read(read) if (read.first_line, read.line_count) == (2, 2)));
    assert_eq!(hunk(&results[4]).first_line, 3);
    assert_eq!(results[5].status, Status::Error);
    assert_eq!(results[6], ToolResult::interrupted());
}

#[test]
fn a_file_without_history() {
    let recording = import(json!({"trajectory": [
        {"query": [{"role": "system", "content": "S"}, {"role": "user", "content": "Fix it."}],
         "response": "Hm.\n```\nls\n```", "thought": "Hm.", "action": "ls", "observation": "a.py", "state": {"working_dir": "/app"}},
        {"response": "Done.", "thought": "Done.", "action": "", "observation": null}
    ]}));
    assert_eq!(recording.skipped, []);
    assert_eq!(recording.about.system.as_deref(), Some("S"));
    let calls: Vec<&CallItem> = recording.calls().collect();
    assert_eq!((recording.items.len(), calls.len(), calls[0].results.len(), calls[1].results.len()), (3, 2, 1, 0));
}

#[test]
fn an_empty_file_is_no_session() {
    let mut recording = Recording::new(Format::SweAgent);
    let error = parse_document(Format::SweAgent, b"{\"history\": []}", &mut recording).unwrap_err();
    assert!(matches!(error, ImportError::Unusable(_)));
}
