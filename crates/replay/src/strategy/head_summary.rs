//! `head-summary`: near the end of the window everything but a short tail becomes a summary, written by a call of its own.
//!
//! As in: Claude Code (auto-compact), Codex (`compact`), goose (auto-compact at 0.8 of the window), OpenHands (condenser).
//! They differ in threshold and tail; one set of numbers stands for all. `anthropic-compact` and `codex-compact` are the
//! same with the numbers of these two.
//!
//! As there: one more call reads the whole prompt and writes the summary; users' turns are summarised like the rest; the
//! next time the summary itself goes, and a new one covers everything up to the new tail. The text is not a model's: it
//! is the engine's rule-based block beside the user's words, so that two runs give the same figures and only the policy is
//! compared. Going back to before a summary brings back what it stood for.

use std::rc::Rc;

use lookback_engine::{
    SessionError, SessionSetup,
    fold::{CompactorRequest as Request, compact, render_block},
    trace::{NoBlobs, SessionId, decision::TurnRange},
};

use super::{Counter, Step, Strategy, fed::Fed, made::Maker};
use crate::{
    conversation::Conversation,
    parameters::SummaryParameters,
    shown::{CompactorCall, Did, Made, Part, Shown, Stands},
};

pub(super) struct HeadSummary<'a> {
    conversation: &'a Conversation<'a>,
    parameters: SummaryParameters,
    maker: Maker<'a>,
    writer: SummaryWriter<'a>,
    /// Of the live conversation, oldest first; the last one is shown.
    summaries: Vec<Summary>,
    problem: Option<String>,
}

#[derive(Debug)]
struct Summary {
    made: Rc<Made>,
    /// The pieces that it stands for: the beginning of the conversation.
    covers: Vec<usize>,
}

impl<'a> HeadSummary<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, parameters: SummaryParameters, count: Counter<'a>) -> Self {
        Self {
            conversation,
            parameters,
            maker: Maker::new(conversation, count),
            writer: SummaryWriter::new(conversation, count),
            summaries: Vec::new(),
            problem: None,
        }
    }

    /// How many of the pieces before a call the newest summary stands for.
    fn covered(&self) -> usize {
        self.summaries.last().map_or(0, |summary| summary.covers.len())
    }

    fn view(&self, before: &[usize]) -> Shown {
        let summary = self.summaries.last().map(|summary| Part::Made(Rc::clone(&summary.made)));
        let raw = before[self.covered()..].iter().copied().map(Part::Raw);
        let parts: Vec<Part> = summary.into_iter().chain(raw).collect();
        Shown { stable: parts.len(), parts, hour: 0 }
    }

    /// Where the tail begins among the pieces before a call.
    fn tail_start(&self, before: &[usize]) -> usize {
        let (mut start, mut tokens) = (before.len(), 0);
        let Some(tail) = self.parameters.tail else { return start };
        for (place, piece) in before.iter().enumerate().skip(self.covered()).rev() {
            let piece = &self.conversation.pieces[*piece];
            tokens += u64::from(piece.tokens);
            if piece.is_result() {
                continue;
            }
            if tokens > tail && start < before.len() {
                break;
            }
            start = place;
        }
        start
    }

    fn summarise(&mut self, call: usize, before: &[usize]) -> Option<(Did, CompactorCall)> {
        let before_tokens = self.view(before).tokens(self.conversation);
        let input = u64::from(self.conversation.scale.base) + before_tokens;
        if input < self.parameters.trigger {
            return None;
        }
        let covers = &before[..self.tail_start(before)];
        if covers.len() <= self.covered() {
            return None;
        }
        let (&first, &last) = (covers.first()?, covers.last()?);
        let text = match self.writer.write(call, first, last, self.parameters.budget) {
            Ok(text) => text,
            Err(error) => {
                self.problem = Some(format!("no summary could be written: {error}"));
                return None;
            }
        };
        let made = self.maker.make(text, Stands::Alone);
        let output_tokens = made.tokens;
        self.summaries.push(Summary { made, covers: covers.to_vec() });
        let (first, last) = (self.conversation.pieces[first].turn, self.conversation.pieces[last].turn);
        let did = Did {
            what: "summary",
            before_tokens,
            after_tokens: self.view(before).tokens(self.conversation),
            note: format!("turns {first}–{last} became a summary at {input} tokens"),
        };
        Some((did, CompactorCall { output_tokens }))
    }
}

impl Strategy for HeadSummary<'_> {
    fn show(&mut self, call: usize) -> Step {
        let before: Vec<usize> = self.conversation.before(call).collect();
        while self.summaries.last().is_some_and(|summary| !before.starts_with(&summary.covers)) {
            self.summaries.pop();
        }
        let (did, compactor) = self.summarise(call, &before).unzip();
        Step { shown: self.view(&before), did: did.into_iter().collect(), compactor: compactor.into_iter().collect() }
    }

    fn invalid(&self) -> Option<String> {
        self.problem.clone()
    }
}

/// An engine session that follows a recording, for the texts of summaries: it is fed up to the call that is being shown and
/// nothing later, and its window is without end, so it never shortens anything itself.
#[derive(Debug)]
struct SummaryWriter<'a> {
    fed: Fed<'a>,
    written: u32,
}

/// Large enough for any recording; far from where sums of it overflow.
const NO_WINDOW: u32 = 1 << 30;

impl<'a> SummaryWriter<'a> {
    fn new(conversation: &'a Conversation<'a>, count: Counter<'a>) -> Self {
        let setup = SessionSetup {
            window: NO_WINDOW,
            root: conversation.recording.about.cwd.clone().unwrap_or_default(),
            ..SessionSetup::new(SessionId("replay".into()))
        };
        Self { fed: Fed::new(conversation, setup, None, Box::new(count)), written: 0 }
    }

    /// What stands for the pieces from `first` to `last` when this call is made.
    fn write(&mut self, call: usize, first: usize, last: usize, budget: u32) -> Result<String, SessionError> {
        self.fed.feed(call)?;
        let (Some(first), Some(last)) = (self.fed.turn(first), self.fed.turn(last)) else {
            return Ok(String::new());
        };
        let count = |text: &[u8]| self.fed.count(text);
        let session = self.fed.session();
        let range = TurnRange { first, last };
        let request = Request { range, budget, focus: None };
        let (board, configuration) = (session.state().board(), session.configuration());
        let content = compact(session.bench(), board, configuration, &request, &count, &NoBlobs)?.block;
        self.written += 1;
        Ok(render_block(session.bench(), self.written, range, &content, &session.configuration().block, &count))
    }
}
