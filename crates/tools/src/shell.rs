//! Bash and Job: commands, in front and in the background, each inside of its walls.
//!
//! Knows nothing of permissions: whoever calls has decided that the command may run.

mod arguments;
mod environment;
mod jobs;
mod kept;
mod result;
mod running;

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use lookback_engine::trace::{BlobHash, Output, ToolResult};
use serde_json::Value;

use self::{
    arguments::{Action, BashArguments, JobArguments},
    jobs::Jobs,
    kept::Kept,
    running::Running,
};
use crate::{
    envelope::{Code, Failure, envelope},
    sandbox::{Demand, Limits, Policy, Private, Spec, Stage},
};

/// Variables whose names hold one of these are withheld. Between underscores: as a whole word, for PATH is none.
pub const WITHHELD: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "_PAT_"];

/// Masks known key values.
pub type Mask = Box<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>;

/// Takes in an output that is too large for a result: its hash, its length, its bytes.
pub type Keep = Box<dyn Fn(BlobHash, u64, &mut dyn io::Read) -> io::Result<()> + Send + Sync>;

/// What commands are run with.
pub struct ShellSetup {
    /// The walls.
    pub policy: Policy,
    /// Whether commands run where these are not whole.
    pub demand: Demand,
    /// The flag that accepts walls that are not whole, for the refusal.
    pub accepting_flag: String,
    /// Parts of names of variables that commands do not get: [`WITHHELD`].
    pub withheld: Vec<String>,
    /// Names of variables that they get nevertheless.
    pub listed_environment: Vec<String>,
    /// Goes over all output before it is written anywhere.
    pub mask: Mask,
    /// Where large outputs go. None: only their ends are kept.
    pub keep: Option<Keep>,
    /// How much of everything.
    pub limits: ShellLimits,
    /// Our own executable, which knows the subcommand [`crate::sandbox::SUBCOMMAND`].
    pub program: PathBuf,
}

/// How much of everything.
#[derive(Debug, Clone, Copy)]
pub struct ShellLimits {
    /// For one command.
    pub inside: Limits,
    /// Where the call gives no time-out.
    pub default_time: Duration,
    /// At most, whatever the call gives.
    pub most_time: Duration,
    /// Of what a command printed, in bytes.
    pub kept: u64,
    /// Outputs up to here are whole in the result; beyond it has both ends, and the rest goes to [`ShellSetup::keep`].
    pub inline: u64,
    /// Background commands at once.
    pub jobs: usize,
}

impl Default for ShellLimits {
    fn default() -> Self {
        Self {
            inside: Limits::default(),
            default_time: Duration::from_secs(120),
            most_time: Duration::from_secs(600),
            kept: 256 << 20,
            inline: 8 << 20,
            jobs: 16,
        }
    }
}

/// A background command that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedJob {
    /// Counted from 1.
    pub number: u32,
    /// None: it was ended.
    pub exit_code: Option<i32>,
    /// All that it printed.
    pub output: Output,
}

/// Runs commands, and ends them all when it goes.
pub struct Shell {
    setup: Arc<ShellSetup>,
    /// Made for the first command: most sessions of readers have none.
    private: OnceLock<Private>,
    jobs: Mutex<Jobs>,
}

impl fmt::Debug for ShellSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShellSetup").field("policy", &self.policy).field("demand", &self.demand).finish_non_exhaustive()
    }
}

impl fmt::Debug for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shell").field("setup", &self.setup).finish_non_exhaustive()
    }
}

impl Shell {
    /// Starts nothing yet.
    pub fn new(setup: ShellSetup) -> Self {
        Self { setup: Arc::new(setup), private: OnceLock::new(), jobs: Mutex::default() }
    }

    /// Bash `{command, timeout?, background?}`, the time in milliseconds. Waits for the end, unless in the background;
    /// `stop` is asked again and again, and ends it.
    pub fn run(&self, arguments: &Value, stop: &dyn Fn() -> bool) -> ToolResult {
        let began = Instant::now();
        let outcome = BashArguments::parse(arguments, &self.setup.limits).and_then(|arguments| {
            let running = self.start(&arguments.command)?;
            if arguments.background {
                let number = self.lock_jobs().add(arguments.command.clone(), running, self.setup.limits.jobs)?;
                return Ok(result::of_started(number, arguments.command));
            }
            let end = running.wait(Some(arguments.time), stop);
            let kept = &mut *running.kept();
            Ok(result::of_run(&self.setup, &arguments, end, kept))
        });
        self.wrap(outcome, arguments, began)
    }

    /// Job `{id, action: read | end}`: what came since the last reading, and how it stands.
    pub fn job(&self, arguments: &Value) -> ToolResult {
        let began = Instant::now();
        let outcome = JobArguments::parse(arguments).and_then(|arguments| {
            let mut jobs = self.lock_jobs();
            let job = jobs.find(&arguments.id)?;
            if arguments.action == Action::End {
                job.running.end();
                job.running.wait(None, &|| false);
            }
            Ok(result::of_job(&arguments.id, job, &self.setup))
        });
        self.wrap(outcome, arguments, began)
    }

    /// Background commands that ended since this was last asked, for the record.
    pub fn take_ended(&self) -> Vec<EndedJob> {
        let mut jobs = self.lock_jobs();
        let ended = jobs.take_ended().map(|(number, job)| {
            let (shown, whole) = result::output(&self.setup, &mut job.running.kept(), "");
            let exit_code = job.running.over().and_then(|end| end.code());
            EndedJob { number, exit_code, output: whole.unwrap_or(shown) }
        });
        ended.collect()
    }

    /// The numbers of background commands go on behind this one: a session that is taken up again has used it.
    pub fn count_jobs_from(&self, last: u32) {
        self.lock_jobs().before = last;
    }

    /// Ends every background command, and waits until none is left.
    pub fn end_all(&self) {
        self.lock_jobs().end_all();
    }

    fn start(&self, command: &str) -> Result<Running, Failure> {
        let failed =
            |error: io::Error| Failure::new(Code::InternalError, format!("no command can be started: {error}"));
        let private = match self.private.get() {
            Some(private) => private,
            None => {
                let made = Private::new().map_err(failed)?;
                self.private.get_or_init(|| made)
            }
        };
        let setup = &self.setup;
        let spec = Spec {
            stage: Stage::Supervisor,
            command: command.to_owned(),
            policy: setup.policy.clone(),
            limits: setup.limits.inside,
            demand: setup.demand,
            private: private.path(),
            priority: 0,
            missing: Vec::new(),
        };
        let kept = Kept::new(&private.path(), setup.limits.kept).map_err(failed)?;
        Running::start(setup, spec, kept).map_err(failed)
    }

    fn wrap(&self, outcome: Result<result::Answer, Failure>, arguments: &Value, began: Instant) -> ToolResult {
        let cwd = self.setup.policy.root.to_string_lossy();
        match outcome {
            Ok(answer) => answer.into_result(arguments, &cwd, began.elapsed()),
            Err(failure) => envelope(Err(failure), arguments, &cwd, began.elapsed()),
        }
    }

    fn lock_jobs(&self) -> std::sync::MutexGuard<'_, Jobs> {
        // Who panicked holding it left whole jobs behind.
        self.jobs.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.end_all();
    }
}
