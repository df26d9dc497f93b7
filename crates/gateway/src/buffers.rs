//! Memory for large bodies, used again. Every request brings the whole conversation; given back to the allocator each time,
//! some hundred kilobytes that one thread takes and another frees leave holes as large as all requests together.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

/// Smaller ones leave no holes worth speaking of.
const LARGE: usize = 64 << 10;
/// What is kept while nobody uses it: room for some bodies of long sessions.
const KEPT: usize = 8 << 20;

/// Buffers that nobody uses at the moment.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    free: Mutex<Vec<Vec<u8>>>,
}

impl Buffers {
    /// An empty one with room for so many bytes: the smallest that there is.
    pub(crate) fn take(&self, bytes: usize) -> Vec<u8> {
        if bytes < LARGE {
            return Vec::with_capacity(bytes);
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = free.iter().enumerate().filter(|(_, buffer)| buffer.capacity() >= bytes);
        let smallest = fitting.min_by_key(|(_, buffer)| buffer.capacity()).map(|(place, _)| place);
        match smallest {
            Some(place) => free.swap_remove(place),
            // The next request of the conversation is a little longer.
            None => Vec::with_capacity(bytes + bytes / 4),
        }
    }

    /// A full one, which comes back when nobody reads it any more.
    pub(crate) fn lend(self: &Arc<Self>, full: Vec<u8>) -> Bytes {
        match full.capacity() {
            0..LARGE => full.into(),
            _ => Bytes::from_owner(Lent { full, owner: Arc::clone(self) }),
        }
    }

    fn give_back(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(buffer);
        // Conversations grow: the smallest ones are of no use any more.
        while free.iter().map(Vec::capacity).sum::<usize>() > KEPT {
            let smallest = free.iter().enumerate().min_by_key(|(_, buffer)| buffer.capacity());
            let Some((place, _)) = smallest else { break };
            free.swap_remove(place);
        }
    }
}

struct Lent {
    full: Vec<u8>,
    owner: Arc<Buffers>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.full
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.owner.give_back(std::mem::take(&mut self.full));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_when_nobody_reads_it() {
        let buffers = Arc::new(Buffers::default());
        let mut first = buffers.take(100_000);
        first.extend_from_slice(&[7; 100_000]);
        let place = first.as_ptr();
        let lent = buffers.lend(first);
        let part = lent.slice(10..20);
        drop(lent);
        let other = buffers.take(100_000);
        assert_ne!(other.as_ptr(), place, "somebody reads a part of it");
        assert_eq!(part, [7; 10][..]);
        drop(part);
        let again = buffers.take(110_000);
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
    }

    #[test]
    fn what_nobody_uses_is_bounded() {
        let buffers = Arc::new(Buffers::default());
        let many: Vec<Bytes> = (0..100).map(|_| buffers.lend(vec![0; 400_000])).collect();
        drop(many);
        let huge = buffers.lend(vec![0; KEPT + 1]);
        drop(huge);
        let kept: usize = buffers.free.lock().expect("no panic").iter().map(Vec::capacity).sum();
        assert!(kept <= KEPT, "{kept}");
    }
}
