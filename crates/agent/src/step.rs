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
    trace::{
        AssistantPart, EventBody, ResultData, Stop, ToolKind, ToolResult, TurnNo,
        event::{Interruption, JobEnded},
    },
};
use lookback_models::driving::Cancel;
use lookback_tools::{EndedJob, ToolName, envelope::Code};

use crate::{
    guard::{self, Guard, Verdict},
    house::{AgentError, House, News, keep, recorded},
    leave::{Leave, leave},
    own,
    permission::{Around, Rules},
    workshop::{Jobs, Kept, Workshop},
};

/// Files that take longer to be kept are waited for with a word.
const SILENT: Duration = Duration::from_secs(2);

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
                // Told in this very answer, it could not know.
                Verdict::Stop if told.is_some() => {}
                Verdict::Stop => circle = Some(call.name.clone()),
            }
            if matches!(result.data, ResultData::Edit(_) | ResultData::Write(_) | ResultData::Patch(_)) {
                bench.guard.changed(&call.name, &call.arguments);
            }
            let remarks = bench.workshop.remarks(&result);
            let job = started_job(&result);
            let result = session.reread(result, house.blobs());
            recorded(house, |context| session.tool_result(&call.id, result, context))?;
            remarks.into_iter().for_each(|(key, text)| session.remind(key, &text));
            if let Some((number, command)) = job {
                recorded(house, |context| session.job_started(&call.id, number, command, context))?;
            }
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
    record_ended_jobs(session, bench.workshop, Jobs::Over, house)?;
    if let Some(told) = told {
        session.remind("guard", &told);
    }
    Ok(circle.map_or(StepEnd::GoOn(denied), StepEnd::Circle))
}

/// The number of the job that a call has started, and its command.
fn started_job(result: &ToolResult) -> Option<(u32, String)> {
    let number = result.stats.as_ref()?["job"].as_u64()?;
    match &result.data {
        ResultData::Run(run) => Some((u32::try_from(number).ok()?, run.command.clone())),
        _ => None,
    }
}

pub(crate) fn record_ended_jobs(
    session: &mut Session,
    workshop: &Arc<dyn Workshop>,
    which: Jobs,
    house: &mut dyn House,
) -> Result<(), AgentError> {
    for EndedJob { number, exit_code, output } in workshop.ended_jobs(which) {
        recorded(house, |context| session.job_ended(JobEnded { number, exit_code, output }, context))?;
    }
    Ok(keep(session, house)?)
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
    let mut kept = tokio::task::spawn_blocking(move || workshop.snapshot());
    let early = tokio::time::timeout(SILENT, &mut kept).await;
    let kept = match early {
        Ok(kept) => kept,
        Err(_) => {
            house.tell(&News::Keeping);
            kept.await
        }
    };
    let kept = kept.map_err(|_| AgentError::ToolPanicked)?;
    let Kept { id, left_out } = match kept {
        Ok(Some(kept)) => kept,
        Ok(None) => return Ok(()),
        Err(why) => {
            house.tell(&News::NotKept(&why));
            return Ok(());
        }
    };
    let before = session.trace().iter().rev().find_map(|event| match &event.event {
        EventBody::SnapshotTaken(taken) => Some(&taken.left_out[..]),
        _ => None,
    });
    if before.unwrap_or_default() != left_out {
        house.tell(&News::NotCovered(&left_out));
    }
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
    let mut leaves = Vec::with_capacity(group.len());
    for call in group {
        let workshop = bench.workshop;
        let asked = (call.id.as_str(), call.name.as_str(), call.arguments.as_str());
        let around = Around { is_own: &|path| workshop.is_own(path), is_there: &|path| workshop.is_there(path) };
        match leave(session, asked, bench.rules, &around, house)? {
            Leave::Stopped => return Ok(None),
            leave => leaves.push(leave),
        }
    }
    for call in group {
        let kind = call.tool().map_or(ToolKind::Other, ToolName::kind);
        recorded(house, |context| session.tool_call(&call.id, kind, context))?;
    }
    // A tool call is durable before its tool starts.
    keep(session, house)?;
    let stopped = Arc::new(AtomicBool::new(false));
    let mut running = Vec::new();
    for (call, leave) in group.iter().zip(leaves) {
        running.push(match leave {
            Leave::Stopped => return Ok(None),
            Leave::Refused(result) => Running::Ended(result),
            Leave::Runs(tool, arguments) => match own::run(session, tool, &call.arguments, &arguments, house) {
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
