//! The calls of one answer: what may run is run, reads side by side and everything else in its order, and each result is
//! recorded before the next request.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use lookback_engine::{
    Session,
    trace::{AssistantPart, EventBody, ResultData, Stop, ToolKind, ToolResult, TurnNo, event::Interruption},
};
use lookback_models::driving::Cancel;
use lookback_tools::{
    ToolName,
    envelope::{Code, Failure, envelope},
};
use serde_json::Value;

use crate::{
    guard::{self, Guard, Verdict},
    house::{AgentError, House, News, keep, recorded},
    own,
    permission::{Permit, Rules},
};

/// What tools really do.
pub trait Workshop: Send + Sync + std::fmt::Debug {
    /// One call. `stop` says whether the person wants it ended.
    fn run(&self, tool: ToolName, arguments: &Value, stop: &dyn Fn() -> bool) -> ToolResult;

    /// The files of the project as they are now, kept for whoever wants them back; none where that is not done. An error is
    /// for a person, and said once.
    fn snapshot(&self) -> Result<Option<Kept>, String>;
}

/// Files that were kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// By what name they are found again: the same for the same files.
    pub id: String,
    /// What is not among them, and why.
    pub left_out: Vec<String>,
}

/// A call as the model wrote it.
#[derive(Debug, Clone)]
struct Asked {
    id: String,
    name: String,
    arguments: String,
}

impl Asked {
    /// None for a name that is no tool's.
    fn tool(&self) -> Option<ToolName> {
        ToolName::find(&self.name)
    }

    fn may_change_files(&self) -> bool {
        matches!(self.tool(), Some(ToolName::Edit | ToolName::MultiEdit | ToolName::Write | ToolName::Bash))
    }

    fn may_run_beside_others(&self) -> bool {
        self.tool().is_some_and(ToolName::only_reads)
    }
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StepEnd {
    /// With why a call of it did not run, where one was not permitted.
    GoOn(Option<String>),
    Cancelled,
    /// The model goes round in a circle.
    Circle(String),
}

pub(crate) struct Bench<'a> {
    pub(crate) workshop: &'a Arc<dyn Workshop>,
    pub(crate) rules: &'a Rules,
    pub(crate) guard: &'a mut Guard,
}

/// Runs the calls of the answer at `turn`.
pub(crate) async fn run_calls(
    session: &mut Session,
    turn: TurnNo,
    ids: &[String],
    bench: &mut Bench<'_>,
    cancel: &mut Cancel,
    house: &mut dyn House,
) -> Result<StepEnd, AgentError> {
    let asked = asked(session, turn, ids);
    let changes = asked.iter().any(Asked::may_change_files);
    if changes {
        keep_files(session, turn, bench, house).await?;
    }
    let (mut denied, mut circle, mut told) = (None, None, None);
    let mut rest = asked.as_slice();
    while let Some(first) = rest.first() {
        let beside = rest.iter().take_while(|call| call.may_run_beside_others()).count().max(1);
        let (group, after) = rest.split_at(if first.may_run_beside_others() { beside } else { 1 });
        rest = after;
        let results = run_group(session, group, bench, cancel, house).await?;
        let Some(results) = results else {
            recorded(house, |context| session.interrupt(Interruption::Cancelled, context))?;
            if changes {
                keep_files(session, turn, bench, house).await?;
            }
            keep(session, house)?;
            return Ok(StepEnd::Cancelled);
        };
        for (call, result) in group.iter().zip(results) {
            if let Some(why) = denial(&result) {
                house.tell(&News::Denied { tool: &call.name, why });
                denied = Some(why.to_owned());
            }
            match bench.guard.note(&call.name, &call.arguments, result.text.hash()) {
                Verdict::GoOn => {}
                Verdict::Tell => told = Some(guard::told(&call.name)),
                Verdict::Stop => circle = Some(call.name.clone()),
            }
            if matches!(result.data, ResultData::Edit(_) | ResultData::Write(_) | ResultData::Patch(_)) {
                bench.guard.changed();
            }
            recorded(house, |context| session.tool_result(&call.id, result, context))?;
            // As it was recorded: with the tests that a recogniser found in it.
            if let Some(result) = last_result(session) {
                house.tell(&News::Ran { tool: &call.name, arguments: &call.arguments, result });
            }
        }
        keep(session, house)?;
    }
    if changes {
        keep_files(session, turn, bench, house).await?;
        keep(session, house)?;
    }
    if let Some(told) = told {
        session.remind("guard", &told);
    }
    Ok(circle.map_or(StepEnd::GoOn(denied), StepEnd::Circle))
}

fn last_result(session: &Session) -> Option<&ToolResult> {
    session.trace().iter().rev().find_map(|event| match &event.event {
        EventBody::ToolResult { result, .. } => Some(&**result),
        _ => None,
    })
}

/// Records the files as they are: before a step and behind it, so that what others change in between is nobody's step.
async fn keep_files(
    session: &mut Session,
    turn: TurnNo,
    bench: &Bench<'_>,
    house: &mut dyn House,
) -> Result<(), AgentError> {
    let workshop = Arc::clone(bench.workshop);
    let kept = tokio::task::spawn_blocking(move || workshop.snapshot()).await.map_err(|_| AgentError::ToolPanicked)?;
    let Kept { id, left_out } = match kept {
        Ok(Some(kept)) => kept,
        Ok(None) => return Ok(()),
        Err(why) => {
            house.tell(&News::NotKept(&why));
            return Ok(());
        }
    };
    Ok(recorded(house, |context| session.snapshot_taken(turn, id, left_out, context))?)
}

/// The results of calls that may run at once; none: the person stopped them.
async fn run_group(
    session: &mut Session,
    group: &[Asked],
    bench: &Bench<'_>,
    cancel: &mut Cancel,
    house: &mut dyn House,
) -> Result<Option<Vec<ToolResult>>, AgentError> {
    for call in group {
        let kind = call.tool().map_or(ToolKind::Other, ToolName::kind);
        recorded(house, |context| session.tool_call(&call.id, kind, context))?;
    }
    // A tool call is durable before its tool starts.
    keep(session, house)?;
    let stopped = Arc::new(AtomicBool::new(false));
    let mut running = Vec::new();
    for call in group {
        running.push(match prepare(call, bench.rules) {
            Err(result) => Running::Ended(result),
            Ok((tool, arguments)) => match own::run(session, tool, &call.arguments, &arguments, house) {
                Some(result) => Running::Ended(Box::new(result?)),
                None => {
                    house.tell(&News::Starts { tool: &call.name, arguments: &call.arguments });
                    let (workshop, stopped) = (Arc::clone(bench.workshop), Arc::clone(&stopped));
                    Running::Beside(tokio::task::spawn_blocking(move || {
                        workshop.run(tool, &arguments, &|| stopped.load(Ordering::Relaxed))
                    }))
                }
            },
        });
    }
    let mut results = Vec::with_capacity(running.len());
    for one in running {
        results.push(match one {
            Running::Ended(result) => *result,
            Running::Beside(mut work) => {
                let ended = tokio::select! {
                    biased;
                    () = cancel.cancelled() => {
                        stopped.store(true, Ordering::Relaxed);
                        None
                    }
                    ended = &mut work => Some(ended),
                };
                let Some(ended) = ended else {
                    // It ends by itself now that it was told to; nothing of it may outlive the step.
                    let _ = work.await;
                    return Ok(None);
                };
                ended.map_err(|_| AgentError::ToolPanicked)?
            }
        });
    }
    Ok(Some(results))
}

enum Running {
    Ended(Box<ToolResult>),
    Beside(tokio::task::JoinHandle<ToolResult>),
}

/// The tool and its arguments, or why it does not run.
fn prepare(call: &Asked, rules: &Rules) -> Result<(ToolName, Value), Box<ToolResult>> {
    let refuse = |code, message: String, arguments: &Value| {
        Err(Box::new(envelope(Err(Failure::new(code, message)), arguments, "", Duration::ZERO)))
    };
    let Some(tool) = call.tool().filter(|tool| rules.declares(*tool)) else {
        let names: Vec<&str> = rules.declared().map(ToolName::name).collect();
        let message = format!("there is no tool {}: the tools are {}", call.name, names.join(", "));
        return refuse(Code::InvalidParam, message, &Value::Null);
    };
    let arguments: Value = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(arguments)) => Value::Object(arguments),
        Ok(_) => return refuse(Code::InvalidParam, "the arguments are no JSON object".to_owned(), &Value::Null),
        Err(error) => {
            return refuse(Code::InvalidParam, format!("the arguments are no JSON: {error}"), &Value::Null);
        }
    };
    match rules.permit(tool, &arguments) {
        Permit::Runs => Ok((tool, arguments)),
        Permit::Asks(why) => refuse(Code::PermissionDenied, format!("{why}; nobody is here to ask"), &arguments),
        Permit::Never(why) => refuse(Code::PermissionDenied, why, &arguments),
    }
}

fn denial(result: &ToolResult) -> Option<&str> {
    let error = result.error.as_ref().filter(|error| error.code == Code::PermissionDenied.name())?;
    Some(&error.message)
}

/// The calls of an answer, with the ids that the session gave them.
fn asked(session: &Session, turn: TurnNo, ids: &[String]) -> Vec<Asked> {
    let answers = session.trace().iter().rev().filter_map(|event| match &event.event {
        EventBody::AssistantTurn(answer) if answer.turn == turn => Some(answer),
        _ => None,
    });
    let calls = answers.take(1).filter(|answer| answer.stop == Stop::End).flat_map(|answer| answer.parts.iter());
    let calls = calls.filter_map(|part| match part {
        AssistantPart::Call { name, arguments, .. } => Some((name, arguments)),
        _ => None,
    });
    ids.iter()
        .zip(calls)
        .map(|(id, (name, arguments))| Asked { id: id.clone(), name: name.clone(), arguments: arguments.clone() })
        .collect()
}
