//! The one writer of a session: appends events in order, at once or grouped.

mod group;
mod lane;

use std::sync::Arc;

use lookback_engine::{
    Session,
    trace::{Event, EventNo, SessionId},
};
use lookback_wire::body::Link;
use rusqlite::Transaction;

use crate::{GuestFold, StoreError, blobs::INLINE_LIMIT, events, guests, lock::SessionLock};

pub(crate) use group::Group;
use lane::Lane;

/// When an append is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Before the call returns: it survives a power cut.
    Durable,
    /// Some 10 ms after the call, together with what else came in that time. Where that fails (a full disk, a database
    /// that stays busy), the events are kept in memory, the next call of the writer returns the failure once, and calls
    /// after that try to write them before anything else.
    Grouped,
}

/// Holds the session's lock until it is dropped. Dropping it writes what is still grouped; [`SessionWriter::flush`]
/// does so, too, and can say that it failed: what cannot be written when the writer is dropped is lost.
#[derive(Debug)]
pub struct SessionWriter {
    group: Arc<Group>,
    session: SessionId,
    next: EventNo,
    lane: Arc<Lane>,
    _lock: SessionLock,
}

impl SessionWriter {
    pub(crate) fn new(group: Arc<Group>, lock: SessionLock, session: SessionId, key: i64, next: EventNo) -> Self {
        Self { group, session, next, lane: Arc::new(Lane::new(key, next)), _lock: lock }
    }

    /// Whose events it writes.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// The number that the next event must have.
    pub fn next(&self) -> EventNo {
        self.next
    }

    /// Lets the session's large outputs leave memory where they are on the disk: afterwards its events name them, as
    /// [`crate::Store::event`] gives them, and whoever needs one gets it from the store.
    pub fn release(&self, session: &mut Session) {
        session.release_outputs(self.lane.durable(), INLINE_LIMIT);
    }

    /// Appends all of `events` or, with an error, none of them. Events that were grouped before come first in any
    /// case; where writing those failed in the background, the error is returned here, once, and they are kept: the next
    /// call writes them together with its own events, at once and whatever its durability, or fails and keeps them still.
    pub fn append(&mut self, events: &[Event], durability: Durability) -> Result<(), StoreError> {
        let next = events::continue_from(self.next, events)?;
        self.lane.take_failure()?;
        if durability == Durability::Grouped {
            self.group.start()?;
        }
        if durability == Durability::Grouped && self.lane.accept(events) {
            self.group.schedule(&self.lane);
        } else {
            self.lane.commit(&mut self.group.database().writing(), events)?;
        }
        self.next = next;
        Ok(())
    }

    /// Appends events with what they put in the place of a conversation's messages, whose chain that is: both are on the disk
    /// when it returns, or neither. Gives all that stands in the conversation now; where another process was first, its.
    pub fn append_with_folds(
        &mut self,
        events: &[Event],
        folds: &[GuestFold],
        chain: &[Link],
    ) -> Result<Vec<GuestFold>, StoreError> {
        let next = events::continue_from(self.next, events)?;
        self.lane.take_failure()?;
        let also = |connection: &Transaction<'_>, key| guests::write_folds(connection, key, folds, chain);
        let standing = self.lane.commit_with(&mut self.group.database().writing(), events, also)?;
        self.next = next;
        Ok(standing)
    }

    /// Returns when everything appended is on the disk.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        self.lane.take_failure()?;
        self.lane.commit(&mut self.group.database().writing(), &[])
    }
}

impl Drop for SessionWriter {
    fn drop(&mut self) {
        let mut writing = self.group.database().writing();
        // Nobody is left to hear of a failure, and the next writer must not find events appearing behind its back.
        if self.lane.commit(&mut writing, &[]).is_err() {
            self.lane.take_waiting();
        }
    }
}
