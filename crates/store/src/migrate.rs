//! Opens a database file that is ours or new and brings it to this version, one numbered step and one transaction at a
//! time: whoever is killed meanwhile leaves a whole step undone.

mod rewrite;

use std::path::{Path, PathBuf};

use lookback_engine::trace::{Event, EventNo};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{
    StoreError,
    database::{self, Database},
    events,
    home::{self, Home},
    lock, places, search, summary,
};

/// "LkBk": what `file(1)` and we recognise our databases by.
const APPLICATION_ID: i32 = 0x4c6b_426b;

/// `PRAGMA auto_vacuum`: freed pages are given back when we ask for it.
const INCREMENTAL: i64 = 2;

struct Step {
    sql: &'static str,
    /// What SQL cannot do.
    fill: fn(&Transaction<'_>) -> Result<(), StoreError>,
}

const STEPS: [Step; 10] = [
    Step { sql: include_str!("migrations/0001_trace.sql"), fill: |_| Ok(()) },
    // Its index is filled when events are as this program reads them.
    Step { sql: include_str!("migrations/0002_search.sql"), fill: |_| Ok(()) },
    Step { sql: include_str!("migrations/0003_whole_events.sql"), fill: rewrite_and_index },
    Step { sql: include_str!("migrations/0004_recordings.sql"), fill: |_| Ok(()) },
    Step { sql: include_str!("migrations/0005_stored.sql"), fill: |_| Ok(()) },
    Step { sql: include_str!("migrations/0006_listed.sql"), fill: summary::list_again },
    Step { sql: include_str!("migrations/0007_guests.sql"), fill: |_| Ok(()) },
    // Search does not find what jobs of older sessions printed: a session's documents have to rise with its events.
    Step { sql: include_str!("migrations/0008_jobs.sql"), fill: mark_jobs },
    Step { sql: include_str!("migrations/0009_behind_folds.sql"), fill: |_| Ok(()) },
    Step { sql: include_str!("migrations/0010_bills.sql"), fill: summary::bill_again },
];

/// The newest `user_version` that this code reads and writes.
const SUPPORTED: u32 = STEPS.len() as u32;

pub(crate) fn open(home: &Home) -> Result<Database, StoreError> {
    let path = home.database();
    let writing = prepare(&path, &home.locks().join("opening")).map_err(|error| error.in_database(&path))?;
    Database::new(home, writing)
}

/// The writing connection to a database that is ours and of this version. `preparing` is held as an OS lock while the file
/// is created or migrated, so that processes do it one by one: switching to WAL reports "busy" at once instead of waiting.
fn prepare(path: &Path, preparing: &Path) -> Result<Connection, StoreError> {
    // SQLite follows no links to these, but says only that it cannot open them.
    for beside in ["-journal", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(beside);
        home::is_file(&PathBuf::from(name))?;
    }
    if !home::is_file(path)? {
        // Within the lock and closed at once: closing any descriptor of a database drops this process's POSIX locks on
        // it, and nobody has any before the file is prepared.
        let _guard = lock::wait_for(preparing)?;
        home::create_file(path)?;
    }
    let mut connection = database::connect(path)?;
    let version = inspect(&connection, path)?;
    if version != SUPPORTED {
        let _guard = lock::wait_for(preparing)?;
        if inspect(&connection, path)? == 0 {
            // Before WAL: the choice of auto_vacuum is made when the first page is written.
            connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        }
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        migrate(&mut connection)?;
        // As much as was rewritten stands in the log. While somebody still reads, it just stays long.
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    if !gives_pages_back(&connection)? {
        let _guard = lock::wait_for(preparing)?;
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
    if version > SUPPORTED {
        return Err(StoreError::Newer { found: version, supported: SUPPORTED });
    }
    Ok(version)
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    for (step, version) in STEPS.iter().zip(1_u32..) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let current: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if current >= version {
            continue;
        }
        transaction.execute_batch(step.sql)?;
        (step.fill)(&transaction)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}

fn rewrite_and_index(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    rewrite::rewrite_events(transaction)?;
    match transaction.prepare("SELECT 1 FROM documents LIMIT 1")?.exists([])? {
        true => Ok(()),
        false => index_everything(transaction),
    }
}

/// For databases from before there was an index: all events, in the order in which they happened. A clock may have been
/// set back, but a session's documents have to rise with its events.
fn index_everything(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let sql = "SELECT session, seq FROM events
               ORDER BY max(at) OVER (PARTITION BY session ORDER BY seq), session, seq";
    for_each(transaction, sql, search::index)
}

/// For databases from before jobs had marks.
fn mark_jobs(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let sql = "SELECT session, seq FROM events WHERE kind IN ('job_started', 'job_ended') ORDER BY session, seq";
    for_each(transaction, sql, places::write)
}

fn for_each(
    transaction: &Transaction<'_>,
    sql: &str,
    fill: fn(&Connection, i64, &Event) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut statement = transaction.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (session, seq) = (row.get(0)?, EventNo(row.get(1)?));
        match events::read_one(transaction, session, seq) {
            Ok(Some(event)) => fill(transaction, session, &event)?,
            // Without a whole session it is nobody's; damaged, it has no words.
            Ok(None) | Err(StoreError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
