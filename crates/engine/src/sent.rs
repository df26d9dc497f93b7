//! What went out: the last prompt, what each call reused and why not all, what is expected to be billed for it and what
//! was.
//!
//! It follows recorded events and decides nothing.

mod bill;
mod reports;

use std::borrow::Cow;

use lookback_wire::{HeadMark, Provider};

use self::{bill::Bill, reports::Reports};
use crate::{
    cache::Split,
    card::Card,
    history::History,
    ledger::{
        LedgerLine, Miss, Size,
        verdict::{CacheVerdict, check},
    },
    reconcile::Reconciled,
    state::{Bench, ModelInUse},
    tight,
    trace::{
        BlobError, Blobs, CallNo, Event, EventBody, EventNo, Timestamp,
        event::{CallKind, Cold, CompactorAsked, Interruption, Ride},
    },
    view::{Change, Source, rendering::Rendering},
};

/// Everything that is known of the prompts that were sent.
#[derive(Debug)]
pub(crate) struct Sent {
    rendering: Rendering,
    /// What the last prompt was sent to, and the event that said so.
    to: Option<(ModelInUse, EventNo)>,
    ledger: Vec<LedgerLine>,
    /// While a card is in use.
    bill: Option<Bill>,
    /// Whether a call ever came to a cold cache.
    paused: bool,
    reports: Reports,
}

impl Sent {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            rendering: Rendering::new(provider),
            to: None,
            ledger: Vec::new(),
            bill: None,
            paused: false,
            reports: Reports::default(),
        }
    }

    /// From now on calls are billed by this card.
    pub(crate) fn use_card(&mut self, card: &Card) {
        match &mut self.bill {
            Some(bill) => bill.renew(card),
            None => self.bill = Some(Bill::new(card)),
        }
    }

    pub(crate) fn ledger(&self) -> &[LedgerLine] {
        &self.ledger
    }

    /// The prompt of the last call, as it was sent.
    pub(crate) fn rendering(&self) -> &Rendering {
        &self.rendering
    }

    /// The line of the last call, for whoever only wanted to know it.
    pub(crate) fn into_last_line(mut self) -> Option<LedgerLine> {
        self.ledger.pop()
    }

    /// The event of the last call.
    pub(crate) fn last_call(&self) -> Option<EventNo> {
        self.to.as_ref().map(|(_, event)| *event)
    }

    /// Whether the next prompt goes where the last one went.
    pub(crate) fn went_to(&self, model: &ModelInUse) -> bool {
        self.to.as_ref().is_some_and(|(to, _)| {
            let written = |model: &ModelInUse| (model.provider, model.plain_thinking, model.pictures);
            written(to) == written(model) && to.name == model.name
        })
    }

    pub(crate) fn expected_bill(&self, call: CallNo) -> Option<Split> {
        Some(self.bill.as_ref()?.expected(call)?.split)
    }

    pub(crate) fn cache_verdict(&self, call: CallNo) -> Option<CacheVerdict> {
        check(self.bill.as_ref()?.expected(call)?, self.reports.of(call)?)
    }

    /// Where the marks of the last prompt stand: whether the head ends with one, and the places of the messages that do.
    pub(crate) fn marked(&self) -> (HeadMark, Vec<usize>) {
        self.bill.as_ref().map_or((HeadMark::Without, Vec::new()), Bill::marked)
    }

    /// Whether the session ever came back to a cold cache.
    pub(crate) fn paused(&self) -> bool {
        self.paused
    }

    /// How many parts of the last prompt were asked to be held for an hour.
    pub(crate) fn hour(&self) -> usize {
        self.bill.as_ref().map_or(0, Bill::hour)
    }

    /// Before an event is applied to the view: bills are compared with what was known without it.
    pub(crate) fn expect(&mut self, event: &EventBody, last_call: CallNo, reconciled: Reconciled) {
        match event {
            _ if self.bill.is_none() => {}
            // The bills before a call are known until the next one begins.
            EventBody::Usage(usage) if usage.call == last_call => self.reports.add(*usage, reconciled),
            EventBody::ModelChanged { .. } => self.reports.forget_habits(),
            _ => {}
        }
    }

    /// After an event was applied to the view. A compactor's call stands in the ledger when it is sent, and when its answer
    /// is there the provider has its prompt; the live prompt is still the one to compare the next with.
    pub(crate) fn follow(
        &mut self,
        event: &Event,
        bench: Bench<'_>,
        provider: Provider,
        blobs: &dyn Blobs,
    ) -> Result<(), BlobError> {
        let state = bench.state;
        match &event.event {
            EventBody::CallStarted { call, details: Some(_), .. } if state.call == Some(*call) => {
                let line = self.compactor_line(event, *call, bench, provider, blobs)?;
                line.into_iter().for_each(|line| tight::push(&mut self.ledger, line));
            }
            EventBody::CallEnded { call } if state.aside == Some(*call) => {
                let (Some(bill), Some((at, asked))) = (&mut self.bill, asked(bench.history, *call)) else {
                    return Ok(());
                };
                let Some(question) = &asked.question else { return Ok(()) };
                match asked.ride {
                    Ride::Live => bill.rode(*call, at, &state.view, question),
                    Ride::Alone if asked.model == state.model.name => bill.alone(*call, at, question),
                    Ride::Alone => {}
                }
            }
            EventBody::CallInterrupted { call, reason: Interruption::Failed(_) } if state.aside != Some(*call) => {
                self.bill.iter_mut().for_each(Bill::failed);
            }
            EventBody::AssistantTurn(turn) => {
                let answer = Source::Turn(turn.turn);
                let answer = state.view.entries().last().filter(|entry| entry.source == answer);
                self.bill.iter_mut().for_each(|bill| bill.close(answer));
            }
            _ => {}
        }
        Ok(())
    }

    fn compactor_line(
        &self,
        event: &Event,
        call: CallNo,
        bench: Bench<'_>,
        provider: Provider,
        blobs: &dyn Blobs,
    ) -> Result<Option<LedgerLine>, BlobError> {
        let EventBody::CallStarted { input_tokens, .. } = event.event else { return Ok(None) };
        let Some(CallKind::Compactor(asked)) = event.event.call_kind() else { return Ok(None) };
        let Some(question) = &asked.question else { return Ok(None) };
        let (mut reused, mut bytes) = (Size::default(), question.bytes);
        if asked.ride == Ride::Live {
            if self.went_to(&bench.state.model) && self.rendering.provider() == provider {
                reused = self.rendering.shared_with(&bench.state.view);
            }
            for entry in std::iter::once(None).chain(bench.state.view.entries().iter().map(Some)) {
                bytes = bytes.saturating_add(bench.render_part(provider, entry, blobs)?.len() as u64);
            }
        }
        // A trace from outside can claim any sizes.
        let written = Size {
            tokens: u64::from(input_tokens).saturating_sub(reused.tokens),
            bytes: bytes.saturating_sub(reused.bytes),
        };
        Ok(Some(LedgerLine { call, at: event.at, reused, written, reasons: Cow::Borrowed(&[Miss::Compactor]) }))
    }

    /// A call begins: brings the prompt up to date, and says what of it is reused, what is new, and why. `change` is
    /// what was edited in the view since the last one.
    pub(crate) fn send(
        &mut self,
        call: CallInView<'_>,
        change: Change,
        provider: Provider,
        blobs: &dyn Blobs,
    ) -> Result<(), BlobError> {
        let CallInView { call, at, cold, event, hour, bench } = call;
        self.paused |= cold.is_some();
        let view = &bench.state.view;
        let last_call = self.last_call();
        let same_model = self.went_to(&bench.state.model);
        let before = self.rendering.size();
        // Another model has another cache: nothing of the old prompt is worth anything there.
        let reset = !same_model || self.rendering.provider() != provider;
        if reset {
            self.rendering = Rendering::new(provider);
        }
        let render = |provider, entry: Option<&_>| bench.render_part(provider, entry, blobs);
        let same_bytes = self.rendering.sync(view, &change, &render);
        if let Some(bill) = &mut self.bill {
            if reset {
                bill.forget();
            }
            let same_head = same_bytes.as_ref().is_ok_and(|same| same.tokens >= view.head().tokens());
            let unchanged = same_head.then(|| change.from.unwrap_or(usize::MAX));
            bill.sent(call, at, view, unchanged, hour);
        }
        self.to = Some((bench.state.model.clone(), event));
        let reused = match cold {
            None => same_bytes?,
            Some(Cold { base_held: true, .. }) if same_bytes?.tokens >= view.head().tokens() => {
                self.rendering.head_size()
            }
            Some(_) => Size::default(),
        };
        let written = self.rendering.size() - reused;
        let mut reasons = match (last_call, cold) {
            (None, _) => vec![Miss::FirstCall],
            (Some(_), _) if !same_model => vec![Miss::ModelChanged],
            (Some(_), Some(cold)) => [vec![Miss::Cold(cold)], change.reasons].concat(),
            // An edit of what was never sent costs nothing.
            (Some(_), None) if reused.bytes == before.bytes => Vec::new(),
            (Some(_), None) => change.reasons,
        };
        let appended = view.entries().last().is_some_and(|entry| {
            matches!(entry.source, Source::Turn(_) | Source::Note) && Some(entry.revision) > last_call
        });
        if last_call.is_some() && written.tokens > 0 && (appended || reasons.is_empty()) {
            reasons.push(Miss::NewTurns);
        }
        // Nearly every line of a long session says the same.
        let reasons =
            if reasons == [Miss::NewTurns] { Cow::Borrowed(&[Miss::NewTurns][..]) } else { Cow::Owned(reasons) };
        tight::push(&mut self.ledger, LedgerLine { call, at, reused, written, reasons });
        Ok(())
    }
}

/// A call that begins, and the view that it sends.
pub(crate) struct CallInView<'a> {
    pub(crate) call: CallNo,
    pub(crate) at: Timestamp,
    pub(crate) cold: Option<Cold>,
    pub(crate) event: EventNo,
    /// How many of its parts are asked to be held for an hour.
    pub(crate) hour: usize,
    pub(crate) bench: Bench<'a>,
}

/// When the call of a compactor began, and what it asked for. It is one of the newest.
fn asked(history: &History, call: CallNo) -> Option<(Timestamp, &CompactorAsked)> {
    let is_start = |event: &&Event| matches!(event.event, EventBody::CallStarted { call: of, .. } if of == call);
    let started = history.events().iter().rev().find(is_start)?;
    match started.event.call_kind()? {
        CallKind::Compactor(asked) => Some((started.at, asked)),
        _ => None,
    }
}
