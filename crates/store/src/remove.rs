//! Sessions that go: first, in one short transaction, nobody sees them any more; then they are erased from the file. What
//! processes that died have left half-done goes the same way, by whoever comes next.

use std::collections::BTreeSet;

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

/// So many sessions are hidden in one transaction: some 20 ms.
const TOGETHER: usize = 500;

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

/// A session that stays, and why.
#[derive(Debug)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Kept {
    pub session: SessionId,
    pub reason: StoreError,
}

/// All of them or none.
pub(crate) fn remove(home: &Home, database: &Database, sessions: &[SessionId]) -> Result<Removal, StoreError> {
    let together = BTreeSet::from_iter(sessions);
    hide(database, |transaction| {
        let check = |session| going(home, transaction, session, &together);
        let keys = together.iter().copied().map(check).collect::<Result<Vec<_>, _>>()?;
        keys.into_iter().try_for_each(|key| sessions::set_going(transaction, key))
    })?;
    Ok(erase(home, database, &mut |_| {}))
}

/// As many as can go, many in one transaction. `told` hears how many are gone from the file.
pub(crate) fn remove_each(
    home: &Home,
    database: &Database,
    sessions: &[SessionId],
    told: &mut dyn FnMut(u64),
) -> Result<(Vec<Kept>, Removal), StoreError> {
    // Forks before their parents, which can go only after them.
    let mut order = database.read(|connection| {
        let key = |session| Ok((identity::find_key(connection, session)?, session));
        sessions.iter().map(key).collect::<Result<Vec<_>, StoreError>>()
    })?;
    order.sort_unstable_by(|one, other| other.cmp(one));
    let order: Vec<&SessionId> = order.into_iter().map(|(_, session)| session).collect();
    let mut kept = Vec::new();
    for (number, some) in order.chunks(TOGETHER).enumerate() {
        match hide(database, |transaction| hide_some(home, transaction, some)) {
            Ok(stay) => kept.extend(stay),
            Err(error) if number == 0 => return Err(error),
            // Those before are gone, so this is no error of all.
            Err(error) => {
                let rest = order[number * TOGETHER..].iter();
                kept.extend(rest.map(|session| Kept { session: (*session).clone(), reason: error.clone() }));
                break;
            }
        }
    }
    Ok((kept, erase(home, database, told)))
}

fn hide_some(home: &Home, connection: &Connection, sessions: &[&SessionId]) -> Result<Vec<Kept>, StoreError> {
    let mut kept = Vec::new();
    for session in sessions {
        match going(home, connection, session, &BTreeSet::new()) {
            Ok(key) => sessions::set_going(connection, key)?,
            // Whatever lies where its lock should be.
            Err(reason @ (StoreError::NotPlain { .. } | StoreError::Home { .. })) => {
                kept.push(Kept { session: (*session).clone(), reason })
            }
            Err(reason @ (StoreError::NotFound(_) | StoreError::Locked { .. } | StoreError::HasForks { .. })) => {
                kept.push(Kept { session: (*session).clone(), reason });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(kept)
}

/// The key of a session that can go, with those that go together with it: nobody writes it, and no fork that stays shares
/// its events.
pub(crate) fn going(
    home: &Home,
    connection: &Connection,
    session: &SessionId,
    together: &BTreeSet<&SessionId>,
) -> Result<i64, StoreError> {
    SessionLock::expect_free(home, session)?;
    let key = identity::key_of(connection, session)?;
    let forks = forks(connection, key)?;
    match forks.iter().all(|fork| together.contains(fork)) {
        true => Ok(key),
        false => Err(StoreError::HasForks { session: session.clone(), forks }),
    }
}

/// One transaction after which nobody sees some sessions any more. On a full disk the first attempt has emptied the log.
fn hide<T>(database: &Database, job: impl Fn(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
    let attempt = || database.writing().write(|transaction| job(transaction));
    match attempt() {
        Err(StoreError::Full { .. }) => attempt().map_err(|error| match error {
            StoreError::Full { path } => StoreError::NoRoomToRemove { path, kilobytes: ROOM_IN_KILOBYTES },
            other => other,
        }),
        outcome => outcome,
    }
}

fn erase(home: &Home, database: &Database, told: &mut dyn FnMut(u64)) -> Removal {
    // Of earlier removals that were killed. What cannot be read now is there the next time.
    let _ = SessionLock::sweep(home);
    match take_away(home, database, Patience::Long, told) {
        Ok(Erased::All) => Removal::Erased,
        Ok(Erased::Some) => Removal::ErasedLater(StoreError::StillRead),
        Err(error) => Removal::ErasedLater(error),
    }
}

fn forks(connection: &Connection, key: i64) -> Result<Vec<SessionId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE parent = ?1 ORDER BY id")?;
    Ok(statement.query_map([key], |row| row.get(0).map(SessionId))?.collect::<Result<_, _>>()?)
}

/// Takes away what is half-done, for a moment. Where it fails, whoever comes next tries again: nobody who came to write
/// has to care.
pub(crate) fn tidy_up(home: &Home, database: &Database) {
    let _ = take_away(home, database, Patience::Short, &mut |_| {});
}

/// A session that will not come to its end. Where this fails, the next writer does it.
pub(crate) fn give_up(database: &Database, key: i64) {
    let _ = database.writing().write(|transaction| sessions::set_going(transaction, key));
    let _ = erase::erase(database, Patience::Short, &mut |_| {});
}

fn take_away(
    home: &Home,
    database: &Database,
    patience: Patience,
    told: &mut dyn FnMut(u64),
) -> Result<Erased, StoreError> {
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
    erase::erase(database, patience, told)
}
