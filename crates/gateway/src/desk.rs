//! Keeps the trace of what passes, beside the traffic and never in its way.
//!
//! One thread owns all sessions. It is told of a request when that goes on and of its answer when that is over; a fold that
//! is due is made then, is durable before anybody uses it, and stands from the next request on. What cannot be told or
//! written is missing only until the client's next request, which holds the whole conversation again.

mod beside;
mod opening;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use lookback_engine::{
    Context, SessionError,
    session::FoldNeed,
    trace::{
        BlobHash, CallNo, Timestamp,
        event::{Branch, CallDetails, CallKind, CallOver},
        start::ClientRecall,
    },
};
use lookback_store::{Durability, GuestFold, GuestPlace, SessionWriter, Store, StoreError};
use lookback_wire::body::Link;
use tokio::sync::watch;
use tracing::{info, warn};

use crate::{
    live::{Folded, Live},
    metrics::Metrics,
    note::{Answered, Asked, Beside, Note},
    options::{Mode, Options},
    table::{ConversationId, Relation, Table},
    who::Name,
};

/// The same request again says nothing new after so many times.
const AGAIN: u32 = 8;
/// How far the places of conversations may be behind, when there is nothing else to do and when there is.
const IDLE: Duration = Duration::from_millis(20);
const BUSY: Duration = Duration::from_millis(100);
/// After a store could not be begun.
const TRIED_AGAIN: Duration = Duration::from_secs(5);

/// Why something is not in the trace.
#[derive(Debug, thiserror::Error)]
enum KeepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("its session holds nothing that the request begins with")]
    Another,
}

/// What the thread has before it.
pub(crate) struct Desk {
    options: Options,
    table: Arc<Table>,
    metrics: Arc<Metrics>,
    open: BTreeMap<ConversationId, Open>,
    uses: u64,
    places: Vec<GuestPlace>,
    /// When the first of them came.
    behind: Instant,
    early: Vec<(Beside, Answered)>,
    waiting: Arc<AtomicU64>,
    /// Since when its file is gone.
    gone: Option<Instant>,
    /// Tells the request path of another store.
    used: watch::Sender<Store>,
    /// The store as it was looked at last, and when.
    version: i64,
    looked: Instant,
}

/// A session that is held open.
struct Open {
    live: Live,
    writer: SessionWriter,
    /// The request whose answer is waited for.
    request: u64,
    chain: Arc<[Link]>,
    named: Option<Name>,
    mode: Mode,
    recall: ClientRecall,
    /// How often its newest request came again.
    again: u32,
    used: u64,
}

impl Desk {
    pub(crate) fn new(
        options: Options,
        table: Arc<Table>,
        metrics: Arc<Metrics>,
        waiting: Arc<AtomicU64>,
        used: watch::Sender<Store>,
    ) -> Self {
        Self {
            options,
            table,
            metrics,
            open: BTreeMap::new(),
            uses: 0,
            places: Vec::new(),
            behind: Instant::now(),
            early: Vec::new(),
            waiting,
            gone: None,
            used,
            version: 0,
            looked: Instant::now(),
        }
    }

    pub(crate) fn run(mut self, waiting: &Receiver<Note>) {
        loop {
            let note = waiting.recv_timeout(IDLE);
            if self.looked.elapsed() >= IDLE {
                self.look_at_others();
            }
            if let Ok(note) = &note {
                self.waiting.fetch_sub(note.bytes(), Ordering::Relaxed);
            }
            match note {
                Ok(Note::Asked(asked)) => {
                    let conversation = asked.place.conversation;
                    if let Err(error) = self.asked(*asked) {
                        self.give_up(conversation, &error);
                    }
                }
                Ok(Note::Answered(answered)) => {
                    let conversation = answered.conversation;
                    if let Err(error) = self.answered(*answered) {
                        self.give_up(conversation, &error);
                    }
                }
                Ok(Note::Beside(beside)) => self.beside(beside.0, beside.1),
                Ok(Note::TooLong { request, conversation, at, made }) => {
                    let outcome = self.make_room_in(request, conversation, at);
                    // Whoever asked may be gone: what was folded stands all the same.
                    let _ = made.send(*outcome.as_ref().unwrap_or(&false));
                    if let Err(error) = outcome {
                        self.give_up(conversation, &error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.remember_places(),
                Ok(Note::End) | Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.behind.elapsed() >= BUSY {
                self.remember_places();
            }
        }
        self.leave_early();
        self.remember_places();
    }

    /// Where another process has written into the store, its blocks stand here, too.
    fn look_at_others(&mut self) {
        self.looked = Instant::now();
        if !self.options.store.is_there() {
            return self.begin_store_anew();
        }
        // A store that cannot be asked now is asked again in a moment.
        let Ok(version) = self.options.store.version() else { return };
        if std::mem::replace(&mut self.version, version) == version {
            return;
        }
        for (conversation, open) in &self.open {
            if let Err(error) = self.table.learn_folds(&self.options.store, *conversation, &open.chain) {
                warn!(%error, "the store cannot be asked for blocks of others");
            }
        }
    }

    /// Somebody took the store away: what is written there now nobody would ever find.
    fn begin_store_anew(&mut self) {
        self.metrics.unrecorded.add(self.open.len() as u64);
        // Their writers know places in the file that is gone.
        self.open.clear();
        if self.gone.is_none() {
            warn!("the store was removed: a new one is begun, and the next requests bring all conversations again");
        }
        if self.gone.get_or_insert_with(Instant::now).elapsed() < BUSY {
            // Its log may be about to go, too: a new file would take up what stands in that.
            return;
        }
        self.places.clear();
        self.table.forget_sessions();
        match self.options.store.open_again() {
            Ok(store) => {
                self.used.send_replace(store.clone());
                self.options.store = store;
                self.gone = None;
            }
            Err(error) => {
                warn!(%error, "no new store can be begun: it is tried again");
                self.gone = Some(Instant::now() + TRIED_AGAIN);
            }
        }
    }

    /// The trace of a conversation cannot go on as it is held: the next request reads it anew.
    fn give_up(&mut self, conversation: ConversationId, error: &KeepError) {
        warn!(%error, conversation, "not recorded; the next request brings it again");
        self.metrics.unrecorded.add(1);
        self.open.remove(&conversation);
    }

    fn asked(&mut self, asked: Asked) -> Result<(), KeepError> {
        let conversation = asked.place.conversation;
        if self.is_repeated(&asked) {
            return Ok(());
        }
        let from = self.open(&asked)?;
        let details = self.details(&asked);
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(()) };
        let now = context(&self.options, asked.at);
        let standing = self.table.standing(&asked.chain);
        open.recall = asked.recall();
        open.live.ask(&asked.body, from, &standing, open.recall, &now)?;
        (open.request, open.chain, open.mode, open.named) = (asked.request, asked.chain, asked.mode, asked.who.named);
        if asked.place.relation != Relation::Again {
            open.again = 0;
        }
        let known = self.table.stands_by_now(&open.chain);
        if open.live.call == CallNo(0) && !known.is_empty() {
            // A new session: the store in which they stood may be lost.
            open.write_with(&known.iter().map(|fold| fold.row()).collect::<Vec<_>>())?;
        }
        if let Some(made) = asked.afresh {
            let fits = open.live.session.check_window().is_ok();
            let need = if fits { FoldNeed::WhatPays } else { FoldNeed::ToFit };
            // Whoever waited may be gone: what was folded stands all the same.
            let _ = made.send(self.fold(conversation, need, asked.at)?);
        }
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(()) };
        open.live.start_call(details, &context(&self.options, asked.at))?;
        open.write(Durability::Grouped)?;
        if self.places.is_empty() {
            self.behind = Instant::now();
        }
        self.places.push(GuestPlace {
            link: open.chain.last().copied().unwrap_or_default(),
            session: open.live.session.id().clone(),
            messages: open.chain.len(),
            named: open.named.as_ref().map(|name| name.text.clone()),
        });
        self.tell_early(conversation);
        Ok(())
    }

    /// Whether the newest request came often enough already.
    fn is_repeated(&mut self, asked: &Asked) -> bool {
        let open = self.open.get_mut(&asked.place.conversation).filter(|open| open.chain == asked.chain);
        let Some(open) = open else { return false };
        open.again += 1;
        open.again > AGAIN
    }

    /// What is known of a call besides its messages.
    fn details(&self, asked: &Asked) -> CallDetails {
        let chain = asked.chain.last().map(|link| BlobHash(*link));
        let branch = match asked.place.relation {
            Relation::Branch { of, from } => Some(Branch {
                session: self.table.session_of(of),
                call: CallNo(0),
                chain: BlobHash(asked.chain[from - 1]),
            }),
            _ => None,
        };
        let last = self.open.get(&asked.place.conversation).map(|open| open.live.call);
        let kind = match (asked.place.relation, last) {
            (Relation::Again, Some(last)) if last > CallNo(0) => CallKind::RetryOf(last),
            _ => CallKind::Main,
        };
        CallDetails { kind, chain, branch, over: None }
    }

    fn answered(&mut self, answered: Answered) -> Result<(), KeepError> {
        let Some(open) = self.open.get_mut(&answered.conversation).filter(|open| open.request == answered.request)
        else {
            return self.answered_late(&answered);
        };
        let context = context(&self.options, answered.at);
        let provider = open.live.session.start_of().provider;
        let reply = answered.reply(provider);
        match reply.filter(|_| answered.status < 300) {
            Some(reply) => {
                if let Some(usage) = &reply.usage {
                    self.metrics.input_tokens.add(usage.prompt());
                    self.metrics.cached_tokens.add(u64::from(usage.cached));
                    self.metrics.output_tokens.add(u64::from(usage.output));
                }
                open.live.answered(provider, &reply, &context)?;
            }
            None => open.live.failed(format!("status {}", answered.status), &context)?,
        }
        if open.mode != Mode::Fold {
            return open.write(Durability::Grouped);
        }
        self.fold(answered.conversation, FoldNeed::WhatPays, answered.at)?;
        Ok(())
    }

    /// Another request of the conversation came meanwhile: this answer is nobody's any more, but its bill is.
    fn answered_late(&mut self, answered: &Answered) -> Result<(), KeepError> {
        let Some(open) = self.open.get_mut(&answered.conversation) else { return Ok(()) };
        let usage = answered.reply(open.live.session.start_of().provider).and_then(|reply| reply.usage);
        if usage.is_none() || open.request < answered.request {
            return Ok(());
        }
        let over = Some(CallOver { usage, problem: None });
        let details = CallDetails { kind: CallKind::Side, over, ..CallDetails::default() };
        open.live.session.call_beside(details, &context(&self.options, answered.at))?;
        open.write(Durability::Grouped)
    }

    /// Folds what is due; true where a block was made. It is durable before anybody is told of it.
    fn fold(&mut self, conversation: ConversationId, need: FoldNeed, at: i64) -> Result<bool, KeepError> {
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(false) };
        let folded = open.live.fold(&open.chain, need, open.recall, &context(&self.options, at))?;
        if folded.is_empty() {
            open.write(Durability::Grouped)?;
            return Ok(false);
        }
        let session = open.live.session.id().clone();
        let rows = folded.iter().map(|folded| GuestFold {
            link: folded.fold.link,
            first: folded.fold.first,
            end: folded.fold.end,
            thinking_from: folded.fold.thinking_from,
            behind: folded.fold.behind.clone(),
            block: folded.fold.block.to_vec(),
        });
        let standing = open.write_with(&rows.collect::<Vec<_>>())?;
        for Folded { fold, saves } in folded {
            let (first, end) = (fold.first, fold.end);
            info!(session = session.0, first, end, saves, "a block stands for messages from the next request on");
            self.metrics.folds.add(1);
        }
        for stands in standing {
            self.table.publish(Some(conversation), stands.into());
        }
        Ok(true)
    }

    fn make_room_in(&mut self, request: u64, conversation: ConversationId, at: i64) -> Result<bool, KeepError> {
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(false) };
        if open.request != request || open.mode != Mode::Fold {
            return Ok(false);
        }
        open.live.failed("the prompt is too long".to_owned(), &context(&self.options, at))?;
        let has_folded = self.fold(conversation, FoldNeed::ToFit, at)?;
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(false) };
        open.live.ask_again(open.chain.last().map(|link| BlobHash(*link)), &context(&self.options, at))?;
        open.write(Durability::Grouped)?;
        Ok(has_folded)
    }

    /// Written beside everything else: whoever starts the gateway again finds the conversations by them.
    fn remember_places(&mut self) {
        if self.places.is_empty() {
            return;
        }
        let places = std::mem::take(&mut self.places);
        for open in self.open.values_mut() {
            if let Err(error) = open.writer.flush() {
                warn!(%error, "the trace is not on the disk yet");
            }
        }
        if let Err(error) = self.options.store.remember_guests(&places) {
            warn!(%error, "how far conversations came is not remembered");
        }
    }
}

impl Open {
    fn write(&mut self, durability: Durability) -> Result<(), KeepError> {
        let new = &self.live.session.trace()[self.writer.next().0 as usize..];
        self.writer.append(new, durability)?;
        self.writer.release(&mut self.live.session);
        Ok(())
    }

    /// Durable together with what stands in the conversation. Gives all that stands there now.
    fn write_with(&mut self, folds: &[GuestFold]) -> Result<Vec<GuestFold>, KeepError> {
        let new = &self.live.session.trace()[self.writer.next().0 as usize..];
        let standing = self.writer.append_with_folds(new, folds, &self.chain)?;
        self.writer.release(&mut self.live.session);
        Ok(standing)
    }
}

fn context(options: &Options, at: i64) -> Context<'_> {
    Context { now: Timestamp(at), count: &lookback_tokens::count_o200k, blobs: &options.store }
}
