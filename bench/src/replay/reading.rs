//! From bytes to a recording, and from there to a conversation with counts and needs.

use std::time::Duration;

use anyhow::{Context, Result};
use lookback_replay::{
    conversation::Conversation,
    import::{Shape, detect, importer, parse_document, shape},
    recording::Recording,
};

use super::{Group, Stopwatch};
use crate::{
    figures::{megabytes, microseconds, ratio, rounded, thousands, timed},
    table::Table,
};

/// Sums over the sessions of a group.
#[derive(Debug, Default)]
pub(super) struct Reading {
    bytes: u64,
    items: u64,
    calls: u64,
    importing: Duration,
    /// Counting left out.
    preparing: Duration,
    counting: Duration,
}

impl Reading {
    pub(super) fn import(&mut self, bytes: &[u8]) -> Result<Recording> {
        let (recording, took) = timed(|| import(bytes));
        let recording = recording?;
        self.importing += took;
        self.bytes += bytes.len() as u64;
        self.items += recording.items.len() as u64;
        Ok(recording)
    }

    pub(super) fn prepare<'a>(&mut self, recording: &'a Recording) -> Conversation<'a> {
        let stopwatch = Stopwatch::default();
        let (conversation, took) = timed(|| Conversation::new(recording, &|text| stopwatch.count(text)));
        let counting = stopwatch.lap();
        self.counting += counting;
        self.preparing += took.saturating_sub(counting);
        self.calls += conversation.calls.len() as u64;
        conversation
    }
}

/// As the program reads a file, but from memory: neither disk nor decompression is measured.
fn import(bytes: &[u8]) -> Result<Recording> {
    let format = detect(bytes).context("no session")?;
    let mut recording = Recording::new(format);
    match shape(format) {
        Shape::Document => recording.about = parse_document(format, bytes, &mut recording)?,
        Shape::Lines => {
            let mut importer = importer(format).context("a format of lines has an importer")?;
            for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
                if !line.trim_ascii().is_empty() {
                    importer.line(number, line.trim_ascii(), &mut recording);
                }
            }
            importer.finish(&mut recording);
            recording.about = importer.about().clone();
        }
    }
    Ok(recording)
}

pub(super) fn table(rows: &[(&Group, Reading)]) -> Table {
    let note = "\"Import\" is detection and importer over bytes in memory. \"Needs\" is `Conversation::new`, per call and \
                without counting: pieces, base and factor, what each step needs of what was seen. \"Counting\" is o200k over \
                each text once, beside it what it takes of both together. The sample is read many times, sums over all.";
    let columns = [
        "sessions of",
        "number",
        "MB",
        "items",
        "import MB/s",
        "items/s",
        "needs µs/call",
        "counting µs/call",
        "counting / all",
    ];
    let mut table = Table::new("Reading recorded sessions", note, &columns);
    for (group, reading) in rows {
        let seconds = reading.importing.as_secs_f64();
        let calls = reading.calls as f64;
        let (preparing, counting) = (reading.preparing.as_secs_f64(), reading.counting.as_secs_f64());
        let times = group.times as u64;
        table.row([
            group.name.clone(),
            group.sessions().to_string(),
            megabytes(reading.bytes / times),
            thousands(reading.items / times),
            rounded(reading.bytes as f64 / 1e6 / seconds),
            thousands((reading.items as f64 / seconds) as u64),
            microseconds(preparing / calls),
            microseconds(counting / calls),
            ratio(counting / (preparing + counting + seconds)),
        ]);
    }
    table
}
