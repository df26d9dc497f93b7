//! Codex's tools: what each did, from its name, its arguments and its output.
//!
//! Outputs of commands begin with lines of the client's own (how long it ran, with which code it ended) or are wrapped in
//! JSON. These are taken off, because only then the text is what the command printed; they stay in the result's `stats`.

mod command;
mod output;
mod patches;
mod script;

use std::collections::BTreeMap;

use lookback_engine::trace::{ResultData, Status, ToolResult, result::RunData};
use serde_json::{Value, json};

use self::{
    command::{Asked, parse_command},
    output::Printed,
    patches::{Applied, patch_in_command},
    script::{Script, parse_script},
};
use crate::{
    import::{
        bounds::parse_within,
        open_call::Call,
        paths::Root,
        results::{failed, listed, nothing_read, partial, search, todos_under},
    },
    parameters::HELD,
};

/// The table. Later calls name a running process by its number only, so it remembers their commands.
#[derive(Debug, Default)]
pub(in crate::import) struct Tools {
    running: BTreeMap<i64, RunData>,
}

/// Stands in for what a provider's own tool found.
pub(super) fn run_by_provider(name: &str) -> ToolResult {
    let text = format!("the provider ran {name} itself: what it found is not in the file");
    ToolResult::success(text, ResultData::Other(json!({ "tool": name })))
}

impl Tools {
    pub(in crate::import) fn result(&mut self, call: &Call, output: &Value, root: &Root) -> ToolResult {
        let printed = Printed::parse(output);
        let arguments = parse_within(&call.arguments).unwrap_or_default();
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        match call.name.as_str() {
            "apply_patch" => {
                let patch = if arguments.is_object() { text("input") } else { &call.arguments };
                Applied { patch, directory: &call.directory, changes: call.changes.as_ref(), root }.result(printed)
            }
            "shell" | "shell_command" | "exec_command" | "container.exec" | "local_shell" | "unified_exec" => {
                self.command(parse_command(&arguments, &call.directory, root), call, printed, root)
            }
            "write_stdin" => self.go_on(arguments.get("session_id").and_then(Value::as_i64), printed),
            "exec" => self.script(call, printed, root),
            "update_plan" => finish(printed, todos_under("plan", &arguments)),
            // Their texts are not numbered: no line of the file is told.
            "view_image" | "read_file" => {
                let path = if call.name == "view_image" { text("path") } else { text("file_path") };
                finish(printed, ResultData::Read(nothing_read(root.file(&call.directory, path))))
            }
            "list_dir" => {
                let entries = printed.text.lines().map(|line| line.trim().to_owned()).collect();
                finish(printed, listed(&root.directory(text("dir_path")), entries, false))
            }
            "grep_files" => {
                let found = printed.text.lines().filter(|line| !line.starts_with("No matches")).count() as u32;
                finish(printed, search(text("pattern"), Vec::new(), Some(found), false))
            }
            name => finish(printed, ResultData::Other(json!({ "tool": name }))),
        }
    }

    fn command(&mut self, asked: Asked, call: &Call, printed: Printed, root: &Root) -> ToolResult {
        if let Some((patch, directory)) = patch_in_command(&asked, root) {
            return Applied { patch: &patch, directory: &directory, changes: call.changes.as_ref(), root }
                .result(printed);
        }
        let command = root.command(&asked.directory, &asked.command);
        let run = RunData { command, cwd: asked.directory, ..RunData::default() };
        self.ran(run, printed)
    }

    fn ran(&mut self, run: RunData, printed: Printed) -> ToolResult {
        let run = RunData { exit_code: printed.exit_code, timed_out: printed.timed_out, ..run };
        if let Some(session) = printed.session {
            self.running.insert(session, run.clone());
            while self.running.len() > HELD {
                self.running.pop_first();
            }
            return with_stats(printed, Status::Partial, ResultData::Run(run));
        }
        let has_ended = printed.exit_code.is_some() || printed.timed_out;
        match printed.failed && !has_ended {
            true => failed(printed.text, ResultData::Run(run)),
            false => finish(Printed { failed: false, ..printed }, ResultData::Run(run)),
        }
    }

    /// More of what a running process printed: never its whole output, so no lines of a file can be told from it.
    fn go_on(&mut self, session: Option<i64>, printed: Printed) -> ToolResult {
        let known = session.and_then(|session| self.running.get(&session)).cloned();
        let Some(run) = known else { return finish(printed, ResultData::Other(json!({ "tool": "write_stdin" }))) };
        self.ran(run, Printed { is_cut: true, ..printed })
    }

    /// Code that calls other tools. What its text shows is the code's choice.
    fn script(&mut self, call: &Call, printed: Printed, root: &Root) -> ToolResult {
        let (directory, changes) = (call.directory.as_str(), call.changes.as_ref());
        match parse_script(&call.arguments) {
            Script::Patch(patch) => Applied { patch: &patch, directory, changes, root }.result(printed),
            Script::Command { arguments, prints } => {
                let asked = parse_command(&arguments, directory, root);
                let is_cut = printed.is_cut || prints == script::Prints::Otherwise;
                self.command(asked, call, Printed { is_cut, ..printed }, root)
            }
            Script::Many(command) => {
                let command = root.command(directory, &command);
                let run = RunData { command, cwd: directory.to_owned(), ..RunData::default() };
                self.ran(run, Printed { is_cut: true, exit_code: None, ..printed })
            }
            Script::Other => finish(printed, ResultData::Other(json!({ "tool": "exec" }))),
        }
    }
}

fn finish(printed: Printed, data: ResultData) -> ToolResult {
    match () {
        () if printed.failed => failed(printed.text, data),
        () if printed.is_cut => with_stats(printed, Status::Partial, data),
        () => with_stats(printed, Status::Success, data),
    }
}

fn with_stats(printed: Printed, status: Status, data: ResultData) -> ToolResult {
    let stats = (!printed.header.is_empty()).then(|| Box::new(json!({ "header": printed.header })));
    ToolResult { status, stats, ..partial(printed.text, data) }
}
