//! What a person sees who is asked whether a call may run, and what they may answer.

use std::{fs, path::Path};

use lookback_agent::{Answer, Question};
use lookback_tools::{ToolName, difference};
use serde_json::Value;

use crate::screen;

/// Lines of a difference; a command is always shown whole.
const MOST_LINES: usize = 80;
/// Bytes of a file that is compared.
const LARGEST: u64 = 1 << 20;

/// `remember` keeps an "always", and says whether it could; none where it cannot be kept.
pub(super) fn ask(
    question: &Question<'_>,
    root: &Path,
    stopped: &dyn Fn() -> bool,
    remember: Option<&mut dyn FnMut() -> anyhow::Result<()>>,
) -> Answer {
    let Question { tool, arguments, why } = question;
    screen::remark(&format!(" {} asks: {why}\n{}", tool.name(), shown(*tool, arguments, root)));
    let always = match (&remember, tool) {
        (None, _) => "",
        (Some(_), ToolName::Bash) => " · [a] always: exactly this, in this project",
        (Some(_), _) => " · [a] always: changes of this file",
    };
    let choices = format!(" [y] yes, once{always} · [n] no, or say why not");
    let answer = match screen::typed(&choices, stopped) {
        Ok(Some(answer)) => answer,
        Ok(None) => return Answer::Stopped,
        Err(error) => {
            screen::remark(&format!(" your answer cannot be read: {error}"));
            return Answer::Nobody;
        }
    };
    match (answer.to_lowercase().as_str(), remember) {
        ("y" | "yes", _) => Answer::Once,
        ("a" | "always", Some(remember)) => match remember() {
            Ok(()) => Answer::Always,
            Err(error) => {
                screen::remark(&format!(" it runs once; it could not be remembered: {error:#}"));
                Answer::Once
            }
        },
        ("" | "n" | "no", _) => Answer::No(None),
        _ => Answer::No(Some(answer)),
    }
}

fn shown(tool: ToolName, arguments: &Value, root: &Path) -> String {
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    if tool == ToolName::Bash {
        return text("command").lines().map(|line| format!("   $ {line}")).collect::<Vec<_>>().join("\n");
    }
    let path = arguments["path"].as_str().or(arguments["file_path"].as_str()).unwrap_or_default();
    let replaced = |edit: &Value| {
        let [old, new] = ["old_string", "new_string"].map(|name| edit[name].as_str().unwrap_or_default());
        difference(old.as_bytes(), new.as_bytes())
    };
    let change = match tool {
        ToolName::Write => difference(&content(&root.join(path)), text("content").as_bytes()),
        ToolName::MultiEdit => {
            arguments["edits"].as_array().into_iter().flatten().map(replaced).collect::<Vec<_>>().join("\n")
        }
        _ => replaced(arguments),
    };
    let (count, mut lines) = (change.lines().count(), vec![format!("   {path}")]);
    lines.extend(change.lines().take(MOST_LINES).map(|line| format!("   {line}")));
    if count > MOST_LINES {
        lines.push(format!("   … and {}", screen::counted((count - MOST_LINES) as u64, "line")));
    }
    lines.join("\n")
}

/// What is there now, as far as it can be compared.
fn content(path: &Path) -> Vec<u8> {
    let is_small = fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
    is_small.then(|| fs::read(path).ok()).flatten().unwrap_or_default()
}
