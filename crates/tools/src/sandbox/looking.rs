//! The process that looks at what a command makes of git's files, from outside.

use std::{
    ffi::OsString,
    io::{self, BufReader},
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use super::{
    SUBCOMMAND, Spec, Stage,
    spec::{hear, names, tell},
};

/// For a walk through a project on a busy machine. Whoever takes longer is killed.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Looking {
    child: Child,
    control: BufReader<UnixStream>,
}

impl Looking {
    /// Before the command, whose specification it completes.
    pub(crate) fn start(
        program: &Path,
        spec: &mut Spec,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        control.set_read_timeout(Some(PATIENCE))?;
        spec.stage = Stage::Looker;
        let child = Command::new(program)
            .arg(SUBCOMMAND)
            .arg(serde_json::to_string(spec)?)
            .env_clear()
            .envs(environment)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        tell(&control, &names(&spec.policy.protect))?;
        let mut looking = Self { child, control: BufReader::new(control) };
        let nested: Vec<OsString> = hear(&mut looking.control)?;
        spec.policy.protect.extend(nested.into_iter().map(PathBuf::from));
        spec.stage = Stage::Supervisor;
        Ok(looking)
    }

    /// Whose death it waits for where we die.
    pub(crate) fn watch(&self, supervisor: u32) -> io::Result<()> {
        tell(self.control.get_ref(), &supervisor)
    }

    /// Once the command is dead: what was set aside, by its new names.
    pub(crate) fn end(mut self) -> io::Result<Vec<String>> {
        tell(self.control.get_ref(), &"over")?;
        hear(&mut self.control)
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        // Over already, or too slow.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
