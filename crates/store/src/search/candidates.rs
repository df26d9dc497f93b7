//! Which events may be hits, from the index alone: the newest documents with all words, by event. Reads no texts.

use std::collections::BTreeMap;

use lookback_engine::trace::SessionId;
use rusqlite::{Connection, params};

use super::{query::Query, text::Part};
use crate::{StoreError, identity, sessions};

/// Of how many events at least, the newest that match, the best are given.
const CANDIDATES: usize = 100;

/// A large output is many documents: so many for each event are looked at.
const DOCUMENTS_PER_EVENT: usize = 10;

/// A word in so many documents is meant as it stands: as a beginning, `result` (in 130,000) took 60 ms, and a word in
/// 13,000 documents 2 ms. A beginning of such a word that is none itself (`resu`) still takes 40 ms.
const COMMON: usize = 20_000;

#[derive(Debug)]
pub(super) struct Candidates {
    /// The newest first.
    pub(super) events: Vec<Candidate>,
    pub(super) literal: Literal,
}

/// What the index tells about which candidates can hold the query literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Literal {
    /// Those with adjacent words, and hardly any other: a match may still be within words.
    Adjacent,
    Unknown,
}

#[derive(Debug)]
pub(super) struct Candidate {
    /// The session that the event belongs to.
    pub(super) session: i64,
    pub(super) seq: u64,
    /// The ones that match, from the first on.
    pub(super) documents: Vec<Document>,
}

impl Candidate {
    pub(super) fn is_adjacent(&self) -> bool {
        self.documents.iter().any(|document| document.adjacent)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Document {
    event: (i64, u64),
    pub(super) part: Part,
    /// Its words are known to stand next to one another, as in the query.
    pub(super) adjacent: bool,
}

pub(super) fn newest(
    connection: &Connection,
    query: &Query,
    session: Option<&SessionId>,
    limit: usize,
) -> Result<Candidates, StoreError> {
    let mut found = BTreeMap::new();
    let mut literal = Literal::Adjacent;
    let stretches = stretches(connection, session)?;
    let most = limit.max(CANDIDATES);
    for stretch in &stretches {
        collect(connection, &query.exact(stretch.session), stretch, most, &mut found)?;
        // FTS5 first gathers all documents of all words that begin so, whatever else is asked. The word itself, found
        // often enough, will do.
        if found.len() < limit
            && let Some(prefix) = query.prefix(stretch.session)
            && !is_common(connection, query.last_word())?
        {
            let exact = found.len();
            collect(connection, &prefix, stretch, most, &mut found)?;
            if found.len() > exact {
                literal = Literal::Unknown;
            }
        }
    }
    keep_newest(&mut found, most);
    for stretch in &stretches {
        match query.adjacent(stretch.session) {
            // All of so few are read anyway.
            Some(_) if found.len() <= limit => {}
            Some(adjacent) => mark(connection, &adjacent, stretch, &mut found)?,
            None => literal = Literal::Unknown,
        }
    }
    Ok(Candidates { events: by_event(found), literal })
}

/// A session's documents, or without one, everybody's, from `oldest` to `newest`.
struct Stretch {
    session: Option<i64>,
    oldest: i64,
    newest: i64,
}

/// What to search. A session's documents lie between its first and its last, with those of sessions that were written
/// at the same time among them: the bounds keep the index from being read as a whole, the session's token decides.
fn stretches(connection: &Connection, session: Option<&SessionId>) -> Result<Vec<Stretch>, StoreError> {
    let Some(session) = session else { return Ok(vec![Stretch { session: None, oldest: 0, newest: i64::MAX }]) };
    let sql = "SELECT
        (SELECT document FROM documents WHERE session = ?1 AND seq <= ?2 ORDER BY seq, document LIMIT 1),
        (SELECT document FROM documents WHERE session = ?1 AND seq <= ?2 ORDER BY seq DESC, document DESC LIMIT 1)";
    let mut bounds = connection.prepare_cached(sql)?;
    let mut stretches = Vec::new();
    for stretch in sessions::lineage(connection, identity::key_of(connection, session)?)? {
        let bounds = bounds.query_row([stretch.session, stretch.upto], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if let (Some(oldest), Some(newest)) = bounds {
            stretches.push(Stretch { session: Some(stretch.session), oldest, newest });
        }
    }
    Ok(stretches)
}

/// Whether a word is so frequent that it is not taken as the beginning of others.
fn is_common(connection: &Connection, word: Option<String>) -> Result<bool, StoreError> {
    let Some(word) = word else { return Ok(false) };
    let mut matching = connection.prepare_cached("SELECT 1 FROM words WHERE words MATCH ?1 LIMIT 1 OFFSET ?2")?;
    Ok(matching.exists(params![word, COMMON])?)
}

fn collect(
    connection: &Connection,
    expression: &str,
    stretch: &Stretch,
    most: usize,
    found: &mut BTreeMap<i64, Document>,
) -> Result<(), StoreError> {
    // CROSS: the index first, in its order, and only as far as it is read here.
    let mut matching = connection.prepare_cached(
        "SELECT words.rowid, session, seq, field, start, length, line
         FROM words CROSS JOIN documents ON document = words.rowid
         CROSS JOIN sessions ON sessions.key = documents.session AND stage = 0
         WHERE words MATCH ?1 AND words.rowid BETWEEN ?2 AND ?3 ORDER BY words.rowid DESC LIMIT ?4",
    )?;
    let mut rows = matching.query(params![expression, stretch.oldest, stretch.newest, most * DOCUMENTS_PER_EVENT])?;
    let mut events = 0;
    let mut last = None;
    while let Some(row) = rows.next()? {
        let event = (row.get(1)?, row.get(2)?);
        if last.replace(event) != Some(event) {
            events += 1;
        }
        if events > most {
            break;
        }
        let part = Part { field: row.get(3)?, start: row.get(4)?, length: row.get(5)?, line: row.get(6)? };
        found.insert(row.get(0)?, Document { event, part, adjacent: false });
    }
    Ok(())
}

/// Marks the documents that `expression` finds, too. Only between the oldest and the newest of them: a phrase of words
/// that are everywhere takes 50 ms over a store of 1 GB.
fn mark(
    connection: &Connection,
    expression: &str,
    stretch: &Stretch,
    found: &mut BTreeMap<i64, Document>,
) -> Result<(), StoreError> {
    let mut within = found.range(stretch.oldest..=stretch.newest).map(|(number, _)| *number);
    let Some(oldest) = within.next() else { return Ok(()) };
    let newest = within.next_back().unwrap_or(oldest);
    let mut matching = connection.prepare_cached(
        "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC",
    )?;
    let mut rows = matching.query(params![expression, oldest, newest])?;
    while let Some(row) = rows.next()? {
        if let Some(document) = found.get_mut(&row.get(0)?) {
            document.adjacent = true;
        }
    }
    Ok(())
}

/// Forgets what belongs to older events than are candidates.
fn keep_newest(found: &mut BTreeMap<i64, Document>, most: usize) {
    let mut events = 0;
    let mut last = None;
    let oldest = found.iter().rev().find(|(_, document)| {
        events += usize::from(last.replace(document.event) != Some(document.event));
        events > most
    });
    if let Some((&beyond, _)) = oldest {
        *found = found.split_off(&(beyond + 1));
    }
}

/// An event's documents were written one after another, so they stand together.
fn by_event(found: BTreeMap<i64, Document>) -> Vec<Candidate> {
    let documents: Vec<Document> = found.into_values().collect();
    let events = documents.chunk_by(|one, next| one.event == next.event).rev();
    let candidates = events.filter_map(|documents| {
        let (session, seq) = documents.first()?.event;
        Some(Candidate { session, seq, documents: documents.to_vec() })
    });
    candidates.collect()
}
