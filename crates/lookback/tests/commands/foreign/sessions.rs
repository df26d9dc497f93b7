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

pub(crate) const CLAUDE_CODE: &str = include_str!("../../../../../fixtures/sessions/claude-code.jsonl");

/// Another one, which was held a little later in its seconds: its responses have ids of their own.
pub(crate) fn claude_code(session: &str) -> String {
    let later = session.bytes().fold(7, |sum: u32, byte| (sum * 31 + u32::from(byte)) % 1_000);
    let other = CLAUDE_CODE.replace("the-session", session).replace(".000Z", &format!(".{later:03}Z"));
    other.replace("\"id\":\"m", &format!("\"id\":\"{session}-m"))
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

pub(crate) const CODEX: &str = include_str!("../../../../../fixtures/sessions/codex.jsonl");

const OPENCODE: &str = include_str!("../../../../../fixtures/sessions/opencode.json");

const PI: &str = include_str!("../../../../../fixtures/sessions/pi.jsonl");

const GEMINI_CLI: &str = include_str!("../../../../../fixtures/sessions/gemini-cli.json");

const MINI_SWE_AGENT: &str = include_str!("../../../../../fixtures/sessions/mini-swe-agent.traj.json");

const SWE_AGENT: &str = include_str!("../../../../../fixtures/sessions/swe-agent.traj");
