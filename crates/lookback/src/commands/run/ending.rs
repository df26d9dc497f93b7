//! How a run ends: the answer on standard output, what it took on standard error, a code for the shell.

use std::{collections::BTreeSet, path::Path};

use anyhow::Result;
use lookback_agent::{Ended, Spent};
use lookback_engine::Session;
use lookback_models::script::without_marker;
use serde_json::{Value, json};

use super::{code_of, room::Room, shadow_of, steps};
use crate::{commands::EndedWith, screen};

/// `first` is the first event of this run.
pub(super) fn close(ended: &Ended, session: &Session, first: usize, spent: &Spent, room: &mut Room<'_>) -> Result<()> {
    let answer = match ended {
        // A script marks its own answers; nobody else needs to see that.
        Ended::Done(answer) | Ended::NotPermitted { answer, .. } => Some(without_marker(answer).0),
        _ => None,
    };
    if let Some(answer) = answer.filter(|_| !room.is_json()) {
        screen::say(answer)?;
    }
    tell(name_of(ended), answer, session, first, spent, room)?;
    if let Some(why) = why(ended, room) {
        screen::remark(&why);
    }
    match code_of(ended) {
        0 => Ok(()),
        code => Err(EndedWith(code).into()),
    }
}

/// The closing object, where one is asked for, and the line of what it took.
pub(super) fn tell(
    ended: &str,
    answer: Option<&str>,
    session: &Session,
    first: usize,
    spent: &Spent,
    room: &Room<'_>,
) -> Result<()> {
    let shadow = shadow_of(Path::new(&session.start_of().root)).ok();
    let changed = steps::changed_since(session, first, shadow.as_ref());
    if room.is_json() {
        screen::show_json_line(&object(ended, answer, session, &changed, spent, room))?;
    }
    screen::remark(&format!(" {}", took(session, !changed.is_empty(), spent, room)));
    Ok(())
}

fn took(session: &Session, has_changed: bool, spent: &Spent, room: &Room<'_>) -> String {
    let mut facts = vec![screen::counted(spent.calls, "call")];
    let about = if spent.estimated > 0 { "about " } else { "" };
    facts.extend(spent.dollars.map(|sum| format!("{about}{}", lookback_replay::report::numbers::dollars(sum))));
    if spent.input > 0 {
        facts.push(format!("{:.0}% cached", spent.cached as f64 / spent.input as f64 * 100.0));
    }
    facts.push(format!(
        "{} of {} tokens",
        screen::short(session.view().tokens()),
        screen::short(u64::from(session.input_limit()))
    ));
    facts.push(format!("session {}", room.name()));
    facts.extend(has_changed.then(|| "undo: lookback undo".to_owned()));
    facts.join(" · ")
}

fn why(ended: &Ended, room: &Room<'_>) -> Option<String> {
    let again = format!("go on with `lookback resume {}`", room.name());
    Some(match ended {
        Ended::Done(_) => return None,
        Ended::Steps(steps) => format!("stopped after {steps} steps (--max-steps); {again}"),
        Ended::Cost { spent, expected } => {
            format!("stopped before a call of about ${expected:.4}: ${spent:.4} are spent (--max-cost); {again}")
        }
        Ended::NotPermitted { why, .. } => format!("ended because something was not permitted: {why}"),
        Ended::Circle(tool) => format!("stopped: the same {tool} call gave the same result again and again; {again}"),
        Ended::TooLarge(tokens) => format!(
            "stopped: answers of {tokens} tokens leave no room for another; they were taken out of the view; {again}"
        ),
        Ended::Refused(words) => format!("the model would not answer: {words}"),
        Ended::Cancelled => format!("cancelled; {again}"),
    })
}

fn name_of(ended: &Ended) -> &'static str {
    match ended {
        Ended::Done(_) => "done",
        Ended::Steps(_) => "max_steps",
        Ended::Cost { .. } => "max_cost",
        Ended::NotPermitted { .. } => "not_permitted",
        Ended::Circle(_) => "circle",
        Ended::TooLarge(_) => "too_large",
        Ended::Refused(_) => "refused",
        Ended::Cancelled => "cancelled",
    }
}

fn object(
    ended: &str,
    answer: Option<&str>,
    session: &Session,
    changed: &BTreeSet<String>,
    spent: &Spent,
    room: &Room<'_>,
) -> Value {
    json!({
        "type": "run_ended",
        "session": room.name(),
        "ended": ended,
        "result": answer,
        "files_changed": changed,
        "board": session.state().board(),
        "cost_usd": spent.dollars,
        "usage": { "calls": spent.calls, "estimated": spent.estimated, "input": spent.input, "cached": spent.cached, "output": spent.output },
    })
}
