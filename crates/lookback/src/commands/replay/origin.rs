//! What is to be replayed: files, folders, stored sessions, what other agents keep on this machine, or the sample.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result, bail};
use lookback_engine::{
    NewPart,
    trace::{BlobHash, SessionId, Timestamp},
};
use lookback_replay::recording::{Format, Item, Recording, Skipped};
use lookback_store::{Snapshot, StoreError};

use crate::{
    home,
    input::{Found, Input, Lines, Source, holds_many, named_sessions, sub_agents_beside},
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
    /// By which copies of an item are known.
    pub(super) signs: BTreeMap<usize, Sign>,
    /// The same whatever the time: by all that was answered up to there.
    pub(super) timeless: BTreeMap<usize, Sign>,
    /// Its copies have another time than what they are copies of.
    pub(super) is_fork: bool,
}

/// What only copies of one billed call have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// The response's id, hashed, and the size of the prompt: some servers number anew in each session.
    Response(u64, u64),
    /// Where the file names no response: whose agent said what and when, and the size of the prompt.
    Said(Format, BlobHash, Timestamp, u64),
    /// All answers up to there, with the sizes of their prompts.
    Behind(BlobHash),
}

impl Identity {
    fn of(id: SessionId, recording: &Recording) -> Self {
        let signs = recording
            .items
            .iter()
            .enumerate()
            .filter_map(|(place, item)| Some((place, sign_of(item, recording.agent())?)));
        Self {
            id,
            said: recording.items.iter().filter_map(said_in).collect(),
            signs: signs.collect(),
            timeless: timeless(recording),
            is_fork: recording.about.is_fork,
        }
    }

    /// When the last of it was said.
    pub(super) fn last(&self) -> Option<Timestamp> {
        self.said.iter().filter_map(|(_, at)| *at).max()
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

fn sign_of(item: &Item, agent: Format) -> Option<Sign> {
    let (id, billed, said) = match item {
        Item::Call(call) => (call.id, call.billed, said_in(item)),
        Item::Compaction(compaction) => (None, compaction.billed, Some((BlobHash::of(b"compaction"), compaction.at))),
        Item::User(_) | Item::Rewind { .. } => return None,
    };
    let prompt = billed.map_or(0, |billed| billed.prompt());
    let said = || said.filter(|_| prompt > 0).and_then(|(text, at)| Some(Sign::Said(agent, text, at?, prompt)));
    id.map(|id| Sign::Response(id, prompt)).or_else(said)
}

/// Of calls with a bill and without an id of their response. What clients put between the answers may differ.
fn timeless(recording: &Recording) -> BTreeMap<usize, Sign> {
    let mut answered = BlobHash::of(&[]);
    let mut signs = BTreeMap::new();
    for (place, item) in recording.items.iter().enumerate() {
        let Item::Call(call) = item else { continue };
        let Some((text, _)) = said_in(item) else { continue };
        let prompt = call.billed.map_or(0, |billed| billed.prompt());
        answered = BlobHash::of(format!("{answered} {text} {prompt}").as_bytes());
        if call.id.is_none() && prompt > 0 {
            signs.insert(place, Sign::Behind(answered));
        }
    }
    signs
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

    /// Whether it cannot be read again.
    pub(super) fn comes_once(&self) -> bool {
        matches!(self, Self::File(Source::StandardInput))
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
    let absurd = recording.drop_absurd_bills();
    let identity = Identity::of(id, &recording);
    let odd = [
        (recording.mend_times(), "message", "times far from all around them, which are no pauses"),
        (absurd, "call", "bills of more tokens than any model takes, which are not believed"),
    ];
    for (count, what, reason) in odd.into_iter().filter(|(count, ..)| *count > 0) {
        let reason = format!("{reason} ({})", screen::counted(count as u64, what));
        recording.skipped.push(Skipped { line: 0, reason });
    }
    (recording, identity)
}

/// What is to be read for one report.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) origins: Vec<Origin>,
    /// What sub-agents did for these: only their bills are looked at.
    pub(super) sub_agents: Vec<Source>,
    /// Where a session of it was named.
    pub(super) store: Option<Snapshot>,
}

impl Asked {
    pub(super) fn of(found: impl IntoIterator<Item = Found>) -> Self {
        let (main, others): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|found| found.is_main);
        let sources = |found: Vec<Found>| found.into_iter().map(|found| found.source);
        // Whoever names a folder of theirs alone wants to see these.
        let (main, others) = if main.is_empty() { (others, main) } else { (main, others) };
        let origins = sources(main).map(Origin::Found).collect();
        Self { origins, sub_agents: sources(others).collect(), store: None }
    }
}

/// What a person named, in that order.
pub(super) fn named(words: &[String]) -> Result<Asked> {
    let Asked { mut origins, mut sub_agents, mut store } = Asked::default();
    for word in words {
        let path = Path::new(word);
        if holds_many(path) {
            let found = Asked::of(named_sessions(path)?);
            origins.extend(found.origins);
            sub_agents.extend(found.sub_agents);
        } else if word == "-" || path.exists() {
            origins.push(Origin::File(Source::new(path)));
            sub_agents.extend(sub_agents_beside(path).into_iter().map(|found| found.source));
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
    Ok(Asked { origins, sub_agents, store })
}
