//! What a person sees of a run, line by line, on standard error: few lines, plain words, the reason beside every surprise.

use lookback_agent::News;
use lookback_engine::trace::{ResultData, Status, ToolResult};
use lookback_models::driving::Repair;
use serde_json::Value;

use super::{model::Asked, project::Project, workshop::Bench};
use crate::screen;

/// Columns of what a tool was given; how it ended stands behind them.
const GIVEN: usize = 55;

pub(super) fn beginning(asked: &Asked, bench: &Bench, project: &Project, resumed: Option<&str>) -> String {
    let mut facts = vec![asked.name.clone(), bench.sandbox_in_words()];
    let rules = project.rules.from();
    if !rules.is_empty() {
        facts.push(format!("rules from {}", rules.join(" and ")));
    }
    facts.extend(resumed.map(|name| format!("going on with session {name}")));
    format!(" {}", facts.join(" · "))
}

/// None for what needs no line.
pub(super) fn line(news: &News<'_>) -> Option<String> {
    match news {
        News::Answered(_) | News::Starts { .. } => None,
        News::Ran { tool, arguments, result } => Some(ran(tool, arguments, result)),
        News::Denied { tool, why } => Some(format!(" {tool:<9} not permitted: {why}")),
        News::Folded(report, problems) => Some(with_problems(&format!(" ⤺ {report}"), problems)),
        News::Stubbed(report) => Some(format!(" ⤺ {report}")),
        News::Archived(report, problems) => Some(with_problems(&format!(" ⤺ {report}"), problems)),
        News::RulesChanged => Some(" the rules have changed: the model is told".to_owned()),
        News::TookOut(tokens) => Some(format!(
            " ⤺ an answer of {} tokens leaves no room for another: it is taken out of the view, and the model is told",
            screen::short(*tokens)
        )),
        News::Keeping => Some(" keeping the files as they are, so that changes can be undone…".to_owned()),
        News::NotCovered([]) => Some(" undo covers all files of the project again".to_owned()),
        News::NotCovered([first, more @ ..]) => Some(match more.len() {
            0 => format!(" undo does not cover {first}"),
            more => format!(" undo does not cover {first}, and {more} more"),
        }),
        News::NotKept(why) => Some(format!(" changes cannot be undone: the files could not be kept ({why})")),
        News::Repaired(Repair::MadeRoom { before, after }) => Some(format!(
            " ⤺ the prompt was too long for the provider: {} → {} tokens",
            screen::short(*before),
            screen::short(*after)
        )),
        News::Repaired(Repair::DroppedThinking) => {
            Some(" the provider refused old thinking: it is left out".to_owned())
        }
        News::CutOff(error) => Some(format!(" the answer was cut off ({}): asked again", error.first_line())),
    }
}

fn with_problems(line: &str, problems: &[String]) -> String {
    match problems.last() {
        Some(problem) => format!("{line} · written by the rules: {problem}"),
        None => line.to_owned(),
    }
}

fn ran(tool: &str, arguments: &str, result: &ToolResult) -> String {
    let given = screen::one_line(&given(arguments), GIVEN);
    format!(" {tool:<9} {given:<GIVEN$} {}", ended(result)).trim_end().to_owned()
}

/// What a tool was about.
fn given(arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let named = ["command", "pattern", "path", "pointer", "id"].into_iter().find_map(|name| arguments[name].as_str());
    named.unwrap_or_default().to_owned()
}

fn ended(result: &ToolResult) -> String {
    if let Some(error) = &result.error {
        return format!("{}: {}", error.code, screen::one_line(&error.message, 80));
    }
    let ended = match &result.data {
        ResultData::Run(run) => {
            let job = result.stats.as_ref().and_then(|stats| stats["job"].as_u64());
            let exit = match run.exit_code {
                _ if job.is_some() => format!("started as job-{}", job.unwrap_or_default()),
                Some(code) => format!("exit {code}"),
                None if run.timed_out => "timed out".to_owned(),
                None => "killed".to_owned(),
            };
            let tests = run.tests.as_ref().map(|tests| match tests.failed {
                0 => format!(" · {} passed", tests.passed),
                failed => format!(" · {failed} failed, {} passed", tests.passed),
            });
            exit + &tests.unwrap_or_default()
        }
        ResultData::Read(read) => screen::counted(u64::from(read.line_count), "line"),
        ResultData::Search(search) => {
            screen::counted(u64::from(search.match_count), "match").replace("matchs", "matches")
        }
        ResultData::List(list) => screen::counted(u64::from(list.entry_count), "entry").replace("entrys", "entries"),
        ResultData::Edit(edit) => {
            let lines =
                |of: fn(&lookback_engine::trace::result::Hunk) -> usize| edit.hunks.iter().map(of).sum::<usize>();
            format!("+{} −{}", lines(|hunk| hunk.added.len()), lines(|hunk| hunk.removed.len()))
        }
        ResultData::Write(write) => if write.created { "new" } else { "written" }.to_owned(),
        ResultData::Patch(_) | ResultData::Todo { .. } | ResultData::Other(_) => String::new(),
    };
    let partly = if result.status == Status::Partial { " · shown in part" } else { "" };
    ended + partly
}
