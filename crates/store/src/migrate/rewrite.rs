//! Events of older versions under digests of this one; one in memory at a time.

use lookback_engine::trace::{BlobHash, EventNo, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{StoreError, events, packed::Packed};

/// What is damaged stays so, and whoever reads it is told: the rest of the store can be used.
pub(super) fn rewrite_events(connection: &Connection) -> Result<(), StoreError> {
    let sql = "SELECT session, seq, at, unpacked, body, digest FROM events
               WHERE (session, seq) > (?1, ?2) ORDER BY session, seq LIMIT 1";
    let mut next = connection.prepare(sql)?;
    let sql = "UPDATE events SET kind = ?3, unpacked = ?4, body = ?5, digest = ?6 WHERE session = ?1 AND seq = ?2";
    let mut update = connection.prepare(sql)?;
    let mut place = (i64::MIN, i64::MIN);
    let read = |row: &Row<'_>| Ok(((row.get(0)?, row.get(1)?), Old::read(row).ok()));
    while let Some((found, old)) = next.query_row(place, read).optional()? {
        place = found;
        let Some(Old { at, body, .. }) = old.filter(Old::is_whole) else { continue };
        let Some(kind) = body.unpack().ok().and_then(|json| kind_of(&json)) else { continue };
        let digest = events::digest(place.0, EventNo(place.1.cast_unsigned()), at, &kind, &body);
        update.execute(params![place.0, place.1, kind, body.unpacked, body.bytes, digest])?;
    }
    Ok(())
}

/// `{"gate":…` or, for an event without content, `"thinking_refused"`.
fn kind_of(json: &[u8]) -> Option<String> {
    let kind = json.split(|byte| *byte == b'"').nth(1)?;
    String::from_utf8(kind.to_vec()).ok()
}

struct Old {
    at: Timestamp,
    body: Packed<'static>,
    /// The first 8 bytes of the JSON's BLAKE3.
    checksum: i64,
}

impl Old {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let body = Packed { unpacked: row.get(3)?, bytes: row.get::<_, Vec<u8>>(4)?.into() };
        Ok(Self { at: Timestamp(row.get(2)?), body, checksum: row.get(5)? })
    }

    fn is_whole(&self) -> bool {
        self.body.unpack().is_ok_and(|json| BlobHash::of(&json).0[..8] == self.checksum.to_le_bytes())
    }
}
