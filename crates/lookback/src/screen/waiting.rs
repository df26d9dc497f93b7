//! Work that takes long says so: a person who waits wants to know for what.

use std::{
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

/// A wait below this needs no explanation.
const PATIENCE: Duration = Duration::from_secs(1);

/// Does the work; if it takes longer than a second, says `text` on a terminal's standard error.
pub(crate) fn announce<T>(text: &str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    say_after(PATIENCE, || super::remark(text), work)
}

fn say_after<T>(patience: Duration, say: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    let (working, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let wait = move || {
            if waiting.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                say();
            }
        };
        // Without a thread the work is done in silence.
        let _ = thread::Builder::new().spawn_scoped(scope, wait);
        let outcome = work();
        drop(working);
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn only_long_work_is_announced() {
        for (patience, expected) in [(Duration::from_secs(60), false), (Duration::from_millis(1), true)] {
            let said = AtomicBool::new(false);
            let work = || {
                thread::sleep(Duration::from_millis(100));
                7
            };
            assert_eq!(say_after(patience, || said.store(true, Ordering::Relaxed), work), 7);
            assert_eq!(said.load(Ordering::Relaxed), expected);
        }
    }
}
