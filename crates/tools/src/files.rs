//! The tools that list, search, read and change files: arguments in, one envelope out.
//!
//! Reads may run side by side. Who may call what is decided by whoever holds this.

mod change;
mod diff;
mod edit;
mod glob;
mod grep;
mod ls;
mod read;
mod replace;
mod text;
mod walk;
mod write;

use std::{sync::Arc, time::Instant};

use lookback_engine::trace::{AsCame, ResultData, ToolResult};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    ToolName,
    envelope::{Code, Done, Failure, envelope},
    project::Project,
    seen::{Fingerprint, Seen},
};

/// Asked now and then: whether to stop.
type Stop<'a> = &'a dyn Fn() -> bool;

/// What a tool did, with what the envelope alone does not hold.
struct Outcome {
    done: Done,
    /// How the file is now.
    file: Option<Fingerprint>,
    as_came: Option<AsCame>,
}

impl From<Done> for Outcome {
    fn from(done: Done) -> Self {
        Self { done, file: None, as_came: None }
    }
}

/// The file tools of one session.
#[derive(Debug)]
pub struct FileTools {
    project: Arc<Project>,
    seen: Seen,
}

impl FileTools {
    /// Nothing was read yet.
    pub fn new(project: Arc<Project>) -> Self {
        Self { project, seen: Seen::default() }
    }

    /// Runs one of `LS`, `Glob`, `Grep`, `Read`, `Edit`, `MultiEdit` and `Write`.
    pub fn run(&self, tool: ToolName, arguments: &Value, stop: Stop<'_>) -> ToolResult {
        let begun = Instant::now();
        let outcome = self.outcome(tool, arguments, stop);
        let (done, file, as_came) = match outcome {
            Ok(Outcome { done, file, as_came }) => (Ok(done), file, as_came),
            Err(failure) => (Err(failure), None, None),
        };
        let root = self.project.root().to_string_lossy();
        let mut result = envelope(done, arguments, &root, begun.elapsed());
        if let (Some(stats), Some(file)) = (&mut result.stats, file) {
            stats["file"] = serde_json::to_value(file).unwrap_or_default();
        }
        result.as_came = as_came.map(Box::new);
        result
    }

    fn outcome(&self, tool: ToolName, arguments: &Value, stop: Stop<'_>) -> Result<Outcome, Failure> {
        let (project, seen) = (&*self.project, &self.seen);
        match tool {
            ToolName::Ls => ls::list(project, &parse(arguments)?).map(Outcome::from),
            ToolName::Glob => glob::find(project, &parse(arguments)?, stop).map(Outcome::from),
            ToolName::Grep => grep::search(project, &parse(arguments)?, stop).map(Outcome::from),
            ToolName::Read => read::read(project, seen, &parse(arguments)?, stop),
            ToolName::Edit => edit::edit(project, seen, parse(arguments)?),
            ToolName::MultiEdit => edit::multi_edit(project, seen, &parse(arguments)?),
            ToolName::Write => write::write(project, seen, &parse(arguments)?),
            other => Err(Failure::new(Code::InternalError, format!("{} is no file tool", other.name()))),
        }
    }

    /// How the file of this name, as results give it, was when it was last read or written.
    pub fn seen(&self, name: &str) -> Option<Fingerprint> {
        self.seen.get(name)
    }

    /// As if the file had just been read so.
    pub fn remember(&self, name: &str, fingerprint: Fingerprint) {
        self.seen.set(name, fingerprint);
    }

    /// As if the file had never been read.
    pub fn forget(&self, name: &str) {
        self.seen.forget(name);
    }

    /// What a result of an earlier run of this session says of its file. In the order of the trace.
    pub fn restore(&self, result: &ToolResult) {
        let name = match &result.data {
            ResultData::Read(read) => &read.path,
            ResultData::Edit(edit) => &edit.path,
            ResultData::Write(write) => &write.path,
            _ => return,
        };
        let file = result.stats.as_ref().map(|stats| stats["file"].clone());
        if let Some(fingerprint) = file.and_then(|file| serde_json::from_value(file).ok()) {
            self.remember(name, fingerprint);
        }
    }
}

/// What changed between two contents of a file, by lines: a unified diff without the names of the files.
pub fn difference(old: &[u8], new: &[u8]) -> String {
    diff::Diff::new(old, new).render()
}

fn parse<T: DeserializeOwned>(arguments: &Value) -> Result<T, Failure> {
    T::deserialize(without_nulls(arguments)).map_err(|error| Failure::new(Code::InvalidParam, error.to_string()))
}

/// Where every argument has to be given, models write null for those that they leave out.
fn without_nulls(arguments: &Value) -> Value {
    match arguments {
        Value::Object(members) => {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
