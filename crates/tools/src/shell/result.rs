//! What the model is told of a command, and what goes to the trace.

use std::{
    io::{self, Read},
    time::Duration,
};

use lookback_engine::trace::{
    AsCame, BlobHash, BothEnds, Output, ResultData, Status, ToolResult,
    result::{RunData, ToolError},
};
use serde_json::{Value, json};

use super::{
    Keep, ShellSetup,
    arguments::BashArguments,
    jobs::Job,
    kept::Kept,
    running::{self, End},
};
use crate::{
    envelope::{Code, Done, Failure, envelope},
    sandbox::Stopped,
};

/// Of each end of an output that is too large for a result.
const EDGE: u64 = 1 << 20;
/// Of the output, in the words of a failure: who reads these sees nothing else of it.
const FAILURE_TAIL: u64 = 4 << 10;
/// Of what a background command printed since, in one reading.
const READ_MOST: u64 = 256 << 10;

/// A command's result before it is wrapped.
pub(super) struct Answer {
    done: Done,
    /// The command ran, and the tool failed nevertheless.
    failure: Option<Failure>,
    status: Option<Status>,
    whole: Option<Output>,
    stats: Value,
}

impl Answer {
    pub(super) fn into_result(self, arguments: &Value, cwd: &str, took: Duration) -> ToolResult {
        let mut result = envelope(Ok(self.done), arguments, cwd, took);
        if let Some(Failure { code, message }) = self.failure {
            result.status = Status::Error;
            result.error = Some(Box::new(ToolError { code: code.name().to_owned(), message }));
        }
        result.status = self.status.unwrap_or(result.status);
        result.as_came = self.whole.map(|raw| Box::new(AsCame { parts: Vec::new(), raw: Some(raw) }));
        if let (Some(Value::Object(stats)), Value::Object(more)) = (result.stats.as_deref_mut(), self.stats) {
            stats.extend(more);
        }
        result
    }
}

/// A command in front that is over.
pub(super) fn of_run(setup: &ShellSetup, arguments: &BashArguments, end: End, kept: &mut Kept) -> Answer {
    let mut run = RunData { command: arguments.command.clone(), exit_code: end.code(), ..RunData::default() };
    run.stderr_tail = kept.error_tail();
    run.timed_out = matches!(end, End::TimedOut { .. });
    let failure = failure(&end, arguments.time, setup, kept);
    let note = note(&end, kept);
    let (text, whole) = output(setup, kept, &note);
    let dropped = kept.dropped();
    let stats = json!({ "output_bytes": kept.total(), "dropped_bytes": dropped.end - dropped.start });
    let is_partial = matches!(text, Output::Beyond(_));
    let done = Done { text, data: ResultData::Run(run), is_partial, path: None };
    let status = matches!(end, End::Cancelled { .. }).then_some(Status::Interrupted);
    Answer { done, failure, status, whole, stats }
}

/// A command that now runs in the background.
pub(super) fn of_started(number: u32, command: String) -> Answer {
    let text = format!(
        "job-{number} runs in the background. Job {{\"id\": \"job-{number}\", \"action\": \"read\"}} shows what it prints, \"end\" ends it."
    );
    let run = RunData { command, ..RunData::default() };
    let done = Done { text: text.into(), data: ResultData::Run(run), is_partial: false, path: None };
    Answer { done, failure: None, status: None, whole: None, stats: json!({ "job": number }) }
}

/// How a background command stands, and what it printed since it was last looked at.
pub(super) fn of_job(id: &str, job: &mut Job, setup: &ShellSetup) -> Answer {
    let end = job.running.over();
    let kept = &mut *job.running.kept();
    kept.flush_both(&*setup.mask);
    let from = job.seen.max(kept.total().saturating_sub(READ_MOST));
    let dropped = kept.dropped();
    let skipped = from - job.seen + dropped.end.min(kept.total()).saturating_sub(dropped.start.max(from));
    let mut text = Vec::new();
    if skipped > 0 {
        let more = format!("Recall {{\"pointer\": \"{id}\"}} shows what is kept of it once it has ended");
        text.extend_from_slice(format!("[{skipped} bytes of before are not shown: {more}]\n").as_bytes());
    }
    let read = kept.reader(from..kept.total()).read_to_end(&mut text);
    let state = match &end {
        None => "running".to_owned(),
        Some(End::Over { code: Some(code), .. }) => format!("ended, exit code {code}"),
        Some(_) => "ended by force".to_owned(),
    };
    job.seen = kept.total();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    // With every reading the end of the output would be shown again.
    let why = end.as_ref().and_then(|end| why_failed(end, Duration::ZERO, setup)).map(|(_, why)| why);
    let why =
        why.or_else(|| read.err().map(|error| error.to_string())).map_or(String::new(), |why| format!(" ({why})"));
    text.extend_from_slice(format!("[{id}: {state}{why}]").as_bytes());
    let data = json!({ "id": id, "command": job.command, "running": end.is_none(), "exit_code": end.and_then(|end| end.code()), "truncated": skipped > 0 });
    let done = Done { text: Output::new(text), data: ResultData::Other(data), is_partial: skipped > 0, path: None };
    Answer { done, failure: None, status: None, whole: None, stats: Value::Null }
}

/// All that was printed, as far as a result holds it, with the note as its last line; and where the rest is.
pub(super) fn output(setup: &ShellSetup, kept: &mut Kept, note: &str) -> (Output, Option<Output>) {
    let total = kept.total();
    if total <= setup.limits.inline && kept.broken().is_none() {
        let text = kept.read(0..total);
        return match text {
            Ok(text) => (Output::new(with_note(text, note)), None),
            Err(error) => (format!("[what it printed could not be read again: {error}]").into(), None),
        };
    }
    let (whole, more) = match setup.keep.as_ref().map(|keep| hand_over(keep, kept)) {
        Some(Ok(whole)) if kept.dropped().is_empty() => (Some(whole), "[Recall of this command shows all of it]"),
        Some(Ok(whole)) => (Some(whole), ""),
        Some(Err(error)) => (None, &*format!("[only both ends of it could be stored: {error}]")),
        None => (None, ""),
    };
    let note = [more, note].into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let ends = BothEnds {
        head: kept.read(0..EDGE).unwrap_or_default().into(),
        tail: with_note(kept.read(total.saturating_sub(EDGE).max(EDGE)..total).unwrap_or_default(), &note).into(),
        len: total + note.len() as u64,
        hash: kept.hash(),
    };
    (Output::Beyond(Box::new(ends)), whole)
}

/// To whoever keeps what is too large for a result.
fn hand_over(keep: &Keep, kept: &Kept) -> io::Result<Output> {
    let total = kept.total();
    let (hash, len) = if kept.dropped().is_empty() { (kept.hash(), total) } else { measure(kept)? };
    keep(hash, len, &mut kept.reader(0..total))?;
    Ok(Output::Blob { hash, len })
}

/// Hash and length of what is kept, where that is not all.
fn measure(kept: &Kept) -> io::Result<(BlobHash, u64)> {
    let mut hasher = blake3::Hasher::new();
    let length = io::copy(&mut kept.reader(0..kept.total()), &mut hasher)?;
    Ok((BlobHash(*hasher.finalize().as_bytes()), length))
}

fn with_note(mut text: Vec<u8>, note: &str) -> Vec<u8> {
    if !note.is_empty() {
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(note.as_bytes());
    }
    text
}

/// The line below the output: what it does not say itself.
fn note(end: &End, kept: &Kept) -> String {
    let mut said = Vec::new();
    match end {
        End::Over { code: Some(0), .. } if kept.total() == 0 => said.push("no output".to_owned()),
        End::Over { code: Some(code), .. } if *code != 0 => said.push(format!("exit code {code}")),
        End::TimedOut { .. } => said.push("timed out".to_owned()),
        End::Cancelled { .. } => said.push("interrupted: stopped before its end".to_owned()),
        _ => {}
    }
    said.extend(protected(end));
    let dropped = kept.dropped();
    if !dropped.is_empty() {
        let (gone, all) = (dropped.end - dropped.start, kept.total());
        let why = kept.broken().map_or(String::new(), |why| format!(" ({why})"));
        said.push(format!("of {all} bytes {gone} in the middle were not kept{why}: write such output to a file"));
    }
    said.iter().map(|line| format!("[{line}]")).collect::<Vec<_>>().join("\n")
}

/// Where the tool itself failed. Its words stand for the output, so they end with the end of that.
fn failure(end: &End, time: Duration, setup: &ShellSetup, kept: &Kept) -> Option<Failure> {
    let (code, message) = why_failed(end, time, setup)?;
    if matches!(end, End::Refused(_) | End::Failed(_)) {
        return Some(Failure::new(code, message));
    }
    let tail = kept.read(kept.total().saturating_sub(FAILURE_TAIL)..kept.total()).unwrap_or_default();
    let tail = String::from_utf8_lossy(&tail);
    let shown = if tail.trim().is_empty() {
        "It printed nothing.".to_owned()
    } else {
        format!("The end of its output:\n{tail}")
    };
    let message = [message].into_iter().chain(protected(end)).collect::<Vec<_>>().join(". ");
    Some(Failure::new(code, format!("{message}. {shown}")))
}

fn protected(end: &End) -> impl Iterator<Item = String> + '_ {
    end.refused().iter().map(|path| running::protected(path))
}

fn why_failed(end: &End, time: Duration, setup: &ShellSetup) -> Option<(Code, String)> {
    let limits = &setup.limits.inside;
    let (code, message) = match end {
        End::TimedOut { .. } => {
            let most = setup.limits.most_time.as_secs();
            let hint = format!("give a longer timeout (at most {most} s), or run it in the background");
            (Code::Timeout, format!("not over after {} s, so all its processes were ended: {hint}", time.as_secs_f32()))
        }
        End::Refused(missing) => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            let (missing, flag) = (missing.join("; "), &setup.accepting_flag);
            let why = format!(
                "this machine cannot put all walls around a command; missing is {missing}. {flag} accepts that."
            );
            (Code::PermissionDenied, why)
        }
        End::Failed(why) => (Code::ExecutionError, format!("it was not run to its end: {why}")),
        End::Over { stopped: Some(stopped), .. } => (
            Code::ExecutionError,
            match stopped {
                Stopped::Processes(count) => format!("{count} processes, at most {}: all were ended", limits.processes),
                Stopped::Memory(bytes) => format!(
                    "{} MB of memory, at most {}: all its processes were ended",
                    bytes >> 20,
                    limits.memory >> 20
                ),
                Stopped::Disk(free) => format!(
                    "only {} MB are left on a disk it writes to: all its processes were ended, their files are still there",
                    free >> 20
                ),
                Stopped::Asked => "it was ended".to_owned(),
            },
        ),
        End::Over { code: None, stopped: None, .. } => (Code::ExecutionError, "it was killed from outside".to_owned()),
        End::Over { .. } | End::Cancelled { .. } => return None,
    };
    Some((code, message))
}
