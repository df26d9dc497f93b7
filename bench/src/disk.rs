//! The database file as the disk sees it: room for it, its size, and having the system forget it.

use std::{ffi::OsString, fs, path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};
use rusqlite::{Connection, OpenFlags};

const DATABASE: &str = "lookback.db";

/// Sizes in bytes, as they lie in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) file: u64,
    pub(crate) events: u64,
    pub(crate) blobs: u64,
    pub(crate) full_text: u64,
}

/// Asks `df`, as the standard library knows no free space.
pub(crate) fn expect_room(directory: &Path, bytes: u64) -> Result<()> {
    let output = Command::new("df").args(["--output=avail", "-B1"]).arg(directory).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let free: u64 = text.split_whitespace().last().and_then(|word| word.parse().ok()).context("df tells no figure")?;
    ensure!(free > bytes, "the stores need {bytes} bytes and there are {free}: give another place with --directory");
    Ok(())
}

pub(crate) fn file_size(home: &Path) -> Result<u64> {
    Ok(fs::metadata(home.join(DATABASE))?.len())
}

pub(crate) fn usage(home: &Path) -> Result<Usage> {
    let connection = Connection::open_with_flags(home.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = connection.prepare("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE")?;
    let sizes = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    let mut usage = Usage { file: file_size(home)?, events: 0, blobs: 0, full_text: 0 };
    for size in sizes {
        let (name, bytes) = size?;
        let bytes = bytes.cast_unsigned();
        if name.starts_with("words") || name.starts_with("documents") {
            usage.full_text += bytes;
        } else if name.starts_with("chunks") || name.contains("blob") {
            usage.blobs += bytes;
        } else if name == "events" {
            usage.events += bytes;
        }
    }
    Ok(usage)
}

/// Drops the database from the page cache, as after a reboot. `dd` does it for one file and without privileges.
pub(crate) fn forget(home: &Path) -> Result<()> {
    run_dd(home, &["iflag=nocache", "count=0"])
}

/// Reads the whole database once, so that it is in the page cache again. In another process: closing a descriptor of the
/// file in this one would drop SQLite's locks on it.
pub(crate) fn remember(home: &Path) -> Result<()> {
    run_dd(home, &["of=/dev/null", "bs=1M"])
}

fn run_dd(home: &Path, arguments: &[&str]) -> Result<()> {
    let mut input = OsString::from("if=");
    input.push(home.join(DATABASE));
    let status = Command::new("dd").arg(input).args(arguments).arg("status=none").status()?;
    ensure!(status.success(), "dd cannot read the database here");
    Ok(())
}
