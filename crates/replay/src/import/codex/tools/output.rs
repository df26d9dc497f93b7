//! The output of a tool: what it printed, and what the client wrote around it.

use serde_json::Value;

use crate::import::{bounds::parse_within, codex::lines::content_text};

#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Printed {
    pub(super) text: String,
    /// The client's own lines before the text.
    pub(super) header: String,
    pub(super) exit_code: Option<i32>,
    pub(super) timed_out: bool,
    /// The number of the process, where it still runs.
    pub(super) session: Option<i64>,
    /// The client left out a part.
    pub(super) is_cut: bool,
    /// The client's words say that the tool failed.
    pub(super) failed: bool,
}

impl Printed {
    pub(super) fn parse(output: &Value) -> Self {
        let refused = output.get("success").and_then(Value::as_bool) == Some(false);
        let text = match output {
            Value::Object(fields) => fields.get("content").map(content_text).unwrap_or_default(),
            output => content_text(output),
        };
        let mut printed = unwrap(&text).unwrap_or_else(|| take_header(text));
        printed.failed |= refused;
        printed.is_cut |= is_cut(&printed.text);
        printed.timed_out |= printed.exit_code.is_none_or(|code| code == 124) && says_timed_out(&printed.text);
        if printed.timed_out {
            printed.exit_code = None;
        }
        printed
    }
}

/// Older clients: `{"output": "…", "metadata": {"exit_code": 0}}`.
fn unwrap(text: &str) -> Option<Printed> {
    let value = parse_within(text.strip_prefix('{').map(|_| text)?)?;
    let metadata = value.get("metadata")?;
    let exit_code = metadata.get("exit_code").and_then(Value::as_i64).map(|code| code as i32);
    let printed = value.get("output")?.as_str()?.to_owned();
    Some(Printed { text: printed, header: metadata.to_string(), exit_code, ..Printed::default() })
}

/// The client's lines before `Output:`.
const HEADER: [&str; 9] = [
    "Command: ",
    "Chunk ID: ",
    "Wall time: ",
    "Wall time ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Exit code: ",
    "Script ",
];

fn take_header(text: String) -> Printed {
    let mut printed = Printed::default();
    let mut rest = text.as_str();
    let mut said_more = false;
    while let Some((line, after)) = rest.split_once('\n').or((!rest.is_empty()).then_some((rest, ""))) {
        if line == "Output:" && said_more {
            printed.header = text[..text.len() - after.len()].to_owned();
            printed.text = after.to_owned();
            return printed;
        }
        // A command of several lines stands in the header as it is.
        if !HEADER.iter().any(|mark| line.starts_with(mark)) && !rest_of_command(&text, rest) {
            break;
        }
        said_more = true;
        let number = |mark| line.strip_prefix(mark).and_then(|rest: &str| rest.trim().parse::<i64>().ok());
        let code = number("Process exited with code ").or_else(|| number("Exit code: "));
        printed.exit_code = code.map(|code| code as i32).or(printed.exit_code);
        printed.session = number("Process running with session ID ").or(printed.session);
        printed.failed |= line.starts_with("Script failed") || line.starts_with("Script error");
        rest = after;
    }
    // No header: what the client says itself when something did not work.
    let first = text.lines().next().unwrap_or_default();
    let exit_code = first.split_once("exit code: ").map(|(_, rest)| rest);
    let exit_code = exit_code.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    let exit_code = exit_code.filter(|_| first.starts_with("failed in sandbox")).and_then(|code| code.parse().ok());
    Printed { failed: says_failed(first), exit_code, text, ..Printed::default() }
}

fn rest_of_command(text: &str, rest: &str) -> bool {
    text.starts_with("Command: ") && rest.contains("\nChunk ID: ") && rest.contains("\nOutput:")
}

fn says_failed(first: &str) -> bool {
    let marks = [
        "failed in sandbox",
        "execution error",
        "exec_command failed",
        "apply_patch verification failed",
        "error: ",
        "Error: ",
        "failed to parse",
        "unsupported call",
        "rejected by user",
        "aborted",
        "write_stdin failed",
        "patch rejected",
    ];
    marks.iter().any(|mark| first.starts_with(mark))
}

fn says_timed_out(text: &str) -> bool {
    text.lines().take(2).any(|line| line.contains("command timed out"))
}

fn is_cut(text: &str) -> bool {
    let is_mark = |line: &str| {
        let line = line.trim();
        line.starts_with("[... omitted ") && line.ends_with(" lines ...]")
            || line.contains(" tokens truncated…")
            || line.contains(" chars truncated…")
    };
    text.starts_with("Warning: truncated output")
        || text.starts_with("Total output lines: ")
        || text.lines().any(is_mark)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_clients_own_lines_are_taken_off() {
        let printed = Printed::parse(&json!(
            "Command: bash -lc 'a\nb'\nChunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 3\nOutput:\nOutput:\nx\n"
        ));
        assert_eq!((printed.text.as_str(), printed.exit_code), ("Output:\nx\n", Some(2)));
        assert!(printed.header.ends_with("Original token count: 3\nOutput:\n"));
        let printed = Printed::parse(&json!("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"));
        assert_eq!((printed.text.as_str(), printed.exit_code, printed.failed), ("Success.\n", Some(0), false));
        let printed = Printed::parse(&json!("Chunk ID: 1\nProcess running with session ID 86\nOutput:\n"));
        assert_eq!((printed.text.as_str(), printed.exit_code, printed.session), ("", None, Some(86)));
    }

    #[test]
    fn wrapped_output_is_unwrapped() {
        let printed =
            Printed::parse(&json!(r#"{"output":"a\nb\n","metadata":{"exit_code":1,"duration_seconds":0.2}}"#));
        assert_eq!((printed.text.as_str(), printed.exit_code), ("a\nb\n", Some(1)));
        let printed = Printed::parse(&json!(r#"{"output":"no metadata"}"#));
        assert_eq!(printed.text, r#"{"output":"no metadata"}"#);
        let printed = Printed::parse(
            &json!([{"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"}, {"type": "input_text", "text": "hi"}]),
        );
        assert_eq!(printed.text, "hi");
        let printed = Printed::parse(&json!({"content": "no", "success": false}));
        assert_eq!((printed.text.as_str(), printed.failed), ("no", true));
    }

    #[test]
    fn failures_and_cuts_are_seen() {
        assert!(Printed::parse(&json!("execution error: no such program")).failed);
        assert!(!Printed::parse(&json!("Plan updated")).failed);
        let printed =
            Printed::parse(&json!("failed in sandbox X with execution error: denied, exit code: 101, stdout: "));
        assert_eq!(printed.exit_code, Some(101));
        assert!(Printed::parse(&json!("a\n[... omitted 4 of 260 lines ...]\n\nb")).is_cut);
        let printed = Printed::parse(&json!(
            r#"{"output":"command timed out after 10 milliseconds\n","metadata":{"exit_code":124}}"#
        ));
        assert_eq!((printed.timed_out, printed.exit_code), (true, None));
    }
}
