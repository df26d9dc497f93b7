//! The tools as this program brings them together: files, commands inside a sandbox, and a shadow of the project.

use std::{env, path::PathBuf, sync::Arc};

use anyhow::{Context, Result};
use lookback_agent::{Kept, Workshop};
use lookback_engine::{
    Session,
    trace::{EventBody, ToolResult},
};
use lookback_tools::{
    FileTools, Project as Walls, Shell, ShellLimits, ShellSetup, ToolName, WITHHELD,
    sandbox::{self, Demand, Policy},
    shadow::Shadow,
};
use serde_json::Value;

use super::project::Project;
use crate::{cli::RunOptions, home, screen, settings::Settings};

/// Our own settings in a project: commands do not write them.
const PROJECT_FILE: &str = ".lookback.toml";

#[derive(Debug)]
pub(super) struct Bench {
    files: FileTools,
    shell: Shell,
    shadow: Option<Shadow>,
    /// What the sandbox cannot enforce here, in words; none: it is whole.
    missing: Option<String>,
}

impl Bench {
    pub(super) fn new(project: &Project, settings: &Settings, arguments: &RunOptions) -> Result<Self> {
        let walls = Walls::new(&project.root, &project.also).context("the project's folder cannot be opened")?;
        let program = env::current_exe().context("this program's own file cannot be found")?;
        let missing = sandbox::probe(&program).missing();
        let mut policy = Policy::of_project(&project.root, PROJECT_FILE, &|name| env::var_os(name));
        for folder in &project.also {
            policy.allow(folder, PROJECT_FILE);
        }
        policy.network = arguments.network;
        policy.hidden.push(home::locate()?);
        let secrets = settings.secrets();
        let setup = ShellSetup {
            policy,
            demand: if arguments.without_sandbox { Demand::AsFarAsPossible } else { Demand::Whole },
            accepting_flag: "--without-sandbox".to_owned(),
            withheld: WITHHELD.map(str::to_owned).to_vec(),
            listed_environment: Vec::new(),
            mask: Box::new(move |bytes| hide(bytes, &secrets)),
            keep: None,
            limits: ShellLimits::default(),
            program,
        };
        let shadow = match Shadow::open(&home::locate()?.join("shadow"), &project.root) {
            Ok(shadow) => Some(shadow),
            Err(error) => {
                screen::remark(&format!(
                    "changes cannot be taken back: the shadow of the files cannot be kept: {error}"
                ));
                None
            }
        };
        Ok(Self { files: FileTools::new(Arc::new(walls)), shell: Shell::new(setup), shadow, missing })
    }

    /// A session that goes on knows the files that it has read.
    pub(super) fn restore(&self, session: &Session) {
        for event in session.trace() {
            if let EventBody::ToolResult { result, .. } = &event.event {
                self.files.restore(result);
            }
        }
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
            _ => self.files.run(tool, arguments, stop),
        }
    }

    fn snapshot(&self) -> Option<Kept> {
        let (id, snapshot) = self.shadow.as_ref()?.take().ok()?;
        Some(Kept { id, left_out: snapshot.left_out })
    }
}

/// Known keys never reach the trace.
fn hide(bytes: &[u8], secrets: &[String]) -> Vec<u8> {
    let mut hidden = bytes.to_vec();
    for secret in secrets {
        let mut from = 0;
        while let Some(at) = find(&hidden[from..], secret.as_bytes()) {
            let start = from + at;
            hidden.splice(start..start + secret.len(), *b"[key hidden]");
            from = start + b"[key hidden]".len();
        }
    }
    hidden
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// For whoever opens the shadow of a project later.
pub(crate) fn shadow_of(root: &str) -> Result<Shadow> {
    let root = PathBuf::from(root);
    Shadow::open(&home::locate()?.join("shadow"), &root).context("the shadow of the files cannot be opened")
}
