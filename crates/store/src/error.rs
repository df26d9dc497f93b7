//! What can go wrong with the store, in words for the person who has to act on it.
//!
//! Causes are shared (`Arc`), because one failed group commit is reported to every session that was in it. A text says
//! its cause itself, so causes are not `source()`s: whoever prints the chain would print them twice.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use lookback_engine::trace::{BlobError, BlobHash, EventNo, SessionId};
use rusqlite::ErrorCode;

/// Why the store did not do what it was asked. What was acknowledged before still stands.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum StoreError {
    #[error("cannot use {path}: {cause}; check its permissions, or set LOOKBACK_HOME to a directory you can write to")]
    Home { path: PathBuf, cause: Arc<io::Error> },
    #[error(
        "{path} is a link or no ordinary file, and Lookback follows and opens no such thing there; move it away, or set \
         LOOKBACK_HOME to another directory"
    )]
    NotPlain { path: PathBuf },
    #[error("{path} is not a Lookback database; move it away, or set LOOKBACK_HOME to another directory")]
    Foreign { path: PathBuf },
    #[error("{path} is damaged ({reason}); restore it from a backup, or move it away to begin with an empty one")]
    Corrupt { path: PathBuf, reason: String },
    #[error("{path} cannot be opened; check that it and its directory are yours, or set LOOKBACK_HOME to another one")]
    Unopenable { path: PathBuf },
    #[error("{path} is read-only; make it and its directory writable, or set LOOKBACK_HOME to another one")]
    ReadOnly { path: PathBuf },
    #[error(
        "the database has format {found} and this lookback knows formats up to {supported}; \
         upgrade lookback, or set LOOKBACK_HOME to another directory"
    )]
    Newer { found: u32, supported: u32 },
    #[error("the database was busy for 5 seconds; another lookback is writing much or hangs: try again")]
    Busy,
    #[error("another lookback is still reading what was removed: close it, and the next removal erases it")]
    StillRead,
    #[error("the disk of {path} is full; nothing was changed; free some space and try again")]
    Full { path: PathBuf },
    #[error("the disk of {path} is full and removing needs {kilobytes} kB; nothing was changed; free that much first")]
    NoRoomToRemove { path: PathBuf, kilobytes: u64 },
    #[error("session {session} is being written by {}; stop that one first", holder(.pid))]
    Locked { session: SessionId, pid: Option<u32> },
    #[error("event {found} does not continue the session: event {expected} comes next")]
    OutOfOrder { expected: EventNo, found: EventNo },
    #[error("a session begins with `session started` as event 0")]
    NotAStart,
    #[error("\"{0}\" cannot be a session id: use 1 to 128 of the characters a-z, A-Z, 0-9, - and _")]
    BadId(String),
    #[error("session {0} exists already")]
    Exists(SessionId),
    #[error("there is no session {0}; `lookback sessions` lists them")]
    NotFound(String),
    #[error("\"{0}\" is too short to name a session: give at least 4 characters")]
    PrefixTooShort(String),
    #[error("\"{prefix}\" fits {} sessions ({}): give more characters", .candidates.len(), listed(.candidates))]
    Ambiguous { prefix: String, candidates: Vec<SessionId> },
    #[error("session {session} has no event {seq}")]
    NoSuchEvent { session: SessionId, seq: EventNo },
    #[error("session {session} has forks ({}): remove those first, or all together", listed(.forks))]
    HasForks { session: SessionId, forks: Vec<SessionId> },
    #[error(transparent)]
    Blob(#[from] BlobError),
    #[error(
        "event {seq} of session {session} cannot be read: {reason}; the database is damaged, restore it from a backup"
    )]
    Damaged { session: SessionId, seq: EventNo, reason: String },
    #[error("event {seq} cannot be written as JSON: {cause}")]
    Unwritable { seq: EventNo, cause: Arc<serde_json::Error> },
    #[error("the system gives no random numbers: {0}")]
    NoRandomness(getrandom::Error),
    #[error("the system gives no thread to write with: {0}; close other programs and try again")]
    NoThread(Arc<io::Error>),
    #[error("the database failed: {0}")]
    Sqlite(Arc<rusqlite::Error>),
}

impl StoreError {
    pub(crate) fn home(path: impl Into<PathBuf>, cause: io::Error) -> Self {
        let path = path.into();
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Home { path, cause: Arc::new(cause) },
        }
    }

    pub(crate) fn blob(hash: BlobHash, reason: impl ToString) -> Self {
        Self::Blob(BlobError::Unreadable { hash, reason: reason.to_string() })
    }

    /// The same for whoever asked for an output.
    pub(crate) fn of_blob(self, hash: &BlobHash) -> BlobError {
        match self {
            Self::Blob(error) => error,
            other => BlobError::Unreadable { hash: *hash, reason: other.to_string() },
        }
    }

    /// What SQLite's error means for the person whose database is at `path`. Done where a connection's work ends, so that
    /// the work itself need not know where its database is.
    pub(crate) fn in_database(self, database: &Path) -> Self {
        let Self::Sqlite(error) = &self else { return self };
        let Some(cause) = error.sqlite_error() else { return self };
        let path = database.to_owned();
        match (cause.code, cause.extended_code) {
            // The shared-memory file could not grow: SQLite's way to say "disk full" for that file.
            (ErrorCode::DiskFull, _) | (_, rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => {
                Self::Full { path: database.parent().map_or(path, Path::to_owned) }
            }
            (ErrorCode::DatabaseCorrupt, _) => Self::Corrupt { path, reason: reason(error) },
            (ErrorCode::NotADatabase, _) => Self::Foreign { path },
            (ErrorCode::CannotOpen | ErrorCode::PermissionDenied, _) => Self::Unopenable { path },
            (ErrorCode::ReadOnly, _) => Self::ReadOnly { path },
            _ => self,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Sqlite(Arc::new(error)),
        }
    }
}

/// SQLite's words without our binding's number codes.
fn reason(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        other => other.to_string(),
    }
}

fn holder(pid: &Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

fn listed(sessions: &[SessionId]) -> String {
    sessions.iter().map(|session| session.0.as_str()).collect::<Vec<_>>().join(", ")
}
