use lookback_engine::trace::{NoBlobs, ResultData, Status, ToolResult};
use serde_json::json;

use super::*;
use crate::{
    import::parse_document,
    recording::{CallItem, Format, Recording},
};

fn import(document: &Value) -> Recording {
    let mut recording = Recording::new(Format::MiniSweAgent);
    recording.about = parse_document(Format::MiniSweAgent, document.to_string().as_bytes(), &mut recording)
        .expect("a whole document");
    recording
}

fn calls(recording: &Recording) -> Vec<&CallItem> {
    recording.calls().collect()
}

fn shown(result: &ToolResult) -> String {
    String::from_utf8(result.text.bytes(&NoBlobs).unwrap().to_vec()).unwrap()
}

fn info() -> Value {
    json!({"config": {"environment": {"cwd": "/app"}, "model": {"model_name": "house/small"}}})
}

fn tool_call(id: &str, command: &str) -> Value {
    json!({"id": id, "function": {"name": "bash", "arguments": json!({"command": command}).to_string()}})
}

#[test]
fn calls_results_and_bills() {
    let recording = import(&json!({"instance_id": "t-1", "info": info(), "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "Looking.", "reasoning_content": "hm",
         "tool_calls": [tool_call("a", "cd /app/web && cat x.py"), tool_call("b", "false")],
         "extra": {"timestamp": 1_700_000_000.5, "response": {"model": "small-1", "choices": [{"finish_reason": "length"}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 640}}}}},
        {"role": "tool", "tool_call_id": "b", "content": "<returncode>1</returncode>\n<output>\nno\n</output>"},
        {"role": "tool", "tool_call_id": "a", "content": "<returncode>0</returncode>\n<output>\nx = 1\n</output>"},
        {"role": "user", "content": "Tool call error"},
        {"role": "assistant", "content": null, "tool_calls": [tool_call("a", "submit")]},
        {"role": "exit", "content": "the diff"}
    ]}));
    assert_eq!(recording.skipped, []);
    assert_eq!(
        recording.about,
        About {
            session: Some("t-1".into()),
            cwd: Some("/app".into()),
            system: Some("Be brief.".into()),
            model: Some("small-1".into()),
            ..About::default()
        }
    );
    let origins: Vec<Origin> = recording
        .items
        .iter()
        .filter_map(|item| match item {
            Item::User(user) => Some(user.origin),
            _ => None,
        })
        .collect();
    assert_eq!(origins, [Origin::Person, Origin::Machine]);
    let calls = calls(&recording);
    assert_eq!(calls[0].at, Some(Timestamp(1_700_000_000_500)));
    // Its calls ran, so it was whole.
    assert_eq!(calls[0].stop, Stop::End);
    assert_eq!(calls[0].billed, Some(Billed { uncached: 360, read: 640, written: 0, output: 30, written_1h: 0 }));
    assert_eq!(calls[0].parts.len(), 4);
    let ResultData::Run(first) = &calls[0].results[0].data else { panic!("no run") };
    assert_eq!((first.command.as_str(), first.cwd.as_str(), first.exit_code), ("cat x.py", "web", Some(0)));
    assert_eq!(shown(&calls[0].results[0]), "x = 1\n");
    let ResultData::Run(second) = &calls[0].results[1].data else { panic!("no run") };
    assert_eq!(second.exit_code, Some(1));
    assert!(shown(&calls[0].results[1]).starts_with("<returncode>1"));
    // Submitted: nobody saw what came back.
    assert_eq!(calls[1].results, [ToolResult::interrupted()]);
    assert_eq!(calls[1].billed, None);
    assert_eq!(calls[1].model.as_deref(), Some("house/small"));
}

#[test]
fn actions_written_as_text() {
    let recording = import(&json!({"info": info(), "messages": [
        {"role": "user", "content": "Fix it.", "timestamp": 1_700_000_000},
        {"role": "assistant", "content": "THOUGHT: look\n\n```bash\ncat a.py\n```\n", "timestamp": 1_700_000_001},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na = 1\n</output>"},
        {"role": "assistant", "content": "```bash\na\n```\n```bash\nb\n```"},
        {"role": "user", "content": "Please give exactly one action."},
        {"role": "assistant", "content": "```python\nno()\n```\n```mswea_bash_command\nsleep 99\n```"},
        {"role": "user", "content": "The last command <command>sleep 99</command> timed out and has been killed."}
    ]}));
    assert_eq!(recording.skipped, []);
    let calls = calls(&recording);
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0].at, Some(Timestamp(1_700_000_001_000)));
    assert_eq!(
        calls[0].parts,
        [
            NewPart::Text("THOUGHT: look\n\n\n".into()),
            NewPart::Call { id: "step_2".into(), name: "bash".into(), arguments: r#"{"command":"cat a.py"}"#.into() },
        ]
    );
    assert_eq!(shown(&calls[0].results[0]), "a = 1\n");
    assert!(calls[1].results.is_empty());
    let late = &calls[2].results[0];
    assert_eq!((late.status, late.error.as_ref().map(|error| error.code.as_str())), (Status::Error, Some("TIMEOUT")));
    assert_eq!(recording.items.len(), 5);
}

#[test]
fn responses_and_outputs_that_were_cut() {
    let cut = "<returncode>0</returncode>\n<warning>long</warning><output_head>\na\n</output_head>\n<elided_chars>\n9\n</elided_chars>\n<output_tail>\nb\n</output_tail>";
    let recording = import(&json!({"messages": [
        {"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
        {"object": "response", "model": "m", "usage": {"input_tokens": 50, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 10}},
         "output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text", "text": "Go."}]},
                    {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{\"command\":\"cat big\"}"}]},
        {"type": "function_call_output", "call_id": "c1", "output": cut, "extra": {"returncode": 0}}
    ]}));
    assert_eq!(recording.skipped, []);
    let calls = calls(&recording);
    assert_eq!(calls[0].billed.map(|billed| (billed.uncached, billed.read, billed.output)), Some((40, 10, 5)));
    assert_eq!(calls[0].parts.len(), 2);
    assert_eq!(calls[0].results[0].status, Status::Partial);
    assert_eq!(shown(&calls[0].results[0]), cut);
}

#[test]
fn what_is_broken_is_skipped_and_said() {
    let recording = import(&json!({"messages": [
        {"role": "user", "content": "Fix it."},
        {"role": "tool", "tool_call_id": "x", "content": "early"},
        7,
        {"role": "assistant", "content": "", "tool_calls": [tool_call("a", "ls")]},
        {"role": "tool", "tool_call_id": "other", "content": "?"},
        {"role": "critic", "content": "?"}
    ]}));
    let said: Vec<(u64, &str)> =
        recording.skipped.iter().map(|skipped| (skipped.line, skipped.reason.as_str())).collect();
    assert_eq!(
        said,
        [
            (2, "message 2: a result before any call"),
            (3, "message 3: no role"),
            (5, "message 5: a result for \"other\", which nobody called"),
            (6, "message 6: unknown role \"critic\""),
        ]
    );
    assert_eq!(recording.items.len(), 2);
}

#[test]
fn a_truncated_document_is_damaged() {
    let mut recording = Recording::new(Format::MiniSweAgent);
    let error = parse_document(Format::MiniSweAgent, b"{\"messages\": [\n{\"role\": \"us", &mut recording).unwrap_err();
    assert!(matches!(error, ImportError::Damaged { line: 2, .. }), "{error}");
    let error = parse_document(Format::MiniSweAgent, b"{\"messages\": 3}", &mut recording).unwrap_err();
    assert!(matches!(error, ImportError::Unusable(_)), "{error}");
}
