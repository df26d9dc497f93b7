//! What a model is asked for when it is to write a block or a summary, and the record that it was asked.
//!
//! The answer comes back through [`Session::fold_by_model`] and [`Session::archive_by_model`]; who sends the question is
//! not known here.

use lookback_wire::TokenUsage;

use crate::{
    prompt::{Compaction, Detail, render_archive_prompt, render_compaction_prompt, render_repair_prompt},
    proposal::{Dialect, citable, output_schema},
    session::{ArchiveDraft, Context, FoldDraft, Session, SessionError},
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
    /// `tail_compaction.txt` for a draft: what is appended to the live prompt.
    pub fn compaction_instruction(&self, draft: &FoldDraft, template: &str, context: &Context<'_>) -> String {
        let compaction = Compaction {
            range: draft.range,
            board: &self.state.board,
            focus: draft.focus.as_deref().unwrap_or(""),
            budget: draft.budget,
            limits: &self.configuration.board,
        };
        render_compaction_prompt(template, &compaction, context.count)
    }

    /// The same with the turns behind it, for a model that does not have them before it.
    pub fn compaction_prompt(
        &self,
        draft: &FoldDraft,
        template: &str,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        let turns = self.turns_as_text(draft.range, Detail::View, context)?;
        Ok(format!("{}\n\n{turns}", self.compaction_instruction(draft, template, context)))
    }

    /// A schema under which only pointers that exist can be cited.
    pub fn compaction_schema(&self, range: TurnRange, dialect: Dialect) -> String {
        output_schema(&citable(self, range), &self.configuration.block, dialect)
    }

    /// `archive_summary.txt`, from the raw turns where they fit into `room` tokens, else from their view (design 3-folding,
    /// "Archive").
    pub fn archive_prompt(
        &self,
        draft: &ArchiveDraft,
        template: &str,
        room: u64,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        let raw = render_archive_prompt(template, self, draft.range, Detail::Raw, context.blobs)?;
        if u64::from((context.count)(raw.as_bytes())) <= room {
            return Ok(raw);
        }
        render_archive_prompt(template, self, draft.range, Detail::View, context.blobs)
    }

    /// `repair.txt`: what was refused, and why, under the name of the prompt that it repairs.
    pub fn repair_instruction(template: &str, name: &str, problem: &str) -> String {
        render_repair_prompt(template, name, problem)
    }

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
        self.expect_idle()?;
        let call = CallNo(self.index.calls + 1);
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
        usage.map_or(Ok(()), |billed| self.usage(Usage { call, billed }, context))
    }
}
