//! How much memory a long session takes, measured in processes that do nothing else.

use std::{env, fs, path::Path, process::Command, sync::Arc};

use anyhow::{Context as _, Result, bail};
use lookback_engine::{Replay, trace::NoBlobs};
use lookback_store::Store;

use crate::{
    figures::{megabytes, thousands, verdict},
    scale::Scale,
    sized,
    table::Table,
    text::Vocabulary,
    workload::{Sizes, Workload},
};

/// Of a session of 100,000 turns.
const TARGET: u64 = 150_000_000;

/// What the child process does.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Way {
    Recorded,
    Replayed,
}

pub(crate) fn measure(scale: &Scale, home: &Path) -> Result<Table> {
    let turns = scale.largest();
    crate::progress("measuring memory");
    let note = format!(
        "A session of {} turns in a fresh process: resident set afterwards less that before (SQLite's page cache \
         included where it is replayed from the store), and the highest on the way. Target: below {} MB afterwards.",
        thousands(turns),
        megabytes(TARGET)
    );
    let columns = ["way", "resident MB", "bytes/turn", "peak MB", "body MB", "resident / body", "target"];
    let mut table = Table::new("Memory", note, &columns);
    for (label, way) in [("recorded", Way::Recorded), ("replayed from the store", Way::Replayed)] {
        let [resident, peak, body] = in_child(way, turns, home)?;
        table.row([
            label.to_owned(),
            megabytes(resident),
            thousands(resident / u64::from(turns)),
            megabytes(peak),
            megabytes(body),
            format!("{:.1}×", resident as f64 / body as f64),
            verdict(resident < TARGET),
        ]);
    }
    Ok(table)
}

fn in_child(way: Way, turns: u32, home: &Path) -> Result<[u64; 3]> {
    let word = match way {
        Way::Recorded => "recorded",
        Way::Replayed => "replayed",
    };
    let output = Command::new(env::current_exe()?)
        .args(["memory", "--way", word, "--turns", &turns.to_string(), "--home"])
        .arg(home)
        .output()?;
    if !output.status.success() {
        bail!("the measuring process failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    let figures = text.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    figures.try_into().ok().context("the measuring process printed something else")
}

/// In the child: builds the session and gives what it took, what it took at most, and the size of its body.
pub(crate) fn report(way: Way, turns: u32, home: &Path) -> Result<[u64; 3]> {
    let vocabulary = Arc::new(Vocabulary::new());
    let store = Store::open(home)?;
    // The first query of a connection reads the schema; that is the store's, not the session's.
    store.sessions()?;
    let before = status("VmRSS")?;
    let session = match way {
        Way::Recorded => {
            let mut workload = Workload::new(&vocabulary, Sizes::Small, u64::from(turns));
            let mut session = workload.start("memory")?;
            workload.grow(&mut session, turns)?;
            session
        }
        Way::Replayed => {
            let mut replay = Replay::new(None, &store);
            store.for_each_event(&sized::name(turns, 0), |event| replay.push(event).map_err(anyhow::Error::from))?;
            replay.finish()?
        }
    };
    let (after, peak) = (status("VmRSS")?, status("VmHWM")?);
    let body = match way {
        Way::Recorded => session.body(&NoBlobs)?,
        Way::Replayed => session.body(&store)?,
    };
    Ok([after.saturating_sub(before), peak.saturating_sub(before), body.len() as u64])
}

/// The largest resident set of another process so far, in bytes.
pub(crate) fn most_of(process: u32) -> Result<u64> {
    status_of(&process.to_string(), "VmHWM")
}

/// A line of this process's status, in bytes.
fn status(name: &str) -> Result<u64> {
    status_of("self", name)
}

fn status_of(process: &str, name: &str) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).context("memory is measured on Linux only")?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)).context("the kernel tells no such figure")?;
    let kilobytes: u64 = line.trim_matches(|character: char| !character.is_ascii_digit()).parse()?;
    Ok(kilobytes * 1024)
}
