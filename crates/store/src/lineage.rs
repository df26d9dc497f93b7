//! Where a session's events lie: a fork's first ones are its parent's, and so on up.

use rusqlite::Connection;

use crate::{StoreError, stage};

/// The events of `session` up to and with `upto`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) session: i64,
    pub(crate) upto: i64,
}

/// From the oldest ancestor to the session itself, so that reading them in this order gives the trace. A session that is
/// still coming, or going, has nothing to read.
pub(crate) fn of(connection: &Connection, key: i64) -> Result<Vec<Stretch>, StoreError> {
    if !stage::is_whole(connection, key)? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare_cached("SELECT parent, parent_upto FROM sessions WHERE key = ?1")?;
    let mut stretches = vec![Stretch { session: key, upto: i64::MAX }];
    let mut current = key;
    let mut bound = i64::MAX;
    while let (Some(parent), Some(upto)) =
        statement.query_row([current], |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)))?
    {
        // A fork of a fork may begin before its parent's own first event.
        bound = bound.min(upto);
        stretches.push(Stretch { session: parent, upto: bound });
        current = parent;
    }
    stretches.reverse();
    Ok(stretches)
}
