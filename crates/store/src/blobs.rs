//! Large outputs: kept once by hash, in compressed chunks, as long as a session names them.

use std::io::Read;

use bytes::Bytes;
use lookback_engine::trace::{BlobError, BlobHash, Event, Output};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{StoreError, database::Database, packed::Packed};

/// Larger outputs are taken out of their events.
pub(crate) const INLINE_LIMIT: usize = 8 << 10;

/// So much of an output is unpacked at once by whoever wants a part of it.
const CHUNK: usize = 1 << 20;

/// Chunks of a coming output in one transaction: others write in between, and memory holds no more of it.
const TOGETHER: usize = 8;

/// Moves the event's large outputs into blobs and notes that `session` names them.
pub(crate) fn take_out(connection: &Connection, session: i64, event: &mut Event) -> Result<(), StoreError> {
    for output in event.event.outputs_mut() {
        let before = output.clone();
        output.release(INLINE_LIMIT);
        let Output::Blob { hash, .. } = output else { continue };
        let blob = match before {
            Output::Inline(bytes) => write(connection, hash, &bytes)?,
            _ => find(connection, hash)?.ok_or(BlobError::Missing(*hash))?.key,
        };
        refer(connection, session, blob)?;
    }
    Ok(())
}

/// Takes in an output that was never in memory as a whole, before an event of `session` names it. Until its last byte is
/// there it lies under a name that nobody can ask for; the session refers to it from the first, so that what a killed
/// process left of it goes with that session.
pub(crate) fn take_in(
    database: &Database,
    session: i64,
    hash: &BlobHash,
    bytes: &mut dyn Read,
) -> Result<(), StoreError> {
    let coming = database.writing().write(|transaction| {
        let sql = "INSERT INTO blobs (hash, length) VALUES (randomblob(40), 0)";
        let key = transaction.prepare_cached(sql)?.insert([])?;
        refer(transaction, session, key)?;
        Ok(key)
    })?;
    let outcome = fill(database, coming, hash, bytes).and_then(|length| {
        database.writing().write(|transaction| match find(transaction, hash)? {
            Some(known) => {
                refer(transaction, session, known.key)?;
                drop_coming(transaction, session, coming)
            }
            None => {
                let sql = "UPDATE blobs SET hash = ?2, length = ?3 WHERE key = ?1";
                transaction.prepare_cached(sql)?.execute(params![coming, hash.0, length])?;
                Ok(())
            }
        })
    });
    if outcome.is_err() {
        // Where even this fails, the session keeps it until it goes.
        let _ = database.writing().write(|transaction| drop_coming(transaction, session, coming));
    }
    outcome
}

/// How many bytes came.
fn fill(database: &Database, key: i64, hash: &BlobHash, bytes: &mut dyn Read) -> Result<usize, StoreError> {
    let mut hasher = blake3::Hasher::new();
    let (mut length, mut number) = (0, 0);
    loop {
        let mut together = Vec::new();
        let limit = (TOGETHER * CHUNK) as u64;
        bytes.take(limit).read_to_end(&mut together).map_err(|error| StoreError::blob(*hash, error))?;
        if together.is_empty() {
            break;
        }
        hasher.update(&together);
        length += together.len();
        // Packed before the turn to write comes.
        let packed: Vec<Packed<'_>> = together.chunks(CHUNK).map(Packed::of).collect();
        database.writing().write(|transaction| insert_chunks(transaction, key, number, &packed))?;
        number += packed.len();
    }
    match BlobHash(*hasher.finalize().as_bytes()) == *hash {
        true => Ok(length),
        false => Err(StoreError::blob(*hash, "what came has another hash")),
    }
}

fn drop_coming(connection: &Connection, session: i64, blob: i64) -> Result<(), StoreError> {
    let sql = "DELETE FROM blob_references WHERE session = ?1 AND blob = ?2";
    connection.prepare_cached(sql)?.execute([session, blob])?;
    delete_unnamed(connection, &[blob])
}

fn refer(connection: &Connection, session: i64, blob: i64) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO blob_references (session, blob) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute([session, blob])?;
    Ok(())
}

/// Puts the bytes back, for whoever wants the event whole.
pub(crate) fn put_back(connection: &Connection, event: &mut Event) -> Result<(), StoreError> {
    for output in event.event.outputs_mut() {
        if let Output::Blob { hash, .. } = output {
            *output = Output::Inline(read(connection, hash)?);
        }
    }
    Ok(())
}

pub(crate) fn read(connection: &Connection, hash: &BlobHash) -> Result<Bytes, StoreError> {
    let blob = find(connection, hash)?.ok_or(BlobError::Missing(*hash))?;
    let bytes = read_chunks(connection, hash, &blob, 0, blob.length.div_ceil(CHUNK))?;
    if BlobHash::of(&bytes) != *hash {
        return Err(StoreError::blob(*hash, "its bytes have another hash, so the database is damaged"));
    }
    Ok(bytes.into())
}

/// Reads some of the bytes, for showing: without all of them the hash cannot be checked. Keeps the chunk that it unpacked
/// last, because whoever wants one part of an output mostly wants the next one, too.
pub(crate) struct PartReader {
    hash: BlobHash,
    blob: Blob,
    kept: Option<(usize, Vec<u8>)>,
}

impl PartReader {
    pub(crate) fn open(connection: &Connection, hash: &BlobHash) -> Result<Self, StoreError> {
        let blob = find(connection, hash)?.ok_or(BlobError::Missing(*hash))?;
        Ok(Self { hash: *hash, blob, kept: None })
    }

    pub(crate) fn read(&mut self, connection: &Connection, start: usize, length: usize) -> Result<Vec<u8>, StoreError> {
        let end = start.saturating_add(length).min(self.blob.length);
        let mut bytes = Vec::new();
        for number in start / CHUNK..end.div_ceil(CHUNK) {
            let chunk = match self.kept.take() {
                Some((kept, chunk)) if kept == number => chunk,
                _ => read_chunks(connection, &self.hash, &self.blob, number, number + 1)?,
            };
            let first = number * CHUNK;
            let within = start.saturating_sub(first)..(end - first).min(chunk.len());
            bytes.extend_from_slice(chunk.get(within).unwrap_or_default());
            self.kept = Some((number, chunk));
        }
        Ok(bytes)
    }
}

/// Deletes the ones of `blobs` that no session names any more.
pub(crate) fn delete_unnamed(connection: &Connection, blobs: &[i64]) -> Result<(), StoreError> {
    let mut named = connection.prepare_cached("SELECT 1 FROM blob_references WHERE blob = ?1 LIMIT 1")?;
    for blob in blobs {
        if !named.exists([blob])? {
            connection.prepare_cached("DELETE FROM chunks WHERE blob = ?1")?.execute([blob])?;
            connection.prepare_cached("DELETE FROM blobs WHERE key = ?1")?.execute([blob])?;
        }
    }
    Ok(())
}

struct Blob {
    key: i64,
    length: usize,
}

fn find(connection: &Connection, hash: &BlobHash) -> Result<Option<Blob>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key, length FROM blobs WHERE hash = ?1")?;
    Ok(statement.query_row([&hash.0], |row| Ok(Blob { key: row.get(0)?, length: row.get(1)? })).optional()?)
}

fn write(connection: &Connection, hash: &BlobHash, bytes: &[u8]) -> Result<i64, StoreError> {
    if let Some(blob) = find(connection, hash)? {
        return Ok(blob.key);
    }
    let sql = "INSERT INTO blobs (hash, length) VALUES (?1, ?2)";
    let key = connection.prepare_cached(sql)?.insert(params![hash.0, bytes.len()])?;
    for (number, chunk) in bytes.chunks(CHUNK).enumerate() {
        insert_chunks(connection, key, number, &[Packed::of(chunk)])?;
    }
    Ok(key)
}

fn insert_chunks(connection: &Connection, key: i64, first: usize, chunks: &[Packed<'_>]) -> Result<(), StoreError> {
    let sql = "INSERT INTO chunks (blob, number, unpacked, bytes) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = connection.prepare_cached(sql)?;
    for (number, packed) in (first..).zip(chunks) {
        insert.execute(params![key, number, packed.unpacked, packed.bytes])?;
    }
    Ok(())
}

/// Chunks `first..end`, one after another. No memory is taken for a length before the bytes are there: it may be damaged.
fn read_chunks(
    connection: &Connection,
    hash: &BlobHash,
    blob: &Blob,
    first: usize,
    end: usize,
) -> Result<Vec<u8>, StoreError> {
    let sql = "SELECT unpacked, bytes FROM chunks WHERE blob = ?1 AND number >= ?2 AND number < ?3 ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![blob.key, first, end])?;
    let mut bytes = Vec::new();
    while let Some(row) = rows.next()? {
        let chunk = Packed { unpacked: row.get(0)?, bytes: row.get::<_, Vec<u8>>(1)?.into() };
        let length = chunk.unpacked.unwrap_or(chunk.bytes.len());
        if length > CHUNK {
            return Err(StoreError::blob(*hash, format!("a part has {length} bytes, so the database is damaged")));
        }
        bytes.extend_from_slice(&chunk.unpack().map_err(|error| StoreError::blob(*hash, error))?);
    }
    let expected = blob.length.min(end.saturating_mul(CHUNK)).saturating_sub(first * CHUNK);
    if bytes.len() != expected {
        let reason = format!("{} bytes are there instead of {expected}, so the database is damaged", bytes.len());
        return Err(StoreError::blob(*hash, reason));
    }
    Ok(bytes)
}
