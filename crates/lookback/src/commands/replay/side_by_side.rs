//! Sessions over the cores: each thread takes the next one, and the results stand in the order of the sessions.

use std::{
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::progress::Progress;

/// Does the work for all of `items`.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let progress = Mutex::new(Progress::of_sessions("replaying", items.len() as u64));
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let take = || {
        while let Some((place, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|place| Some((place, items.get(place)?)))
        {
            let result = work(item);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((place, result));
            progress.lock().unwrap_or_else(PoisonError::into_inner).set(done.len() as u64);
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 1..cores.min(items.len()) {
            // Where the system gives no thread, this one does the work.
            let _ = thread::Builder::new().spawn_scoped(scope, take);
        }
        take();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_items() {
        let items: Vec<u64> = (0..100).collect();
        let results = each(&items, |item| {
            thread::sleep(std::time::Duration::from_micros(100 - item));
            item * 2
        });
        assert!(results.into_iter().eq((0..100).map(|item| item * 2)));
        assert!(each(&[] as &[u64], |item| *item).is_empty());
    }
}
