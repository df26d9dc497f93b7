//! Ctrl-C: what is half-written is taken away, and one line says that it was heard.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, Result};

use crate::screen;

/// What shells say of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// A file that is being written under a name of its own.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// From now on Ctrl-C ends the program in this way.
pub(crate) fn end_on_interruption() {
    // Without a handler the system ends the program as it always did.
    let _ = ctrlc::set_handler(|| {
        // Held until the end: a file must not become whole and be taken away at once.
        let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = unfinished.as_deref() {
            let _ = fs::remove_file(path);
        }
        screen::remark("interrupted: no report was written");
        process::exit(INTERRUPTED);
    });
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<()> {
    // Where a link leads, so that the link itself stays.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().with_context(|| format!("{} is no name of a file", path.display()))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", process::id()));
    let unfinished = path.with_file_name(hidden);
    let set = |value| *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = value;
    set(Some(unfinished.clone()));
    let written = fs::write(&unfinished, text);
    let mut held = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let written = written.and_then(|()| fs::rename(&unfinished, path));
    *held = None;
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}
