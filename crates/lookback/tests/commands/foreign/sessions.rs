//! Small sessions in the formats of other agents: a test fails, a file is read, an answer is given.

/// Label, calls, text.
pub(crate) const ALL: [(&str, u32, &str); 7] = [
    ("Claude Code", 3, CLAUDE_CODE),
    ("Codex", 2, CODEX),
    ("opencode", 2, OPENCODE),
    ("pi", 2, PI),
    ("gemini-cli", 1, GEMINI_CLI),
    ("mini-swe-agent", 2, MINI_SWE_AGENT),
    ("SWE-agent", 1, SWE_AGENT),
];

pub(crate) const CLAUDE_CODE: &str = r#"{"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"user","message":{"role":"user","content":"why does it fail?"},"uuid":"u1","timestamp":"2026-05-01T10:00:00.000Z"}
{"parentUuid":"u1","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"text","text":"I'll run the tests."}],"usage":{"input_tokens":4,"cache_creation_input_tokens":9000,"cache_read_input_tokens":0,"output_tokens":30}},"uuid":"u2","timestamp":"2026-05-01T10:00:03.000Z"}
{"parentUuid":"u2","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"pytest -q"}}],"usage":{"input_tokens":4,"cache_creation_input_tokens":9000,"cache_read_input_tokens":0,"output_tokens":30}},"uuid":"u3","timestamp":"2026-05-01T10:00:04.000Z"}
{"parentUuid":"u3","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"Exit code 1\nF.\n1 failed, 1 passed in 0.1s","is_error":true}]},"uuid":"u4","timestamp":"2026-05-01T10:00:06.000Z"}
{"parentUuid":"u4","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"assistant","message":{"id":"m2","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/w/src/ledger.py"}}],"usage":{"input_tokens":4,"cache_creation_input_tokens":60,"cache_read_input_tokens":9000,"output_tokens":20}},"uuid":"u5","timestamp":"2026-05-01T10:00:09.000Z"}
{"parentUuid":"u5","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"user","message":{"role":"user","content":[{"tool_use_id":"t2","type":"tool_result","content":"     1→def balance(self):\n     2→    return 0"}]},"uuid":"u6","timestamp":"2026-05-01T10:00:10.000Z"}
{"parentUuid":"u6","isSidechain":false,"cwd":"/w","sessionId":"the-session","version":"2.1.0","type":"assistant","message":{"id":"m3","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[{"type":"text","text":"balance() is always 0."}],"usage":{"input_tokens":4,"cache_creation_input_tokens":50,"cache_read_input_tokens":9060,"output_tokens":12}},"uuid":"u9","timestamp":"2026-05-01T10:00:14.000Z"}
"#;

/// The same under another id.
pub(crate) fn claude_code(session: &str) -> String {
    CLAUDE_CODE.replace("the-session", session)
}

/// A call of a long Claude Code session.
pub(crate) fn step(part: usize, output: &str) -> String {
    let parent = match part {
        0 => "null".to_owned(),
        _ => format!("\"r{}\"", part - 1),
    };
    let same = r#""isSidechain":false,"cwd":"/w","sessionId":"long","version":"2.1.0""#;
    let first = match part {
        0 => format!(
            "{{\"parentUuid\":null,{same},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"go on\"}},\"uuid\":\"q\",\"timestamp\":\"2026-05-01T10:00:00.000Z\"}}\n"
        ),
        _ => String::new(),
    };
    let parent = if part == 0 { "\"q\"".to_owned() } else { parent };
    format!(
        "{first}{{\"parentUuid\":{parent},{same},\"type\":\"assistant\",\"message\":{{\"id\":\"m{part}\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-6\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{part}\",\"name\":\"Bash\",\"input\":{{\"command\":\"make part-{part}\"}}}}]}},\"uuid\":\"c{part}\",\"timestamp\":\"2026-05-01T10:00:01.000Z\"}}\n\
         {{\"parentUuid\":\"c{part}\",{same},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"t{part}\",\"type\":\"tool_result\",\"content\":\"{output}\"}}]}},\"uuid\":\"r{part}\",\"timestamp\":\"2026-05-01T10:00:02.000Z\"}}\n"
    )
}

const CODEX: &str = r#"{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{"id":"codex-session","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w","originator":"codex_cli","cli_version":"0.130.0","source":"cli","model_provider":"openai","base_instructions":{"text":"You are a coding agent."}}}
{"timestamp":"2026-05-01T10:00:00.100Z","type":"turn_context","payload":{"turn_id":"1","model":"gpt-5.6","cwd":"/w"}}
{"timestamp":"2026-05-01T10:00:00.200Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"why does it fail?"}]}}
{"timestamp":"2026-05-01T10:00:03.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"pytest -q\"]}","call_id":"c1"}}
{"timestamp":"2026-05-01T10:00:04.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Exit code: 1\nWall time: 0.2 seconds\nOutput:\n1 failed, 1 passed in 0.1s"}}
{"timestamp":"2026-05-01T10:00:04.100Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9000,"cached_input_tokens":0,"output_tokens":30,"reasoning_output_tokens":0,"total_tokens":9030},"last_token_usage":{"input_tokens":9000,"cached_input_tokens":0,"output_tokens":30,"reasoning_output_tokens":0,"total_tokens":9030},"model_context_window":400000}}}
{"timestamp":"2026-05-01T10:00:08.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"balance() is always 0."}]}}
{"timestamp":"2026-05-01T10:00:08.100Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":18100,"cached_input_tokens":8960,"output_tokens":45,"reasoning_output_tokens":0,"total_tokens":18145},"last_token_usage":{"input_tokens":9100,"cached_input_tokens":8960,"output_tokens":15,"reasoning_output_tokens":0,"total_tokens":9115},"model_context_window":400000}}}
"#;

const OPENCODE: &str = r#"{
  "info": {"id": "ses_1", "directory": "/w", "title": "a test fails", "version": "1.18.0", "time": {"created": 1777629600000}},
  "messages": [
    {"info": {"id": "msg_1", "role": "user", "sessionID": "ses_1", "time": {"created": 1777629600000}, "model": {"providerID": "anthropic", "modelID": "claude-sonnet-4-6"}},
     "parts": [{"id": "prt_1", "messageID": "msg_1", "type": "text", "text": "why does it fail?"}]},
    {"info": {"id": "msg_2", "role": "assistant", "sessionID": "ses_1", "modelID": "claude-sonnet-4-6", "providerID": "anthropic", "mode": "build", "finish": "tool-calls", "time": {"created": 1777629603000, "completed": 1777629606000}, "tokens": {"total": 9030, "input": 9000, "output": 30, "reasoning": 0, "cache": {"read": 0, "write": 0}}},
     "parts": [{"id": "prt_2", "messageID": "msg_2", "type": "step-start"}, {"id": "prt_3", "messageID": "msg_2", "type": "tool", "tool": "bash", "callID": "c1", "state": {"status": "completed", "input": {"command": "pytest -q"}, "output": "1 failed, 1 passed in 0.1s", "metadata": {"exit": 1}}}, {"id": "prt_4", "messageID": "msg_2", "type": "step-finish"}]},
    {"info": {"id": "msg_3", "role": "assistant", "sessionID": "ses_1", "modelID": "claude-sonnet-4-6", "providerID": "anthropic", "mode": "build", "finish": "stop", "time": {"created": 1777629608000, "completed": 1777629609000}, "tokens": {"total": 9115, "input": 100, "output": 15, "reasoning": 0, "cache": {"read": 9000, "write": 0}}},
     "parts": [{"id": "prt_5", "messageID": "msg_3", "type": "text", "text": "balance() is always 0."}]}
  ]
}
"#;

const PI: &str = r#"{"type":"session","version":3,"id":"pi-session","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"why does it fail?"}]}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-05-01T10:00:03.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"pytest -q"}}],"model":"claude-sonnet-4-6","provider":"anthropic","usage":{"input":9000,"output":30,"cacheRead":0,"cacheWrite":0},"stopReason":"toolUse"}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-05-01T10:00:04.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"1 failed, 1 passed in 0.1s"}],"isError":true}}
{"type":"message","id":"a4","parentId":"a3","timestamp":"2026-05-01T10:00:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"balance() is always 0."}],"model":"claude-sonnet-4-6","provider":"anthropic","usage":{"input":100,"output":15,"cacheRead":9000,"cacheWrite":0},"stopReason":"stop"}}
"#;

const GEMINI_CLI: &str = r#"{
  "sessionId": "gemini-session", "projectHash": "abc", "startTime": "2026-05-01T10:00:00.000Z", "lastUpdated": "2026-05-01T10:00:09.000Z", "kind": "main",
  "messages": [
    {"id": "1", "timestamp": "2026-05-01T10:00:00.000Z", "type": "user", "content": [{"text": "why does it fail?"}]},
    {"id": "2", "timestamp": "2026-05-01T10:00:03.000Z", "type": "gemini", "content": "I'll run the tests.", "model": "gemini-3-pro", "thoughts": [], "tokens": {"input": 9000, "output": 30, "cached": 0, "thoughts": 0, "tool": 0, "total": 9030}, "toolCalls": [{"id": "c1", "name": "run_shell_command", "args": {"command": "pytest -q"}, "result": [{"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": "1 failed, 1 passed in 0.1s"}}}], "status": "success", "timestamp": "2026-05-01T10:00:04.000Z"}]}
  ]
}
"#;

const MINI_SWE_AGENT: &str = r#"{
  "info": {"model_stats": {"instance_cost": 0.01, "api_calls": 2}, "config": {"agent": {}, "model": {"model_name": "deepseek/deepseek-chat"}, "environment": {"cwd": "/w"}}, "mini_version": "2.2.7", "exit_status": "Submitted", "submission": ""},
  "messages": [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "why does it fail?"},
    {"role": "assistant", "content": "I'll run the tests.", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"pytest -q\"}"}}], "extra": {"actions": [{"command": "pytest -q", "tool_call_id": "c1"}], "timestamp": 1777629603.0, "response": {"model": "deepseek-chat", "usage": {"prompt_tokens": 2000, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 0}, "prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": 2000}}}},
    {"role": "tool", "tool_call_id": "c1", "content": "<returncode>1</returncode>\n<output>\n1 failed, 1 passed in 0.1s\n</output>", "extra": {"raw_output": "1 failed, 1 passed in 0.1s\n", "returncode": 1, "timestamp": 1777629604.0}},
    {"role": "assistant", "content": "balance() is always 0.", "extra": {"actions": [], "timestamp": 1777629608.0, "response": {"model": "deepseek-chat", "usage": {"prompt_tokens": 2100, "completion_tokens": 15, "prompt_tokens_details": {"cached_tokens": 1984}, "prompt_cache_hit_tokens": 1984, "prompt_cache_miss_tokens": 116}}}}
  ],
  "trajectory_format": "mini-swe-agent-1.1"
}
"#;

const SWE_AGENT: &str = r#"{
  "environment": "swe_main",
  "trajectory": [{"action": "pytest -q\n", "observation": "1 failed, 1 passed in 0.1s\n", "response": "I'll run the tests.\n```\npytest -q\n```", "thought": "I'll run the tests.", "state": "{\"open_file\": \"n/a\", \"working_dir\": \"/w\"}"}],
  "history": [
    {"role": "system", "content": "SETTING: You are an autonomous programmer.", "agent": "primary"},
    {"role": "user", "content": "why does it fail?", "agent": "primary"},
    {"role": "assistant", "content": "I'll run the tests.\n```\npytest -q\n```", "thought": "I'll run the tests.", "action": "pytest -q\n", "agent": "primary"},
    {"role": "user", "content": "1 failed, 1 passed in 0.1s\n(Open file: n/a)\n(Current directory: /w)\nbash-$", "agent": "primary"}
  ],
  "info": {"model_stats": {"tokens_sent": 3000, "tokens_received": 20, "api_calls": 1, "instance_cost": 0.01, "total_cost": 0.01}, "exit_status": "submitted", "submission": ""}
}
"#;
