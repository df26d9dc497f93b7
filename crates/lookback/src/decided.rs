//! What a person decided about a project for good: what runs without a question, and whether its settings file is trusted.
//! In a file of its own below `LOOKBACK_HOME`, by the project's root; never in the project.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use lookback_agent::permission::{Lasting, lasting};
use lookback_engine::trace::BlobHash;
use lookback_tools::ToolName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{home, interruption};

#[derive(Debug)]
pub(crate) struct Decided {
    place: PathBuf,
    root: PathBuf,
    /// The file lies where tools may write: they could give themselves leave.
    is_reachable: bool,
    known: Known,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    root: PathBuf,
    /// Inside a whole sandbox.
    walled: Commands,
    /// Also without one: the person knew that there was none.
    unwalled: Commands,
    /// Relative to the root.
    files: BTreeSet<String>,
    /// The hash of the settings file, and what was said of it.
    trust: Option<(BlobHash, bool)>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Commands {
    words: BTreeSet<Vec<String>>,
    texts: BTreeSet<String>,
}

/// Whether a command was walled in when the person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walls {
    Whole,
    NotWhole,
}

impl Commands {
    fn cover(&self, command: &Lasting) -> bool {
        match command {
            Lasting::Commands(commands) => commands.iter().all(|words| self.words.contains(words)),
            Lasting::Text(text) => self.texts.contains(text),
        }
    }

    fn add(&mut self, command: Lasting) {
        match command {
            Lasting::Commands(commands) => self.words.extend(commands),
            Lasting::Text(text) => drop(self.texts.insert(text)),
        }
    }
}

impl Decided {
    /// `also` are the other folders that tools reach.
    pub(crate) fn of(root: &Path, also: &[PathBuf]) -> Result<Self> {
        let name = BlobHash::of(root.to_string_lossy().as_bytes()).to_string();
        let home = home::locate()?;
        let real = home.canonicalize().unwrap_or_else(|_| home.clone());
        let is_reachable =
            [root].into_iter().chain(also.iter().map(PathBuf::as_path)).any(|folder| real.starts_with(folder));
        let place = home::own(&home, format!("decided/{}.json", &name[..16]))?;
        let known = match fs::read_to_string(&place) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} cannot be read: remove it, and you are asked anew", place.display()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Known::default(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", place.display())),
        };
        Ok(Self { place, root: root.to_owned(), is_reachable, known })
    }

    /// Whether the person said "always" to this call before. What was decided inside of walls holds only there.
    pub(crate) fn covers(&self, tool: ToolName, arguments: &Value, walls: Walls) -> bool {
        match self.lasting(tool, arguments) {
            Some(Kind::Command(command)) => {
                self.known.unwalled.cover(&command) || (walls == Walls::Whole && self.known.walled.cover(&command))
            }
            Some(Kind::File(path)) => self.known.files.contains(&path),
            None => false,
        }
    }

    /// Whether an "always" can be kept at all. Not where tools could write it themselves.
    pub(crate) fn can_last(&self, tool: ToolName, arguments: &Value) -> bool {
        self.lasting(tool, arguments).is_some()
    }

    pub(crate) fn remember(&mut self, tool: ToolName, arguments: &Value, walls: Walls) -> Result<()> {
        match self.lasting(tool, arguments) {
            Some(Kind::Command(command)) if walls == Walls::Whole => self.known.walled.add(command),
            Some(Kind::Command(command)) => self.known.unwalled.add(command),
            Some(Kind::File(path)) => drop(self.known.files.insert(path)),
            None => {}
        }
        self.write()
    }

    /// What was said of a settings file with this content; none: nobody was asked.
    pub(crate) fn trust(&self, text: &str) -> Option<bool> {
        self.known.trust.filter(|(hash, _)| *hash == BlobHash::of(text.as_bytes())).map(|(_, trusted)| trusted)
    }

    pub(crate) fn set_trust(&mut self, text: &str, trusted: bool) -> Result<()> {
        self.known.trust = Some((BlobHash::of(text.as_bytes()), trusted));
        self.write()
    }

    fn lasting(&self, tool: ToolName, arguments: &Value) -> Option<Kind> {
        if self.is_reachable {
            return None;
        }
        if tool == ToolName::Bash {
            return lasting(arguments["command"].as_str()?).map(Kind::Command);
        }
        let path = arguments["path"].as_str().or(arguments["file_path"].as_str())?;
        home::relative(&self.root, path).map(Kind::File)
    }

    fn write(&mut self) -> Result<()> {
        self.known.root.clone_from(&self.root);
        if let Some(folder) = self.place.parent() {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        interruption::write_whole(&self.place, &serde_json::to_string(&self.known)?)
    }
}

enum Kind {
    Command(Lasting),
    File(String),
}
