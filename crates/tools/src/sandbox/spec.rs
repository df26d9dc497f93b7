//! What the program tells itself when it starts again, and what comes back.

use std::{
    ffi::OsStr,
    io::{self, BufRead, Write},
    path::PathBuf,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::policy::Policy;

/// One command and its walls. What is protected comes after it, on the line of control: there may be more than fits into
/// an argument, and names that are no text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Spec {
    pub(crate) stage: Stage,
    pub(crate) command: String,
    pub(crate) policy: Policy,
    pub(crate) limits: Limits,
    pub(crate) demand: Demand,
    /// The folder whose parts stand in for home, temp, `/run` and `/dev/shm`.
    pub(crate) private: PathBuf,
    /// Of whoever started this, for the command.
    pub(crate) priority: i32,
    /// What the stages before could not do.
    pub(crate) missing: Vec<Missing>,
}

/// The kernel's own limits count threads: so many for each process that there may be.
pub(crate) const TASKS_EACH: u64 = 8;

/// Which of the three processes this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// Outside of all walls: looks at what the command makes of git's, however long that takes.
    Looker,
    /// Outside of the process namespace: watches, and ends everything.
    Supervisor,
    /// The first process inside: shuts itself in, starts the shell, and takes its orphans with it.
    Init,
}

/// Whether a command runs where its walls are not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Demand {
    /// Refused.
    Whole,
    /// With the walls that there are: somebody accepted that.
    AsFarAsPossible,
}

/// What a command may use up. For all its processes together, but for `file_size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// With more all are ended.
    pub processes: u64,
    /// In bytes, of what is theirs alone.
    pub memory: u64,
    /// Of one file, in bytes.
    pub file_size: u64,
    /// So many bytes stay free on each disk it writes to; where there were fewer at the start, half of those.
    pub free_space: u64,
}

impl Default for Limits {
    /// 512 processes and 1 GB of free space are the design's; memory and file size are large enough for builds and small
    /// enough for machines on which somebody works.
    fn default() -> Self {
        Self { processes: 512, memory: 8 << 30, file_size: 4 << 30, free_space: 1 << 30 }
    }
}

/// A wall that could not be put up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missing {
    /// No user namespaces: no own mounts, processes or network.
    Namespaces(String),
    /// The own view of files could not be arranged.
    Mounts(String),
    /// No `/proc` of its own.
    Proc(String),
    /// Landlock is not there, or not all of it.
    Landlock(String),
    /// No system call filter.
    Filter(String),
    /// Limits of use, or the taking away of privileges.
    Limits(String),
    /// This system has no walls that we know.
    System,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Namespaces(why) => {
                write!(f, "user namespaces (protected files, network, end of all processes): {why}")
            }
            Self::Mounts(why) => write!(f, "own mounts (protected files, home directory): {why}"),
            Self::Proc(why) => write!(f, "an own /proc (other processes are visible): {why}"),
            Self::Landlock(why) => write!(f, "Landlock (writes outside, reads of the home directory): {why}"),
            Self::Filter(why) => write!(f, "seccomp (system calls): {why}"),
            Self::Limits(why) => write!(f, "limits of use: {why}"),
            Self::System => write!(f, "all of it: only Linux has it"),
        }
    }
}

/// Why the supervisor ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stopped {
    Processes(u64),
    Memory(u64),
    Disk(u64),
    /// Whoever started it wanted that, or died.
    Asked,
}

/// What the processes inside say, a line of JSON each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Said {
    /// The walls are not whole, and that was not accepted.
    Refused(Vec<Missing>),
    /// It could not even be started.
    Failed(String),
    /// All is over. No code: it was killed from outside.
    Ended { code: Option<i32>, stopped: Option<Stopped> },
}

/// A line between the program and its other processes.
pub(crate) fn tell(mut to: impl Write, what: &impl Serialize) -> io::Result<()> {
    to.write_all(format!("{}\n", serde_json::to_string(what)?).as_bytes())
}

pub(crate) fn hear<T: DeserializeOwned>(mut from: impl BufRead) -> io::Result<T> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Which may be no text.
pub(crate) fn names(paths: &[PathBuf]) -> Vec<&OsStr> {
    paths.iter().map(|path| path.as_os_str()).collect()
}
