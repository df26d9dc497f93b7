//! One conversation as a session: what its requests bring is recorded, what is due is folded.
//!
//! Which turn stands in which messages of the client is known for every live turn, so that a fold of turns is a fold of
//! messages. It follows from the body alone, and is found again after a restart.

use std::{collections::BTreeSet, sync::Arc};

use bytes::Bytes;
use lookback_engine::{
    Context, NewPart, Session, SessionError, Source,
    session::{FoldNeed, GuestFold},
    trace::{
        BlobHash, CallNo, CamePart, EventBody, NamedPart, NoBlobs, Stop, ToolResult, TurnNo,
        decision::{ThinkingBehind, TurnRange},
        event::{CallDetails, CallKind, Interruption, Usage},
        start::ClientRecall,
    },
};
use lookback_replay::import::live::{LiveTools, Shown};
use lookback_wire::{
    Body, Provider, Reply, ReplyContent, ReplyPart, ReplyStop, body::Link, parse_message, render_message,
};

use crate::{
    conversation::{Given, Said, Spoken, calls_of, new_part, turns_from},
    kept::is_kept,
    placed::{self, Behind, Found, Placed},
    table::{NewFold, StandingFold},
};

/// A session that is being driven.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) session: Session,
    tools: LiveTools,
    /// Every live turn with its messages, oldest first. An answer that no request has repeated yet stands behind them.
    placed: Vec<Placed>,
    answer: Option<TurnNo>,
    /// How many messages the newest request had.
    messages: usize,
    /// The calls of the newest answer: id, name, arguments.
    calls: Vec<(String, String, String)>,
    /// The newest call of the conversation itself.
    pub(crate) call: CallNo,
}

/// A fold of turns, as messages.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) fold: NewFold,
    /// Tokens that it takes out of every prompt from now on.
    pub(crate) saves: u64,
}

impl Live {
    /// A session that has no turns yet.
    pub(crate) fn new(session: Session, directory: Option<&str>) -> Self {
        let tools = LiveTools::new(directory);
        Self { session, tools, placed: Vec::new(), answer: None, messages: 0, calls: Vec::new(), call: CallNo(0) }
    }

    /// A session that was stored, and how many messages of a request are in it. None: nothing of it is.
    pub(crate) fn reopened(
        session: Session,
        directory: Option<&str>,
        body: &Body,
        chain: &[Link],
        context: &Context<'_>,
    ) -> Result<Option<(Self, usize)>, SessionError> {
        let Some(Found { placed, messages, behind }) = placed::find(&session, body, chain) else { return Ok(None) };
        let mut live = Self { placed, messages, ..Self::new(session, directory) };
        match behind {
            Behind::Nothing => {}
            Behind::Answer(turn) => live.answer = Some(turn),
            Behind::More => live.go_back(live.placed.len(), context)?,
        }
        // Which tools they call is in the request, which repeats the answer.
        let waiting = live.session.waiting_calls().into_iter();
        live.calls = waiting.map(|id| (id.to_owned(), String::new(), String::new())).collect();
        Ok(Some((live, messages)))
    }

    /// Records what a request brings, of which the first `from` messages are known.
    pub(crate) fn ask(
        &mut self,
        body: &Body,
        from: usize,
        standing: &[Arc<StandingFold>],
        recall: ClientRecall,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        if self.session.is_calling() {
            self.session.interrupt(Interruption::Cancelled, context)?;
        }
        let kept = self.kept(from);
        let start = if kept == 0 { 0 } else { self.placed[kept - 1].messages.end };
        let mut spoken = turns_from(body, start);
        // An answer at the end is one that the model goes on with: it is part of what it says next.
        spoken.pop_if(|last| matches!(last.said, Said::Answer(_)));
        let goes_on = kept == self.placed.len();
        let answered = self.answer.take().filter(|_| goes_on);
        let repeats = answered.zip(spoken.first()).is_some_and(|(turn, first)| self.repeats_answer(turn, first));
        if kept < self.placed.len() || answered.is_some() && !repeats {
            self.go_back(kept, context)?;
        }
        let mut spoken = spoken.into_iter();
        if let Some(turn) = answered.filter(|_| repeats)
            && let Some(Spoken { messages, said }) = spoken.next()
        {
            self.placed.push(Placed { turn, messages });
            if let Said::Answer(parts) = said {
                self.remember_calls(&parts);
            }
        }
        for Spoken { messages, said } in spoken {
            let turn = self.record(said, context)?;
            self.placed.extend(turn.map(|turn| Placed { turn, messages }));
        }
        self.end_step(context)?;
        self.messages = body.messages().len();
        self.stand(standing, recall, context)
    }

    /// What stands in the request stands in the session: a branch begins with the blocks of what it came from, and going back
    /// takes none away that is still sent.
    fn stand(
        &mut self,
        standing: &[Arc<StandingFold>],
        recall: ClientRecall,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        for fold in standing {
            let first = self.placed.iter().find(|placed| placed.messages.start == fold.first);
            let last = self.placed.iter().rev().find(|placed| placed.messages.end == fold.end);
            if let (Some(first), Some(last)) = (first, last) {
                let range = TurnRange { first: first.turn, last: last.turn };
                self.session.stand_guest(range, recall, context)?;
            }
        }
        Ok(())
    }

    /// Calls beside the conversation have numbers, too: the open one is not always the newest.
    pub(crate) fn start_call(&mut self, details: CallDetails, context: &Context<'_>) -> Result<(), SessionError> {
        self.session.start_guest_call(details, context)?;
        self.call = self.session.last_call();
        Ok(())
    }

    /// The same request once more, after what was folded.
    pub(crate) fn ask_again(&mut self, chain: Option<BlobHash>, context: &Context<'_>) -> Result<(), SessionError> {
        let kind = CallKind::RetryOf(self.call);
        self.start_call(CallDetails { kind, chain, ..CallDetails::default() }, context)
    }

    /// Whether nothing of what is recorded is in a request of which so many messages are known.
    pub(crate) fn begins_anew(&self, from: usize) -> bool {
        self.kept(from) == 0 && (self.answer.is_some() || !self.placed.is_empty())
    }

    /// How many turns are in a request of which so many messages are known. Nobody goes back into the middle of a step.
    fn kept(&self, from: usize) -> usize {
        let kept = self.placed.iter().take_while(|placed| placed.messages.end <= from).count();
        let is_whole = |placed: &Placed| self.session.end_of_turn(placed.turn).is_ok();
        self.placed[..kept].iter().rposition(is_whole).map_or(0, |last| last + 1)
    }

    /// The client no longer has what came behind so many turns.
    fn go_back(&mut self, kept: usize, context: &Context<'_>) -> Result<(), SessionError> {
        self.session.interrupt(Interruption::Cancelled, context)?;
        self.placed.truncate(kept);
        self.calls.clear();
        match self.placed.last() {
            Some(last) => self.session.return_to(last.turn, context),
            // Nothing of it is left: the trace keeps it, and the view begins again behind it.
            None => Ok(()),
        }
    }

    /// Whether a turn is the answer that was recorded as it streamed: it makes the same calls and says the same.
    fn repeats_answer(&self, turn: TurnNo, spoken: &Spoken) -> bool {
        let Said::Answer(parts) = &spoken.said else { return false };
        let calls: Vec<&str> = calls_of(parts).map(|(id, ..)| id).collect();
        let streamed = self.session.trace().iter().rev().find_map(|event| match &event.event {
            EventBody::AssistantTurn(answer) if answer.turn == turn => Some(answer),
            _ => None,
        });
        calls.is_empty() == self.calls.is_empty()
            && self.calls.iter().all(|(id, ..)| calls.contains(&id.as_str()))
            && streamed.is_some_and(|streamed| is_kept(streamed, parts))
    }

    fn remember_calls<'p>(&mut self, parts: &'p [NewPart]) {
        let owned =
            |(id, name, arguments): (&'p str, &'p str, &'p str)| (id.to_owned(), name.to_owned(), arguments.to_owned());
        self.calls = calls_of(parts).map(owned).collect();
    }

    fn record(&mut self, said: Said, context: &Context<'_>) -> Result<Option<TurnNo>, SessionError> {
        Ok(match said {
            Said::User { parts, origin } => {
                self.end_step(context)?;
                Some(match <[CamePart; 1]>::try_from(parts) {
                    Ok([CamePart::Text(text)]) => self.session.user_turn(text, origin, context)?,
                    Ok([part]) => self.session.user_parts(vec![part], None, origin, context)?,
                    Err(parts) => self.session.user_parts(parts, None, origin, context)?,
                })
            }
            // Of an answer that nobody saw being made there is no bill.
            Said::Answer(parts) => {
                self.end_step(context)?;
                self.remember_calls(&parts);
                self.session.start_call(context)?;
                Some(self.session.assistant_turn(parts, Stop::End, context)?.turn)
            }
            Said::Results(results) => self.results(results, context)?,
        })
    }

    fn results(&mut self, results: Vec<Given>, context: &Context<'_>) -> Result<Option<TurnNo>, SessionError> {
        let mut turn = None;
        for given in results {
            let waiting = self.session.waiting_calls();
            let Some(place) = self.calls.iter().position(|(id, ..)| *id == given.id) else { continue };
            // A session gives an id of its own to one that it has seen before.
            let renamed = |id: &&&str| id.strip_prefix(&*given.id).is_some_and(|behind| behind.starts_with("_t"));
            let own = waiting.iter().find(|id| **id == given.id).or(waiting.iter().find(renamed)).or(waiting.first());
            let own = own.map(|id| (*id).to_owned());
            let Some(own) = own else { continue };
            let (_, name, arguments) = &self.calls[place];
            let shown =
                Shown { name, arguments, text: &given.text, output: given.output.as_ref(), failed: given.failed };
            let result = with_more(self.tools.result(shown), given.more);
            self.session.tool_result(&own, result, context)?;
            turn = turn.or(Some(TurnNo(self.session.turns() - 1)));
        }
        Ok(turn)
    }

    /// A call whose result the client does not send was given up.
    fn end_step(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        match self.session.waiting_calls().is_empty() {
            true => Ok(()),
            false => self.session.interrupt(Interruption::Cancelled, context),
        }
    }

    /// The answer to the open call.
    pub(crate) fn answered(
        &mut self,
        provider: Provider,
        reply: &Reply,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let call = self.call;
        let parts: Vec<NewPart> = reply.parts.iter().flat_map(|part| said(provider, part)).collect();
        let stop = match &reply.stop {
            ReplyStop::End => Stop::End,
            ReplyStop::Limit | ReplyStop::WindowFull => Stop::Limit,
            ReplyStop::Refused(_) => Stop::End,
            ReplyStop::Cut => Stop::Cut,
        };
        if parts.is_empty() {
            self.session.interrupt(Interruption::Cancelled, context)?;
        } else {
            self.remember_calls(&parts);
            self.answer = Some(self.session.assistant_turn(parts, stop, context)?.turn);
        }
        match reply.usage {
            Some(billed) => self.session.usage(Usage { call, billed }, context),
            None => Ok(()),
        }
    }

    /// No answer came.
    pub(crate) fn failed(&mut self, why: String, context: &Context<'_>) -> Result<(), SessionError> {
        self.session.interrupt(Interruption::Failed(why), context)
    }

    /// Folds what is due, as messages of the request with this chain.
    pub(crate) fn fold(
        &mut self,
        chain: &[Link],
        need: FoldNeed,
        recall: ClientRecall,
        context: &Context<'_>,
    ) -> Result<Vec<Folded>, SessionError> {
        let joined: BTreeSet<TurnNo> = self
            .placed
            .windows(2)
            .filter(|pair| pair[1].messages.start < pair[0].messages.end)
            .map(|pair| pair[0].turn)
            .collect();
        let reports = self.session.tidy_guest(&GuestFold { joined: &joined, recall, need }, context)?;
        let folded = reports.iter().filter_map(|report| {
            let of =
                |turn: TurnNo| self.placed.iter().find(|placed| placed.turn == turn).map(|placed| &placed.messages);
            let (first, end) = (of(report.range.first)?.start, of(report.range.last)?.end);
            let entry =
                self.session.view().entries().iter().find(|entry| entry.source == Source::Block(report.block))?;
            let message = self.session.message(entry, context.blobs).ok()?;
            let provider = self.session.start_of().provider;
            let block = Bytes::from(render_message(provider, &message));
            let (thinking_from, behind) = match self.drops_thinking(report.block) {
                true => (self.thought(), chain.get(end..)?.to_vec()),
                false => (end, Vec::new()),
            };
            let fold = NewFold { first, end, link: *chain.get(end.checked_sub(1)?)?, thinking_from, behind, block };
            Some(Folded { fold, saves: report.replaced.saturating_sub(report.block_tokens) })
        });
        Ok(folded.collect())
    }

    /// Whether the model's card has the thinking go that stands behind a fold when it is made.
    fn drops_thinking(&self, block: u32) -> bool {
        let events = self.session.trace().iter().rev().map(|event| &event.event);
        let mut folds = events.filter_map(|event| if let EventBody::Fold(fold) = event { Some(fold) } else { None });
        folds.find(|fold| fold.block == block).is_some_and(|fold| fold.thinking == ThinkingBehind::Dropped)
    }

    /// Behind the last message that was thought of before now: the newest answer, where there is one, is the client's next.
    fn thought(&self) -> usize {
        self.messages + usize::from(self.answer.is_some())
    }
}

/// A part of an answer, as a client sends it back.
fn said(provider: Provider, part: &ReplyPart) -> Vec<NewPart> {
    match (&part.content, &part.native) {
        (ReplyContent::UnfinishedCall { id, name, arguments }, _) => {
            let (id, name, arguments) = (id.clone(), name.clone(), arguments.clone());
            vec![NewPart::UnfinishedCall { id, name, arguments }]
        }
        // Nobody here runs what a client defined itself; that client does, and it is a call like others.
        (ReplyContent::Unknown, Some(raw)) => {
            let messages = parse_message(provider, raw.as_bytes()).unwrap_or_default();
            messages.into_iter().flat_map(|message| message.parts).filter_map(new_part).collect()
        }
        _ => part.to_part(provider).and_then(new_part).into_iter().collect(),
    }
}

fn with_more(result: ToolResult, more: Option<NamedPart>) -> ToolResult {
    let Some(more) = more else { return result };
    let bytes = result.text.bytes(&NoBlobs).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    result.with_parts(vec![CamePart::Text(text), CamePart::Named(more)], None)
}
