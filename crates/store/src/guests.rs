//! Conversations of other programs, by the hash chains of their requests: what a gateway that was started again asks
//! before it opens any session. What a chain is over is not known here.

use lookback_engine::trace::SessionId;
use lookback_wire::body::Link;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{StoreError, identity};

/// Of each session so many requests are known again: a client that goes back further begins a branch.
const KEPT: i64 = 4;

/// How far a conversation has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestPlace {
    /// The chain there.
    pub link: Link,
    /// Where it is recorded.
    pub session: SessionId,
    /// How many messages it has.
    pub messages: usize,
    /// What its client calls it.
    pub named: Option<String>,
}

/// Messages that a block stands for, for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestFold {
    /// The chain at their end.
    pub link: Link,
    /// The first of them.
    pub first: usize,
    /// Behind the last of them.
    pub end: usize,
    /// Behind them, the first message that keeps its thinking.
    pub thinking_from: usize,
    /// The chain there, message by message, when the fold was made.
    pub behind: Vec<Link>,
    /// What is sent in their place.
    pub block: Vec<u8>,
}

/// How far a conversation has come. Of a session that was removed meanwhile nothing is kept.
pub(crate) fn write_place(connection: &Connection, place: &GuestPlace) -> Result<(), StoreError> {
    let Some(key) = identity::find_key(connection, &place.session)? else { return Ok(()) };
    let sql = "INSERT OR REPLACE INTO guest_links (link, session, messages, named) VALUES (?1, ?2, ?3, ?4)";
    let row = params![place.link, key, place.messages as i64, place.named];
    connection.prepare_cached(sql)?.execute(row)?;
    let sql = "DELETE FROM guest_links WHERE session = ?1 AND messages <
        (SELECT min(messages) FROM (SELECT messages FROM guest_links WHERE session = ?1 ORDER BY messages DESC LIMIT ?2))";
    connection.prepare_cached(sql)?.execute([key, KEPT])?;
    Ok(())
}

/// What stands in the place of the messages of a chain, oldest first.
pub(crate) fn find_folds(connection: &Connection, chain: &[Link]) -> Result<Vec<GuestFold>, StoreError> {
    chain.iter().map(|link| find_fold(connection, link)).filter_map(Result::transpose).collect()
}

/// Of two processes that fold the same conversation the first one's blocks are sent by both: a fold that overlaps one that
/// stands in the chain is not taken. Gives all that stand now.
pub(crate) fn write_folds(
    connection: &Connection,
    key: i64,
    folds: &[GuestFold],
    chain: &[Link],
) -> Result<Vec<GuestFold>, StoreError> {
    let mut standing = find_folds(connection, chain)?;
    for fold in folds {
        if standing.iter().any(|other| fold.first < other.end && other.first < fold.end) {
            continue;
        }
        let sql = "INSERT OR REPLACE INTO guest_folds (link, session, first, messages, thinking_from, block, behind)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [first, end, thinking_from] = [fold.first, fold.end, fold.thinking_from].map(|place| place as i64);
        let row = params![fold.link, key, first, end, thinking_from, fold.block, fold.behind.as_flattened()];
        connection.prepare_cached(sql)?.execute(row)?;
        standing.push(fold.clone());
    }
    Ok(standing)
}

fn find_fold(connection: &Connection, link: &Link) -> Result<Option<GuestFold>, StoreError> {
    let sql = "SELECT first, messages, thinking_from, block, behind FROM guest_folds WHERE link = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let place = |row: &Row<'_>, column: usize| row.get(column).map(|place: i64| place as usize);
    let row = statement.query_row([link], |row| {
        let behind: Vec<u8> = row.get(4)?;
        Ok(GuestFold {
            link: *link,
            first: place(row, 0)?,
            end: place(row, 1)?,
            thinking_from: place(row, 2)?,
            block: row.get(3)?,
            behind: behind.as_chunks().0.to_vec(),
        })
    });
    Ok(row.optional()?)
}

pub(crate) fn find_place(connection: &Connection, link: &Link) -> Result<Option<GuestPlace>, StoreError> {
    let sql = "SELECT s.id, g.messages, g.named FROM guest_links g JOIN sessions s ON s.key = g.session
               WHERE g.link = ?1 AND s.stage = 0";
    let row = connection.prepare_cached(sql)?.query_row([link], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    Ok(row.optional()?.map(|(id, messages, named): (String, i64, Option<String>)| GuestPlace {
        link: *link,
        session: SessionId(id),
        messages: messages as usize,
        named,
    }))
}
