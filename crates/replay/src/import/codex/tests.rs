use serde_json::{Value, json};

use super::super::described::{describe, read, skipped};
use crate::recording::{Billed, Format, Item, Recording};

fn line(kind: &str, payload: Value) -> String {
    json!({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}).to_string()
}

fn item(payload: Value) -> String {
    line("response_item", payload)
}

fn event(payload: Value) -> String {
    line("event_msg", payload)
}

fn meta() -> String {
    line("session_meta", json!({"id": "s1", "cwd": "/shop", "base_instructions": {"text": "Be good."}}))
}

fn said(role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
}

fn calls(id: &str, name: &str, arguments: Value) -> String {
    item(json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}))
}

fn output(id: &str, text: &str) -> String {
    item(json!({"type": "function_call_output", "call_id": id, "output": text}))
}

fn thinks() -> String {
    item(
        json!({"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "gAAA"}),
    )
}

fn tokens(total: u64, input: u64, cached: u64) -> String {
    let last =
        json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": 9, "total_tokens": input + 9});
    event(
        json!({"type": "token_count", "info": {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}}),
    )
}

fn shell(id: &str, command: &str) -> String {
    calls(id, "exec_command", json!({ "cmd": command }))
}

fn session(lines: &[String]) -> Recording {
    read(Format::Codex, &lines.join("\n"))
}

fn bills(recording: &Recording) -> Vec<Option<(u64, u64)>> {
    recording.calls().map(|call| call.billed.map(|billed| (billed.uncached, billed.read))).collect()
}

/// The result of one call as it is described.
fn one_result(call: String, lines: &[String]) -> String {
    let recording = session(&[&[meta(), call], lines].concat());
    assert_eq!(skipped(&recording), []);
    let described = describe(&recording);
    let (_, result) = described[0].split_once(" => ").expect("a call");
    result.to_owned()
}

#[test]
fn a_response_ends_at_its_bill_or_its_outputs() {
    let (first, second) =
        ([thinks(), said("assistant", "look"), shell("c1", "ls"), shell("c2", "pwd")], said("assistant", "done"));
    let outputs = [
        output("c2", "Process exited with code 0\nOutput:\n/shop\n"),
        output("c1", "Process exited with code 2\nOutput:\nno\n"),
    ];
    let start = [meta(), said("user", "go")];
    let one = "call End: thinking \"hm\", \"look\", exec_command c1, exec_command c2 => \
               [Run Success `ls` in \"\" = Some(2) \"no\\n\"], [Run Success `pwd` in \"\" = Some(0) \"/shop\\n\"]";
    let expected = ["person: go", one, "call End: \"done\" => "];
    let (t1, t2) = ([tokens(100, 91, 64)], [tokens(250, 141, 90)]);
    let second = [second];
    let no_info = [event(json!({"type": "token_count", "info": null}))];
    for order in [
        [&start[..], &no_info, &first, &outputs, &t1, &second, &t2].concat(),
        [&start[..], &first, &t1, &outputs, &t1, &second, &t2].concat(),
        [&start[..], &t1, &first, &outputs, &t2, &second].concat(),
    ] {
        let recording = session(&order);
        assert_eq!(describe(&recording), expected);
        assert_eq!(bills(&recording), [Some((27, 64)), Some((51, 90))]);
        assert_eq!(skipped(&recording), []);
    }
    let unbilled = session(&[&start[..], &first, &outputs, &second].concat());
    assert_eq!(describe(&unbilled), expected);
    assert_eq!(unbilled.about.system.as_deref(), Some("Be good."));
    assert_eq!(unbilled.about.session.as_deref(), Some("s1"));
}

#[test]
fn who_speaks_is_told_by_role_and_form() {
    let recording = session(&[
        meta(),
        line("turn_context", json!({"model": "gpt-x", "cwd": "/shop"})),
        said("developer", "<permissions instructions>all</permissions instructions>"),
        said("user", "# AGENTS.md instructions for /shop\n\nBe brief."),
        said("user", "<environment_context>\n<cwd>/shop</cwd>\n</environment_context>"),
        event(json!({"type": "task_started"})),
        said("user", "a <b>bold</b> wish"),
        event(json!({"type": "user_message", "message": "a <b>bold</b> wish"})),
        shell("c1", "ls"),
        said("user", "and this, too"),
        output("c1", "Process exited with code 0\nOutput:\na\n"),
        said("assistant", "done"),
        said("user", "more"),
        item(
            json!({"type": "agent_message", "author": "/lead/a", "content": [{"type": "input_text", "text": "from another"}]}),
        ),
        item(
            json!({"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,aGFsbG8="}]}),
        ),
    ]);
    let described = describe(&recording);
    let starts: Vec<&str> = described.iter().map(|line| line.split(':').next().unwrap()).collect();
    let expected =
        ["machine", "machine", "machine", "person", "call End", "queued", "call End", "person", "machine", "person"];
    assert_eq!(starts, expected);
    assert_eq!(described[9], "person: [image: image/png, 5 bytes]");
    assert_eq!(recording.about.model.as_deref(), Some("gpt-x"));
}

#[test]
fn compactions_stand_where_they_were() {
    let history = json!({"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old"}]}]});
    let recording = session(&[
        meta(),
        said("user", "go"),
        said("assistant", "one"),
        tokens(1, 50, 0),
        tokens(2, 60, 10),
        line("compacted", history),
        event(json!({"type": "context_compacted"})),
        said("assistant", "two"),
        line("compacted", json!({"trigger": "auto", "preTokens": 180_000, "summary": "Earlier"})),
        said("user", "on"),
        said("assistant", "three"),
    ]);
    assert_eq!(
        describe(&recording),
        [
            "person: go",
            "call End: \"one\" => ",
            "compaction of the head",
            "call End: \"two\" => ",
            "compaction of the head",
            "person: on",
            "call End: \"three\" => ",
        ]
    );
    let billed = recording.items.iter().find_map(|item| match item {
        Item::Compaction(compaction) => compaction.billed,
        _ => None,
    });
    assert_eq!(billed, Some(Billed { uncached: 50, read: 10, written: 0, output: 9, written_1h: 0 }));
}

#[test]
fn turns_are_taken_back() {
    let back = |turns: u64| event(json!({"type": "thread_rolled_back", "num_turns": turns}));
    let recording = session(&[
        said("user", "one"),
        said("assistant", "1"),
        said("user", "two"),
        said("assistant", "2"),
        back(1),
        said("user", "three"),
        said("assistant", "3"),
        back(1),
        said("user", "four"),
        back(2),
        said("user", "five"),
    ]);
    let backs: Vec<String> = describe(&recording).into_iter().filter(|line| line.starts_with("back")).collect();
    assert_eq!(backs, ["back to Some(1)", "back to Some(1)", "back to None"]);
}

#[test]
fn what_was_broken_off_is_said() {
    let aborted = || event(json!({"type": "turn_aborted", "reason": "interrupted"}));
    let recording = session(&[
        said("user", "one"),
        thinks(),
        said("user", "<turn_aborted>\nstopped\n</turn_aborted>"),
        aborted(),
        said("user", "two"),
        said("assistant", "half an"),
        aborted(),
        event(json!({"type": "thread_rolled_back", "num_turns": 1})),
        shell("c1", "sleep 9"),
        aborted(),
    ]);
    assert_eq!(
        describe(&recording),
        [
            "person: one",
            "machine: <turn_aborted>\nstopped\n</turn_aborted>",
            "person: two",
            "call Cancelled: \"half an\" => ",
            "back to Some(1)",
            "call End: exec_command c1 => [Other Interrupted  \"interrupted: this call did not run to its end; what it did before is not known\"]",
        ]
    );
    assert_eq!(skipped(&recording), [(0, "a response that was broken off before it said anything")]);
}

#[test]
fn the_oldest_files_are_bare_items() {
    let recording = session(&[
        json!({"id": "old", "timestamp": "2025-01-01T00:00:00Z", "instructions": "Be good.", "git": null}).to_string(),
        json!({"record_type": "state"}).to_string(),
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}).to_string(),
        json!({"type": "local_shell_call", "call_id": "c1", "status": "completed", "action": {"type": "exec", "command": ["ls"], "working_directory": "/shop"}}).to_string(),
        json!({"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"a\\n\",\"metadata\":{\"exit_code\":0}}"}).to_string(),
    ]);
    assert_eq!(
        describe(&recording),
        ["person: go", "call End: local_shell c1 => [Run Success `ls` in \"/shop\" = Some(0) \"a\\n\"]"]
    );
    assert_eq!(recording.about.session.as_deref(), Some("old"));
    assert_eq!(recording.about.system.as_deref(), Some("Be good."));
}

#[test]
fn commands_are_typed() {
    let old = calls("c1", "shell", json!({"command": ["bash", "-lc", "cat /shop/a.py"], "workdir": "/shop/w"}));
    let wrapped = r#"{"output":"x\n","metadata":{"exit_code":1,"duration_seconds":0.1}}"#;
    assert_eq!(one_result(old, &[output("c1", wrapped)]), "[Run Success `cat ../a.py` in \"w\" = Some(1) \"x\\n\"]");
    let cut = "Process exited with code 0\nOutput:\nWarning: truncated output (original token count: 9)\nx";
    assert!(
        one_result(shell("c1", "cat a"), &[output("c1", cut)]).starts_with("[Run Partial `cat a` in \"\" = Some(0) ")
    );
    assert!(
        one_result(shell("c1", "cat a"), &[output("c1", "exec_command failed: no shell")]).starts_with("[Run Error ")
    );
    let later = [
        output("c1", "Process running with session ID 7\nOutput:\nfirst\n"),
        calls("c2", "write_stdin", json!({"session_id": 7, "chars": ""})),
        output("c2", "Process exited with code 1\nOutput:\nlast\n"),
    ];
    let recording = session(&[&[shell("c1", "make test")], &later[..]].concat());
    let described = describe(&recording);
    assert!(described[0].ends_with("[Run Partial `make test` in \"\" = None \"first\\n\"]"), "{described:?}");
    assert!(described[1].ends_with("[Run Partial `make test` in \"\" = Some(1) \"last\\n\"]"), "{described:?}");
}

#[test]
fn other_tools_are_typed() {
    let plan = json!({"plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "pending"}]});
    let plan = one_result(calls("c1", "update_plan", plan), &[output("c1", "Plan updated")]);
    assert_eq!(plan, "[Todo Success [(\"a\", Done), (\"b\", Pending)] \"Plan updated\"]");
    let image = one_result(calls("c1", "view_image", json!({"path": "/shop/a.png"})), &[output("c1", "attached")]);
    assert!(image.starts_with("[Read Success a.png 1+0 "), "{image}");
    let search =
        item(json!({"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "x"}}));
    assert!(one_result(search, &[]).starts_with("[Other Success  \"the provider ran web_search itself"));
    let recording = session(&[output("c9", "nobody asked"), "{broken".to_owned()]);
    assert_eq!(skipped(&recording)[0], (1, "the output of c9, which no open call has"));
    assert_eq!(skipped(&recording)[1].0, 2);
}

fn custom(name: &str, input: &str) -> String {
    item(json!({"type": "custom_tool_call", "name": name, "input": input, "call_id": "c1", "status": "completed"}))
}

fn custom_output(text: &str) -> String {
    item(json!({"type": "custom_tool_call_output", "call_id": "c1", "output": text}))
}

const UPDATE: &str = "*** Begin Patch\n*** Update File: /shop/a.py\n@@\n x\n-y\n+Y\n*** End Patch";

#[test]
fn patches_are_edits_of_their_files() {
    let well = custom_output("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n");
    let unplaced = "[Edit Success a.py @0 -[\"x\", \"y\"] +[\"x\", \"Y\"] \"Success.\\n\"]";
    assert_eq!(one_result(custom("apply_patch", UPDATE), std::slice::from_ref(&well)), unplaced);
    let copy = json!({"/shop/a.py": {"type": "update", "unified_diff": "@@ -6,2 +6,2 @@\n x\n-y\n+Y\n"}});
    let copy = event(json!({"type": "patch_apply_end", "call_id": "c1", "success": true, "changes": copy}));
    let placed = one_result(custom("apply_patch", UPDATE), &[copy, well.clone()]);
    assert_eq!(placed, "[Edit Success a.py @7 -[\"y\"] +[\"Y\"] \"Success.\\n\"]");
    let wrong =
        one_result(custom("apply_patch", UPDATE), &[custom_output("apply_patch verification failed: no such lines")]);
    assert!(wrong.starts_with("[Edit Error a.py  "), "{wrong}");
    let add = "*** Begin Patch\n*** Add File: b.py\n+x\n*** End Patch";
    assert!(one_result(custom("apply_patch", add), std::slice::from_ref(&well)).starts_with("[Write Success b.py "));
    let two = "*** Begin Patch\n*** Add File: /shop/b.py\n+x\n*** Delete File: c.py\n*** End Patch";
    let told = one_result(custom("apply_patch", two), std::slice::from_ref(&well));
    assert_eq!(told, "[Edit Success Created b.py @1 -[] +[\"x\"]; Deleted c.py  \"Success.\\n\"]");
    let more = UPDATE.replace("*** End", "*** Update File: d.py\n*** Move to: e.py\n@@\n-x\n+y\n*** End");
    let told = one_result(custom("apply_patch", &more), std::slice::from_ref(&well));
    let edits = "Edited a.py @0 -[\"x\", \"y\"] +[\"x\", \"Y\"]; Deleted d.py ; Edited e.py @0 -[\"x\"] +[\"y\"]";
    assert_eq!(told, format!("[Edit Success {edits} \"Success.\\n\"]"));
    let heredoc =
        calls("c1", "shell", json!({"command": ["bash", "-lc", format!("apply_patch <<'EOF'\n{UPDATE}\nEOF")]}));
    assert!(
        one_result(heredoc, &[output("c1", "Exit code: 0\nOutput:\nSuccess.\n")]).starts_with("[Edit Success a.py @0 ")
    );
}

#[test]
fn code_mode_is_read_for_its_calls() {
    let printed = custom_output("Script completed\nWall time 0.1 seconds\nOutput:\nx = 1\n");
    let code = "const r = await tools.exec_command({cmd: \"cat /shop/a.py\"});\ntext(r.output);";
    let told = one_result(custom("exec", code), std::slice::from_ref(&printed));
    assert_eq!(told, "[Run Success `cat a.py` in \"\" = None \"x = 1\\n\"]");
    let code = "await tools.exec_command({cmd: 'ls'}); text(await tools.exec_command({cmd: 'rm a'}))";
    assert!(one_result(custom("exec", code), std::slice::from_ref(&printed)).starts_with("[Run Partial `ls\nrm a` "));
    let code = format!("text(await tools.apply_patch(`{UPDATE}`))");
    assert!(one_result(custom("exec", &code), std::slice::from_ref(&printed)).starts_with("[Edit Success a.py @0 "));
    assert!(one_result(custom("exec", "ls -la"), &[printed]).starts_with("[Run Success `ls -la` "));
}
