//! mini-swe-agent's `.traj.json`: `{info, messages[]}`, messages as in OpenAI's chat API.
//!
//! Three ways of acting occur: tool calls (2.x), items of the Responses API (2.x), and texts with one fenced block whose
//! observation is the next user message (1.x, and 2.x with models without tools). There is one tool, a shell; whatever
//! its commands do to files the engine reads from them itself.
//!
//! A text form of a call becomes a call of `bash`; the fenced block is not repeated in the text beside it.

use lookback_engine::{
    NewPart,
    trace::{Origin, ResultData, Stop, Timestamp, ToolResult, result::RunData},
};
use lookback_wire::Seal;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ImportError, Sink,
    bounds::{Bounded, Messages, parse_within},
    fields::{call_part, content_text, count, each_message, list, parse_frame, text},
    open_call::{Call, OpenCall, close},
    paths::Root,
    results::done,
    time::time_of,
};
use crate::recording::{About, Billed, Item, Unpriced, UserItem};

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(default)]
    info: Bounded<Value>,
    instance_id: Option<String>,
    #[serde(borrow)]
    messages: Messages<'a>,
}

pub(super) fn parse(bytes: &[u8], sink: &mut dyn Sink) -> Result<About, ImportError> {
    let frame: Frame<'_> = parse_frame(bytes)?;
    let at = |pointer: &str| frame.info.0.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let about = About {
        session: frame.instance_id,
        cwd: at("/config/environment/cwd").filter(|cwd| !cwd.is_empty()),
        ..About::default()
    };
    let root = Root::new(about.cwd.as_deref().unwrap_or_default());
    let configured_model = at("/config/model/model_name");
    let mut reader = Reader { about, root, configured_model, open: None, seen_task: false };
    each_message(&frame.messages.0, sink, |number, message, sink| reader.message(number, message, sink))?;
    close(&mut reader.open, sink);
    Ok(reader.about)
}

struct Reader {
    about: About,
    root: Root,
    configured_model: Option<String>,
    open: Option<OpenCall>,
    seen_task: bool,
}

impl Reader {
    fn message(&mut self, number: usize, message: &Value, sink: &mut dyn Sink) -> Result<(), String> {
        if text(message, "object") == Some("response") {
            let call = self.response_items(message);
            self.begin(call, sink);
            return Ok(());
        }
        if text(message, "type") == Some("function_call_output") {
            let id = text(message, "call_id").ok_or("a result without the id of its call")?;
            return self.result(id, &content_text(&message["output"]), message);
        }
        let content = content_text(&message["content"]);
        match text(message, "role") {
            Some("system" | "developer") => self.about.system.get_or_insert_default().push_str(&content),
            Some("assistant") => {
                let call = self.assistant(number, message, content);
                self.begin(call, sink);
            }
            Some("tool") => {
                let id = text(message, "tool_call_id").ok_or("a result without the id of its call")?;
                self.result(id, &content, message)?;
            }
            Some("user") => self.user(content, message, sink),
            // What was submitted, or why the run ended. No model ever saw it.
            Some("exit") => {}
            Some(role) => return Err(format!("unknown role \"{role}\"")),
            None => return Err("no role".to_owned()),
        }
        Ok(())
    }

    fn user(&mut self, content: String, message: &Value, sink: &mut dyn Sink) {
        // Observations of text actions come in the user's voice.
        let waiting = self.open.as_mut().and_then(OpenCall::first_unanswered);
        if let Some(call) = waiting.filter(|call| call.id.starts_with(TEXT_CALL)) {
            call.result = Some(observed(call, &content, message, &self.root));
            return;
        }
        close(&mut self.open, sink);
        if content.trim().is_empty() {
            return;
        }
        let typed = !self.seen_task || content.starts_with("The user added a new task:");
        self.seen_task = true;
        let origin = if typed { Origin::Person } else { Origin::Machine };
        sink.item(Item::User(UserItem { text: content, origin, at: time_in(message) }));
    }

    fn result(&mut self, id: &str, content: &str, message: &Value) -> Result<(), String> {
        let call = self.open.as_mut().ok_or("a result before any call")?.unanswered(id)?;
        call.result = Some(observed(call, content, message, &self.root));
        Ok(())
    }

    fn begin(&mut self, call: OpenCall, sink: &mut dyn Sink) {
        close(&mut self.open, sink);
        self.open = Some(call);
    }

    fn assistant(&mut self, number: usize, message: &Value, content: String) -> OpenCall {
        let mut parts = Vec::new();
        if let Some(thinking) = text(message, "reasoning_content").filter(|thinking| !thinking.is_empty()) {
            parts.push(NewPart::Thinking { text: thinking.to_owned(), seal: Seal::Plain });
        }
        let calls = list(message, "tool_calls");
        let (said, command) = match calls.is_empty() {
            true => text_action(&content, message),
            false => (content, None),
        };
        if !said.trim().is_empty() {
            parts.push(NewPart::Text(said));
        }
        if let Some(command) = command {
            let arguments = json!({ "command": command }).to_string();
            parts.push(NewPart::Call { id: format!("{TEXT_CALL}{number}"), name: "bash".to_owned(), arguments });
        }
        for (index, call) in calls.iter().enumerate() {
            let (function, otherwise) = (&call["function"], format!("call_{number}_{index}"));
            let name = text(function, "name").or(Some("bash"));
            parts.push(call_part(text(call, "id"), otherwise, name, &function["arguments"]));
        }
        self.call(parts, message, &message["extra"]["response"])
    }

    /// A whole response of the Responses API stands where a message would.
    fn response_items(&mut self, message: &Value) -> OpenCall {
        let mut parts = Vec::new();
        for item in list(message, "output") {
            match text(item, "type") {
                Some("message") => parts.push(NewPart::Text(content_text(&item["content"]))),
                Some("reasoning") => {
                    let shown = content_text(&item["summary"]);
                    if !shown.is_empty() {
                        parts.push(NewPart::Thinking { text: shown, seal: Seal::None });
                    }
                }
                Some("function_call") => {
                    let name = text(item, "name").or(Some("bash"));
                    parts.push(call_part(text(item, "call_id"), String::new(), name, &item["arguments"]));
                }
                _ => {}
            }
        }
        let response = message.pointer("/extra/response").unwrap_or(message);
        self.call(parts, message, response)
    }

    fn call(&mut self, parts: Vec<NewPart>, message: &Value, response: &Value) -> OpenCall {
        let model = text(response, "model").or(self.configured_model.as_deref());
        self.about.see_model(model);
        let finish = response.pointer("/choices/0/finish_reason").and_then(Value::as_str);
        let stop = if finish == Some("length") { Stop::Limit } else { Stop::End };
        let mut open = OpenCall::new(parts, time_in(message), model.map(str::to_owned));
        (open.item.stop, open.item.billed) = (stop, bill(&response["usage"]));
        // OpenAI says the tier beside the usage, Anthropic in it.
        let unpriced = Unpriced::of(&response["usage"]);
        open.item.unpriced = if unpriced.is_nothing() { Unpriced::of(response) } else { unpriced };
        open
    }
}

/// Of calls that were written as text.
const TEXT_CALL: &str = "step_";

/// The text beside a fenced action, and the action. An answer with several blocks is refused by the agent: no action.
fn text_action(content: &str, message: &Value) -> (String, Option<String>) {
    let recorded: Vec<&str> =
        list(&message["extra"], "actions").iter().filter_map(|action| text(action, "command")).collect();
    let blocks: Vec<[&str; 3]> = fenced_actions(content).collect();
    match (blocks.as_slice(), recorded.as_slice()) {
        ([[before, command, after]], _) => (format!("{before}{after}"), Some((*command).to_owned())),
        (_, [command]) => (content.to_owned(), Some((*command).to_owned())),
        _ => (content.to_owned(), None),
    }
}

/// What stands before each fenced command, the command, and what stands behind it.
fn fenced_actions(content: &str) -> impl Iterator<Item = [&str; 3]> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + content[from..].find("```")?;
            let head_end = start + content[start..].find('\n')?;
            let end = head_end + content[head_end..].find("\n```")?;
            from = end + 4;
            if matches!(content[start + 3..head_end].trim(), "bash" | "mswea_bash_command" | "sh") {
                let command = content.get(head_end + 1..end).unwrap_or_default().trim();
                return Some([&content[..start], command, &content[from..]]);
            }
        }
    })
}

/// 2.x keeps it in `extra`, 1.x beside the content.
fn time_in(message: &Value) -> Option<Timestamp> {
    time_of(&message["extra"]["timestamp"]).or_else(|| time_of(&message["timestamp"]))
}

/// `prompt_tokens` includes what was cached, and what was written to a cache where the provider bills that.
fn bill(usage: &Value) -> Option<Billed> {
    let prompt = count(usage, "prompt_tokens").or_else(|| count(usage, "input_tokens"))?;
    let details =
        |key: &str| count(&usage["prompt_tokens_details"], key).or_else(|| count(&usage["input_tokens_details"], key));
    let read = details("cached_tokens")
        .or_else(|| count(usage, "prompt_cache_hit_tokens"))
        .or_else(|| count(usage, "cache_read_input_tokens"));
    let written = count(usage, "cache_creation_input_tokens").unwrap_or(0);
    let output = count(usage, "completion_tokens").or_else(|| count(usage, "output_tokens")).unwrap_or(0);
    Some(Billed::of_prompt(prompt, read.unwrap_or(0), written, output))
}

/// What is shown of a command that ran: `<returncode>0</returncode>\n<output>\n…</output>`. Of one that ended well only
/// the output itself is kept, so that its lines can be counted; in all other cases the text stays as the model saw it.
fn observed(call: &Call, content: &str, message: &Value, root: &Root) -> ToolResult {
    let arguments = parse_within(&call.arguments);
    if call.name != "bash" {
        return ToolResult::success(content, ResultData::Other(arguments.unwrap_or_default()));
    }
    let command = arguments.as_ref().and_then(|arguments| text(arguments, "command")).unwrap_or(&call.arguments);
    let exception = text(&message["extra"], "exception_info").is_some_and(|exception| !exception.is_empty())
        || content.starts_with("<exception>");
    let timed_out = content.contains("timed out") && (exception || content.starts_with("The last command"));
    let exit_code = exit_code(content, message).filter(|_| !exception && !timed_out);
    let run = RunData { exit_code, timed_out, ..root.run(command) };
    let plain = plain_output(content).filter(|_| exit_code == Some(0));
    if timed_out {
        let killed = "the command ran too long and was killed";
        return ToolResult { text: content.into(), ..ToolResult::failure("TIMEOUT", killed, ResultData::Run(run)) };
    }
    let cut = content.contains("<elided_chars>") && content.contains("<output_head>");
    done(plain.unwrap_or(content), ResultData::Run(run), cut)
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

#[cfg(test)]
mod tests;
