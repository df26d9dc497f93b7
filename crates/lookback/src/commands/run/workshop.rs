//! The tools as this program brings them together: files, commands inside a sandbox, and a shadow of the project.

use std::{
    env, fmt,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context, Result};
use lookback_agent::{Jobs, Kept, Workshop};
use lookback_engine::{
    Session,
    card::Pictures,
    trace::{EventBody, NoBlobs, Output, Part, ToolResult},
};
use lookback_tools::{
    EndedJob, FileTools, Keep, Project as Walls, Shell, ShellLimits, ShellSetup, ToolName, WITHHELD,
    sandbox::{self, Demand, Policy},
    shadow::Shadow,
};
use memchr::memmem;
use serde_json::Value;

use super::{own::Own, project::Project, rules::RuleFiles};
use crate::{cli::RunOptions, home, screen, settings::Settings};

/// Our own settings in a project: commands do not write them.
const PROJECT_FILE: &str = ".lookback.toml";

/// Keys; nothing prints them.
#[derive(Clone)]
struct Secrets(Arc<[String]>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} keys", self.0.len())
    }
}

#[derive(Debug)]
pub(super) struct Bench {
    files: FileTools,
    shell: Shell,
    shadow: Option<Shadow>,
    /// What the sandbox cannot enforce here, in words; none: it is whole.
    missing: Option<String>,
    /// Keys that are known here.
    secrets: Secrets,
    /// That files cannot be kept.
    told: AtomicBool,
    rules: Arc<RuleFiles>,
    own: OnceLock<Own>,
    root: std::path::PathBuf,
    /// What the model is shown of them.
    pictures: Pictures,
}

/// Whether commands run where the sandbox is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unwalled {
    /// The person accepted it, or is asked for each of them.
    Run,
    Refused,
}

impl Bench {
    /// `keep` takes outputs that are too large for a result.
    pub(super) fn new(
        project: &Project,
        settings: &Settings,
        arguments: &RunOptions,
        unwalled: Unwalled,
        pictures: Pictures,
        keep: Keep,
    ) -> Result<Self> {
        let walls = Walls::new(&project.root, &project.also).context("the project's folder cannot be opened")?;
        let (walls, unreadable) = walls.ignoring(&settings.ignore);
        for pattern in unreadable {
            screen::remark(&format!("{PROJECT_FILE}: ignore: {pattern}"));
        }
        let program = env::current_exe().context("this program's own file cannot be found")?;
        let missing = sandbox::probe_unless_known(&program, &home::own(&home::locate()?, "walls")?).missing();
        let mut policy = Policy::of_project(&project.root, PROJECT_FILE, &|name| env::var_os(name));
        for folder in &project.also {
            policy.allow(folder, PROJECT_FILE);
        }
        policy.network = arguments.network;
        let home = home::locate()?;
        policy.hidden.push(home.canonicalize().unwrap_or(home));
        let hidden = policy.hidden.clone();
        let walls = walls.keeping(policy.protect.clone());
        // Walls that were taken for whole must be whole: nobody is asked about a command then.
        let accepts = arguments.without_sandbox || missing.is_some() && unwalled == Unwalled::Run;
        let secrets = Secrets(Arc::from(settings.secrets()));
        let masked = secrets.clone();
        let setup = ShellSetup {
            policy,
            demand: if accepts { Demand::AsFarAsPossible } else { Demand::Whole },
            accepting_flag: "--without-sandbox".to_owned(),
            withheld: WITHHELD.map(str::to_owned).to_vec(),
            listed_environment: Vec::new(),
            mask: Box::new(move |bytes| hide(bytes, &masked)),
            keep: Some(keep),
            limits: ShellLimits::default(),
            program,
        };
        let shadow = match shadow_of(&project.root) {
            Ok(shadow) => Some(shadow.without(hidden.clone())),
            Err(error) => {
                screen::remark(&format!("changes cannot be taken back: {error:#}"));
                None
            }
        };
        Ok(Self {
            root: project.root.clone(),
            files: FileTools::new(Arc::new(walls.without(hidden))),
            shell: Shell::new(setup),
            shadow,
            missing,
            secrets,
            told: AtomicBool::new(false),
            rules: Arc::clone(&project.rules),
            own: OnceLock::new(),
            pictures,
        })
    }

    /// A session that goes on knows the files that it has read, what it has made, and how many jobs it had.
    pub(super) fn restore(&self, session: &Session) {
        self.shell.count_jobs_from(session.last_job());
        self.own.get_or_init(|| Own::of(session));
        for event in session.trace() {
            if let EventBody::ToolResult { result, .. } = &event.event {
                self.files.restore(result);
            }
        }
    }

    /// What a file holds of a known key never reaches the trace: neither in the text nor in what was made of it.
    fn without_keys(&self, result: ToolResult) -> ToolResult {
        let has_key =
            |bytes: &[u8]| self.secrets.0.iter().any(|secret| memmem::find(bytes, secret.as_bytes()).is_some());
        let text = result.text.bytes(&NoBlobs).ok().filter(|bytes| has_key(bytes));
        let Ok(mut value) = serde_json::to_value(&result) else { return result };
        let in_data = has_key(value["data"].to_string().as_bytes());
        if text.is_none() && !in_data {
            return result;
        }
        hide_in(&mut value, &self.secrets);
        let mut hidden = serde_json::from_value(value).unwrap_or(result);
        if let Some(text) = text {
            hidden.text = Output::new(hide(&text, &self.secrets));
        }
        hidden
    }

    pub(super) fn sandbox_is_whole(&self) -> bool {
        self.missing.is_none()
    }

    pub(super) fn sandbox_in_words(&self) -> String {
        match &self.missing {
            None => "sandbox: whole".to_owned(),
            Some(missing) => format!("sandbox not whole: {missing} (--without-sandbox runs commands all the same)"),
        }
    }
}

impl Workshop for Bench {
    fn run(&self, tool: ToolName, arguments: &Value, stop: &dyn Fn() -> bool) -> ToolResult {
        match tool {
            ToolName::Bash => self.shell.run(arguments, stop),
            ToolName::Job => self.shell.job(arguments),
            _ => {
                let result = self.without_keys(self.files.run(tool, arguments, stop));
                if self.pictures == Pictures::Shown { result } else { without_picture(result) }
            }
        }
    }

    fn snapshot(&self) -> Result<Option<Kept>, String> {
        let Some(shadow) = &self.shadow else { return Ok(None) };
        match shadow.take() {
            Ok((id, snapshot)) => {
                if let Some(own) = self.own.get() {
                    own.kept(&id);
                }
                Ok(Some(Kept { id, left_out: snapshot.left_out }))
            }
            Err(_) if self.told.swap(true, Ordering::Relaxed) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn is_own(&self, path: &str) -> bool {
        let Some((shadow, own)) = self.shadow.as_ref().zip(self.own.get()) else { return false };
        own.holds(path, shadow)
    }

    fn is_there(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    fn remarks(&self, result: &ToolResult) -> Vec<(String, String)> {
        self.rules.met(result)
    }

    fn changed_rules(&self) -> Option<String> {
        self.rules.changed()
    }

    fn ended_jobs(&self, which: Jobs) -> Vec<EndedJob> {
        if which == Jobs::All {
            self.shell.end_all();
        }
        self.shell.take_ended()
    }
}

/// A picture stays in the trace, and the model is told that it does not see it.
fn without_picture(mut result: ToolResult) -> ToolResult {
    let has_picture =
        result.as_came.as_ref().is_some_and(|came| came.parts.iter().any(|part| matches!(part, Part::Image(_))));
    if let Some(text) = has_picture.then(|| result.text.bytes(&NoBlobs).ok()).flatten() {
        let text = String::from_utf8_lossy(&text);
        result.text = format!("{text}. It is kept, but you do not see it: only its name and size are shown.").into();
    }
    result
}

/// Known keys never reach the trace.
fn hide(bytes: &[u8], secrets: &Secrets) -> Vec<u8> {
    let mut hidden = bytes.to_vec();
    for secret in secrets.0.iter() {
        let mut from = 0;
        while let Some(at) = memmem::find(&hidden[from..], secret.as_bytes()) {
            let start = from + at;
            hidden.splice(start..start + secret.len(), *b"[key hidden]");
            from = start + b"[key hidden]".len();
        }
    }
    hidden
}

/// In every text of a value.
fn hide_in(value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => *text = String::from_utf8_lossy(&hide(text.as_bytes(), secrets)).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| hide_in(item, secrets)),
        Value::Object(members) => members.values_mut().for_each(|member| hide_in(member, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Where the files of a project are kept.
pub(crate) fn shadow_of(root: &Path) -> Result<Shadow> {
    Shadow::open(&home::own(&home::locate()?, "shadow")?, root).context("the shadow of the files cannot be opened")
}
