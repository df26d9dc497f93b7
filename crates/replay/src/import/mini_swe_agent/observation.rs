//! What mini-swe-agent shows of a command that ran.
//!
//! `<returncode>0</returncode>\n<output>\n…</output>`. Of a command that ended well only the output itself is kept, so
//! that its lines can be counted; in all other cases the text stays as the model saw it.

use lookback_engine::trace::{
    ResultData, Status, ToolResult,
    result::{RunData, ToolError},
};
use serde_json::Value;

use crate::{
    import::{fields::text, open_call::Asked, paths::run_in},
    recording::About,
};

impl About {
    pub(super) fn observed(&self, asked: Asked<'_>, content: &str, message: &Value) -> ToolResult {
        let arguments: Option<Value> = serde_json::from_str(asked.arguments).ok();
        if asked.name != "bash" {
            return ToolResult::success(content, ResultData::Other(arguments.unwrap_or_default()));
        }
        let command = arguments.as_ref().and_then(|arguments| text(arguments, "command")).unwrap_or(asked.arguments);
        let exception = text(&message["extra"], "exception_info").is_some_and(|exception| !exception.is_empty())
            || content.starts_with("<exception>");
        let timed_out = content.contains("timed out") && (exception || content.starts_with("The last command"));
        let exit_code = exit_code(content, message).filter(|_| !exception && !timed_out);
        let run = RunData { exit_code, timed_out, ..run_in(command, self.cwd.as_deref()) };
        let plain = plain_output(content).filter(|_| exit_code == Some(0));
        let mut result = ToolResult::success(plain.unwrap_or(content), ResultData::Run(run));
        if timed_out {
            let message = "the command ran too long and was killed".to_owned();
            result.status = Status::Error;
            result.error = Some(Box::new(ToolError { code: "TIMEOUT".to_owned(), message }));
        } else if content.contains("<elided_chars>") && content.contains("<output_head>") {
            result.status = Status::Partial;
        }
        result
    }
}

fn exit_code(content: &str, message: &Value) -> Option<i32> {
    let recorded = message["extra"]["returncode"].as_i64().and_then(|code| i32::try_from(code).ok());
    recorded.or_else(|| {
        let (_, rest) = content.split_once("<returncode>")?;
        rest.split_once("</returncode>")?.0.trim().parse().ok()
    })
}

/// The output between its tags, where nothing else was said.
fn plain_output(content: &str) -> Option<&str> {
    let rest = content.trim_start().strip_prefix("<returncode>")?;
    let (_, rest) = rest.split_once("</returncode>")?;
    let output = rest.trim_start().strip_prefix("<output>")?.trim_end().strip_suffix("</output>")?;
    Some(output.strip_prefix('\n').unwrap_or(output))
}
