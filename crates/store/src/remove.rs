//! Removing sessions: first, in one short transaction, nobody sees them any more; then they are erased from the file.

use lookback_engine::trace::SessionId;
use rusqlite::Connection;

use crate::{
    StoreError, erase,
    erase::{Erased, Patience},
    identity,
    lock::SessionLock,
    stage,
    store::Shared,
};

/// What hiding a session and its first step of erasing may add to the log: a few dozen pages.
const ROOM_IN_KILOBYTES: u64 = 256;

/// What became of sessions that are removed in any case: nobody sees them any more.
#[derive(Debug)]
pub enum Removal {
    /// Gone from the file itself.
    Erased,
    /// Still in the file, for this reason; the next writer or removal erases them.
    ErasedLater(StoreError),
}

pub(crate) fn remove(shared: &Shared, sessions: &[SessionId]) -> Result<Removal, StoreError> {
    let mut sessions = sessions.to_vec();
    sessions.sort();
    sessions.dedup();
    let locks =
        sessions.iter().map(|session| SessionLock::take(&shared.home, session)).collect::<Result<Vec<_>, _>>()?;
    let hide = || {
        shared.database.writing().write(|transaction| {
            let keys =
                sessions.iter().map(|session| identity::key_of(transaction, session)).collect::<Result<Vec<_>, _>>()?;
            for (session, key) in sessions.iter().zip(&keys) {
                let forks = forks(transaction, *key)?;
                if !forks.iter().all(|fork| sessions.contains(fork)) {
                    return Err(StoreError::HasForks { session: session.clone(), forks });
                }
            }
            keys.iter().try_for_each(|key| stage::set_going(transaction, *key))
        })
    };
    match hide() {
        // The first attempt has emptied the log.
        Err(StoreError::Full { .. }) => hide().map_err(|error| match error {
            StoreError::Full { path } => StoreError::NoRoomToRemove { path, kilobytes: ROOM_IN_KILOBYTES },
            other => other,
        })?,
        outcome => outcome?,
    }
    // Their ids are free: a new session of that name must not wait for the erasing.
    drop(locks);
    let left = stage::give_up_left_behind(&shared.home, &shared.database);
    Ok(match left.and_then(|()| erase::erase(&shared.database, Patience::Long)) {
        Ok(Erased::All) => Removal::Erased,
        Ok(Erased::Some) => Removal::ErasedLater(StoreError::StillRead),
        Err(error) => Removal::ErasedLater(error),
    })
}

fn forks(connection: &Connection, key: i64) -> Result<Vec<SessionId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE parent = ?1 ORDER BY id")?;
    Ok(statement.query_map([key], |row| row.get(0).map(SessionId))?.collect::<Result<_, _>>()?)
}
