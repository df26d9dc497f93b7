//! Recall in a large store: by pointer, as a command does it and in an open session; and by words.

mod fill;
mod pointers;
mod queries;

use std::{path::Path, sync::Arc};

use anyhow::Result;

use crate::{
    disk,
    figures::{megabytes, thousands},
    scale::Scale,
    table::Table,
    text::Vocabulary,
};

/// Seconds, for whatever somebody waits for.
const TARGET: f64 = 0.020;

pub(crate) fn measure(scale: &Scale, home: &Path, vocabulary: &Arc<Vocabulary>) -> Result<Vec<Table>> {
    let filled = fill::fill(scale, home, vocabulary)?;
    let usage = disk::usage(home)?;
    let note = "Filled through the engine and grouped appends with varied text, one result in fourteen above 8 KiB. \
                Sizes of the file's pages in MB.";
    let columns =
        ["database MB", "events", "blobs", "full-text index", "sessions", "turns", "events written/s", "filled in s"];
    let mut table = Table::new("The store that recall works on", note, &columns);
    table.row([
        megabytes(usage.file),
        megabytes(usage.events),
        megabytes(usage.blobs),
        megabytes(usage.full_text),
        thousands(filled.sessions as u64),
        thousands(filled.turns),
        thousands((filled.events as f64 / filled.took.as_secs_f64()) as u64),
        format!("{:.0}", filled.took.as_secs_f64()),
    ]);
    let pointers = pointers::measure(scale, home)?;
    let queries = queries::measure(scale, home, vocabulary, &filled)?;
    Ok(vec![table, pointers, queries])
}
