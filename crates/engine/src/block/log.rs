//! The log of a block: every call of its turns in order, one line each with its pointer.
//!
//! Of everything tried in a block the agent's own calls told best what it does next (docs/design/measuring.md, "What a block
//! keeps"), so they have a budget of their own. The oldest go first, and a line says how many.

use std::fmt::Write;

use crate::{
    configuration::BlockLimits,
    configuration::written::{LEGEND_CHARACTERS, LOG_LINE_CHARACTERS, LOG_NAMES, LOG_OLD_CHARACTERS, LOG_POINTER},
    evidence::{
        lines::lossy,
        symbols::{defined, is_prose},
    },
    history::{History, LiveTurn, index::ToolTurn},
    text::{LINE_ENDS, beginning, one_line, shorten, with_visible_ends},
    trace::{
        AssistantPart, EventBody, Output, ResultData, Status, ToolResult, TurnNo,
        decision::TurnRange,
        result::{RunData, TestReport},
    },
    view::visible::part_tokens,
};

/// Calls that do the same one after another are one line.
struct Line {
    turn: TurnNo,
    pointer: String,
    text: String,
    /// What came of it.
    came: String,
    /// Of a read: the file, to which the next lines of it are joined.
    reads: Option<String>,
    times: u32,
}

/// What can be cited in a range, for whoever is asked to: user turns and calls, each by a few words. No message of a
/// conversation shows its number, so a model would guess them.
pub(crate) fn legend(history: &History, range: TurnRange) -> String {
    let mut named = Vec::new();
    for (turn, live) in history.live_turns(range) {
        match live {
            LiveTurn::User(user) => {
                let words = one_line(&user.text);
                named.extend(
                    user.user.map(|number| format!("user#{number} \"{}\"", shorten(&words, LEGEND_CHARACTERS))),
                );
            }
            LiveTurn::Tool(step) => {
                let lines = (0..step.calls.len()).filter_map(|index| line_of(history, turn, step, index));
                let told = |line: &Line| shorten(&line.told(LOG_LINE_CHARACTERS), LEGEND_CHARACTERS).into_owned();
                named.extend(lines.map(|line| format!("{} {}", line.pointer, told(&line))));
            }
            LiveTurn::Assistant(_) => {}
        }
    }
    with_visible_ends(&named.join(" · ")).into_owned()
}

/// The log of a range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) text: String,
    /// About how many it takes.
    pub(crate) tokens: u32,
}

/// The log of a range within its budget.
pub(crate) fn render_log(
    history: &History,
    range: TurnRange,
    limits: &BlockLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> Log {
    let mut lines: Vec<Line> = Vec::new();
    if limits.log_tokens == 0 {
        return Log::default();
    }
    let mut replaced = 0;
    for (turn, live) in history.live_turns(range) {
        replaced += raw_tokens(history, &live);
        let LiveTurn::Tool(step) = live else { continue };
        let calls = (0..step.calls.len()).filter_map(|index| line_of(history, turn, step, index));
        calls.for_each(|line| push(&mut lines, line));
    }
    let budget = limits.log_of(replaced);
    let mut shown: Vec<String> = Vec::new();
    let mut tokens = 0;
    for line in lines.iter().rev() {
        // Where room may be short, the older ones are cut before they go.
        let longest = if 2 * tokens < budget { LOG_LINE_CHARACTERS } else { LOG_OLD_CHARACTERS };
        let text = render(line, longest);
        let more = count(text.as_bytes());
        if tokens + more > budget {
            break;
        }
        tokens += more;
        shown.push(text);
    }
    if shown.is_empty() {
        return Log::default();
    }
    let mut text = "\ncalls, in order:\n".to_owned();
    if let (left, Some(first)) = (lines.len() - shown.len(), lines.first())
        && left > 0
    {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "(+{left} earlier, from turn#{} on)", first.turn);
    }
    shown.iter().rev().for_each(|line| text.push_str(line));
    Log { text, tokens: tokens + 2 * LOG_POINTER as u32 }
}

/// What a turn took as it came: the same whatever became of it in the view.
fn raw_tokens(history: &History, turn: &LiveTurn<'_>) -> u64 {
    match turn {
        LiveTurn::User(_) => 0,
        LiveTurn::Assistant(assistant) => assistant.parts.iter().map(|part| u64::from(part_tokens(part))).sum(),
        LiveTurn::Tool(step) => match step.ended().and_then(|event| history.body_at(event)) {
            Some(EventBody::StepEnded { shown, .. }) => shown.iter().map(|shown| u64::from(shown.tokens)).sum(),
            _ => 0,
        },
    }
}

fn push(lines: &mut Vec<Line>, line: Line) {
    match lines.last_mut() {
        Some(last) if last.text == line.text && last.came == line.came => last.times += 1,
        Some(last) if last.reads.is_some() && last.reads == line.reads && last.times == 1 => {
            if let Some((_, place)) = line.text.rsplit_once(' ') {
                last.text.push_str(", ");
                last.text.push_str(place);
            }
        }
        _ => lines.push(line),
    }
}

fn render(line: &Line, longest: usize) -> String {
    let times = if line.times > 1 { format!(" ×{}", line.times) } else { String::new() };
    format!("{}\n", with_visible_ends(&format!("{} {}{times}", line.pointer, line.told(longest))))
}

impl Line {
    fn told(&self, longest: usize) -> String {
        let text = shorten(&self.text, longest);
        if self.came.is_empty() { text.into_owned() } else { format!("{text} → {}", self.came) }
    }
}

fn line_of(history: &History, turn: TurnNo, step: &ToolTurn, index: usize) -> Option<Line> {
    let call = step.calls.get(index)?;
    let EventBody::AssistantTurn(assistant) = history.body_at(step.assistant)? else { return None };
    let AssistantPart::Call { name, arguments, .. } = assistant.parts.get(call.part as usize)? else { return None };
    let result = history.result_at(step, index);
    let pointer = history.result_pointer(turn, index);
    let mut reads = None;
    let (what, came) = match result.map(|result| &result.data) {
        Some(ResultData::Run(run)) => (run.command.clone(), ended(run)),
        Some(ResultData::Read(read)) => {
            reads = Some(read.path.clone());
            let last = read.first_line + read.line_count.saturating_sub(1);
            (format!("{name} {} L{}-{last}", read.path, read.first_line), String::new())
        }
        Some(data @ (ResultData::Edit(_) | ResultData::Patch(_))) => {
            let edited = data.edits().map(|edit| {
                let known = edit.hunks.iter().filter(|hunk| hunk.first_line > 0);
                let places: Vec<String> = known.map(|hunk| format!(" L{}", hunk.first_line)).collect();
                let came = edit.hunks.iter().flat_map(|hunk| &hunk.added).map(String::as_str);
                let went = edit.hunks.iter().flat_map(|hunk| &hunk.removed).map(String::as_str);
                format!("{}{}{}", edit.path, places.join(","), names(&edit.path, came.chain(went)))
            });
            let gone = data.deleted_paths().map(|path| format!("{path} deleted"));
            (format!("{name} {}", edited.chain(gone).collect::<Vec<_>>().join(" · ")), String::new())
        }
        Some(ResultData::Write(write)) => {
            // Its lines as they stand in the arguments: what is indented there is a detail.
            let names = names(&write.path, arguments.split("\\n"));
            (format!("{name} {}{names}", write.path), if write.created { "new".to_owned() } else { String::new() })
        }
        Some(ResultData::Search(search)) => {
            (format!("{name} {:?}", search.pattern), format!("{} found", search.match_count))
        }
        Some(ResultData::List(list)) => (format!("{name} {}", list.subject), format!("{} entries", list.entry_count)),
        // The list itself is what is next.
        Some(ResultData::Todo { .. }) => return None,
        // Its arguments are what a model wanted there, not what came of it.
        _ if name == BOARD => (name.clone(), result.map_or(String::new(), board_answer)),
        Some(ResultData::Other(_)) | None => match result.and_then(|result| answered(result).or(approved(result))) {
            Some(answers) => (name.clone(), beginning_as_line(&answers, LOG_LINE_CHARACTERS)),
            None => (format!("{name} {arguments}"), String::new()),
        },
    };
    let came = failure(result).unwrap_or(came);
    let text = beginning_as_line(&what, LOG_LINE_CHARACTERS);
    Some(Line { turn, pointer, text, reads: reads.filter(|_| came.is_empty()), came, times: 1 })
}

/// What an edit defines, or defined before it.
fn names<'a>(path: &str, lines: impl Iterator<Item = &'a str>) -> String {
    let mut found: Vec<&str> = Vec::new();
    for name in lines.filter_map(defined).filter(|_| !is_prose(path)) {
        if found.len() < LOG_NAMES && !found.contains(&name) {
            found.push(name);
        }
    }
    if found.is_empty() { String::new() } else { format!(" ({})", found.join(", ")) }
}

/// The beginning of a text on one line. Arguments can be whole files, of which only that is read.
fn beginning_as_line(text: &str, characters: usize) -> String {
    let line = as_line(beginning(text.trim_start(), 4 * characters));
    let line = if line.chars().nth(characters).is_some() { line } else { as_line(text) };
    shorten(&line, characters).into_owned()
}

/// Where a line of a script ends must be seen: a space there would make one command of two.
fn as_line(text: &str) -> String {
    let lines = text.split(LINE_ENDS).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\\n")
}

fn ended(run: &RunData) -> String {
    match run.exit_code {
        // Behind a pipe it is the code of `head`.
        Some(0) if run.command.contains('|') => run.tests.as_deref().and_then(TestReport::counts).unwrap_or_default(),
        Some(code) => format!("exit {code}"),
        None if run.timed_out => "timed out".to_owned(),
        None => String::new(),
    }
}

/// The tool by which a model writes on the board.
const BOARD: &str = "Board";

/// The version that it made, and how much was refused.
fn board_answer(result: &ToolResult) -> String {
    let ResultData::Other(data) = &result.data else { return "not taken".to_owned() };
    match (data["version"].as_u64(), data["refused"].as_u64().unwrap_or(0)) {
        (None, _) => "not taken".to_owned(),
        (Some(version), 0) => format!("v{version}"),
        (Some(version), refused) => format!("v{version}, {refused} refused"),
    }
}

/// What a client's tool that asks the user shows before question and answer.
const ANSWERED: &str = "User has answered your questions: ";

/// What a person answered, each with its question.
fn answered(result: &ToolResult) -> Option<String> {
    let Output::Inline(text) = &result.text else { return None };
    // Nearly no result is one, and it may be long.
    let text = lossy(text.strip_prefix(ANSWERED.as_bytes())?);
    let pairs = text.split(". You can now continue").next().unwrap_or_default();
    let pairs = pairs.trim_matches('"').split("\", \"").filter_map(|pair| pair.split_once("\"=\""));
    let told = pairs.map(|(question, answer)| format!("“{answer}” to “{}”", shorten(question, LEGEND_CHARACTERS)));
    Some(told.collect::<Vec<_>>().join(", ")).filter(|told| !told.is_empty())
}

/// What a client's tool that shows a plan to the user answers where they took it, and what stands before the plan there.
const APPROVED: (&str, &str) = ("User has approved your plan", "## Approved Plan:");

/// The plan that a person approved: what all that follows is to do.
fn approved(result: &ToolResult) -> Option<String> {
    let Output::Inline(text) = &result.text else { return None };
    let text = lossy(text.strip_prefix(APPROVED.0.as_bytes())?);
    let (_, plan) = text.split_once(APPROVED.1)?;
    Some(format!("approved: {}", plan.trim_start()))
}

/// A tool that failed, or whose result nobody has. Of a call that a person refused, the reason.
fn failure(result: Option<&ToolResult>) -> Option<String> {
    let Some(result) = result else { return Some("no result".to_owned()) };
    match (result.status, &result.error) {
        (Status::Interrupted, _) => Some("interrupted".to_owned()),
        (Status::Error, Some(error)) => Some(match result.refusal() {
            Some(reason) => format!("refused: “{}”", beginning_as_line(reason, LOG_LINE_CHARACTERS)),
            None => format!("error {}", error.code),
        }),
        (Status::Error, None) => Some("error".to_owned()),
        _ => None,
    }
}
