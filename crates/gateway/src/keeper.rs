//! Keeps the trace of what passes, beside the traffic and never in its way.
//!
//! One thread owns all sessions. It is told of a request when that goes on and of its answer when that is over; a fold that
//! is due is made then, is durable before anybody uses it, and stands from the next request on. What cannot be told or
//! written is missing only until the client's next request, which holds the whole conversation again.

mod opening;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use bytes::Bytes;
use lookback_engine::{
    Context, SessionError,
    session::FoldNeed,
    trace::{
        BlobHash, CallNo, Timestamp,
        event::{Branch, CallDetails, CallKind, CallOver},
        start::ClientRecall,
    },
};
use lookback_store::{Durability, GuestFold, GuestPlace, SessionWriter, StoreError};
use lookback_wire::{
    Body, Provider, Reply, ReplyReader,
    body::{Link, SectionKind},
    parse_reply,
};
use tokio::sync::oneshot;
use tracing::{info, warn};

use crate::{
    coding::Coding,
    forward::Heard,
    live::{Folded, Live},
    metrics::Metrics,
    options::{Mode, Options},
    table::{ConversationId, Place, Relation, Table},
    who::{Kind, Who},
};

/// How clients declare our tool: their name for the server stands before it.
const RECALL_TOOL: &str = "lookback_recall";
/// What may wait for the keeper.
const WAITING: usize = 4_096;
/// Sessions that are held open; others are read from the store again.
const OPEN: usize = 24;
/// How far the places of conversations may be behind.
const IDLE: Duration = Duration::from_millis(20);
/// Calls beside a conversation that has not begun yet: titles come first.
const EARLY: usize = 64;

/// A main request on its way.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) request: u64,
    pub(crate) place: Place,
    pub(crate) body: Arc<Body>,
    pub(crate) chain: Arc<[Link]>,
    pub(crate) who: Who,
    pub(crate) upstream: String,
    pub(crate) credential: [u8; 32],
    pub(crate) at: i64,
    pub(crate) mode: Mode,
}

/// Its answer.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) request: u64,
    pub(crate) conversation: ConversationId,
    pub(crate) status: u16,
    pub(crate) coding: Coding,
    pub(crate) heard: Heard,
    pub(crate) at: i64,
}

/// A request beside the conversation.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) named: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) chain: Option<Link>,
    pub(crate) at: i64,
    pub(crate) api: Provider,
}

#[derive(Debug)]
enum Note {
    Asked(Box<Asked>),
    Answered(Box<Answered>),
    Beside(Box<(Beside, Answered)>),
    TooLong { request: u64, conversation: ConversationId, at: i64, made: oneshot::Sender<bool> },
    End,
}

/// The request path's end of it.
#[derive(Debug)]
pub(crate) struct Keeper {
    notes: SyncSender<Note>,
    next: AtomicU64,
    metrics: Arc<Metrics>,
}

impl Keeper {
    pub(crate) fn start(
        options: Options,
        table: Arc<Table>,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (notes, waiting) = sync_channel(WAITING);
        let desk = Desk {
            options,
            table,
            metrics: Arc::clone(&metrics),
            open: BTreeMap::new(),
            uses: 0,
            places: Vec::new(),
            early: Vec::new(),
        };
        let thread = std::thread::Builder::new().name("keeper".to_owned()).spawn(move || desk.run(&waiting))?;
        Ok((Self { notes, next: AtomicU64::new(1), metrics }, thread))
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
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = self.notes.try_send(note) {
            self.metrics.unrecorded.add(1);
        }
    }
}

/// Why something is not in the trace.
#[derive(Debug, thiserror::Error)]
enum KeepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// What the thread has before it.
struct Desk {
    options: Options,
    table: Arc<Table>,
    metrics: Arc<Metrics>,
    open: BTreeMap<ConversationId, Open>,
    uses: u64,
    places: Vec<GuestPlace>,
    early: Vec<(Beside, Answered)>,
}

/// A session that is held open.
struct Open {
    live: Live,
    writer: SessionWriter,
    /// The request whose answer is waited for.
    request: u64,
    chain: Arc<[Link]>,
    named: Option<String>,
    mode: Mode,
    recall: ClientRecall,
    used: u64,
}

impl Desk {
    fn run(mut self, waiting: &Receiver<Note>) {
        loop {
            match waiting.recv_timeout(IDLE) {
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
        }
        self.remember_places();
    }

    /// The trace of a conversation cannot go on as it is held: the next request reads it anew.
    fn give_up(&mut self, conversation: ConversationId, error: &KeepError) {
        warn!(%error, conversation, "not recorded; the next request brings it again");
        self.metrics.unrecorded.add(1);
        self.open.remove(&conversation);
    }

    fn asked(&mut self, asked: Asked) -> Result<(), KeepError> {
        let conversation = asked.place.conversation;
        let from = match asked.place.relation {
            Relation::New | Relation::Branch { .. } => 0,
            Relation::GoesOn { from } => from,
            Relation::Again => asked.chain.len(),
        };
        self.open(&asked, from)?;
        let details = self.details(&asked);
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(()) };
        let context = context(&self.options, asked.at);
        open.live.ask(&asked.body, from, details, &context)?;
        (open.request, open.chain, open.mode) = (asked.request, asked.chain, asked.mode);
        (open.named, open.recall) = (asked.who.named, recall_of(&asked.body));
        open.write(Durability::Grouped)?;
        self.places.push(GuestPlace {
            link: open.chain.last().copied().unwrap_or_default(),
            session: open.live.session.id().clone(),
            messages: open.chain.len(),
            named: open.named.clone(),
        });
        self.tell_early(conversation);
        Ok(())
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
        let last = self.open.get(&asked.place.conversation).map(|open| open.live.session.last_call());
        let kind = match (asked.place.relation, last) {
            (Relation::Again, Some(last)) if last > CallNo(0) => CallKind::RetryOf(last),
            _ => CallKind::Main,
        };
        CallDetails { kind, chain, branch, over: None }
    }

    fn answered(&mut self, answered: Answered) -> Result<(), KeepError> {
        let Some(open) = self.open.get_mut(&answered.conversation).filter(|open| open.request == answered.request)
        else {
            // Another request of the conversation came meanwhile: this answer is nobody's any more.
            return Ok(());
        };
        let context = context(&self.options, answered.at);
        let provider = open.live.session.start_of().provider;
        let reply = reply_of(provider, &answered);
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

    /// Folds what is due; true where a block was made. It is durable before anybody is told of it.
    fn fold(&mut self, conversation: ConversationId, need: FoldNeed, at: i64) -> Result<bool, KeepError> {
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(false) };
        let folded = open.live.fold(&open.chain, need, open.recall, &context(&self.options, at))?;
        if folded.is_empty() {
            open.write(Durability::Grouped)?;
            return Ok(false);
        }
        open.write(Durability::Durable)?;
        let session = open.live.session.id().clone();
        let rows = folded.iter().map(|folded| GuestFold {
            link: folded.fold.link,
            first: folded.fold.first,
            end: folded.fold.end,
            block: folded.fold.block.to_vec(),
        });
        self.options.store.remember_folds(&session, &rows.collect::<Vec<_>>())?;
        for Folded { fold, saves } in folded {
            let (first, end) = (fold.first, fold.end);
            info!(session = session.0, first, end, saves, "a block stands for messages from the next request on");
            self.metrics.folds.add(1);
            self.table.publish(conversation, fold);
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

    /// A call beside the conversation is one event of it, told when it is over. Before the conversation has begun it waits.
    fn beside(&mut self, beside: Beside, answered: Answered) {
        let known = beside.conversation.filter(|conversation| self.open.contains_key(conversation));
        let by_name = || {
            let named = beside.named.as_deref()?;
            self.open
                .iter()
                .find(|(_, open)| open.named.as_deref() == Some(named))
                .map(|(conversation, _)| *conversation)
        };
        let Some(conversation) = known.or_else(by_name) else {
            if self.early.len() == EARLY {
                self.early.remove(0);
            }
            self.early.push((beside, answered));
            return;
        };
        if let Err(error) = self.record_beside(conversation, &beside, &answered) {
            self.give_up(conversation, &error);
        }
    }

    fn record_beside(
        &mut self,
        conversation: ConversationId,
        beside: &Beside,
        answered: &Answered,
    ) -> Result<(), KeepError> {
        let Some(open) = self.open.get_mut(&conversation) else { return Ok(()) };
        let usage = reply_of(beside.api, answered).and_then(|reply| reply.usage);
        let problem = (answered.status >= 300).then(|| format!("status {}", answered.status));
        let kind = if beside.kind == Kind::Compaction { CallKind::ClientCompaction } else { CallKind::Side };
        let over = Some(CallOver { usage, problem });
        let details = CallDetails { kind, chain: beside.chain.map(BlobHash), branch: None, over };
        open.live.session.call_beside(details, &context(&self.options, beside.at))?;
        open.write(Durability::Grouped)
    }

    fn tell_early(&mut self, conversation: ConversationId) {
        let Some(named) = self.open.get(&conversation).and_then(|open| open.named.clone()) else { return };
        let (ours, others) = std::mem::take(&mut self.early)
            .into_iter()
            .partition(|(beside, _)| beside.named.as_deref() == Some(&named));
        self.early = others;
        let ours: Vec<(Beside, Answered)> = ours;
        ours.into_iter().for_each(|(beside, answered)| self.beside(beside, answered));
    }

    /// Written when there is nothing else to do: whoever starts the gateway again finds the conversations by them.
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
}

fn context(options: &Options, at: i64) -> Context<'_> {
    Context { now: Timestamp(at), count: &lookback_tokens::count_o200k, blobs: &options.store }
}

/// Whether the request declares the tool by which its client gets details back.
fn recall_of(body: &Body) -> ClientRecall {
    let tools = body.section(SectionKind::Tools).map(|tools| body.slice(tools.span)).unwrap_or_default();
    match memchr::memmem::find(tools, RECALL_TOOL.as_bytes()) {
        Some(_) => ClientRecall::Declared,
        None => ClientRecall::Absent,
    }
}

/// What an answer says: a stream's, or a whole one's.
fn reply_of(provider: Provider, answered: &Answered) -> Option<Reply> {
    let whole: Bytes = match &answered.heard.chunks[..] {
        [] => return None,
        [one] => one.clone(),
        many => many.concat().into(),
    };
    let plain = answered.coding.unpack(&whole).ok()?;
    if plain.trim_ascii_start().starts_with(b"{") {
        return parse_reply(provider, &plain).ok();
    }
    let mut reader = ReplyReader::new(provider);
    // What cannot be read ends the copy, and not the stream.
    let _ = reader.push(&plain);
    Some(reader.finish())
}
