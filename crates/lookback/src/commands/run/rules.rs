//! Files of rules: the person's own and the project's stand in the prompt; those of folders further down are only named,
//! when a tool first comes there. Whoever changes one while the agent works is heard.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use lookback_engine::trace::ToolResult;

use crate::screen;

/// In any case (docs/seeds.md C5); where it is not there, the first of the others.
const LAW: &str = "CODE_LAW.md";
const OTHERS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// Bytes of rules that are shown: more would fill the prompt of every call.
const MOST: usize = 48 << 10;

/// What tells one state of a file from another.
type Stamp = (PathBuf, u64, Option<SystemTime>);

#[derive(Debug)]
pub(super) struct RuleFiles {
    /// Weakest first: the person's, the project's root.
    folders: Vec<PathBuf>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    stamps: Vec<Option<Stamp>>,
    text: String,
    /// Of the folders where tools have been.
    nested: BTreeMap<PathBuf, Option<Stamp>>,
}

impl RuleFiles {
    /// `own` is where the person's settings are.
    pub(super) fn new(own: Option<&Path>, root: &Path) -> Self {
        let folders: Vec<PathBuf> = own.into_iter().chain([root]).map(Path::to_owned).collect();
        let stamps = folders.iter().map(|folder| stamp(folder)).collect();
        let text = read_all(&folders);
        Self { folders, known: Mutex::new(Known { stamps, text, nested: BTreeMap::new() }) }
    }

    /// L2 of the prompt; empty where there are none.
    pub(super) fn text(&self) -> String {
        self.known().text.clone()
    }

    /// Where they come from, for a person.
    pub(super) fn from(&self) -> Vec<String> {
        let known = self.known();
        let paths = known.stamps.iter().flatten().map(|(path, ..)| path.file_name().unwrap_or_default());
        paths.map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// All of them, where they have changed since this was last asked.
    pub(super) fn changed(&self) -> Option<String> {
        let stamps: Vec<Option<Stamp>> = self.folders.iter().map(|folder| stamp(folder)).collect();
        let mut known = self.known();
        if known.stamps == stamps {
            return None;
        }
        known.stamps = stamps;
        let text = read_all(&self.folders);
        let is_new = known.text != text;
        known.text.clone_from(&text);
        is_new.then_some(text)
    }

    /// What the model is told about the folders where a tool has been, each by a key.
    pub(super) fn met(&self, result: &ToolResult) -> Vec<(String, String)> {
        let path = result.context.as_ref().and_then(|context| context["path_resolved"].as_str());
        let (Some(path), Some(root)) = (path, self.folders.last()) else { return Vec::new() };
        let place = root.join(path);
        let folder = if place.is_dir() { place.as_path() } else { place.parent().unwrap_or(root) };
        let mut known = self.known();
        let mut told = Vec::new();
        for folder in folder.ancestors().take_while(|folder| *folder != root && folder.starts_with(root)) {
            let now = stamp(folder);
            let before = known.nested.insert(folder.to_owned(), now.clone());
            let Some((file, ..)) = now.as_ref().filter(|_| before.as_ref() != Some(&now)) else { continue };
            let named = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
            let (file, folder) = (named(file), named(folder));
            let text = match before.flatten() {
                None => format!("{folder} has rules of its own in {file}: Read it before you change anything there."),
                Some(_) => format!("{file} has changed: Read it again before you change anything in {folder}."),
            };
            told.push((format!("rules {folder}"), text));
        }
        told
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rules of a folder, as they stand now.
fn stamp(folder: &Path) -> Option<Stamp> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut laws: Vec<_> = entries.filter(|name| name.eq_ignore_ascii_case(LAW)).collect();
    laws.sort();
    laws.into_iter().chain(OTHERS.map(Into::into)).find_map(|name| {
        let path = folder.join(name);
        // A cloned repository may have put a link to something private here, or a pipe that never ends.
        let about = fs::symlink_metadata(&path).ok().filter(|about| about.is_file())?;
        Some((path, about.len(), about.modified().ok()))
    })
}

fn read_all(folders: &[PathBuf]) -> String {
    folders.iter().filter_map(|folder| read(folder)).collect::<Vec<_>>().join("\n")
}

/// With a word to the person where not all of it is used.
fn read(folder: &Path) -> Option<String> {
    let (path, size, _) = stamp(folder)?;
    let mut bytes = Vec::new();
    File::open(&path).ok()?.take(MOST as u64).read_to_end(&mut bytes).ok()?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if size > MOST as u64 {
        let (all, most) = (size >> 10, MOST >> 10);
        screen::remark(&format!(
            "{}: {all} KiB of rules, of which the first {most} are used: make it shorter",
            path.display()
        ));
        text.push_str(&format!("\n\n({name} goes on: only its first {most} KiB of {all} are shown here.)"));
    }
    Some(format!("# {name}\n\n{}\n", text.trim_end()))
}
