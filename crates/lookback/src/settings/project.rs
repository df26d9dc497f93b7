//! The project's own file, `.lookback.toml`: what a repository says about how it wants to be worked on.
//!
//! A cloned repository is not trusted: until the person says otherwise only context limits, ignore
//! patterns, language and model name count.
//! Who is asked, with which key and what may run is never taken from it.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use lookback_engine::Configuration;
use serde::Deserialize;
use toml::Table;

use super::{
    error::SettingsError,
    file::{Compactor, Language, check_context, problem_in},
};
use crate::{decided::Decided, screen};

const NAME: &str = ".lookback.toml";
/// In bytes: nobody writes more settings by hand.
const LARGEST: u64 = 256 << 10;
/// Taken from everybody.
const HARMLESS: [&str; 4] = ["model", "language", "context", "ignore"];
/// Taken once the person trusts the file as it is.
const TRUSTED: [&str; 2] = ["compactor", "cards"];
/// It would play whatever the repository brings along as the model's words.
const SCRIPT: &str = "script:";

/// As it was found.
#[derive(Debug)]
pub(crate) struct ProjectFile {
    path: PathBuf,
    text: String,
    is_trusted: bool,
}

/// What counts of it.
#[derive(Debug, Default)]
pub(super) struct FromProject {
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) language: Option<Language>,
    pub(super) context: Option<OwnContext>,
    pub(super) compactor: Option<Compactor>,
    pub(super) cards: Vec<PathBuf>,
    pub(super) ignore: Vec<String>,
    /// What does not count, in words.
    pub(super) not_taken: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    model: Option<String>,
    language: Option<Language>,
    context: Option<Configuration>,
    compactor: Option<Compactor>,
    cards: Vec<PathBuf>,
    ignore: Vec<String>,
}

/// Numbers of the engine that stand over the person's own.
#[derive(Debug)]
pub(super) struct OwnContext {
    path: PathBuf,
    table: Table,
}

impl ProjectFile {
    /// None where there is none. A link is none: it may lead to something private.
    pub(crate) fn find(root: &Path) -> Result<Option<Self>> {
        let path = root.join(NAME);
        let Some(about) = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file) else { return Ok(None) };
        if about.len() > LARGEST {
            screen::remark(&format!("{}: {} KiB are no settings: it is not read", path.display(), about.len() >> 10));
            return Ok(None);
        }
        let mut text = String::new();
        let read = File::open(&path).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
        read.with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Some(Self { path, text, is_trusted: false }))
    }

    /// As the person decided about the file as it is now.
    pub(crate) fn trusted_as(self, decided: &Decided) -> Self {
        Self { is_trusted: decided.trust(&self.text) == Some(true), ..self }
    }

    /// Where it wants more than is harmless the person is asked, once for each of its states; never without a terminal.
    pub(super) fn ask_for_trust(self, decided: &mut Decided) -> Result<Self> {
        let wants: Vec<String> = self.keys()?.into_iter().filter(|key| TRUSTED.contains(&key.as_str())).collect();
        if wants.is_empty() || decided.trust(&self.text).is_some() || !screen::can_ask() {
            return Ok(self.trusted_as(decided));
        }
        let (file, wants) = (self.path.display(), wants.join(" and "));
        if let Some(answer) = screen::ask(&format!("{file} sets {wants}. Do you trust this project with that?"))? {
            decided.set_trust(&self.text, answer)?;
        }
        Ok(self.trusted_as(decided))
    }

    fn keys(&self) -> Result<Vec<String>, SettingsError> {
        let table: Table = toml::from_str(&self.text).map_err(|error| self.wrong(&error))?;
        Ok(table.into_iter().map(|(key, _)| key).collect())
    }

    fn wrong(&self, error: &toml::de::Error) -> SettingsError {
        SettingsError::File { file: self.path.display().to_string(), problem: problem_in(&self.text, error) }
    }

    pub(super) fn parse(self) -> Result<FromProject, SettingsError> {
        let keys = self.keys()?;
        let written: Written = toml::from_str(&self.text).map_err(|error| self.wrong(&error))?;
        let mut not_taken = Vec::new();
        let name = self.path.display();
        let listed = |is_one: &dyn Fn(&str) -> bool| {
            let found: Vec<&str> = keys.iter().map(String::as_str).filter(|key| is_one(key)).collect();
            (!found.is_empty()).then(|| found.join(", "))
        };
        let never = |key: &str| !HARMLESS.contains(&key) && !TRUSTED.contains(&key);
        if let Some(ignored) = listed(&never) {
            not_taken.push(format!("{name}: {ignored} is ignored: a project cannot set that, only your own file can"));
        }
        let (mut compactor, mut cards) = (written.compactor, written.cards);
        if let Some(ignored) = listed(&|key| TRUSTED.contains(&key)).filter(|_| !self.is_trusted) {
            not_taken.push(format!("{name}: {ignored} is ignored: you have not trusted this project with it"));
            (compactor, cards) = (None, Vec::new());
        }
        let mut model = written.model;
        if model.as_ref().is_some_and(|model| model.starts_with(SCRIPT)) {
            not_taken.push(format!("{name}: model is ignored: a project cannot bring its own script"));
            model = None;
        }
        if let Some(context) = &written.context {
            let file = name.to_string();
            check_context(context, &self.text).map_err(|problem| SettingsError::File { file, problem })?;
        }
        let beside = |file: PathBuf| self.path.parent().map_or(file.clone(), |folder| folder.join(&file));
        let table: Table = toml::from_str(&self.text).map_err(|error| self.wrong(&error))?;
        let context = table.get("context").and_then(|context| context.as_table().cloned());
        Ok(FromProject {
            model,
            language: written.language,
            context: context.map(|table| OwnContext { path: self.path.clone(), table }),
            compactor,
            cards: cards.into_iter().map(beside).collect(),
            ignore: written.ignore,
            not_taken,
            text: self.text,
        })
    }
}

impl OwnContext {
    /// Number by number over those of the user's file.
    pub(super) fn over(self, user: &str) -> Result<Configuration, SettingsError> {
        let user: Table = toml::from_str(user).unwrap_or_default();
        let mut merged = user.get("context").and_then(|context| context.as_table().cloned()).unwrap_or_default();
        put_over(&mut merged, self.table);
        let problem = |problem| SettingsError::File { file: self.path.display().to_string(), problem };
        let context = Configuration::deserialize(merged).map_err(|error| problem(problem_in("", &error)))?;
        check_context(&context, "").map_err(problem)?;
        Ok(context)
    }
}

fn put_over(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => put_over(below, above),
            (_, value) => drop(below.insert(key, value)),
        }
    }
}
