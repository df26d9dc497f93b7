//! Connections to the database file: one that writes, as many as needed that read. Knows no tables and no versions.

mod waiting;

use std::{
    fs,
    ops::Deref,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::{StoreError, home::Home};
use waiting::Turnstile;

#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    /// What was at the path when it was opened.
    file: Option<(u64, u64)>,
    writing: Mutex<Connection>,
    idle_readers: Mutex<Vec<Connection>>,
    turnstile: Turnstile,
}

impl Database {
    /// `writing` leads to a database of this version.
    pub(crate) fn new(home: &Home, writing: Connection) -> Result<Self, StoreError> {
        let turnstile = Turnstile::open(&home.locks().join("writing"))?;
        let (path, writing) = (home.database(), Mutex::new(writing));
        Ok(Self { file: file_at(&path), path, writing, idle_readers: Mutex::default(), turnstile })
    }

    pub(crate) fn is_there(&self) -> bool {
        file_at(&self.path) == self.file
    }

    /// A panic while writing leaves a transaction that was rolled back, so the connection is good again.
    pub(crate) fn writing(&self) -> Writing<'_> {
        let connection = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        Writing { connection, database: self }
    }

    /// Runs `job` on one state of the database, beside any writer.
    pub(crate) fn read<T>(&self, job: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let connection = self.begin_reading()?;
        let outcome = job(&connection);
        self.end_reading(connection);
        outcome.map_err(|error| error.in_database(&self.path))
    }

    /// A connection that sees the database as it is now until it is given back.
    pub(crate) fn begin_reading(&self) -> Result<Connection, StoreError> {
        let idle = self.idle_readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let begin = || {
            let connection = idle.map_or_else(|| connect(&self.path), Ok)?;
            // The first read fixes what is seen; BEGIN alone does not.
            connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
            Ok(connection)
        };
        begin().map_err(|error: StoreError| error.in_database(&self.path))
    }

    pub(crate) fn end_reading(&self, connection: Connection) {
        // One that cannot even end its reading is not used again.
        if connection.execute_batch("ROLLBACK").is_ok() {
            self.idle_readers.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The one writing connection of this process.
pub(crate) struct Writing<'a> {
    connection: MutexGuard<'a, Connection>,
    database: &'a Database,
}

impl Deref for Writing<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Writing<'_> {
    /// Runs `job` in one transaction: all of it is on the disk afterwards, or with an error, nothing.
    pub(crate) fn write<T>(
        &mut self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let outcome = self.attempt(job).map_err(|error| error.in_database(&self.database.path));
        if matches!(outcome, Err(StoreError::Full { .. })) {
            // What was written and rolled back still fills the log. Where this fails, the disk just stays full.
            let _ = self.empty_log();
        }
        outcome
    }

    fn attempt<T>(&mut self, job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let turn = self.database.turnstile.wait()?;
        // Takes the write lock at the start: a transaction that read first could not wait for it later.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        drop(turn);
        let outcome = job(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
    }

    /// Moves the log into the database file and cuts it off; false where a reader still needs it. Does not wait for
    /// readers, because all writers would wait, too.
    pub(crate) fn empty_log(&mut self) -> Result<bool, StoreError> {
        let mut empty = || -> Result<bool, StoreError> {
            self.connection.busy_handler(None::<fn(i32) -> bool>)?;
            let busy: i64 = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(busy == 0)
        };
        let outcome = match empty() {
            Err(StoreError::Busy) => Ok(false),
            outcome => outcome.map_err(|error| error.in_database(&self.database.path)),
        };
        self.connection.busy_handler(Some(waiting::wait_a_moment))?;
        outcome
    }
}

/// Device and number: another file at the same path has others.
fn file_at(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// To a file that is there.
pub(crate) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NOFOLLOW)?;
    connection.busy_handler(Some(waiting::wait_a_moment))?;
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}
