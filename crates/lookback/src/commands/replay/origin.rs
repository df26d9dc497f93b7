//! What is to be replayed: files, folders, stored sessions, what other agents keep on this machine, or the sample.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lookback_engine::trace::SessionId;
use lookback_replay::recording::{Format, Recording};
use lookback_store::Snapshot;

use super::opencode;
use crate::{
    home,
    input::{Input, Lines, Source, find_files},
    reading,
};

/// A recorded session that comes with the program, so that there is always something to replay.
const SAMPLE: &[u8] = include_bytes!("../../../../../fixtures/sample-session.jsonl");

pub(super) const SAMPLE_NAME: &str = "sample-session.jsonl";

/// Something that should hold one session.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// Named by itself.
    File(Source),
    /// Found in a folder: it may be no session.
    Found(PathBuf),
    /// The file of a session in opencode's folders.
    Opencode(PathBuf),
    Stored(SessionId),
    Sample,
}

impl Origin {
    /// As it stands in reports.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(source) => source.name(),
            Self::Found(path) | Self::Opencode(path) => path.display().to_string(),
            Self::Stored(id) => id.0.clone(),
            Self::Sample => SAMPLE_NAME.to_owned(),
        }
    }

    /// Whether it was found rather than named: then it is skipped silently if it holds no session.
    pub(super) fn is_found(&self) -> bool {
        matches!(self, Self::Found(_) | Self::Opencode(_))
    }

    /// Reads all of it.
    pub(super) fn read(&self, store: Option<&Snapshot>) -> Result<Recording> {
        match self {
            Self::File(source) => read_input(Input::open(source)?),
            Self::Found(path) => read_input(Input::open(&Source::File(path.clone()))?),
            Self::Opencode(path) => {
                let mut recording = Recording::new(Format::Opencode);
                let document = opencode::assemble(path)?;
                recording.about = lookback_replay::import::parse_document(Format::Opencode, &document, &mut recording)?;
                Ok(recording)
            }
            Self::Stored(id) => {
                let store = store.context("the store is not open")?;
                let mut lines = Vec::new();
                store.for_each_event(id, |event| -> Result<()> {
                    serde_json::to_writer(&mut lines, &store.inline(event)?)?;
                    lines.push(b'\n');
                    Ok(())
                })?;
                read_lines(&lines, Format::Lookback)
            }
            Self::Sample => read_lines(SAMPLE, Format::ClaudeCode),
        }
    }
}

fn read_input(input: Input) -> Result<Recording> {
    let format = reading::format_of(&input)?;
    let mut recording = Recording::new(format);
    recording.about = reading::read(input, format, &mut recording)?;
    Ok(recording)
}

fn read_lines(lines: &[u8], format: Format) -> Result<Recording> {
    let mut recording = Recording::new(format);
    recording.about = reading::read_lines(&mut Lines::new(lines), format, &mut recording)?;
    Ok(recording)
}

/// What a person named, in that order, and the store where a session of it was named.
pub(super) fn named(words: &[String]) -> Result<(Vec<Origin>, Option<Snapshot>)> {
    let mut origins = Vec::new();
    let mut store = None;
    for word in words {
        let path = Path::new(word);
        if path.is_dir() {
            let found = find_files(path).with_context(|| format!("cannot read {word}"))?;
            if found.is_empty() {
                bail!(
                    "no file under {word} has the name of a session: they end in .jsonl, .json, .traj or .ndjson, with or without .gz or .zst"
                );
            }
            origins.extend(found.into_iter().map(|file| Origin::Found(file.path)));
        } else if word == "-" || path.exists() {
            origins.push(Origin::File(Source::new(path)));
        } else {
            let snapshot = match &store {
                Some(snapshot) => snapshot,
                None => store.insert(home::open_store()?.snapshot()?),
            };
            match snapshot.find(word) {
                Ok(id) => origins.push(Origin::Stored(id)),
                Err(error) => bail!("there is no file {word}, and no session by that name: {error}"),
            }
        }
    }
    Ok((origins, store))
}
