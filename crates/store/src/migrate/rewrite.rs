//! Events of older versions in the form and under the digests of this one; one in memory at a time.

use lookback_engine::trace::{
    BlobHash, EventBody, EventNo, Timestamp,
    upgrade::{CHANGED, upgrade},
};
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
        if let Some((at, kind, body)) = old.and_then(Old::rewrite) {
            let digest = events::digest(place.0, EventNo(place.1.cast_unsigned()), at, &kind, &body);
            update.execute(params![place.0, place.1, kind, body.unpacked, body.bytes, digest])?;
        }
    }
    Ok(())
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

    /// Time, kind and body as this version writes them; none where it is damaged.
    fn rewrite(self) -> Option<(Timestamp, String, Packed<'static>)> {
        let json = self.body.unpack().ok()?;
        if BlobHash::of(&json).0[..8] != self.checksum.to_le_bytes() {
            return None;
        }
        // `{"fold":…` or, for an event without content, `"thinking_refused"`.
        let kind = String::from_utf8(json.split(|byte| *byte == b'"').nth(1)?.to_vec()).ok()?;
        if !CHANGED.contains(&kind.as_str()) {
            drop(json);
            return Some((self.at, kind, self.body));
        }
        let upgraded = upgrade(serde_json::from_slice(&json).ok()?).to_string();
        let event: EventBody = serde_json::from_str(&upgraded).ok()?;
        let json = serde_json::to_vec(&event).ok()?;
        let Packed { unpacked, bytes } = Packed::of(&json);
        Some((self.at, event.name().to_owned(), Packed { unpacked, bytes: bytes.into_owned().into() }))
    }
}
