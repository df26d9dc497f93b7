//! The prompt of each call against the one before: what of it is reused, what is new, and why.

use std::borrow::Cow;

use super::Session;
use crate::{
    ledger::{LedgerLine, Miss, Size},
    trace::{
        BlobError, Blobs, CallNo, Event, EventBody, EventNo, Timestamp,
        event::{CallKind, Cold, CompactorAsked, Ride},
    },
    view::{Source, rendering::Rendering},
};

/// Two sizes that add up to the prompt, and why not all of it was reused.
type Comparison = (Size, Size, Cow<'static, [Miss]>);

impl Session {
    /// Brings the bytes up to date before a call.
    pub(super) fn sync_rendering(
        &mut self,
        (call, at): (CallNo, Timestamp),
        cold: Option<Cold>,
        blobs: &dyn Blobs,
    ) -> Result<Comparison, BlobError> {
        let change = self.state.view.take_change();
        let provider = self.prompt_provider();
        let last_call = self.sent_to.as_ref().map(|(_, event)| *event);
        let same_model = self.asks_the_same_model();
        let mut rendering = std::mem::replace(&mut self.rendering, Rendering::new(provider));
        let before = rendering.size();
        // Another model has another cache: nothing of the old prompt is worth anything there.
        let reset = !same_model || rendering.provider() != provider;
        if reset {
            rendering = Rendering::new(provider);
        }
        let render = |provider, entry: Option<&_>| self.render_part(provider, entry, blobs);
        let same_bytes = rendering.sync(&self.state.view, &change, &render);
        if let Some(bill) = &mut self.bill {
            if reset {
                bill.forget();
            }
            let same_head = same_bytes.as_ref().is_ok_and(|same| same.tokens >= self.state.view.head().tokens());
            let unchanged = same_head.then(|| change.from.unwrap_or(usize::MAX));
            bill.sent(call, at, &self.state.view, unchanged);
        }
        let size = rendering.size();
        self.rendering = rendering;
        self.sent_to = Some((self.state.model.clone(), EventNo(self.trace.len() as u64 - 1)));
        let reused = if cold.is_some() { Size::default() } else { same_bytes? };
        let written = size - reused;
        let mut reasons = match (last_call, cold) {
            (None, _) => vec![Miss::FirstCall],
            (Some(_), _) if !same_model => vec![Miss::ModelChanged],
            (Some(_), Some(cold)) => [vec![Miss::Cold(cold)], change.reasons].concat(),
            // An edit of what was never sent costs nothing.
            (Some(_), None) if reused.bytes == before.bytes => Vec::new(),
            (Some(_), None) => change.reasons,
        };
        let newest = self.state.view.entries().last();
        let appended = newest.is_some_and(|entry| {
            matches!(entry.source, Source::Turn(_) | Source::Note) && Some(entry.revision) > last_call
        });
        if last_call.is_some() && written.tokens > 0 && (appended || reasons.is_empty()) {
            reasons.push(Miss::NewTurns);
        }
        // Nearly every line of a long session says the same.
        let reasons =
            if reasons == [Miss::NewTurns] { Cow::Borrowed(&[Miss::NewTurns][..]) } else { Cow::Owned(reasons) };
        Ok((reused, written, reasons))
    }

    /// Follows the newest event where it is about a compactor's call: such a call stands in the ledger when it is sent, and
    /// when its answer is there the provider has its prompt. The live prompt is still the one to compare the next with.
    pub(super) fn note_compactor(&mut self, blobs: &dyn Blobs) -> Result<(), BlobError> {
        match self.trace.last().map(|newest| &newest.event) {
            Some(EventBody::CallStarted { call, details: Some(_), .. }) if self.state.call == Some(*call) => {
                let line = self.compactor_line(*call, blobs)?;
                line.into_iter().for_each(|line| self.ledger.push(line));
            }
            Some(EventBody::CallEnded { call }) if self.state.aside == Some(*call) => {
                let Some((started, CompactorAsked { ride, model, question: Some(question), .. })) = self.asked(*call)
                else {
                    return Ok(());
                };
                let (call, at, ride, question) = (*call, started.at, *ride, *question);
                let same_model = *model == self.state.model.name;
                match (&mut self.bill, ride) {
                    (Some(bill), Ride::Live) => bill.rode(call, at, &self.state.view, &question),
                    (Some(bill), Ride::Alone) if same_model => bill.alone(call, at, &question),
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn compactor_line(&self, call: CallNo, blobs: &dyn Blobs) -> Result<Option<LedgerLine>, BlobError> {
        let Some((started, CompactorAsked { ride, question: Some(question), .. })) = self.asked(call) else {
            return Ok(None);
        };
        let EventBody::CallStarted { input_tokens, .. } = started.event else { return Ok(None) };
        let provider = self.prompt_provider();
        let (mut reused, mut bytes) = (Size::default(), question.bytes);
        if *ride == Ride::Live {
            if self.asks_the_same_model() && self.rendering.provider() == provider {
                reused = self.rendering.shared_with(&self.state.view);
            }
            bytes += self.render_part(provider, None, blobs)?.len() as u64;
            for message in self.rendered_messages(provider, blobs)? {
                bytes += message.len() as u64;
            }
        }
        let written = Size { tokens: u64::from(input_tokens), bytes } - reused;
        Ok(Some(LedgerLine { call, at: started.at, reused, written, reasons: Cow::Borrowed(&[Miss::Compactor]) }))
    }

    /// The event that began the call of a compactor, and what it asked for. It is one of the newest.
    fn asked(&self, call: CallNo) -> Option<(&Event, &CompactorAsked)> {
        let is_start =
            |event: &&Event| matches!(event.event, EventBody::CallStarted { call: number, .. } if number == call);
        let started = self.trace.iter().rev().find(is_start)?;
        match started.event.call_kind()? {
            CallKind::Compactor(asked) => Some((started, asked)),
            _ => None,
        }
    }

    /// Whether the next prompt goes where the last one went.
    pub(super) fn asks_the_same_model(&self) -> bool {
        self.sent_to.as_ref().is_some_and(|(model, _)| {
            let now = &self.state.model;
            (model.provider, &model.name, model.plain_thinking) == (now.provider, &now.name, now.plain_thinking)
        })
    }
}
