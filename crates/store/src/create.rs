//! Beginning sessions. A long first batch is written in many short transactions, so that others can write meanwhile, and
//! is seen by nobody before the last one.

use std::{collections::BTreeSet, sync::Arc};

use lookback_engine::trace::{Event, EventBody, EventNo, Output, SessionId};
use rusqlite::Connection;

use crate::{
    StoreError,
    append::append,
    database::Database,
    events,
    home::Home,
    identity,
    lock::SessionLock,
    remove,
    sessions::{self, Stage},
    summary::Changes,
    writer::{Group, SessionWriter},
};

/// One transaction's share: some 300 ms of compressing and indexing. A 64 MB import in one held the write lock for 20 s.
/// Few events, because the texts within them are not measured.
const EVENTS: usize = 250;
const BYTES: u64 = 1 << 20;

/// The session that a trace from its first event is of: a trace that holds a fork's beginning is the fork's.
pub(crate) fn session_of(first: &[Event]) -> Result<&SessionId, StoreError> {
    let Some(Event { seq: EventNo(0), event: EventBody::SessionStarted(started), .. }) = first.first() else {
        return Err(StoreError::NotAStart);
    };
    let forked = first.iter().rev().find_map(|event| match &event.event {
        EventBody::Forked { session, .. } => Some(&**session),
        _ => None,
    });
    Ok(forked.unwrap_or(&started.session))
}

/// Begins a session with its first events, the first one a start.
pub(crate) fn create(
    group: Arc<Group>,
    lock: SessionLock,
    session: &SessionId,
    first: &[Event],
) -> Result<SessionWriter, StoreError> {
    events::continue_from(EventNo(0), first)?;
    let shares = shares(first);
    let [whole] = shares[..] else {
        let mut coming = ComingSession::begin(group, lock, session, shares[0], Stage::Coming)?;
        coming.append(&first[shares[0].len()..])?;
        return coming.finish();
    };
    // One transaction, and nothing to finish.
    ComingSession::begin(group, lock, session, whole, Stage::Whole)?.into_writer()
}

/// Begins short sessions in one transaction. No lock is held meanwhile: whoever wants to write one of them has to wait for
/// its end.
pub(crate) fn create_all(
    home: &Home,
    database: &Database,
    sessions: &[&[Event]],
) -> Result<Vec<Result<(), StoreError>>, StoreError> {
    database.writing().write(|transaction| {
        let create = |events: &&[Event]| match begin_one(home, transaction, events) {
            Ok(key) => append(transaction, key, events).map(Ok),
            Err(error @ (StoreError::Sqlite(_) | StoreError::Busy)) => Err(error),
            Err(refused) => Ok(Err(refused)),
        };
        sessions.iter().map(create).collect()
    })
}

fn begin_one(home: &Home, connection: &Connection, events: &[Event]) -> Result<i64, StoreError> {
    let session = session_of(events)?;
    events::continue_from(EventNo(0), events)?;
    SessionLock::expect_free(home, session)?;
    sessions::insert(connection, Stage::Whole, session, None, events[0].at)
}

/// Puts a whole session in the place of the one that has its id: one transaction, so that one of the two is always there.
pub(crate) fn replace(home: &Home, database: &Database, events: &[Event]) -> Result<(), StoreError> {
    let session = session_of(events)?;
    events::continue_from(EventNo(0), events)?;
    database.writing().write(|transaction| {
        let old = remove::going(home, transaction, session, &BTreeSet::new())?;
        sessions::set_going(transaction, old)?;
        let key = sessions::insert(transaction, Stage::Whole, session, None, events[0].at)?;
        append(transaction, key, events)
    })
}

/// Begins a session that shares the parent's events up to and with `upto`.
pub(crate) fn create_fork(
    group: Arc<Group>,
    lock: SessionLock,
    child: &SessionId,
    parent: &SessionId,
    upto: EventNo,
) -> Result<SessionWriter, StoreError> {
    let key = group.database().writing().write(|transaction| {
        let parent_key = identity::key_of(transaction, parent)?;
        let mut shared = events::read_all(transaction, parent_key)?;
        shared.retain(|event| event.seq <= upto);
        let Some(last) = shared.last().filter(|last| last.seq == upto) else {
            return Err(StoreError::NoSuchEvent { session: parent.clone(), seq: upto });
        };
        let key = sessions::insert(transaction, Stage::Whole, child, Some((parent_key, upto)), last.at)?;
        Changes::of_shared(&shared).write(transaction, key)?;
        Ok(key)
    })?;
    Ok(SessionWriter::new(group, lock, child.clone(), key, EventNo(upto.0 + 1)))
}

/// A session whose events are still being brought: nobody sees it before [`ComingSession::finish`]. Dropped before that,
/// or left by a process that died, it is taken away.
#[derive(Debug)]
pub struct ComingSession {
    group: Arc<Group>,
    session: SessionId,
    key: i64,
    next: EventNo,
    /// None when it has been finished.
    lock: Option<SessionLock>,
}

impl ComingSession {
    /// `first` is one transaction's share of events from a start on.
    pub(crate) fn begin(
        group: Arc<Group>,
        lock: SessionLock,
        session: &SessionId,
        first: &[Event],
        stage: Stage,
    ) -> Result<Self, StoreError> {
        let start = first.first().ok_or(StoreError::NotAStart)?;
        let key = group.database().writing().write(|transaction| {
            let key = sessions::insert(transaction, stage, session, None, start.at)?;
            append(transaction, key, first)?;
            Ok(key)
        })?;
        Ok(Self { group, session: session.clone(), key, next: EventNo(first.len() as u64), lock: Some(lock) })
    }

    /// Its id.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Writes events that continue it. Large outputs are on the disk when this returns, and can be forgotten.
    pub fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        let next = events::continue_from(self.next, events)?;
        for share in shares(events) {
            self.group.database().writing().write(|transaction| append(transaction, self.key, share))?;
        }
        self.next = next;
        Ok(())
    }

    /// From now on everybody sees it.
    pub fn finish(self) -> Result<SessionWriter, StoreError> {
        self.group.database().writing().write(|transaction| sessions::set_whole(transaction, self.key))?;
        self.into_writer()
    }

    fn into_writer(mut self) -> Result<SessionWriter, StoreError> {
        // A session that still has its lock is not finished; nothing else takes it.
        let lock = self.lock.take().ok_or_else(|| StoreError::NotFound(self.session.0.clone()))?;
        Ok(SessionWriter::new(self.group.clone(), lock, self.session.clone(), self.key, self.next))
    }
}

impl Drop for ComingSession {
    fn drop(&mut self) {
        if self.lock.is_some() {
            remove::give_up(self.group.database(), self.key);
        }
    }
}

/// Cuts events into what one transaction takes. Outputs are measured; other texts are short enough to be counted.
fn shares(events: &[Event]) -> Vec<&[Event]> {
    let mut shares = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for (index, event) in events.iter().enumerate() {
        let size = event.event.outputs().into_iter().map(Output::len).sum::<u64>();
        if index > begin && (index - begin >= EVENTS || bytes + size > BYTES) {
            shares.push(&events[begin..index]);
            (begin, bytes) = (index, 0);
        }
        bytes += size;
    }
    if begin < events.len() {
        shares.push(&events[begin..]);
    }
    shares
}
