//! A question that only a person can answer.

use std::io::{self, BufRead, IsTerminal};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{QueueSelector, tcflush},
};

/// So often somebody who waits for an answer looks whether it is still wanted.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Whether the person agrees; none where there is nobody to ask.
pub(crate) fn ask(question: &str) -> io::Result<Option<bool>> {
    if !io::stdin().is_terminal() {
        return Ok(None);
    }
    super::remark(&format!("{question} [y/N]"));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
}

/// Whether somebody sits there who sees a question and can answer it.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What the person types after the question: what was typed before is no answer to it. None: `stopped` says that it is no
/// longer wanted. The end of the input is an empty line.
pub(crate) fn typed(question: &str, stopped: &dyn Fn() -> bool) -> io::Result<Option<String>> {
    let stdin = io::stdin();
    tcflush(&stdin, QueueSelector::IFlush)?;
    super::remark(question);
    let mut line = Vec::new();
    while !stopped() {
        let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut waiting, Some(&LOOK)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 4096];
        match rustix::io::read(&stdin, &mut bytes) {
            Ok(0) => return Ok(Some(String::new())),
            Ok(count) => line.extend_from_slice(&bytes[..count]),
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        if line.ends_with(b"\n") {
            return Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()));
        }
    }
    Ok(None)
}
