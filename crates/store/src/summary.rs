//! What a list of sessions shows, kept up to date with every append so that listing reads no events.

use std::str::FromStr;

use lookback_engine::{
    asking_sentence, asks_nothing,
    text::{beginning, one_line},
    trace::{
        Event, EventBody, EventNo, Origin, Output, SessionId, Timestamp,
        start::{Decisions, RecordedBy},
    },
};
use lookback_wire::Provider;
use rusqlite::{Connection, Transaction, params};

use crate::{
    StoreError,
    bills::{Billed, Bills, billed_in},
    events, identity,
};

const TITLE_CHARACTERS: usize = 80;

/// What a list shows of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its own.
    pub id: SessionId,
    /// The beginning of the id that is enough to name it, at least 8 characters.
    pub short: String,
    /// The times of its own first event and its last.
    pub created: Timestamp,
    /// When its last event was recorded.
    pub updated: Timestamp,
    /// When it came into this store; 0 where that was before stores wrote it down.
    pub stored: Timestamp,
    /// What was asked first, at most 80 characters; empty before it. A greeting gives way to what follows it.
    pub title: String,
    /// Which agent recorded it: a format's name, a gateway's client, or `lookback`.
    pub agent: String,
    /// Calls of a model, a fork's shared ones not counted; the same holds for the bills.
    pub calls: u32,
    /// What they were billed.
    pub billed: Billed,
    /// The folder that it works in.
    pub root: String,
    /// The model in use.
    pub model: String,
    /// None in a fork of nothing but a parent that never started.
    pub provider: Option<Provider>,
    /// How many were ever appended.
    pub turns: u32,
    /// All events, a fork's shared ones included.
    pub events: u64,
    /// Where it was forked from.
    pub parent: Option<ForkPoint>,
    /// What its own events and outputs measure before compression and sharing.
    pub bytes: u64,
    /// It can be looked at and not continued.
    pub recording: bool,
}

impl SessionSummary {
    /// When something was last done with it: an import of old events is no less a use than a new event.
    pub fn last_use(&self) -> Timestamp {
        self.updated.max(self.stored)
    }
}

/// Where a fork leaves its parent: `upto` is the last event they share.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct ForkPoint {
    pub session: SessionId,
    pub upto: EventNo,
}

/// What some events change in their session's row.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    first: Option<Timestamp>,
    last: Option<(EventNo, Timestamp)>,
    title: Option<String>,
    root: Option<String>,
    model: Option<String>,
    provider: Option<Provider>,
    turns: u32,
    bytes: u64,
    recording: Option<bool>,
    agent: Option<String>,
    calls: u32,
    billed: Billed,
    bills: Bills,
}

impl Changes {
    /// `size` is that of the event without the outputs that were taken out of it.
    pub(crate) fn note(&mut self, event: &Event, size: u64) {
        self.first.get_or_insert(event.at);
        self.last = Some((event.seq, event.at));
        self.bytes += size + event.event.outputs().into_iter().map(Output::len).sum::<u64>();
        if let Some(turn) = events::turn_of(&event.event) {
            self.turns = self.turns.max(turn.0.saturating_add(1));
        }
        self.bills.note(event);
        self.billed.add(&billed_in(&event.event));
        match &event.event {
            EventBody::SessionStarted(started) => {
                self.root = Some(started.root.clone());
                self.model = Some(started.model.clone());
                self.provider = Some(started.provider);
                self.recording = Some(started.decisions == Decisions::Unchecked);
                self.agent = Some(match &started.recorded_by {
                    RecordedBy::Importer { format } => format.to_string(),
                    RecordedBy::Gateway { client, .. } => client.to_string(),
                    RecordedBy::Unsaid | RecordedBy::Agent => "lookback".to_owned(),
                });
            }
            EventBody::CallStarted { .. } => self.calls += 1,
            EventBody::ModelChanged { model, provider, .. } => {
                self.model = Some(model.to_string());
                self.provider = Some(*provider);
            }
            EventBody::UserTurn(turn)
                if turn.origin == Origin::Person && self.title.as_deref().is_none_or(asks_nothing) =>
            {
                let title = title(&turn.text).filter(|title| self.title.is_none() || !asks_nothing(title));
                self.title = title.or(self.title.take());
            }
            _ => {}
        }
    }

    pub(crate) fn write(&self, connection: &Connection, key: i64) -> Result<(), StoreError> {
        let (Some(first), Some((last, updated))) = (self.first, self.last) else { return Ok(()) };
        self.bills.write(connection, key)?;
        let mut title = self.title.as_ref();
        if title.is_some() {
            let mut known = connection.prepare_cached("SELECT title, parent IS NULL FROM sessions WHERE key = ?1")?;
            let (known, is_root): (String, bool) = known.query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
            // A fork keeps its parent's.
            let gives_way = |title: &str| is_root && asks_nothing(&known) && !asks_nothing(title);
            title = title.filter(|title| known.is_empty() || gives_way(title));
        }
        let sql = "UPDATE sessions SET
                created = CASE WHEN next_seq = ifnull(parent_upto + 1, 0) THEN ?2 ELSE created END,
                next_seq = ?3, updated = ?4,
                title = ifnull(?5, title),
                root = ifnull(?6, root), model = ifnull(?7, model), provider = ifnull(?8, provider),
                turns = max(turns, ?9), bytes = bytes + ?10,
                recording = ifnull(?11, recording), agent = ifnull(?12, agent), calls = calls + ?13,
                uncached = uncached + ?14, cached = cached + ?15, written = written + ?16,
                written_1h = written_1h + ?17, output = output + ?18
            WHERE key = ?1";
        connection.prepare_cached(sql)?.execute(params![
            key,
            first.0,
            last.0 + 1,
            updated.0,
            title,
            self.root,
            self.model,
            self.provider.map(Provider::name),
            self.turns,
            self.bytes,
            self.recording,
            self.agent,
            self.calls,
            self.billed.uncached,
            self.billed.cached,
            self.billed.written,
            self.billed.written_1h,
            self.billed.output
        ])?;
        Ok(())
    }

    fn write_listed(&self, connection: &Connection, key: i64) -> Result<(), StoreError> {
        let Billed { uncached, cached, written, written_1h, output } = self.billed;
        let sql = "UPDATE sessions SET agent = ifnull(?2, agent), calls = ?3, uncached = ?4, cached = ?5, written = ?6,
            written_1h = ?7, output = ?8, title = ifnull(?9, title) WHERE key = ?1";
        let row = params![key, self.agent, self.calls, uncached, cached, written, written_1h, output, self.title];
        connection.prepare_cached(sql)?.execute(row)?;
        Ok(())
    }

    /// For a fork: it begins with what the shared events say, and nothing of its own.
    pub(crate) fn of_shared(events: &[Event]) -> Self {
        let mut changes = Self::default();
        for event in events {
            changes.note(event, 0);
        }
        let first = changes.last.map(|(_, at)| at);
        Self { first, bytes: 0, calls: 0, billed: Billed::default(), bills: Bills::default(), ..changes }
    }
}

pub(crate) fn list(connection: &Connection) -> Result<Vec<SessionSummary>, StoreError> {
    let sql = "SELECT s.id, s.created, s.updated, s.title, s.root, s.model, s.provider, s.turns, s.next_seq, p.id,
                      s.parent_upto, s.bytes, s.recording, s.stored, s.agent, s.calls, s.uncached, s.cached, s.written,
                      s.written_1h, s.output
               FROM sessions s LEFT JOIN sessions p ON p.key = s.parent
               WHERE s.stage = 0 ORDER BY s.updated DESC, s.key DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let summaries = statement.query_map([], |row| {
        let provider: String = row.get(6)?;
        let (parent, upto): (Option<String>, Option<u64>) = (row.get(9)?, row.get(10)?);
        Ok(SessionSummary {
            id: SessionId(row.get(0)?),
            short: String::new(),
            created: Timestamp(row.get(1)?),
            updated: Timestamp(row.get(2)?),
            title: row.get(3)?,
            root: row.get(4)?,
            model: row.get(5)?,
            provider: Provider::from_str(&provider).ok(),
            turns: row.get(7)?,
            events: row.get(8)?,
            parent: parent.zip(upto).map(|(id, upto)| ForkPoint { session: SessionId(id), upto: EventNo(upto) }),
            bytes: row.get(11)?,
            recording: row.get(12)?,
            stored: Timestamp(row.get(13)?),
            agent: row.get(14)?,
            calls: row.get(15)?,
            billed: Billed {
                uncached: row.get(16)?,
                cached: row.get(17)?,
                written: row.get(18)?,
                written_1h: row.get(19)?,
                output: row.get(20)?,
            },
        })
    })?;
    let mut summaries = summaries.collect::<Result<Vec<_>, _>>()?;
    shorten(&mut summaries);
    Ok(summaries)
}

/// For sessions from before lists showed so much of them.
pub(crate) fn list_again(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    note_again(transaction, Changes::write_listed)
}

/// For sessions from before bills were kept call by call.
pub(crate) fn bill_again(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    note_again(transaction, |changes, connection, key| changes.bills.write(connection, key))
}

fn note_again(
    transaction: &Transaction<'_>,
    write: fn(&Changes, &Connection, i64) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut statement = transaction.prepare(
        "SELECT session, seq FROM events WHERE kind IN
        ('session_started', 'call_started', 'usage', 'user_turn', 'model_changed') ORDER BY session, seq",
    )?;
    let mut rows = statement.query([])?;
    let mut current: Option<(i64, Changes)> = None;
    while let Some(row) = rows.next()? {
        let (key, seq) = (row.get(0)?, EventNo(row.get(1)?));
        if current.as_ref().is_some_and(|(session, _)| *session != key) {
            current.take().map_or(Ok(()), |(session, changes)| write(&changes, transaction, session))?;
        }
        match events::read_one(transaction, key, seq) {
            Ok(Some(event)) => current.get_or_insert_with(|| (key, Changes::default())).1.note(&event, 0),
            // What is damaged stays so, and whoever reads it is told.
            Ok(None) | Err(StoreError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    current.map_or(Ok(()), |(session, changes)| write(&changes, transaction, session))
}

/// All at once from the sorted ids: asking for each would be two searches more for each session.
fn shorten(summaries: &mut [SessionSummary]) {
    let mut sorted: Vec<usize> = (0..summaries.len()).collect();
    sorted.sort_by(|one, other| summaries[*one].id.cmp(&summaries[*other].id));
    for (place, index) in sorted.iter().enumerate() {
        let neighbour = |place: Option<usize>| Some(summaries[*sorted.get(place?)?].id.0.as_str());
        let neighbours = [neighbour(place.checked_sub(1)), neighbour(place.checked_add(1))];
        summaries[*index].short = identity::shortest(&summaries[*index].id.0, neighbours).to_owned();
    }
}

/// The sentence that asks, else the first line.
fn title(text: &str) -> Option<String> {
    let first = || text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    let asked = asking_sentence(text).map(|asked| one_line(&asked)).filter(|asked| !asked.is_empty()).or_else(first)?;
    Some(beginning(&asked, TITLE_CHARACTERS).to_owned())
}
