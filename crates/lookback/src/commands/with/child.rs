//! The agent as a child: it has our terminal, hears what we hear, and we wait for its end.

use std::{
    io::{self, IsTerminal},
    process::{Command, ExitStatus},
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

/// Whether a terminal sends Ctrl-C to the agent itself: to both of us, so that it need not be passed on.
fn has_terminal() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}

pub(super) async fn run(mut command: Command) -> io::Result<ExitStatus> {
    // Before it starts: from then on no signal may end us before its end.
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut hung_up = signal(SignalKind::hangup())?;
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    // It may have ended by itself meanwhile.
    let pass_on = |signal| {
        let _ = kill_process(pid, signal);
    };
    let mut ended = tokio::task::spawn_blocking(move || child.wait());
    loop {
        tokio::select! {
            status = &mut ended => return status.map_err(io::Error::other)?,
            _ = interrupted.recv() => if !has_terminal() { pass_on(Signal::INT) },
            _ = quit.recv() => if !has_terminal() { pass_on(Signal::QUIT) },
            _ = terminated.recv() => pass_on(Signal::TERM),
            _ = hung_up.recv() => pass_on(Signal::HUP),
        }
    }
}
