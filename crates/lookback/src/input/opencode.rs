//! opencode's folders, of older versions: a session is a file, so is each message and each part of one. Put together they
//! are what `opencode export` writes.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use lookback_replay::import::DOCUMENT_LIMIT;
use serde_json::Value;

use super::document::{Document, is_value};

/// The document of the session that this file begins.
pub(super) fn assemble(session: &Path) -> Result<Document> {
    let storage = storage_of(session).context("the file does not stand in opencode's folders")?;
    let name = session.file_stem().context("the file has no name")?;
    let mut room = DOCUMENT_LIMIT;
    let mut info = read(session, &mut room)?;
    if !is_value(&info) {
        // Its messages say the rest.
        info = serde_json::json!({ "id": name.to_string_lossy() }).to_string().into_bytes();
    }
    let mut document = Document::begin(&info);
    for message in messages_of(storage, name) {
        document.message(&message.display().to_string(), &read(&message, &mut room)?);
        for part in parts_of(storage, &message) {
            document.part(&part.display().to_string(), &read(&part, &mut room)?);
        }
    }
    Ok(document.end())
}

fn messages_of(storage: &Path, session: &OsStr) -> Vec<PathBuf> {
    files(&storage.join("message").join(session))
}

fn parts_of(storage: &Path, message: &Path) -> Vec<PathBuf> {
    message.file_stem().map(|name| files(&storage.join("part").join(name))).unwrap_or_default()
}

/// Of all its files.
pub(super) fn size(session: &Path) -> u64 {
    let messages = storage_of(session).zip(session.file_stem());
    let messages = messages.map(|(storage, name)| (storage, messages_of(storage, name)));
    let others = messages.into_iter().flat_map(|(storage, messages)| {
        messages.into_iter().flat_map(|message| parts_of(storage, &message).into_iter().chain([message]))
    });
    std::iter::once(session.to_owned()).chain(others).filter_map(|path| Some(fs::metadata(path).ok()?.len())).sum()
}

/// A sub-agent's has a session that it works for.
pub(super) fn is_main(session: &Path) -> bool {
    let mut room = DOCUMENT_LIMIT;
    let info = read(session, &mut room).ok();
    let info: Option<Value> = info.and_then(|info| serde_json::from_slice(&info).ok());
    info.is_none_or(|info| !info["parentID"].is_string())
}

/// Whether a folder is the one in which everything lies.
pub(super) fn is_storage(folder: &Path) -> bool {
    folder.join("session").is_dir() && folder.join("message").is_dir()
}

/// Whether a file is the one that begins a session.
pub(super) fn is_session(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ses_"))
        && storage_of(path).is_some_and(is_storage)
}

/// `storage/session/PROJECT/SESSION.json`
fn storage_of(session: &Path) -> Option<&Path> {
    session.parent()?.parent()?.parent()
}

/// Their names are made so that they sort in the order of their making.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

/// As long as a document of them all is one that is read.
fn read(path: &Path, room: &mut u64) -> Result<Vec<u8>> {
    let unreadable = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(unreadable)?;
    let mut bytes = Vec::new();
    let read = file.take(*room + 1).read_to_end(&mut bytes).with_context(unreadable)?;
    let left = room.checked_sub(read as u64);
    *room = left
        .with_context(|| format!("with {} the session is larger than {} MB", path.display(), DOCUMENT_LIMIT >> 20))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_put_together_in_order() {
        let home = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = home.path().join("storage").join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        write("session/p1/ses_1.json", r#"{"id":"ses_1"}"#);
        write("message/ses_1/msg_2.json", r#"{"id":"msg_2"}"#);
        write("message/ses_1/msg_1.json", r#"{"id":"msg_1"}"#);
        write("part/msg_1/prt_2.json", r#"{"id":"prt_2"}"#);
        write("part/msg_1/prt_1.json", r#"{"id":"prt_1"}"#);
        let document = assemble(&home.path().join("storage/session/p1/ses_1.json")).expect("it reads");
        let expected = r#"{"info":{"id":"ses_1"},"messages":[{"info":{"id":"msg_1"},"parts":[{"id":"prt_1"},{"id":"prt_2"}]},{"info":{"id":"msg_2"},"parts":[]}]}"#;
        assert_eq!(String::from_utf8_lossy(&document.bytes), expected);
        write("part/msg_2/prt_9.json", &"x".repeat(DOCUMENT_LIMIT as usize));
        let refused = assemble(&home.path().join("storage/session/p1/ses_1.json")).err().expect("it is too long");
        assert!(refused.to_string().contains("prt_9.json the session is larger than 64 MB"), "{refused}");
    }
}
