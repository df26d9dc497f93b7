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
    permission::{Around, Permit, Rules},
};

/// What becomes of a call.
pub(crate) enum Leave {
    Runs(ToolName, Value),
    /// With what the model is told instead.
    Refused(Box<ToolResult>),
    /// The person wants the step ended.
    Stopped,
}

fn refused(session: &Session, code: Code, message: impl Into<String>, arguments: &Value) -> Leave {
    let root = &session.start_of().root;
    Leave::Refused(Box::new(envelope(Err(Failure::new(code, message)), arguments, root, Duration::ZERO)))
}

/// Arguments that no tool reads, for the record: as a text where they are no JSON.
fn as_written(written: &str) -> Value {
    serde_json::from_str(written).unwrap_or_else(|_| written.into())
}

/// `id`, `name` and `written` are the call as the model made it; `around` says what is known of the files.
pub(crate) fn leave(
    session: &mut Session,
    (id, name, written): (&str, &str, &str),
    rules: &Rules,
    around: &Around<'_>,
    house: &mut dyn House,
) -> Result<Leave, AgentError> {
    let Some(tool) = ToolName::find(name).filter(|tool| rules.declares(*tool)) else {
        let names: Vec<&str> = rules.declared().map(ToolName::name).collect();
        let message = format!("there is no tool {name}: the tools are {}", names.join(", "));
        return Ok(refused(session, Code::InvalidParam, message, &as_written(written)));
    };
    let arguments: Value = match serde_json::from_str(written) {
        Ok(Value::Object(arguments)) => Value::Object(arguments),
        Ok(other) => return Ok(refused(session, Code::InvalidParam, "the arguments are no JSON object", &other)),
        Err(error) => {
            let message = format!("the arguments are no JSON: {error}");
            return Ok(refused(session, Code::InvalidParam, message, &as_written(written)));
        }
    };
    match rules.permit(tool, &arguments, around) {
        Permit::Runs => Ok(Leave::Runs(tool, arguments)),
        Permit::Never(why) => Ok(refused(session, Code::PermissionDenied, why, &arguments)),
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
    Ok(refused(session, Code::PermissionDenied, message, &arguments))
}
