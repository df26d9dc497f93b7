//! Replay: what reading a recorded session takes, and what a call of each strategy takes.

mod driven;
mod group;
mod reading;
mod strategies;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    path::Path,
    time::Duration,
};

use anyhow::Result;
use lookback_replay::conversation::Conversation;

use crate::{figures::timed, scale::Scale, table::Table, tokens::Counter};

pub(crate) use group::Group;

/// The sample always, and what lies in the folder where one is given.
pub(crate) fn measure(scale: &Scale, folder: Option<&Path>) -> Result<Vec<Table>> {
    let groups = read_groups(scale.replays, folder)?;
    let mut readings = Vec::new();
    let mut calls = Vec::new();
    let mut shows = strategies::Shows::default();
    for group in &groups {
        crate::progress(&format!("replaying {}", group.name));
        let mut reading = reading::Reading::default();
        let mut call = driven::Calls::default();
        for file in &group.files {
            let recording = reading.import(file)?;
            let tariff = group::tariff(recording.format)?;
            let conversation = reading.prepare(&recording);
            call.add(&conversation, &tariff)?;
            shows.add(&conversation, &tariff);
        }
        readings.push((group, reading));
        calls.push((group, call));
    }
    Ok(vec![reading::table(&readings), driven::table(&calls), strategies::table(&shows, &groups)])
}

/// The sample so many times, and what lies in the folder where one is given.
pub(crate) fn read_groups(samples: usize, folder: Option<&Path>) -> Result<Vec<Group>> {
    let mut groups = vec![group::sample(samples)];
    if let Some(folder) = folder {
        groups.extend(group::in_folder(folder)?);
    }
    Ok(groups)
}

/// A session as replay sees it, without taking its time.
pub(crate) fn read_session(bytes: &[u8], look: impl FnOnce(&Conversation<'_>)) -> Result<()> {
    let mut reading = reading::Reading::default();
    let recording = reading.import(bytes)?;
    look(&reading.prepare(&recording));
    Ok(())
}

/// The counter of real sessions, which adds up its own time. As in the program, no text is counted twice.
#[derive(Default)]
struct Stopwatch {
    known: RefCell<HashMap<Vec<u8>, u32>>,
    took: Cell<Duration>,
}

impl Stopwatch {
    fn count(&self, text: &[u8]) -> u32 {
        let (tokens, took) = timed(|| {
            if let Some(tokens) = self.known.borrow().get(text) {
                return *tokens;
            }
            let tokens = Counter::O200k.count()(text);
            self.known.borrow_mut().insert(text.to_owned(), tokens);
            tokens
        });
        self.took.set(self.took.get() + took);
        tokens
    }

    /// What counting took since this was asked last.
    fn lap(&self) -> Duration {
        self.took.take()
    }
}
