//! Beginning sessions. A long first batch is written in many short transactions, so that others can write meanwhile, and
//! is seen by nobody before the last one.

use std::sync::Arc;

use lookback_engine::trace::{Event, EventNo, Output, SessionId, Timestamp};
use rusqlite::Connection;

use crate::{
    SessionWriter, StoreError, erase, events, identity,
    lock::SessionLock,
    stage,
    stage::Stage,
    store::{Shared, continue_from},
};

/// One transaction's share: some 300 ms of compressing and indexing. A 64 MB import in one held the write lock for 20 s.
/// Few events, because the texts within them are not measured.
const EVENTS: usize = 250;
const BYTES: u64 = 1 << 20;

/// Writes a session with its first events and returns its key; the caller holds its lock.
pub(crate) fn create(
    shared: &Shared,
    _lock: &SessionLock,
    session: &SessionId,
    at: Timestamp,
    first: &[Event],
) -> Result<i64, StoreError> {
    let shares = shares(first);
    let stage = if shares.len() > 1 { Stage::Coming } else { Stage::Whole };
    let mut shares = shares.into_iter();
    let key = shared.database.writing().write(|transaction| {
        let key = insert(transaction, stage, session, at)?;
        events::write(transaction, key, shares.next().unwrap_or_default())?;
        Ok(key)
    })?;
    if stage == Stage::Whole {
        return Ok(key);
    }
    let bring_the_rest = || {
        for share in shares {
            shared.database.writing().write(|transaction| events::write(transaction, key, share))?;
        }
        shared.database.writing().write(|transaction| stage::set_whole(transaction, key))
    };
    bring_the_rest().inspect_err(|_| give_up(shared, key))?;
    Ok(key)
}

/// Where this fails, too, the next writer does it.
fn give_up(shared: &Shared, key: i64) {
    let _ = shared.database.writing().write(|transaction| stage::set_going(transaction, key));
    let _ = erase::erase(&shared.database, erase::Patience::Short);
}

/// A session whose events are still being brought: nobody sees it before [`ComingSession::finish`]. Dropped before that,
/// or left by a process that died, it is taken away.
#[derive(Debug)]
pub struct ComingSession {
    shared: Arc<Shared>,
    session: SessionId,
    key: i64,
    next: EventNo,
    /// None when it has been finished.
    lock: Option<SessionLock>,
}

impl ComingSession {
    /// The caller has checked that `start` is one.
    pub(crate) fn begin(
        shared: Arc<Shared>,
        lock: SessionLock,
        session: SessionId,
        start: &Event,
    ) -> Result<Self, StoreError> {
        let key = shared.database.writing().write(|transaction| {
            let key = insert(transaction, Stage::Coming, &session, start.at)?;
            events::write(transaction, key, std::slice::from_ref(start))?;
            Ok(key)
        })?;
        Ok(Self { shared, session, key, next: EventNo(1), lock: Some(lock) })
    }

    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Writes events that continue it. Large outputs are on the disk when this returns, and can be forgotten.
    pub fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        let next = continue_from(self.next, events)?;
        for share in shares(events).into_iter().filter(|share| !share.is_empty()) {
            self.shared.database.writing().write(|transaction| events::write(transaction, self.key, share))?;
        }
        self.next = next;
        Ok(())
    }

    /// From now on everybody sees it.
    pub fn finish(mut self) -> Result<SessionWriter, StoreError> {
        self.shared.database.writing().write(|transaction| stage::set_whole(transaction, self.key))?;
        // A session that still has its lock is not finished; nothing else takes it.
        let lock = self.lock.take().ok_or_else(|| StoreError::NotFound(self.session.0.clone()))?;
        Ok(SessionWriter::new(self.shared.clone(), lock, self.session.clone(), self.key, self.next))
    }
}

impl Drop for ComingSession {
    fn drop(&mut self) {
        if self.lock.is_some() {
            give_up(&self.shared, self.key);
        }
    }
}

fn insert(transaction: &Connection, stage: Stage, session: &SessionId, at: Timestamp) -> Result<i64, StoreError> {
    if identity::find_key(transaction, session)?.is_some() {
        return Err(StoreError::Exists(session.clone()));
    }
    if let Some(left) = stage::find_left_behind(transaction, session)? {
        stage::set_going(transaction, left)?;
    }
    events::insert_session(transaction, stage, session, None, at)
}

/// Begins a session that shares the parent's events up to and with `upto`, and returns its key.
pub(crate) fn create_fork(
    shared: &Shared,
    _lock: &SessionLock,
    child: &SessionId,
    parent: &SessionId,
    upto: EventNo,
) -> Result<i64, StoreError> {
    shared.database.writing().write(|transaction| {
        let parent_key = identity::key_of(transaction, parent)?;
        if identity::find_key(transaction, child)?.is_some() {
            return Err(StoreError::Exists(child.clone()));
        }
        if let Some(left) = stage::find_left_behind(transaction, child)? {
            stage::set_going(transaction, left)?;
        }
        let mut shared = events::read_all(transaction, parent_key)?;
        shared.retain(|event| event.seq <= upto);
        let Some(last) = shared.last().filter(|last| last.seq == upto) else {
            return Err(StoreError::NoSuchEvent { session: parent.clone(), seq: upto });
        };
        let parent = Some((parent_key, upto));
        let key = events::insert_session(transaction, Stage::Whole, child, parent, last.at)?;
        crate::summary::Changes::of_shared(&shared).write(transaction, key)?;
        Ok(key)
    })
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
    shares.push(&events[begin..]);
    shares
}
