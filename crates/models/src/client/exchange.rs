//! One request until it is answered: sent, perhaps sent again, read piece by piece.
//!
//! Every wait lives in the state, not in the call that waits: whoever drops `next` and calls it again sends nothing twice.

use std::{collections::VecDeque, fmt, future::Future, mem, pin::Pin};

use bytes::Bytes;
use jiff::Zoned;
use lookback_wire::{Delta, Provider, Reply, ReplyReader, ReplyStop, SseError, StreamError, parse_reply};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::{
    Client,
    bounds::{Patience, check_empty_lines},
    incoming::{BILLING, CLOSING, Incoming},
    opening::{Opened, open},
};
use crate::{
    Bound, ModelError, Progress, Request,
    answering::{Source, Step},
    fault::{Cause, Fault, parse_said},
    retry::{Asked, plan_pause},
};

/// Enough of an answer to tell that it is not a stream.
const EXCERPT: usize = 1 << 10;

pub(super) struct Exchange {
    client: Client,
    api: Provider,
    body: Bytes,
    /// How often the request was sent.
    tried: u32,
    state: State,
    patience: Patience,
    /// Read, but not yet asked for: at most what one piece held.
    ready: VecDeque<Delta>,
    reader: ReplyReader,
    /// How the stream began.
    beginning: Vec<u8>,
    /// Whether content was given out: then nothing is sent again.
    spoke: bool,
    /// What was read, once the stream has ended in whatever way.
    reply: Option<Reply>,
}

enum State {
    Unsent,
    Opening(Pin<Box<dyn Future<Output = Result<Opened, Fault>> + Send>>),
    Streaming(Incoming),
    Pausing(Instant),
    Ended,
}

impl Exchange {
    pub(super) fn new(client: Client, request: Request) -> Self {
        Self {
            patience: Patience::new(client.inner.timeouts.whole),
            client,
            api: request.api,
            body: Bytes::from(request.body),
            tried: 0,
            state: State::Unsent,
            ready: VecDeque::new(),
            reader: ReplyReader::new(request.api),
            beginning: Vec::new(),
            spoke: false,
            reply: None,
        }
    }

    async fn step(&mut self) -> Result<Option<Progress>, ModelError> {
        let until = self.patience.wait();
        let step = self.step_until(until).await;
        self.patience.rest();
        step
    }

    async fn step_until(&mut self, until: Instant) -> Result<Option<Progress>, ModelError> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Ok(Some(Progress::Delta(delta)));
            }
            // A server that sends and sends is always ready: the clock is looked at before it.
            let failed = match &mut self.state {
                State::Ended => return Ok(None),
                _ if until <= Instant::now() => self.take_piece(Err(self.too_late())).err(),
                State::Unsent => {
                    self.tried += 1;
                    self.state = State::Opening(Box::pin(open(self.client.clone(), self.api, self.body.clone())));
                    None
                }
                State::Pausing(pause) => {
                    sleep_until(until.min(*pause)).await;
                    self.state = State::Unsent;
                    None
                }
                State::Opening(opening) => match timeout_at(until, opening.as_mut()).await {
                    Ok(Ok(Opened::Stream(incoming))) => {
                        self.state = State::Streaming(incoming);
                        None
                    }
                    Ok(Ok(Opened::Whole(body))) => self.take_whole(&body).err(),
                    Ok(Err(fault)) => Some(fault),
                    Err(_) => Some(self.too_late()),
                },
                State::Streaming(incoming) => {
                    let piece = timeout_at(until, incoming.next()).await;
                    let piece = piece.unwrap_or_else(|_| Err(self.too_late()));
                    self.take_piece(piece).err()
                }
            };
            if let Some(fault) = failed {
                return self.after(fault).map(Some);
            }
        }
    }

    fn take_piece(&mut self, piece: Result<Option<Bytes>, Fault>) -> Result<(), Fault> {
        let failed = match piece {
            Ok(Some(piece)) => match self.take_bytes(&piece) {
                Err(fault) if self.reader.has_stopped() => Some(fault),
                taken => return taken,
            },
            Ok(None) => None,
            Err(fault) => Some(fault),
        };
        let reader = mem::replace(&mut self.reader, ReplyReader::new(self.api));
        let is_complete = reader.is_complete();
        let reply = reader.finish();
        // Whatever breaks after the answer is complete does no harm.
        let is_whole = is_complete || reply.stop != ReplyStop::Cut;
        self.reply = Some(reply);
        if is_whole {
            self.state = State::Ended;
            return Ok(());
        }
        Err(failed.unwrap_or_else(|| {
            if looks_like_events(&self.beginning) {
                self.client.fault_saying(Cause::Cut, "the server closed the connection")
            } else {
                self.client.fault_saying(Cause::Nonsense, &parse_said(&self.beginning).words)
            }
        }))
    }

    fn take_bytes(&mut self, piece: &[u8]) -> Result<(), Fault> {
        let room = EXCERPT.saturating_sub(self.beginning.len());
        self.beginning.extend_from_slice(&piece[..piece.len().min(room)]);
        let read = self.reader.push(piece);
        self.spoke |= self.reader.has_content();
        self.ready.extend(read.map_err(|e| self.stream_fault(&e))?);
        check_empty_lines(&self.reader).map_err(|cause| self.client.fault(cause))?;
        if let (true, State::Streaming(incoming)) = (self.reader.has_stopped(), &mut self.state) {
            incoming.expect_end(if self.reader.is_complete() { CLOSING } else { BILLING });
        }
        Ok(())
    }

    fn take_whole(&mut self, body: &[u8]) -> Result<(), Fault> {
        let reply = parse_reply(self.api, body).map_err(|e| self.stream_fault(&e))?;
        self.ready.extend(reply.parts.iter().filter_map(|part| part.content.shown()));
        self.reply = Some(reply);
        self.state = State::Ended;
        Ok(())
    }

    fn stream_fault(&self, error: &StreamError) -> Fault {
        match error {
            StreamError::Provider { raw } => {
                Fault::of_answer(None, &parse_said(raw.as_bytes()), Asked::Nothing, &self.client.place())
            }
            StreamError::TooLarge(SseError::TooLarge { limit }) => {
                self.client.fault(Cause::Beyond { bound: Bound::EventBytes, limit: *limit as u64 })
            }
            StreamError::TooManyValues { limit } => {
                self.client.fault(Cause::Beyond { bound: Bound::Values, limit: *limit as u64 })
            }
            other => self.client.fault_saying(Cause::Nonsense, &other.to_string()),
        }
    }

    fn too_late(&self) -> Fault {
        self.client.fault(self.patience.over())
    }

    /// Another try, or the end.
    fn after(&mut self, mut fault: Fault) -> Result<Progress, ModelError> {
        if self.spoke {
            self.state = State::Ended;
            return Err(fault.into_cut());
        }
        let retries = &self.client.inner.retries;
        let Some(wait) = plan_pause(retries, self.tried, fault.again, fault.asked, chance()) else {
            self.state = State::Ended;
            if let Asked::Wait(wait) = fault.asked
                && wait > retries.longest_asked
            {
                fault.give_up_waiting(wait, &Zoned::now());
            }
            return Err(fault.error);
        };
        self.state = State::Pausing(Instant::now() + wait);
        self.reader = ReplyReader::new(self.api);
        self.reply = None;
        self.beginning.clear();
        Ok(Progress::Retrying { attempt: self.tried + 1, wait, because: fault.error.first_line().to_owned() })
    }
}

impl Source for Exchange {
    fn next(&mut self) -> Step<'_> {
        Box::pin(self.step())
    }

    fn into_reply(self: Box<Self>) -> Reply {
        let Self { reply, reader, .. } = *self;
        reply.unwrap_or_else(|| reader.finish())
    }
}

/// From 0 to 1. Without a source of randomness the longest pause is the safe one.
fn chance() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

/// An empty beginning counts, too: the server hung up before it said anything.
fn looks_like_events(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let mut lines = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
    lines.next().is_none_or(|line| ["data", "event", "id", "retry", ":"].iter().any(|field| line.starts_with(field)))
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::Unsent => "unsent",
            State::Opening(_) => "opening",
            State::Streaming(_) => "streaming",
            State::Pausing(_) => "pausing",
            State::Ended => "ended",
        };
        f.debug_struct("Exchange").field("tried", &self.tried).field("state", &state).finish_non_exhaustive()
    }
}
