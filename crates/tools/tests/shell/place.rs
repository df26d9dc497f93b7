//! A project, a home directory with a key in it, and a shell between them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lookback_engine::trace::{NoBlobs, ResultData, ToolResult, result::RunData};
use lookback_tools::{
    Shell, ShellLimits, ShellSetup, WITHHELD,
    sandbox::{Demand, Policy},
};
use serde_json::json;

pub(crate) const KEY: &str = "sk-very-secret-0123456789";

pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        // Not in the system's temp folder, which inside is another: a project is elsewhere.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for name in ["project", "home/.ssh", "home/.cargo/registry", "outside"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("home/.ssh/id_ed25519"), KEY).unwrap();
        fs::write(folder.path().join("home/.cargo/credentials.toml"), KEY).unwrap();
        fs::write(folder.path().join("home/.cargo/registry/cached"), "cached").unwrap();
        fs::write(folder.path().join("home/.gitconfig"), "[user]\n\tname = A\n\temail = a@example.org\n").unwrap();
        fs::write(folder.path().join("outside/file"), "before").unwrap();
        fs::write(folder.path().join("project/.lookback.toml"), "# ours\n").unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn policy(&self) -> Policy {
        let home = self.path("home").into_os_string();
        let environment = move |name: &str| if name == "HOME" { Some(home.clone()) } else { std::env::var_os(name) };
        Policy::of_project(&self.path("project"), ".lookback.toml", &environment)
    }

    pub(crate) fn setup(&self) -> ShellSetup {
        ShellSetup {
            policy: self.policy(),
            demand: Demand::Whole,
            accepting_flag: "--permission full".to_owned(),
            withheld: WITHHELD.map(str::to_owned).to_vec(),
            listed_environment: Vec::new(),
            mask: Box::new(|bytes| bytes.to_vec()),
            keep: None,
            limits: ShellLimits::default(),
            program: program(),
        }
    }

    pub(crate) fn shell(&self) -> Shell {
        Shell::new(self.setup())
    }
}

pub(crate) fn program() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_inside")).to_owned()
}

/// Runs it to its end, at most ten seconds.
pub(crate) fn run(shell: &Shell, command: &str) -> ToolResult {
    shell.run(&json!({ "command": command, "timeout": 10_000 }), &|| false)
}

/// What the model sees.
pub(crate) fn text(result: &ToolResult) -> String {
    let text = String::from_utf8_lossy(&result.text.bytes(&NoBlobs).unwrap()).into_owned();
    match &result.error {
        Some(error) => format!("{}: {}", error.code, error.message),
        None => text,
    }
}

pub(crate) fn data(result: &ToolResult) -> &RunData {
    match &result.data {
        ResultData::Run(run) => run,
        other => panic!("no command: {other:?}"),
    }
}

pub(crate) fn code(result: &ToolResult) -> Option<i32> {
    data(result).exit_code
}

/// Processes of this machine whose command lines hold all of these.
pub(crate) fn processes_with(words: &[&str]) -> Vec<u32> {
    let ids = fs::read_dir("/proc").unwrap().filter_map(|one| one.unwrap().file_name().to_str()?.parse().ok());
    let holds = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        words.iter().all(|word| line.contains(word))
    };
    ids.filter(holds).collect()
}
