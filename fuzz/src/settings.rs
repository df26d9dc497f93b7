//! The settings file. The program is no library, so the files that read it are taken from its sources.

#[allow(dead_code, reason = "the rest of it is the program's")]
#[path = "../../crates/lookback/src/settings/error.rs"]
mod error;
#[allow(dead_code, unreachable_pub, reason = "the rest of it is the program's")]
#[path = "../../crates/lookback/src/settings/file.rs"]
mod file;
#[path = "../../crates/models/src/endpoint/key_header.rs"]
mod key_header;
#[path = "../../crates/lookback/src/settings/nearest.rs"]
mod nearest;

pub use key_header::KeyHeader;

/// Read, or refused with a line of the file.
pub fn are_read_or_refused(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Err(problem) = file::UserFile::parse(text) {
        assert!(problem.line.is_none_or(|line| line <= text.lines().count() + 1), "{problem}");
    }
}
