//! Sessions that go: first, in one short transaction, nobody sees them any more; then they are erased from the file. What
//! processes that died have left half-done goes the same way, by whoever comes next.

use lookback_engine::trace::SessionId;
use rusqlite::Connection;

use crate::{
    StoreError,
    database::Database,
    erase::{self, Erased, Patience},
    home::Home,
    identity,
    lock::SessionLock,
    sessions,
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

pub(crate) fn remove(home: &Home, database: &Database, sessions: &[SessionId]) -> Result<Removal, StoreError> {
    let mut sessions = sessions.to_vec();
    sessions.sort();
    sessions.dedup();
    let locks = sessions.iter().map(|session| SessionLock::take(home, session)).collect::<Result<Vec<_>, _>>()?;
    match hide(database, &sessions) {
        // The first attempt has emptied the log.
        Err(StoreError::Full { .. }) => hide(database, &sessions).map_err(|error| match error {
            StoreError::Full { path } => StoreError::NoRoomToRemove { path, kilobytes: ROOM_IN_KILOBYTES },
            other => other,
        })?,
        outcome => outcome?,
    }
    // Their ids are free: a new session of that name must not wait for the erasing.
    drop(locks);
    Ok(match take_away(home, database, Patience::Long) {
        Ok(Erased::All) => Removal::Erased,
        Ok(Erased::Some) => Removal::ErasedLater(StoreError::StillRead),
        Err(error) => Removal::ErasedLater(error),
    })
}

fn hide(database: &Database, sessions: &[SessionId]) -> Result<(), StoreError> {
    database.writing().write(|transaction| {
        let keys =
            sessions.iter().map(|session| identity::key_of(transaction, session)).collect::<Result<Vec<_>, _>>()?;
        for (session, key) in sessions.iter().zip(&keys) {
            let forks = forks(transaction, *key)?;
            if !forks.iter().all(|fork| sessions.contains(fork)) {
                return Err(StoreError::HasForks { session: session.clone(), forks });
            }
        }
        keys.iter().try_for_each(|key| sessions::set_going(transaction, *key))
    })
}

fn forks(connection: &Connection, key: i64) -> Result<Vec<SessionId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE parent = ?1 ORDER BY id")?;
    Ok(statement.query_map([key], |row| row.get(0).map(SessionId))?.collect::<Result<_, _>>()?)
}

/// Takes away what is half-done, for a moment. Where it fails, whoever comes next tries again: nobody who came to write
/// has to care.
pub(crate) fn tidy_up(home: &Home, database: &Database) {
    let _ = take_away(home, database, Patience::Short);
}

/// A session that will not come to its end. Where this fails, the next writer does it.
pub(crate) fn give_up(database: &Database, key: i64) {
    let _ = database.writing().write(|transaction| sessions::set_going(transaction, key));
    let _ = erase::erase(database, Patience::Short);
}

fn take_away(home: &Home, database: &Database, patience: Patience) -> Result<Erased, StoreError> {
    for session in database.read(sessions::all_coming)? {
        let _lock = match SessionLock::take(home, &session) {
            Ok(lock) => lock,
            // Whoever brings it lives.
            Err(StoreError::Locked { .. }) => continue,
            Err(error) => return Err(error),
        };
        database.writing().write(|transaction| match sessions::find_coming(transaction, &session)? {
            Some(key) => sessions::set_going(transaction, key),
            None => Ok(()),
        })?;
    }
    erase::erase(database, patience)
}
