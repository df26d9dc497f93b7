//! What is to be replayed: files, folders, stored sessions, what other agents keep on this machine, or the sample.

use std::path::Path;

use anyhow::{Context, Result, bail};
use lookback_engine::{
    NewPart,
    trace::{BlobHash, SessionId, Timestamp},
};
use lookback_replay::recording::{Format, Item, Recording, Skipped};
use lookback_store::{Snapshot, StoreError};

use crate::{
    home,
    input::{Input, Lines, Source, holds_many, named_sessions},
    reading, screen,
};

/// A recorded session that comes with the program, so that there is always something to replay.
const SAMPLE: &[u8] = include_bytes!("../../../../../fixtures/sample-session.jsonl");

pub(super) const SAMPLE_NAME: &str = "sample-session.jsonl";

/// Something that should hold one session.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// Named by itself.
    File(Source),
    /// Found in a folder or a database: it may be no session.
    Found(Source),
    Stored(SessionId),
    Sample,
}

/// Whose session it is, and what was said in it and when: agents give one id to several that went different ways, and
/// another one to a copy.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) id: SessionId,
    said: Vec<(BlobHash, Option<Timestamp>)>,
}

impl Identity {
    fn of(id: SessionId, recording: &Recording) -> Self {
        Self { id, said: recording.items.iter().filter_map(said_in).collect() }
    }

    /// What two copies have in common, whatever they are called.
    pub(super) fn beginning(&self) -> Option<(BlobHash, Option<Timestamp>)> {
        self.said.first().copied()
    }

    /// Whether one of them is a copy of the other, or of its beginning. The last of it may have been cut short. Under
    /// another id, all of the shorter one must have been said at the same times.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let both = self.said.len().min(other.said.len());
        if self.id != other.id {
            return self.said[..both] == other.said[..both];
        }
        let sure = if self.said.len() == other.said.len() { both } else { both.saturating_sub(1) };
        let texts =
            |said: &[(BlobHash, Option<Timestamp>)]| said[..sure].iter().map(|(text, _)| *text).collect::<Vec<_>>();
        texts(&self.said) == texts(&other.said)
    }
}

fn said_in(item: &Item) -> Option<(BlobHash, Option<Timestamp>)> {
    let (texts, at) = match item {
        Item::User(user) => (vec![user.text.as_str()], user.at),
        Item::Call(call) => (call.parts.iter().flat_map(texts_of).collect(), call.at),
        Item::Compaction(_) | Item::Rewind { .. } => return None,
    };
    Some((BlobHash::of(texts.join("\0").as_bytes()), at))
}

fn texts_of(part: &NewPart) -> Vec<&str> {
    match part {
        NewPart::Text(text) | NewPart::Thinking { text, .. } => vec![text],
        NewPart::Call { name, arguments, .. } | NewPart::UnfinishedCall { name, arguments, .. } => {
            vec![name, arguments]
        }
        NewPart::Native { raw, .. } => vec![raw],
    }
}

impl Origin {
    /// As it stands in reports.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(source) | Self::Found(source) => source.name(),
            Self::Stored(id) => id.0.clone(),
            Self::Sample => SAMPLE_NAME.to_owned(),
        }
    }

    /// Whether it was found rather than named: then it is skipped silently if it holds no session.
    pub(super) fn is_found(&self) -> bool {
        matches!(self, Self::Found(_))
    }

    /// Reads all of it, and says whose session it is.
    pub(super) fn read(&self, store: Option<&Snapshot>) -> Result<(Recording, Identity)> {
        match self {
            Self::File(source) | Self::Found(source) => read_input(Input::open(source)?),
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

fn read_input(input: Input) -> Result<(Recording, Identity)> {
    let format = reading::format_of(&input)?;
    let fingerprint = input.fingerprint();
    let mut recording = Recording::new(format);
    recording.about = reading::read(input, format, &mut recording)?;
    Ok(finish(recording, fingerprint))
}

fn read_lines(lines: &[u8], format: Format) -> Result<(Recording, Identity)> {
    let mut recording = Recording::new(format);
    recording.about = reading::read_lines(&mut Lines::new(lines), format, &mut recording)?;
    Ok(finish(recording, BlobHash::of(lines)))
}

fn finish(mut recording: Recording, fingerprint: BlobHash) -> (Recording, Identity) {
    let id = reading::id_of(recording.format, &recording.about, fingerprint);
    let identity = Identity::of(id, &recording);
    let odd = recording.mend_times();
    if odd > 0 {
        let messages = screen::counted(odd as u64, "message");
        let reason = format!("times far from all around them, which are no pauses ({messages})");
        recording.skipped.push(Skipped { line: 0, reason });
    }
    (recording, identity)
}

/// What a person named, in that order, and the store where a session of it was named.
pub(super) fn named(words: &[String]) -> Result<(Vec<Origin>, Option<Snapshot>)> {
    let mut origins = Vec::new();
    let mut store = None;
    for word in words {
        let path = Path::new(word);
        if holds_many(path) {
            origins.extend(named_sessions(path)?.into_iter().map(|found| Origin::Found(found.source)));
        } else if word == "-" || path.exists() {
            origins.push(Origin::File(Source::new(path)));
        } else {
            let snapshot = match &store {
                Some(snapshot) => snapshot,
                None => store.insert(home::open_store()?.snapshot()?),
            };
            match snapshot.find(word) {
                Ok(id) => origins.push(Origin::Stored(id)),
                Err(StoreError::NotFound(_)) => {
                    bail!("there is no file {word}, and no session of that name; `lookback sessions` lists them")
                }
                Err(error) => bail!("there is no file {word}, and no session: {error}"),
            }
        }
    }
    Ok((origins, store))
}
