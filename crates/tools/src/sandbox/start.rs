//! Starts the supervisor of one command, and hears what it says.

use std::{
    ffi::OsString,
    io::{self, Read},
    net::Shutdown,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use super::{
    SUBCOMMAND, Said, Spec,
    spec::{names, tell},
};

/// A command's supervisor, from outside.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) child: Child,
    /// Closed by us: everything is ended. Closed by it: everything is over.
    pub(crate) control: UnixStream,
}

impl Started {
    /// The streams are the command's own. That it died with us is no matter of threads: the kernel closes `control`.
    pub(crate) fn new(
        program: &Path,
        spec: &Spec,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        streams: (Stdio, Stdio),
    ) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        let child = Command::new(program)
            .arg(SUBCOMMAND)
            .arg(serde_json::to_string(spec)?)
            .env_clear()
            .envs(environment)
            .current_dir(&spec.policy.root)
            .stdin(OwnedFd::from(theirs))
            .stdout(streams.0)
            .stderr(streams.1)
            .spawn()?;
        tell(&control, &names(&spec.policy.protect))?;
        Ok(Self { child, control })
    }

    /// Waits for the end, and gives the last thing that was said.
    pub(crate) fn outcome(mut self) -> io::Result<Said> {
        let mut text = String::new();
        self.control.read_to_string(&mut text)?;
        self.child.wait()?;
        Ok(last_said(&text))
    }

    /// Has everything ended.
    pub(crate) fn end(control: &UnixStream) {
        // Fails only where it is over already.
        let _ = control.shutdown(Shutdown::Write);
    }
}

/// Of all that was said. The first failure is the reason for those behind it.
pub(crate) fn last_said(text: &str) -> Said {
    let mut said = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let silent = || Said::Failed("its supervisor was killed".to_owned());
    let first = said.next();
    match first {
        Some(Said::Ended { .. }) | None => said.next_back().or(first).unwrap_or_else(silent),
        Some(reason) => reason,
    }
}
