//! Erasing what was removed, from the file itself and not only from the tables.
//!
//! Freed pages are overwritten (`secure_delete`) and given back (`incremental_vacuum`). Full-text entries are first
//! only marked as gone; merging the whole index into one part rewrites it without them: the price of a person's
//! "delete" being true. All of it goes in short steps, so that writers in this and other processes get their turns, and so
//! that a full disk has room for the next step's log. `erasing` remembers that it is due, so that a process which
//! is killed meanwhile leaves it to the next one.

use std::{
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OptionalExtension};

use crate::{StoreError, blobs, database::Database};

/// Pages that one step merges or gives back: some 20 ms of work.
const PAGES: i64 = 500;

/// One step of deleting goes on for so long: each is a transaction with a write to the disk, which alone took 40 ms for
/// each of many small sessions.
const STEP: Duration = Duration::from_millis(50);

/// Rows or bytes that are deleted at once; on a full disk, in one step.
const ROWS: i64 = 100;
const BYTES: i64 = 256 << 10;

/// Between two steps, so that others find the write lock free.
const PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// For a writer: this much now, the rest next time.
    Short,
    /// For a removal.
    Long,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Erased {
    All,
    /// The time was over, or a reader still needs the log.
    Some,
}

/// Erases all that is due. Where this process does not finish, the next one goes on. `told` hears how many sessions have
/// no rows any more.
pub(crate) fn erase(database: &Database, patience: Patience, told: &mut dyn FnMut(u64)) -> Result<Erased, StoreError> {
    let until = Instant::now() + Duration::from_millis(if patience == Patience::Short { 300 } else { u64::MAX >> 24 });
    let due = due(database)?;
    if due == 0 {
        return Ok(Erased::All);
    }
    let mut gone = 0;
    let delete = |_| {
        let more = delete_some(database, &mut gone)?;
        told(gone);
        Ok(more)
    };
    let finished = repeat(until, delete)?
        && repeat(until, |step| forget_words(database, step))?
        && repeat(until, |_| give_back(database))?
        && empty_log(database, patience)?;
    if !finished {
        return Ok(Erased::Some);
    }
    // Unless something else was removed meanwhile.
    let sql = "UPDATE erasing SET due = 0 WHERE due = ?1";
    database.writing().write(|transaction| Ok(transaction.execute(sql, [due])?))?;
    Ok(Erased::All)
}

fn due(database: &Database) -> Result<i64, StoreError> {
    database.read(|connection| Ok(connection.query_row("SELECT due FROM erasing", [], |row| row.get(0))?))
}

/// Takes steps while they find something to do; false where the time is over before that.
fn repeat(until: Instant, mut step: impl FnMut(u64) -> Result<bool, StoreError>) -> Result<bool, StoreError> {
    for number in 0.. {
        if !step(number)? {
            return Ok(true);
        }
        if Instant::now() > until {
            return Ok(false);
        }
        thread::sleep(PAUSE);
    }
    Ok(true)
}

/// One step of deleting the rows of sessions that are going. On a full disk the log is emptied and the step tried again.
fn delete_some(database: &Database, gone: &mut u64) -> Result<bool, StoreError> {
    let mut writing = database.writing();
    let before = *gone;
    let many = writing.write(|transaction| {
        let begun = Instant::now();
        while delete_piece(transaction, gone)? {
            if begun.elapsed() > STEP {
                return Ok(true);
            }
        }
        Ok(false)
    });
    match many {
        Err(StoreError::Full { .. }) => {
            *gone = before;
            writing.write(|transaction| delete_piece(transaction, gone))
        }
        outcome => outcome,
    }
}

/// False where nothing is left.
fn delete_piece(connection: &Connection, gone: &mut u64) -> Result<bool, StoreError> {
    let sql = "SELECT key FROM sessions WHERE stage = 2 LIMIT 1";
    let Some(key) = connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()? else {
        return Ok(false);
    };
    if delete_documents(connection, key)? || delete_blob(connection, key)? || delete_events(connection, key)? {
        return Ok(true);
    }
    for sql in [
        "DELETE FROM bills WHERE session = ?1",
        "DELETE FROM marks WHERE session = ?1",
        "DELETE FROM sights WHERE session = ?1",
        "DELETE FROM guest_links WHERE session = ?1",
        "DELETE FROM guest_folds WHERE session = ?1",
        "DELETE FROM sessions WHERE key = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([key])?;
    }
    *gone += 1;
    Ok(true)
}

fn delete_documents(connection: &Connection, key: i64) -> Result<bool, StoreError> {
    let sql = "SELECT document FROM documents WHERE session = ?1 ORDER BY seq LIMIT ?2";
    let documents: Vec<i64> = {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_map([key, ROWS], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    for document in &documents {
        connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([document])?;
        connection.prepare_cached("DELETE FROM documents WHERE document = ?1")?.execute([document])?;
    }
    Ok(!documents.is_empty())
}

/// A part of one of the outputs that the session names, or the last of it.
fn delete_blob(connection: &Connection, key: i64) -> Result<bool, StoreError> {
    let sql = "SELECT blob FROM blob_references WHERE session = ?1 LIMIT 1";
    let Some(blob) = connection.prepare_cached(sql)?.query_row([key], |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(false);
    };
    let sql = "SELECT 1 FROM blob_references WHERE blob = ?1 AND session <> ?2";
    let sql_last = "SELECT max(number) FROM chunks WHERE blob = ?1";
    if !connection.prepare_cached(sql)?.exists([blob, key])?
        && let Some(last) =
            connection.prepare_cached(sql_last)?.query_row([blob], |row| row.get::<_, Option<i64>>(0))?
        && last > 0
    {
        // Somebody who stores the same bytes again must not find half of the output.
        let sql = "UPDATE blobs SET hash = CAST('gone ' || key AS BLOB) WHERE key = ?1";
        connection.prepare_cached(sql)?.execute([blob])?;
        connection.prepare_cached("DELETE FROM chunks WHERE blob = ?1 AND number = ?2")?.execute([blob, last])?;
        return Ok(true);
    }
    let sql = "DELETE FROM blob_references WHERE session = ?1 AND blob = ?2";
    connection.prepare_cached(sql)?.execute([key, blob])?;
    blobs::delete_unnamed(connection, &[blob])?;
    Ok(true)
}

fn delete_events(connection: &Connection, key: i64) -> Result<bool, StoreError> {
    let sql = "SELECT seq, length(body) FROM events WHERE session = ?1 ORDER BY seq DESC LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([key, ROWS])?;
    let mut first = None;
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        bytes += row.get::<_, i64>(1)?;
        if first.is_some() && bytes > BYTES {
            break;
        }
        first = Some(row.get::<_, i64>(0)?);
    }
    drop(rows);
    let Some(first) = first else { return Ok(false) };
    connection.prepare_cached("DELETE FROM events WHERE session = ?1 AND seq >= ?2")?.execute([key, first])?;
    Ok(true)
}

/// A negative number begins a merge of everything, positive ones go on with it, and one that changes less than two rows
/// found nothing more to do (FTS5's documentation, "The 'merge' command").
fn forget_words(database: &Database, step: u64) -> Result<bool, StoreError> {
    let pages = if step == 0 { -PAGES } else { PAGES };
    database.writing().write(|transaction| {
        let before = transaction.total_changes();
        transaction.execute("INSERT INTO words (words, rank) VALUES ('merge', ?1)", [pages])?;
        Ok(transaction.total_changes() - before >= 2)
    })
}

/// A file that was made without `auto_vacuum` keeps its free pages, overwritten: then a step lowers nothing.
fn give_back(database: &Database) -> Result<bool, StoreError> {
    database.writing().write(|transaction| {
        let free = || transaction.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0));
        let before = free()?;
        // It frees one page with each row that is asked for.
        let mut vacuum = transaction.prepare(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
        let mut rows = vacuum.query([])?;
        while rows.next()?.is_some() {}
        Ok(free()? < before)
    })
}

/// The log holds old pages until it is cut off, which a reader in the middle of a long read hinders.
fn empty_log(database: &Database, patience: Patience) -> Result<bool, StoreError> {
    for _ in 0..if patience == Patience::Short { 1 } else { 100 } {
        if database.writing().empty_log()? {
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(false)
}
