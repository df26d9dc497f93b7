//! The file tools on real folders, as a model calls them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_days;
mod changing;
mod looking;
mod reading;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use lookback_engine::trace::{NoBlobs, ResultData, Status, ToolResult};
use lookback_tools::{FileTools, Project, ToolName};
use serde_json::Value;

/// A project in a temporary folder, and the tools in it.
struct Bench {
    temp: tempfile::TempDir,
    tools: FileTools,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("root")).unwrap();
        let bench = Self { tools: tools(&temp.path().join("root")), temp };
        files.iter().for_each(|(name, content)| bench.put(name, content));
        bench
    }

    fn at(&self, name: &str) -> PathBuf {
        self.temp.path().join("root").join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).unwrap()
    }

    fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.at(name)).unwrap().permissions().mode() & 0o7777
    }

    fn run(&self, tool: ToolName, arguments: Value) -> ToolResult {
        self.tools.run(tool, &arguments, &|| false)
    }

    /// The text of a call that must work, whole or in part.
    fn text(&self, tool: ToolName, arguments: Value) -> String {
        let result = self.run(tool, arguments);
        assert_eq!(result.error, None);
        text(&result)
    }

    /// `CODE: message` of a call that must fail.
    fn error(&self, tool: ToolName, arguments: Value) -> String {
        let result = self.run(tool, arguments);
        assert_eq!(result.status, Status::Error, "{}", text(&result));
        let error = result.error.unwrap();
        format!("{}: {}", error.code, error.message)
    }

    /// Nothing but what the test made may stand in a folder afterwards.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.at(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn tools(root: &Path) -> FileTools {
    FileTools::new(Arc::new(Project::new(root, &[]).unwrap()))
}

fn text(result: &ToolResult) -> String {
    String::from_utf8(result.text.bytes(&NoBlobs).unwrap().to_vec()).unwrap()
}

macro_rules! data {
    ($result:expr, $kind:ident) => {
        match &$result.data {
            ResultData::$kind(data) => data.clone(),
            other => panic!("{other:?}"),
        }
    };
}
use data;
