//! Writing the full-text index, in the same transaction as the events.

use lookback_engine::trace::Event;
use rusqlite::{Connection, params};

use super::{text, words};
use crate::StoreError;

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
