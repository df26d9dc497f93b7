//! Whether a call may run: by the rules, or by a person who is asked.
//!
//! Asked before the call is recorded as begun: whoever dies over the question leaves a call that never ran.

use std::time::Duration;

use lookback_engine::{
    Session,
    trace::{
        ToolResult,
        event::{DecidedBy, Permission},
    },
};
use lookback_tools::{
    ToolName,
    envelope::{Code, Failure, envelope},
};
use serde_json::Value;

use crate::{
    house::{AgentError, Answer, House, Question, keep, recorded},
    permission::{Permit, Rules},
};

/// What becomes of a call.
pub(crate) enum Leave {
    Runs(ToolName, Value),
    /// With what the model is told instead.
    Refused(Box<ToolResult>),
    /// The person wants the step ended.
    Stopped,
}

fn refused(code: Code, message: impl Into<String>, arguments: &Value) -> Leave {
    Leave::Refused(Box::new(envelope(Err(Failure::new(code, message)), arguments, "", Duration::ZERO)))
}

/// `id`, `name` and `written` are the call as the model made it; `is_own` says what was made in this session.
pub(crate) fn leave(
    session: &mut Session,
    (id, name, written): (&str, &str, &str),
    rules: &Rules,
    is_own: &dyn Fn(&str) -> bool,
    house: &mut dyn House,
) -> Result<Leave, AgentError> {
    let Some(tool) = ToolName::find(name).filter(|tool| rules.declares(*tool)) else {
        let names: Vec<&str> = rules.declared().map(ToolName::name).collect();
        let message = format!("there is no tool {name}: the tools are {}", names.join(", "));
        return Ok(refused(Code::InvalidParam, message, &Value::Null));
    };
    let arguments: Value = match serde_json::from_str(written) {
        Ok(Value::Object(arguments)) => Value::Object(arguments),
        Ok(_) => return Ok(refused(Code::InvalidParam, "the arguments are no JSON object", &Value::Null)),
        Err(error) => {
            return Ok(refused(Code::InvalidParam, format!("the arguments are no JSON: {error}"), &Value::Null));
        }
    };
    match rules.permit(tool, &arguments, is_own) {
        Permit::Runs => Ok(Leave::Runs(tool, arguments)),
        Permit::Never(why) => Ok(refused(Code::PermissionDenied, why, &arguments)),
        Permit::Asks(why) => ask(session, id, tool, arguments, why, house),
    }
}

fn ask(
    session: &mut Session,
    id: &str,
    tool: ToolName,
    arguments: Value,
    why: String,
    house: &mut dyn House,
) -> Result<Leave, AgentError> {
    let what = ["command", "path", "file_path"].into_iter().find_map(|name| arguments[name].as_str());
    let what = what.unwrap_or_default().to_owned();
    let number = recorded(house, |context| session.ask_permission(id, what, why.clone(), context))?;
    keep(session, house)?;
    let answer = house.ask(&Question { tool, arguments: &arguments, why: &why });
    let rule = |name: &str| DecidedBy::Rule(name.to_owned());
    let (decision, by) = match &answer {
        Answer::Once => (Permission::Once, DecidedBy::Person),
        Answer::Always => (Permission::Always, DecidedBy::Person),
        Answer::Remembered => (Permission::Always, rule("a decision that was remembered")),
        Answer::No(_) => (Permission::Denied, DecidedBy::Person),
        Answer::Nobody => (Permission::Denied, rule("nobody is here to ask")),
        Answer::Stopped => return Ok(Leave::Stopped),
    };
    recorded(house, |context| session.decide_permission(number, decision, by, context))?;
    keep(session, house)?;
    let message = match answer {
        Answer::No(Some(reason)) => format!("the person said no: {reason}"),
        Answer::No(None) => "the person said no".to_owned(),
        Answer::Nobody => format!("{why}; nobody is here to ask"),
        _ => return Ok(Leave::Runs(tool, arguments)),
    };
    Ok(refused(Code::PermissionDenied, message, &arguments))
}
