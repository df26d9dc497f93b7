//! opencode's folders, of older versions: a session is a file, so is each message and each part of one. Put together they
//! are what `opencode export` writes.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use lookback_replay::import::DOCUMENT_LIMIT;

/// The document of the session that this file begins.
pub(super) fn assemble(session: &Path) -> Result<Vec<u8>> {
    let storage = storage_of(session).context("the file does not stand in opencode's folders")?;
    let name = session.file_stem().context("the file has no name")?;
    let mut document = b"{\"info\":".to_vec();
    read(session, &mut document)?;
    document.extend(b",\"messages\":[");
    for (place, message) in files(&storage.join("message").join(name)).iter().enumerate() {
        let separator: &[u8] = if place > 0 { b"," } else { b"" };
        document.extend([separator, b"{\"info\":"].concat());
        read(message, &mut document)?;
        document.extend(b",\"parts\":[");
        let parts = message.file_stem().map(|name| files(&storage.join("part").join(name))).unwrap_or_default();
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                document.push(b',');
            }
            read(part, &mut document)?;
        }
        document.extend(b"]}");
    }
    document.extend(b"]}");
    Ok(document)
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

/// Puts a file behind the others, as long as a document of them all is one that is read.
fn read(path: &Path, document: &mut Vec<u8>) -> Result<()> {
    let unreadable = || format!("cannot read {}", path.display());
    let room = DOCUMENT_LIMIT.saturating_sub(document.len() as u64);
    let file = File::open(path).with_context(unreadable)?;
    let read = file.take(room + 1).read_to_end(document).with_context(unreadable)?;
    if read as u64 > room {
        bail!("with {} the session is larger than {} MB", path.display(), DOCUMENT_LIMIT >> 20);
    }
    Ok(())
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
        assert_eq!(String::from_utf8_lossy(&document), expected);
        write("part/msg_2/prt_9.json", &"x".repeat(DOCUMENT_LIMIT as usize));
        let refused = assemble(&home.path().join("storage/session/p1/ses_1.json")).expect_err("it is too long");
        assert!(refused.to_string().contains("prt_9.json the session is larger than 64 MB"), "{refused}");
    }
}
