//! A model that writes blocks and summaries: what it is asked, its calls, and what of it was refused.

use lookback_wire::TokenUsage;

use super::Session;
use crate::{
    context::Context,
    edits::{
        asked,
        draft::{ArchiveDraft, FoldDraft},
    },
    error::{SessionError, expect_idle},
    prompt::render_repair_prompt,
    proposal::{Dialect, proposal_schema},
    recorder::{Book, turns},
    trace::{
        BlobError, BlobHash, CallNo, EventBody,
        decision::TurnRange,
        event::{
            CallDetails, CallKind, CompactorAsked, CompactorPurpose, Interruption, Question, Ride, TextRefused, Usage,
        },
    },
    view::TOKENS_PER_MESSAGE,
};

impl Session {
    /// A compactor did not answer, or not in time: it counts for the breaker as a refused text does, so that one that hangs
    /// is not waited for at every fold.
    pub fn compactor_failed(&mut self, problem: &str, context: &Context<'_>) -> Result<(), SessionError> {
        self.text_refused(None, "", problem.to_owned(), context)
    }

    /// What the breaker counts.
    pub(super) fn text_refused(
        &mut self,
        what: Option<(CompactorPurpose, TurnRange)>,
        text: &str,
        reason: String,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let refused = TextRefused {
            purpose: what.map(|(purpose, _)| purpose),
            range: what.map(|(_, range)| range),
            call: self.state.aside,
            text: (!text.is_empty()).then(|| text.into()),
            reason,
        };
        self.record(EventBody::TextRefused(Box::new(refused)), context)
    }

    /// A compactor is asked: a call like any other, which leaves no turn. `question` is what stands behind the live prompt
    /// where it rides on it, else the whole prompt.
    pub fn ask_compactor(
        &mut self,
        purpose: CompactorPurpose,
        model: &str,
        ride: Ride,
        question: &str,
        context: &Context<'_>,
    ) -> Result<CallNo, SessionError> {
        expect_idle(&self.history)?;
        let call = CallNo(self.last_call().0 + 1);
        let bytes = question.as_bytes();
        let question =
            Question { hash: BlobHash::of(bytes), bytes: bytes.len() as u64, tokens: (context.count)(bytes) };
        let before = match ride {
            Ride::Live => self.view().tokens(),
            Ride::Alone => 0,
        };
        let input = before + u64::from(question.tokens) + u64::from(TOKENS_PER_MESSAGE);
        let asked = CompactorAsked { purpose, model: model.to_owned(), ride, question: Some(question) };
        let details = CallDetails { kind: CallKind::Compactor(Box::new(asked)), ..CallDetails::default() };
        let started = EventBody::CallStarted {
            call,
            input_tokens: u32::try_from(input).unwrap_or(u32::MAX),
            rents: None,
            cold: None,
            details: Some(Box::new(details)),
        };
        self.record(started, context)?;
        Ok(call)
    }

    /// The call of a compactor is over: its answer is there, or why there is none. What it cost was billed either way.
    pub fn compactor_ended(
        &mut self,
        usage: Option<TokenUsage>,
        failed: Option<Interruption>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let call = self.state.call.filter(|call| self.state.aside == Some(*call)).ok_or(SessionError::NoCallOpen)?;
        let ended = match failed {
            None => EventBody::CallEnded { call },
            Some(reason) => EventBody::CallInterrupted { call, reason },
        };
        self.record(ended, context)?;
        usage.map_or(Ok(()), |billed| turns::usage(self, Usage { call, billed }, context))
    }

    /// `tail_compaction.txt` for a draft: what is appended to the live prompt.
    pub fn compaction_instruction(&self, draft: &FoldDraft, template: &str, context: &Context<'_>) -> String {
        asked::compaction_instruction(self.desk(), draft, template, context)
    }

    /// The same with the turns behind it, for a model that does not have them before it.
    pub fn compaction_prompt(
        &self,
        draft: &FoldDraft,
        template: &str,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        asked::compaction_prompt(self.desk(), draft, template, context)
    }

    /// `state_update.txt`: asks for a delta with the next step.
    pub fn state_instruction(&self, template: &str, context: &Context<'_>) -> String {
        asked::state_instruction(self.desk(), template, context)
    }

    /// A schema under which only pointers that exist can be cited.
    pub fn compaction_schema(&self, range: TurnRange, dialect: Dialect) -> String {
        asked::compaction_schema(self.desk(), range, dialect)
    }

    /// `archive_summary.txt`, from the raw turns where they fit into `room` tokens, else from their view
    /// (docs/design/folding.md, "Archive").
    pub fn archive_prompt(
        &self,
        draft: &ArchiveDraft,
        template: &str,
        room: u64,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        asked::archive_prompt(self.desk(), draft, template, room, context)
    }

    /// `repair.txt`: what was refused, and why, under the name of the prompt that it repairs.
    pub fn repair_instruction(template: &str, name: &str, problem: &str) -> String {
        render_repair_prompt(template, name, problem)
    }

    /// The JSON schema of what [`Self::fold_by_other`] and [`Self::archive_by_other`] take.
    pub fn proposal_schema() -> serde_json::Value {
        proposal_schema()
    }
}
