//! Names of sessions: making new ones, and finding one by its first characters as git does.

use lookback_engine::trace::{BlobHash, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use crate::StoreError;

/// Crockford's: no i, l, o, u, so that an id read aloud or copied by hand stays the same.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// 60 bits: a million sessions collide with a chance of one in a million.
const LENGTH: usize = 12;

const SHORTEST_PREFIX: usize = 4;

/// What lists show of an id where that is enough.
const SHORT: usize = 8;

/// A random name that nobody has used.
pub fn new_session_id() -> Result<SessionId, StoreError> {
    let mut random = [0; LENGTH];
    getrandom::fill(&mut random).map_err(StoreError::NoRandomness)?;
    Ok(SessionId(random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()))
}

/// The name of something that has one elsewhere: always the same for the same text.
pub fn derived_session_id(text: &str) -> SessionId {
    let BlobHash(digest) = BlobHash::of(text.as_bytes());
    SessionId(digest[..LENGTH].iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect())
}

pub(crate) fn key_of(connection: &Connection, session: &SessionId) -> Result<i64, StoreError> {
    find_key(connection, session)?.ok_or_else(|| StoreError::NotFound(session.0.clone()))
}

pub(crate) fn find_key(connection: &Connection, session: &SessionId) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key FROM sessions WHERE id = ?1 AND stage = 0")?;
    Ok(statement.query_row([&session.0], |row| row.get(0)).optional()?)
}

pub(crate) fn find(connection: &Connection, prefix: &str) -> Result<SessionId, StoreError> {
    let whole = SessionId(prefix.to_owned());
    if find_key(connection, &whole)?.is_some() {
        return Ok(whole);
    }
    if prefix.len() < SHORTEST_PREFIX {
        return Err(StoreError::PrefixTooShort(prefix.to_owned()));
    }
    let sql = "SELECT id FROM sessions WHERE id >= ?1 AND id < ?2 AND stage = 0 ORDER BY id LIMIT 20";
    let mut statement = connection.prepare_cached(sql)?;
    let found =
        statement.query_map(params![prefix, format!("{prefix}{}", char::MAX)], |row| row.get(0).map(SessionId))?;
    let mut candidates = found.collect::<Result<Vec<_>, _>>()?;
    match candidates.len() {
        0 => Err(StoreError::NotFound(prefix.to_owned())),
        1 => Ok(candidates.remove(0)),
        _ => Err(StoreError::Ambiguous { prefix: prefix.to_owned(), candidates }),
    }
}

/// The shortest beginning of the id, of at least 8 characters, by which `find` gives this session and no other.
pub(crate) fn short(connection: &Connection, session: &SessionId) -> Result<String, StoreError> {
    key_of(connection, session)?;
    let neighbour = |sql: &str| -> Result<Option<String>, StoreError> {
        Ok(connection.prepare_cached(sql)?.query_row([&session.0], |row| row.get(0)).optional()?)
    };
    // In the order of ids, those that share the longest beginning with this one stand next to it.
    let before = neighbour("SELECT id FROM sessions WHERE id < ?1 AND stage = 0 ORDER BY id DESC LIMIT 1")?;
    let after = neighbour("SELECT id FROM sessions WHERE id > ?1 AND stage = 0 ORDER BY id LIMIT 1")?;
    Ok(shortest(&session.0, [before.as_deref(), after.as_deref()]).to_owned())
}

/// An id that is the whole beginning of another one is named by itself, since `find` prefers that; the other one needs a
/// character more in any case.
pub(crate) fn shortest<'a>(id: &'a str, neighbours: [Option<&str>; 2]) -> &'a str {
    let shared = |other: &str| id.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let needed = neighbours.into_iter().flatten().map(|other| shared(other) + 1).max().unwrap_or(0);
    id.get(..needed.max(SHORT)).unwrap_or(id)
}
