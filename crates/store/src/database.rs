//! Connections to the database file: one that writes, as many as needed that read. Knows no tables.

mod waiting;

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::{StoreError, home, home::Home, migrate};
use waiting::Turnstile;

/// "LkBk": what `file(1)` and we recognise our databases by.
const APPLICATION_ID: i32 = 0x4c6b_426b;

/// `PRAGMA auto_vacuum`: freed pages are given back when we ask for it.
const INCREMENTAL: i64 = 2;

#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    writing: Mutex<Connection>,
    idle_readers: Mutex<Vec<Connection>>,
    turnstile: Turnstile,
}

impl Database {
    pub(crate) fn open(home: &Home) -> Result<Self, StoreError> {
        let path = home.database();
        let writing = prepare(&path, &home.locks().join("opening")).map_err(|error| error.in_database(&path))?;
        let turnstile = Turnstile::open(&home.locks().join("writing"))?;
        Ok(Self { path, writing: Mutex::new(writing), idle_readers: Mutex::default(), turnstile })
    }

    /// A panic while writing leaves a transaction that was rolled back, so the connection is good again.
    pub(crate) fn writing(&self) -> Writing<'_> {
        let connection = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        Writing { connection, database: self }
    }

    /// Runs `job` on one snapshot of the database, beside any writer.
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

/// The writing connection to a database that is ours and of this version. `preparing` is held as an OS lock while the file
/// is created or migrated, so that processes do it one by one: switching to WAL reports "busy" at once instead of waiting.
fn prepare(path: &Path, preparing: &Path) -> Result<Connection, StoreError> {
    let mut connection = connect(path)?;
    let version = inspect(&connection, path)?;
    home::set_mode(path, 0o600)?;
    if version != migrate::SUPPORTED {
        let _guard = crate::lock::wait_for(preparing)?;
        if inspect(&connection, path)? == 0 {
            // Before WAL: the choice of auto_vacuum is made when the first page is written.
            connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        }
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        migrate::migrate(&mut connection)?;
    }
    if !gives_pages_back(&connection)? {
        let _guard = crate::lock::wait_for(preparing)?;
        if !gives_pages_back(&connection)? {
            let outcome = connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
            match outcome.map_err(|error| StoreError::from(error).in_database(path)) {
                // Others are at work or there is no room for a copy: removing works without it, the file only stays long.
                Ok(()) | Err(StoreError::Busy | StoreError::Full { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(connection)
}

fn gives_pages_back(connection: &Connection) -> Result<bool, StoreError> {
    Ok(connection.pragma_query_value(None, "auto_vacuum", |row| row.get::<_, i64>(0))? == INCREMENTAL)
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(waiting::wait_a_moment))?;
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// The schema version of a database that is ours or empty; anything else is refused before it is touched.
fn inspect(connection: &Connection, path: &Path) -> Result<u32, StoreError> {
    let sql =
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
                      (SELECT count(*) FROM sqlite_schema)";
    let row = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let (application, version, tables): (i32, u32, u64) = row?;
    if application != APPLICATION_ID && (application != 0 || version != 0 || tables != 0) {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    if version > migrate::SUPPORTED {
        return Err(StoreError::Newer { found: version, supported: migrate::SUPPORTED });
    }
    Ok(version)
}
