//! Claude Code's tools: what each did, from its name, its arguments and what the model was shown.
//!
//! The client keeps a copy of each result for itself (`toolUseResult`). It is not what the model saw and is asked only for
//! what the text leaves out: line numbers of an edit, the length of a file, whether a file is new.

use lookback_engine::trace::{
    ResultData, ToolResult,
    result::{EditData, ReadData, RunData, SearchData, TodoItem, TodoState},
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{
    lines::parse_some,
    true_lines::{PatchCopy, true_hunks},
};
use crate::import::{
    bounds::parse_within,
    change::{self, UNKNOWN_LINE},
    fields::text,
    open_call::Call,
    paths::Root,
    results::{done, failed, listed, numbered_read, parse_matches, todo_state, todos_under, written},
};

/// What came back from a call.
pub(in crate::import) struct Given<'a> {
    pub(in crate::import) text: String,
    pub(in crate::import) failed: bool,
    pub(in crate::import) client: Option<&'a RawValue>,
}

/// The table. Task tools change a list one entry at a time, so it remembers the list.
#[derive(Debug, Default)]
pub(in crate::import) struct Tools {
    tasks: Tasks,
}

/// A call with its arguments parsed.
struct Asked<'a> {
    arguments: Value,
    directory: &'a str,
    root: &'a Root,
}

impl Asked<'_> {
    fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn path(&self, name: &str) -> String {
        self.root.file(self.directory, self.text(name))
    }
}

impl Tools {
    pub(in crate::import) fn result(&mut self, call: &Call, given: Given<'_>, root: &Root) -> ToolResult {
        let arguments = parse_within(&call.arguments).unwrap_or_default();
        let asked = Asked { arguments, directory: &call.directory, root };
        let data = match call.name.as_str() {
            "Bash" => return run(&asked, given),
            "Read" | "NotebookRead" => ResultData::Read(read(&asked, &given)),
            "Edit" | "MultiEdit" | "NotebookEdit" => ResultData::Edit(edit(&asked, &given)),
            "Write" => write(&asked, &given),
            "Grep" => ResultData::Search(grep(&asked, &given)),
            "Glob" => glob(&asked, &given),
            "LS" => list(&asked, &given),
            "TodoWrite" => todos_under("todos", &asked.arguments),
            "TaskCreate" | "TaskUpdate" | "TaskList" if !given.failed => {
                ResultData::Todo { items: self.tasks.apply(&call.name, &asked.arguments, &given.text) }
            }
            name => ResultData::Other(json!({ "tool": name })),
        };
        let cut = is_cut(&given.text);
        if given.failed { failed(given.text, data) } else { done(given.text, data, cut) }
    }
}

/// The client keeps large outputs in a file and shows their beginning.
fn is_cut(text: &str) -> bool {
    text.starts_with("<persisted-output>")
}

fn run(asked: &Asked<'_>, given: Given<'_>) -> ToolResult {
    let command = asked.root.command(asked.directory, asked.text("command"));
    let ended = Ended::of(&given);
    let data = ResultData::Run(RunData {
        command,
        cwd: asked.directory.to_owned(),
        exit_code: ended.exit_code,
        timed_out: ended.timed_out,
        ..RunData::default()
    });
    // What still runs has not shown all that it will.
    let is_shortened = ended.is_running || is_cut(&given.text) || given.text.contains(" lines truncated] ...");
    // Where it ran and ended with another code, the tool did not fail.
    match given.failed && ended.exit_code.is_none() && !ended.timed_out {
        true => failed(given.text, data),
        false => done(given.text, data, is_shortened),
    }
}

struct Ended {
    exit_code: Option<i32>,
    is_running: bool,
    timed_out: bool,
}

impl Ended {
    fn of(given: &Given<'_>) -> Self {
        let text = given.text.trim_start();
        let said = text.strip_prefix("Exit code ").or_else(|| text.strip_prefix("Error: Exit code "));
        let said = said.and_then(|rest| rest.lines().next()?.trim().parse().ok());
        let timed_out = given.failed && text.lines().take(2).any(|line| line.contains("timed out after"));
        let is_running =
            text.starts_with("Command running in background") || text.starts_with("Command was manually backgrounded");
        let stopped = given.client.is_some_and(|client| client.get().contains("\"interrupted\":true"));
        let exit_code = match said {
            _ if timed_out => None,
            Some(code) if given.failed => Some(code),
            _ if given.failed || is_running || stopped => None,
            _ => Some(0),
        };
        Self { exit_code, is_running, timed_out }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ReadCopy {
    file: Option<FileCopy>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct FileCopy {
    total_lines: Option<u32>,
}

/// Lines stand behind `    12→`, in newer clients behind `12` and a tab; reminders after them are no lines of the file.
fn read(asked: &Asked<'_>, given: &Given<'_>) -> ReadData {
    let path = if asked.text("file_path").is_empty() { "notebook_path" } else { "file_path" };
    let mut read = numbered_read(asked.path(path), &given.text, &["→", "\t"]);
    let copy: Option<ReadCopy> = parse_some(given.client);
    read.total_lines = match copy.and_then(|copy| copy.file?.total_lines) {
        total @ Some(_) if read.line_count > 0 => total,
        _ if given.text.contains("the file exists but the contents are empty") => Some(0),
        _ => None,
    };
    read
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ChangeCopy {
    #[serde(rename = "type")]
    kind: Option<String>,
    structured_patch: Option<Vec<PatchCopy>>,
    original_file: Option<String>,
}

fn edit(asked: &Asked<'_>, given: &Given<'_>) -> EditData {
    let path = if asked.text("file_path").is_empty() { "notebook_path" } else { "file_path" };
    let copy: Option<ChangeCopy> = parse_some(given.client);
    let (patch, original) = copy.map(|copy| (copy.structured_patch, copy.original_file)).unwrap_or_default();
    let placed = patch.filter(|patch| !patch.is_empty());
    let hunks = match placed {
        _ if given.failed => Vec::new(),
        Some(patch) => true_hunks(&patch, original.as_deref(), &asked.arguments),
        // Where the client kept no copy only the arguments tell what went and what came, and not where.
        None => match text(&asked.arguments, "new_source") {
            Some(cell) => vec![change::hunk(UNKNOWN_LINE, "", cell)],
            None => change::asked_for(&asked.arguments),
        },
    };
    EditData { path: asked.path(path), hunks }
}

fn write(asked: &Asked<'_>, given: &Given<'_>) -> ResultData {
    let copy: Option<ChangeCopy> = parse_some(given.client);
    let created = match copy.and_then(|copy| copy.kind) {
        Some(kind) => kind == "create",
        None => given.text.starts_with("File created"),
    };
    written(asked.path("file_path"), created, asked.text("content"))
}

/// Three modes: lines with their content, the names of the files, counts by file.
fn grep(asked: &Asked<'_>, given: &Given<'_>) -> SearchData {
    let pattern = asked.text("pattern").to_owned();
    let found = given.text.lines().filter(|line| !line.trim().is_empty() && !is_notice(line));
    let none = given.failed || given.text.starts_with("No matches found") || given.text.starts_with("No files found");
    let truncated = is_cut(&given.text) || given.text.contains("[Showing results with pagination");
    if none {
        return SearchData { pattern, match_count: 0, matches: Vec::new(), truncated: false };
    }
    let (match_count, matches) = match asked.text("output_mode") {
        "content" => {
            let searched = Some(asked.text("path")).filter(|path| !path.is_empty());
            let matches = parse_matches(&given.text, searched, asked.root, asked.directory);
            // Without line numbers every line is a match that nobody can place.
            let count = if matches.is_empty() { found.count() } else { matches.len() };
            (count as u32, matches)
        }
        "count" => {
            let counts = found.filter_map(|line| line.rsplit_once(':')?.1.trim().parse::<u32>().ok());
            (counts.sum(), Vec::new())
        }
        _ => (found.count() as u32, Vec::new()),
    };
    SearchData { pattern, match_count, matches, truncated }
}

/// The client's own words around what was found.
fn is_notice(line: &str) -> bool {
    let counts = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    line.strip_prefix("Found ").is_some_and(counts)
        || line == "--"
        || line.starts_with("(Results are truncated")
        || line.starts_with("[Showing results with pagination")
}

fn glob(asked: &Asked<'_>, given: &Given<'_>) -> ResultData {
    let none = given.failed || given.text.starts_with("No files found");
    let names = given.text.lines().filter(|line| !none && !line.trim().is_empty() && !is_notice(line));
    let entries = names.map(|name| asked.root.file(asked.directory, name)).collect();
    listed(asked.text("pattern"), entries, given.text.contains("(Results are truncated"))
}

/// A tree with one `- name` a line; the first is the directory itself.
fn list(asked: &Asked<'_>, given: &Given<'_>) -> ResultData {
    let names = given.text.lines().filter(|_| !given.failed).filter_map(|line| line.trim_start().strip_prefix("- "));
    listed(&asked.root.directory(asked.text("path")), names.skip(1).map(str::to_owned).collect(), false)
}

/// What the task tools made so far, by the client's ids.
#[derive(Debug, Default)]
struct Tasks(Vec<(String, TodoItem)>);

impl Tasks {
    /// The whole list after a call that succeeded.
    fn apply(&mut self, tool: &str, arguments: &Value, text: &str) -> Vec<TodoItem> {
        let given = |name: &str| arguments.get(name).and_then(Value::as_str);
        match tool {
            "TaskCreate" => {
                // `Task #7 created successfully: …`
                let id = text.split_once('#').map_or("", |(_, rest)| rest);
                let id: String = id.chars().take_while(|next| !next.is_whitespace()).collect();
                let text = given("subject").unwrap_or_default().to_owned();
                self.0.push((id, TodoItem { text, state: TodoState::Pending }));
            }
            "TaskUpdate" => {
                let id = given("taskId").unwrap_or_default();
                if given("status") == Some("deleted") {
                    self.0.retain(|(known, _)| known != id);
                }
                if let Some((_, task)) = self.0.iter_mut().find(|(known, _)| known == id) {
                    if let Some(status) = given("status") {
                        task.state = todo_state(Some(status));
                    }
                    if let Some(subject) = given("subject") {
                        subject.clone_into(&mut task.text);
                    }
                }
            }
            // Others may have worked on it: subagents.
            _ => {
                let listed: Vec<(String, TodoItem)> = text.lines().filter_map(listed_task).collect();
                if !listed.is_empty() {
                    self.0 = listed;
                }
            }
        }
        self.0.iter().map(|(_, task)| task.clone()).collect()
    }
}

/// `#6 [pending] Update the notes [blocked by #5]`
fn listed_task(line: &str) -> Option<(String, TodoItem)> {
    let (id, rest) = line.trim().strip_prefix('#')?.split_once(" [")?;
    let (state, text) = rest.split_once("] ")?;
    let text = text.split(" [blocked by").next().unwrap_or(text).to_owned();
    Some((id.to_owned(), TodoItem { text, state: todo_state(Some(state)) }))
}
