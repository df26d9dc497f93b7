//! A key from a command such as a password manager. What it prints is the secret, so no failure repeats it; neither is
//! the command shown whole, for some people write the key into it.

use std::{process::Stdio, time::Duration};

use tokio::{process::Command, time::timeout};

use super::KeyError;

/// Long enough for a password manager that asks for a fingerprint.
const LIMIT: Duration = Duration::from_secs(10);
/// A program's name is not longer; a key is.
const LONGEST_NAME: usize = 16;

pub(super) async fn run(command: &str) -> Result<String, KeyError> {
    run_within(command, LIMIT).await
}

async fn run_within(command: &str, limit: Duration) -> Result<String, KeyError> {
    let failed = |reason: String| KeyError::Command { program: name(command), reason };
    let child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| failed(format!("the shell did not start ({e})")))?;
    let output = timeout(limit, child.wait_with_output())
        .await
        .map_err(|_| failed(format!("it was still running after {} s", limit.as_secs_f32())))?
        .map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        // What it complains of may repeat the secret; a person sees it by running the command.
        return Err(failed(match output.status.code() {
            Some(code) => format!("exit {code}"),
            None => "it was killed".to_owned(),
        }));
    }
    let printed = String::from_utf8(output.stdout).map_err(|_| failed("what it printed is not text".to_owned()))?;
    match printed.lines().next().map(str::trim) {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err(failed("its first line is empty".to_owned())),
    }
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
}
