//! Whose file it is, told by its content and never by its name.
//!
//! Only the beginning is looked at, and it may end anywhere: in the middle of a document, or of a first line that is longer
//! than it. So nothing is parsed; the names of the outermost fields are read off as far as they go. Lines that are broken
//! or tell nothing are passed over.

mod outline;

use self::outline::Outline;
use crate::{parameters::DETECTED_OBJECTS, recording::Format};

/// The format of a file that begins with these bytes (decompressed; a megabyte is plenty).
pub fn detect(head: &[u8]) -> Option<Format> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    starts(head).take(DETECTED_OBJECTS).find_map(|start| format_of(&Outline::read(&head[start..])))
}

/// Where a line begins with an object. The first one of a document that is spread over lines is the document.
fn starts(head: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    head.split_inclusive(|byte| *byte == b'\n').filter_map(move |line| {
        let blank = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = from + blank;
        from += line.len();
        (line.get(blank) == Some(&b'{')).then_some(start)
    })
}

fn format_of(outline: &Outline) -> Option<Format> {
    let has = |path: &str| outline.has(path);
    let kind = outline.text("type");
    let is_document = match () {
        () if has("seq") && has("at") && has("event") => Some(Format::Lookback),
        () if has("trajectory") && (has("history") || has("environment") || has("info")) => Some(Format::SweAgent),
        () if has("trajectory[].action") && has("trajectory[].observation") => Some(Format::SweAgent),
        () if has("sessionId") && has("projectHash") => Some(Format::GeminiCli),
        () if has("info.mini_version")
            || outline.text("trajectory_format").is_some_and(|name| name.starts_with("mini-swe")) =>
        {
            Some(Format::MiniSweAgent)
        }
        () if has("info.config") && (has("info.model_stats") || has("info.exit_status")) => Some(Format::MiniSweAgent),
        () if outline.text("info.id").is_some_and(|id| id.starts_with("ses_")) => Some(Format::Opencode),
        () if has("messages[].info") && has("messages[].parts") => Some(Format::Opencode),
        () if has("messages[].role") && has("messages[].extra") => Some(Format::MiniSweAgent),
        () => None,
    };
    is_document.or_else(|| line_format(outline, kind?)).or_else(|| {
        // The first line of the oldest Codex files.
        let is_first = has("id") && has("timestamp") && has("instructions") && kind.is_none();
        is_first.then_some(Format::Codex)
    })
}

fn line_format(outline: &Outline, kind: &str) -> Option<Format> {
    let has = |path: &str| outline.has(path);
    match kind {
        "session_meta" | "turn_context" | "response_item" | "event_msg" | "compacted" | "world_state"
            if has("payload") || has("item") =>
        {
            Some(Format::Codex)
        }
        "message" | "reasoning" | "function_call" | "local_shell_call" | "custom_tool_call"
            if has("role") && has("content[].type") || has("encrypted_content") || has("call_id") || has("summary") =>
        {
            Some(Format::Codex)
        }
        "session" if has("id") && (has("cwd") || has("timestamp")) => Some(Format::Pi),
        "message" if has("message.role") && !has("sessionId") && !has("uuid") => Some(Format::Pi),
        "model_change" | "thinking_level_change" if has("timestamp") => Some(Format::Pi),
        "summary" if has("leafUuid") => Some(Format::ClaudeCode),
        "file-history-snapshot" => Some(Format::ClaudeCode),
        _ if has("sessionId") || has("parentUuid") || has("isSidechain") => Some(Format::ClaudeCode),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Shape, shape};

    fn detected(text: &str) -> Option<Format> {
        detect(text.as_bytes())
    }

    /// One beginning of each format.
    const BEGINNINGS: [(&str, Format); 14] = [
        (
            r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user"}}"#,
            Format::ClaudeCode,
        ),
        (r#"{"type":"summary","summary":"A title","leafUuid":"u"}"#, Format::ClaudeCode),
        (r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s"}"#, Format::ClaudeCode),
        (r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x","cwd":"/w"}}"#, Format::Codex),
        (r#"{"id":"x","timestamp":"t","instructions":null,"git":{}}"#, Format::Codex),
        (r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#, Format::Codex),
        (r#"{"type":"session","version":3,"id":"x","timestamp":"t","cwd":"/w"}"#, Format::Pi),
        (r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[]}}"#, Format::Pi),
        (r#"{"seq":0,"at":1,"event":{"session_started":{}}}"#, Format::Lookback),
        (r#"{"environment":"main","trajectory":[{"action":"ls"}],"history":[],"info":{}}"#, Format::SweAgent),
        (r#"{"info":{"model_stats":{"api_calls":3},"config":{}},"messages":[]}"#, Format::MiniSweAgent),
        (
            r#"{"messages":[{"role":"system","content":"x","extra":{}}],"info":{"mini_version":"2"}}"#,
            Format::MiniSweAgent,
        ),
        (r#"{"info":{"id":"ses_1","directory":"/w"},"messages":[]}"#, Format::Opencode),
        (r#"{"sessionId":"s","projectHash":"h","startTime":"t","messages":[]}"#, Format::GeminiCli),
    ];

    #[test]
    fn each_format_is_known_by_its_beginning() {
        for (text, format) in BEGINNINGS {
            assert_eq!(detected(text), Some(format), "{text}");
        }
    }

    #[test]
    fn broken_lines_and_a_mark_of_order_do_not_hide_it() {
        for (text, format) in BEGINNINGS {
            let told = detected(&format!("\u{feff}\n  \nno json\n{{\"cut\": \"off\n{{}}\n{text}\n"));
            assert_eq!(told, Some(format), "{text}");
        }
    }

    #[test]
    fn a_document_may_be_spread_over_lines() {
        for (text, format) in BEGINNINGS {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let text = serde_json::to_string_pretty(&value).unwrap();
            assert_eq!(detected(&text), Some(format), "{text}");
        }
    }

    #[test]
    fn a_line_longer_than_the_head_tells_what_it_tells() {
        let text =
            format!(r#"{{"parentUuid":null,"sessionId":"s","type":"user","message":{{"content":"{}"#, "x".repeat(5000));
        assert_eq!(detected(&text), Some(Format::ClaudeCode));
        let text = format!(r#"{{"messages":[{{"info":{{"role":"user"}},"parts":[{{"text":"{}"#, "x".repeat(5000));
        assert_eq!(detected(&text), Some(Format::Opencode));
        let text = format!(r#"{{"trajectory":[{{"action":"ls","observation":"a","response":"{}"#, "x".repeat(5000));
        assert_eq!(detected(&text), Some(Format::SweAgent));
    }

    #[test]
    fn other_files_are_none_of_ours() {
        for text in
            ["", "\n\n", "hello", "[1, 2]", "{}", r#"{"name":"a","version":"1.0"}"#, r#"{"type":"module"}"#, "{\"a\":"]
        {
            assert_eq!(detected(text), None, "{text}");
        }
    }

    #[test]
    fn formats_are_lines_or_a_document() {
        let documents: Vec<Format> =
            Format::ALL.into_iter().filter(|format| shape(*format) == Shape::Document).collect();
        assert_eq!(documents, [Format::SweAgent, Format::MiniSweAgent, Format::Opencode, Format::GeminiCli]);
        for format in [Format::ClaudeCode, Format::Codex] {
            assert!(crate::import::importer(format).is_some());
        }
    }
}
