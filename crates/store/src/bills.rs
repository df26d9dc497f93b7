//! What each call of a session was billed, kept beside its events so that lists can say what it cost: each call at its own
//! model's prices, whatever those are on the day. It knows no prices.

use std::collections::BTreeMap;

use lookback_engine::trace::{
    Event, EventBody, SessionId,
    event::{CallKind, Usage},
};
use lookback_wire::TokenUsage;
use rusqlite::{Connection, params};

use crate::StoreError;

/// Tokens of a call, or of many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "as in a call's usage")]
pub struct Billed {
    pub uncached: u64,
    pub cached: u64,
    /// For whatever time.
    pub written: u64,
    pub written_1h: u64,
    pub output: u64,
}

/// A call's model, and its bill.
pub type CallBill = (String, Billed);

/// What some events say about bills.
#[derive(Debug, Default)]
pub(crate) struct Bills {
    /// By the call's number; what has none, by its event's, below zero.
    calls: BTreeMap<i64, Noted>,
    /// None: the one that the session had before.
    model: Option<String>,
}

#[derive(Debug, Default)]
struct Noted {
    /// None where the call began before: then it is known, or the session's.
    model: Option<String>,
    billed: Billed,
}

impl Bills {
    pub(crate) fn note(&mut self, Event { seq, event, .. }: &Event) {
        match event {
            EventBody::SessionStarted(started) => self.model = Some(started.model.clone()),
            EventBody::ModelChanged { model, .. } => self.model = Some(model.to_string()),
            EventBody::CallStarted { call, .. } => {
                let model = match event.call_kind() {
                    Some(CallKind::Compactor(asked)) => Some(asked.model.clone()),
                    _ => self.model.clone(),
                };
                let noted = self.calls.entry(call.0.into()).or_default();
                noted.model = model;
                noted.billed.add(&billed_in(event));
            }
            EventBody::Usage(Usage { call, .. }) => {
                self.calls.entry(call.0.into()).or_default().billed.add(&billed_in(event));
            }
            EventBody::ClientCompacted(_) => {
                let noted = Noted { model: self.model.clone(), billed: billed_in(event) };
                self.calls.insert(-1 - seq.0 as i64, noted);
            }
            _ => {}
        }
    }

    /// Before the session has the model that these events leave it with.
    pub(crate) fn write(&self, connection: &Connection, key: i64) -> Result<(), StoreError> {
        let sql = "INSERT INTO bills (session, call, model, uncached, cached, written, written_1h, output)
            VALUES (?1, ?2, ifnull(?3, (SELECT model FROM sessions WHERE key = ?1)), ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (session, call) DO UPDATE SET uncached = uncached + excluded.uncached,
                cached = cached + excluded.cached, written = written + excluded.written,
                written_1h = written_1h + excluded.written_1h, output = output + excluded.output";
        for (call, Noted { model, billed }) in &self.calls {
            let Billed { uncached, cached, written, written_1h, output } = billed;
            let row = params![key, call, model, uncached, cached, written, written_1h, output];
            connection.prepare_cached(sql)?.execute(row)?;
        }
        Ok(())
    }
}

/// What an event says was billed for the conversation, its client's own compactions included.
pub(crate) fn billed_in(event: &EventBody) -> Billed {
    let billed = match event {
        EventBody::Usage(usage) => Some(usage.billed),
        EventBody::ClientCompacted(compacted) => compacted.billed,
        EventBody::CallStarted { details: Some(details), .. } if details.kind == CallKind::ClientCompaction => {
            details.over.as_ref().and_then(|over| over.usage)
        }
        _ => None,
    };
    billed.map(Billed::from).unwrap_or_default()
}

impl From<TokenUsage> for Billed {
    fn from(usage: TokenUsage) -> Self {
        let TokenUsage { uncached, cached, written, output, written_1h, .. } = usage;
        let [uncached, cached, written, written_1h, output] =
            [uncached, cached, written, written_1h, output].map(u64::from);
        Self { uncached, cached, written, written_1h, output }
    }
}

impl Billed {
    pub(crate) fn add(&mut self, other: &Self) {
        self.uncached += other.uncached;
        self.cached += other.cached;
        self.written += other.written;
        self.written_1h += other.written_1h;
        self.output += other.output;
    }
}

/// Of all sessions; a fork's shared calls are its parent's.
pub(crate) fn list(connection: &Connection) -> Result<BTreeMap<SessionId, Vec<CallBill>>, StoreError> {
    let sql = "SELECT s.id, b.model, b.uncached, b.cached, b.written, b.written_1h, b.output
               FROM bills b JOIN sessions s ON s.key = b.session WHERE s.stage = 0 ORDER BY b.session, b.call";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut bills: BTreeMap<SessionId, Vec<CallBill>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let billed = Billed {
            uncached: row.get(2)?,
            cached: row.get(3)?,
            written: row.get(4)?,
            written_1h: row.get(5)?,
            output: row.get(6)?,
        };
        bills.entry(SessionId(row.get(0)?)).or_default().push((row.get(1)?, billed));
    }
    Ok(bills)
}
