//! Ctrl-C: what is half-written is taken away, and one line says that it was heard.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError, mpsc},
};

use anyhow::{Context, Result};

use crate::screen;

/// What shells say of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// A file that is being written under a name of its own.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// From now on Ctrl-C ends the program in this way, and says what came of it.
pub(crate) fn end_on_interruption(said: &'static str) {
    // Without a handler the system ends the program as it always did.
    let _ = ctrlc::set_handler(move || {
        // Held until the end: a file must not become whole and be taken away at once.
        let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = unfinished.as_deref() {
            let _ = fs::remove_file(path);
        }
        screen::remark(said);
        process::exit(INTERRUPTED);
    });
}

/// From now on Ctrl-C ends nothing, and whoever waits here is told of it.
pub(crate) fn heard() -> Result<mpsc::Receiver<()>> {
    let (sender, interrupted) = mpsc::channel();
    let hear = move || {
        // A second one while the first is being answered changes nothing.
        let _ = sender.send(());
    };
    ctrlc::set_handler(hear).context("cannot listen for Ctrl-C")?;
    Ok(interrupted)
}

/// Writes a file so that it is there whole or not at all, and for its owner alone whatever the umask: it holds what people
/// and programs said.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<()> {
    // Where a link leads, so that the link itself stays.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        // A pipe or a terminal is written to; a file in its place would take it away from everybody.
        return fs::write(path, text).with_context(|| format!("cannot write {}", path.display()));
    }
    let name = path.file_name().with_context(|| format!("{} is no name of a file", path.display()))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", process::id()));
    let unfinished = path.with_file_name(hidden);
    let set = |value| *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = value;
    set(Some(unfinished.clone()));
    let written = write_private(&unfinished, text);
    let mut held = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let written = written.and_then(|()| fs::rename(&unfinished, path));
    *held = None;
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Into a new file: what stands there under this name is left by a process that died, or a link that somebody put there.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())
}
