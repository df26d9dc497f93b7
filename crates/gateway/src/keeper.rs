//! The way to the desk: what the request path tells goes to one thread, and nobody waits for it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread::JoinHandle,
};

use lookback_store::Store;
use tokio::sync::{oneshot, watch};

use crate::{
    desk::Desk,
    metrics::Metrics,
    note::{Answered, Asked, Beside, Note},
    options::Options,
    table::{ConversationId, Table},
};

/// What may wait for the desk, in notes and in bytes of bodies. What is beyond is not recorded now: the next request of
/// its conversation brings it again.
const WAITING: usize = 4_096;
const WAITING_BYTES: u64 = 12 << 20;

/// The request path's end of it.
#[derive(Debug)]
pub(crate) struct Keeper {
    notes: SyncSender<Note>,
    waiting: Arc<AtomicU64>,
    next: AtomicU64,
    metrics: Arc<Metrics>,
    store: watch::Receiver<Store>,
}

impl Keeper {
    pub(crate) fn start(
        options: Options,
        table: Arc<Table>,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (notes, receiver) = sync_channel(WAITING);
        let waiting = Arc::new(AtomicU64::new(0));
        let (used, store) = watch::channel(options.store.clone());
        let desk = Desk::new(options, table, Arc::clone(&metrics), Arc::clone(&waiting), used);
        let thread = std::thread::Builder::new().name("keeper".to_owned()).spawn(move || desk.run(&receiver))?;
        Ok((Self { notes, waiting, next: AtomicU64::new(1), metrics, store }, thread))
    }

    /// Where it writes now: a store that is removed is begun anew.
    pub(crate) fn store(&self) -> Store {
        self.store.borrow().clone()
    }

    /// Names a request.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn asked(&self, asked: Asked) {
        self.tell(Note::Asked(Box::new(asked)));
    }

    pub(crate) fn answered(&self, answered: Answered) {
        self.tell(Note::Answered(Box::new(answered)));
    }

    pub(crate) fn beside(&self, beside: Beside, answered: Answered) {
        self.tell(Note::Beside(Box::new((beside, answered))));
    }

    /// The provider called a request too long. True once more of it is folded: it can be sent again.
    pub(crate) async fn make_room(&self, request: u64, conversation: ConversationId, at: i64) -> bool {
        let (made, waits) = oneshot::channel();
        self.tell(Note::TooLong { request, conversation, at, made });
        waits.await.unwrap_or(false)
    }

    /// Everything that was told before is written first.
    pub(crate) fn end(&self) {
        // Where the thread is gone already, nothing is left to end.
        let _ = self.notes.send(Note::End);
    }

    fn tell(&self, note: Note) {
        let bytes = note.bytes();
        let is_much = self.waiting.fetch_add(bytes, Ordering::Relaxed) + bytes > WAITING_BYTES.max(bytes);
        if is_much || self.notes.try_send(note).is_err() {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            self.metrics.unrecorded.add(1);
        }
    }
}
