//! A key from a command such as a password manager. What it prints is the secret, so no failure repeats it; neither is
//! the command shown whole, for some people write the key into it.

use std::{io, process::Stdio, time::Duration};

use tokio::{
    io::AsyncReadExt,
    process::{ChildStdout, Command},
    time::timeout,
};

use super::KeyError;

/// Long enough for a password manager that asks for a fingerprint.
const LIMIT: Duration = Duration::from_secs(10);
/// A key is one line, and password managers add a few; whoever prints more prints something else.
const LONGEST_OUTPUT: usize = 64 << 10;
/// What a command printed is in the pipe when it ends, so this is only for taking it out.
const TAKING_OUT: Duration = Duration::from_millis(200);
/// A program's name is not longer; a key is.
const LONGEST_NAME: usize = 16;

pub(super) async fn run(command: &str) -> Result<String, KeyError> {
    run_within(command, LIMIT).await
}

async fn run_within(command: &str, limit: Duration) -> Result<String, KeyError> {
    let failed = |reason: String| KeyError::Command { program: name(command), reason };
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| failed(format!("the shell did not start ({e})")))?;
    let (mut printed, mut pipe) = (Vec::new(), child.stdout.take());
    let ended = timeout(limit, async {
        tokio::select! {
            read = take_out(pipe.as_mut(), &mut printed) => match read {
                Ok(()) if printed.len() > LONGEST_OUTPUT => Ok(None),
                Ok(()) => child.wait().await.map(Some),
                Err(error) => Err(error),
            },
            // Whatever it left running may keep the pipe open for ever.
            status = child.wait() => {
                let _ = timeout(TAKING_OUT, take_out(pipe.as_mut(), &mut printed)).await;
                status.map(Some)
            }
        }
    });
    let status = ended
        .await
        .map_err(|_| failed(format!("it was still running after {} s", limit.as_secs_f32())))?
        .map_err(|e| failed(e.to_string()))?
        .filter(|_| printed.len() <= LONGEST_OUTPUT)
        .ok_or_else(|| KeyError::CommandPrintsTooMuch { program: name(command), limit: LONGEST_OUTPUT })?;
    if !status.success() {
        // What it complains of may repeat the secret; a person sees it by running the command.
        return Err(failed(match status.code() {
            Some(code) => format!("exit {code}"),
            None => "it was killed".to_owned(),
        }));
    }
    let printed = String::from_utf8(printed).map_err(|_| failed("what it printed is not text".to_owned()))?;
    match printed.lines().next().map(str::trim) {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err(failed("its first line is empty".to_owned())),
    }
}

/// To the end, or a little further than may be. What was taken out stays in `printed` when nobody waits any more.
async fn take_out(pipe: Option<&mut ChildStdout>, printed: &mut Vec<u8>) -> io::Result<()> {
    let Some(pipe) = pipe else { return Ok(()) };
    while printed.len() <= LONGEST_OUTPUT && pipe.read_buf(printed).await? > 0 {}
    Ok(())
}

/// The program's name where it is plainly one.
pub(super) fn name(command: &str) -> String {
    let program = command.split_whitespace().next().unwrap_or_default();
    if (1..=LONGEST_NAME).contains(&program.len())
        && program.chars().all(|c| c.is_ascii_alphanumeric() || "._/-".contains(c))
    {
        format!("the key command ({program} …)")
    } else {
        "the key command".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_command_that_hangs_is_stopped() {
        let error = run_within("sleep 30", Duration::from_millis(50)).await.unwrap_err();
        assert!(error.to_string().contains("still running"), "{error}");
    }

    #[tokio::test]
    async fn what_a_command_leaves_running_is_not_waited_for() {
        for command in ["sleep 300 & echo sk-one", "(sleep 300; echo late) & printf 'sk-one\\nmore'"] {
            let begun = std::time::Instant::now();
            assert_eq!(run_within(command, Duration::from_secs(20)).await, Ok("sk-one".to_owned()));
            assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        }
    }

    #[tokio::test]
    async fn a_command_that_prints_without_end_is_stopped() {
        for command in ["yes sk-one", "yes sk-one | head -c 70000", "head -c 70000 /dev/zero"] {
            let error = run_within(command, Duration::from_secs(20)).await.unwrap_err();
            assert!(matches!(error, KeyError::CommandPrintsTooMuch { limit: LONGEST_OUTPUT, .. }), "{error}");
            assert!(error.to_string().contains("more than 64 KiB") && !error.to_string().contains("sk-one"), "{error}");
        }
    }
}
