//! Waiting for the write lock, fairly. SQLite's own handler sleeps up to 100 ms between two looks while a busy writer
//! takes the lock again microseconds after it gave it up: one of two writers got nothing for 5 s.

use std::{
    cell::Cell,
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use crate::{StoreError, lock};

/// Then a typed error: a person who waits longer thinks that it hangs.
const BUSY: Duration = Duration::from_secs(5);

thread_local! {
    static BEGUN: Cell<Instant> = Cell::new(Instant::now());
}

/// SQLite's busy handler: looks again after 1 to 3 ms, for 5 s. `times` counts from 0 for each wait.
pub(super) fn wait_a_moment(times: i32) -> bool {
    if times == 0 {
        BEGUN.set(Instant::now());
    }
    let waited = BEGUN.get().elapsed();
    if waited > BUSY {
        return false;
    }
    pause(waited);
    true
}

/// Those who wait for the write lock queue up here, one at a time, and whoever wants it again queues behind them: a
/// writer that has just committed cannot overtake one that waits.
#[derive(Debug)]
pub(super) struct Turnstile {
    file: File,
}

/// Passed when dropped.
pub(super) struct Turn<'a>(Option<&'a File>);

impl Turnstile {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { file: lock::open(path)? })
    }

    pub(super) fn wait(&self) -> Result<Turn<'_>, StoreError> {
        let begun = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(Turn(Some(&self.file))),
                Err(TryLockError::WouldBlock) if begun.elapsed() > BUSY => return Err(StoreError::Busy),
                Err(TryLockError::WouldBlock) => pause(begun.elapsed()),
                // A file system without such locks: less fair, and as correct.
                Err(TryLockError::Error(_)) => return Ok(Turn(None)),
            }
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            // It cannot fail for a lock that is held, and closing the file would free it, too.
            let _ = file.unlock();
        }
    }
}

/// The odd microseconds of the clock are as good as dice, here.
fn pause(waited: Duration) {
    thread::sleep(Duration::from_micros(1000 + u64::from(waited.subsec_nanos()) % 2000));
}
