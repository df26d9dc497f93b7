//! Writing the full-text index, in the same transaction as the events.

use lookback_engine::trace::{Event, EventNo};
use rusqlite::{Connection, Transaction, params};

use super::{text, words};
use crate::{StoreError, events};

pub(crate) fn index(connection: &Connection, session: i64, event: &Event) -> Result<(), StoreError> {
    for (part, content) in text::divide(connection, event)? {
        let mut words = words::of_document(&content);
        if words.text.is_empty() {
            continue;
        }
        words.extra.push(' ');
        words.extra.push_str(&words::of_session(session));
        let sql = "INSERT INTO documents (session, seq, field, start, length, line) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let place = params![session, event.seq.0, part.field, part.start, part.length, part.line];
        let document = connection.prepare_cached(sql)?.insert(place)?;
        let sql = "INSERT INTO words (rowid, text, extra) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(sql)?.execute(params![document, words.text, words.extra])?;
    }
    Ok(())
}

/// For databases from before there was an index: all events, in the order in which they happened. A clock may have been
/// set back, but a session's documents have to rise with its events.
pub(crate) fn index_everything(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let sql = "SELECT session, seq FROM events
               ORDER BY max(at) OVER (PARTITION BY session ORDER BY seq), session, seq";
    let mut statement = transaction.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (session, seq) = (row.get(0)?, EventNo(row.get(1)?));
        if let Some(event) = events::read_one(transaction, session, seq)? {
            index(transaction, session, &event)?;
        }
    }
    Ok(())
}
