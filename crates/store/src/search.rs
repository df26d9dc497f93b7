//! Full-text search over what was said, called, printed and noted.
//!
//! FTS5 finds the newest documents with all words, and among them those with the words next to one another; the ranking
//! of those few is done here. There is no scoring over all matches, so a word that is everywhere costs no more than one
//! that is rare. What is bounded for that: hits are among the newest 100 events that match, or as
//! many as are asked for; a line with the query itself
//! comes first if it is among these and in the first 4 MB that are read for such lines; of a large output that matches
//! in many places, the first ones are looked at; a last word that is in 20,000 documents is no beginning of others; and a
//! path, of which the index knows only neighbours, is not looked for further after 1 MB without it.

mod candidates;
mod index;
mod line;
mod query;
mod text;
mod words;

use std::collections::{BTreeMap, btree_map::Entry};

use lookback_engine::trace::{EventNo, SessionId, Timestamp, TurnNo};
use rusqlite::Connection;

use crate::{StoreError, events};

use candidates::{Candidate, Literal};
pub(crate) use index::index;
use line::Found;
use query::Query;
use text::Contents;

/// Of a large output that matches in many places, so many are looked at for the best line.
const DOCUMENTS_READ: usize = 4;

/// Where the words are next to one another, no more bytes than this are read to see which are the query itself.
const READ_FOR_LITERAL: usize = 4 << 20;

/// With hits enough and an index that cannot tell, no more bytes than this are read in search of better ones.
const READ_FOR_BETTER: usize = 1 << 20;

/// After so many bytes of candidates without the path that was asked for, there will be no more.
const READ_IN_VAIN: usize = 1 << 20;

/// After so many bytes, one look at each of the remaining hits has to do.
const READ_CLOSELY: usize = 1 << 20;

/// A place where words were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The session that was searched, or without one, the session that the event belongs to.
    pub session: SessionId,
    /// The event.
    pub seq: EventNo,
    /// When it was recorded.
    pub at: Timestamp,
    /// The turn that it belongs to, where that is one.
    pub turn: Option<TurnNo>,
    /// The event's name on disk: `user_turn`, `tool_result`…
    pub kind: &'static str,
    /// The line that fits best; of one that is longer than 64 kB a part.
    pub line: String,
    /// How many characters of it stand before what was found.
    pub before: usize,
    /// Its number in the text or output that it is from, counted from 1.
    pub line_number: u64,
}

pub(crate) fn search(
    connection: &Connection,
    query: &str,
    session: Option<&SessionId>,
    limit: usize,
) -> Result<Vec<Hit>, StoreError> {
    let Some(query) = Query::parse(query) else { return Ok(Vec::new()) };
    let hits = find(connection, &query, session, limit)?;
    match query.loosened() {
        Some(loosened) if hits.is_empty() => find(connection, &loosened, session, limit),
        _ => Ok(hits),
    }
}

fn find(
    connection: &Connection,
    query: &Query,
    session: Option<&SessionId>,
    limit: usize,
) -> Result<Vec<Hit>, StoreError> {
    let candidates = candidates::newest(connection, query, session, limit)?;
    let mut reader = Reader { connection, query, literal: candidates.literal, bytes: 0, in_vain: 0 };
    // By age, the newest first; none for candidates that are no hits.
    let mut read: BTreeMap<usize, Option<Ranked>> = BTreeMap::new();
    let mut literal = 0;
    for (age, candidate) in candidates.events.iter().enumerate().filter(|(_, candidate)| candidate.is_adjacent()) {
        if literal >= limit || reader.bytes > READ_FOR_LITERAL {
            break;
        }
        let ranked = reader.read(candidate)?;
        literal += usize::from(is_literal(&ranked));
        read.insert(age, ranked);
    }
    let mut others = 0;
    for (age, candidate) in candidates.events.iter().enumerate() {
        let settled = candidates.literal == Literal::Adjacent || reader.bytes > READ_FOR_BETTER;
        let enough = literal + others >= limit && settled;
        if literal >= limit || enough || reader.in_vain > READ_IN_VAIN {
            break;
        }
        let ranked = match read.entry(age) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let ranked = reader.read(candidate)?;
                literal += usize::from(is_literal(&ranked));
                entry.insert(ranked)
            }
        };
        others += usize::from(ranked.as_ref().is_some_and(|ranked| !ranked.literal));
    }
    let (first, then): (Vec<Ranked>, Vec<Ranked>) = read.into_values().flatten().partition(|ranked| ranked.literal);
    first.into_iter().chain(then).take(limit).map(|ranked| ranked.hit(connection, session)).collect()
}

struct Ranked {
    literal: bool,
    /// The session that the event belongs to.
    session: i64,
    seq: EventNo,
    at: Timestamp,
    turn: Option<TurnNo>,
    kind: &'static str,
    found: Found,
}

fn is_literal(ranked: &Option<Ranked>) -> bool {
    ranked.as_ref().is_some_and(|ranked| ranked.literal)
}

struct Reader<'a> {
    connection: &'a Connection,
    query: &'a Query,
    literal: Literal,
    /// Of documents, so far; and of those without the path that was asked for.
    bytes: usize,
    in_vain: usize,
}

impl Reader<'_> {
    /// None for an event that does not hold a path that was asked for.
    fn read(&mut self, candidate: &Candidate) -> Result<Option<Ranked>, StoreError> {
        let Some(event) = events::read_one(self.connection, candidate.session, EventNo(candidate.seq))? else {
            return Ok(None);
        };
        let Some((literal, found)) = self.best_line(candidate, Contents::new(self.connection, &event.event))? else {
            return Ok(None);
        };
        let (turn, kind) = (events::turn_of(&event.event), event.event.name());
        Ok(Some(Ranked { literal, session: candidate.session, seq: event.seq, at: event.at, turn, kind, found }))
    }

    fn best_line(
        &mut self,
        candidate: &Candidate,
        mut contents: Contents<'_>,
    ) -> Result<Option<(bool, Found)>, StoreError> {
        let only_adjacent = candidate.is_adjacent();
        let documents = candidate.documents.iter().filter(|document| document.adjacent || !only_adjacent);
        let mut best: Option<Found> = None;
        for document in documents.take(DOCUMENTS_READ) {
            let text = contents.read(document.part)?;
            let length = text.len();
            self.bytes += length;
            let document = line::Document::new(text, document.part.line, self.query);
            if !document.has_paths(self.query) {
                self.in_vain += length;
                continue;
            }
            if let Some(found) = document.find_literal(self.query) {
                return Ok(Some((true, found)));
            }
            let found = document.find_closest(self.query);
            let complete = found.tokens == self.query.tokens.len();
            if best.as_ref().is_none_or(|best| found.tokens > best.tokens) {
                best = Some(found);
            }
            let cannot_be_literal = self.literal == Literal::Adjacent && !only_adjacent;
            if (complete && cannot_be_literal) || self.bytes > READ_CLOSELY {
                break;
            }
        }
        Ok(best.map(|found| (false, found)))
    }
}

impl Ranked {
    fn hit(self, connection: &Connection, searched: Option<&SessionId>) -> Result<Hit, StoreError> {
        let session = match searched {
            Some(session) => session.clone(),
            None => {
                let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE key = ?1")?;
                SessionId(statement.query_row([self.session], |row| row.get(0))?)
            }
        };
        let Found { line, before, number: line_number, .. } = self.found;
        Ok(Hit { session, seq: self.seq, at: self.at, turn: self.turn, kind: self.kind, line, before, line_number })
    }
}
