//! Recording state deltas: from the model's `Board` call, or by rules where it did not come.

use crate::{
    board::{DeltaRefused, render_delta},
    compactor::{Request, compact},
    gate::{GateLimits, GateRefused, Refusal, admit_delta},
    proposal::{DeltaProposal, parse_delta},
    report::DeltaReport,
    session::{BoardRefused, Context, Session, SessionError},
    trace::{
        Event, EventBody,
        decision::{Author, Refused, StateDelta, TurnRange},
    },
};

impl Session {
    /// A delta from a model's text: the arguments of its `Board` call while that step is open, else the answer to the
    /// state update prompt. What could not be admitted is in the report, for the tool's result or the repair attempt.
    pub fn delta_from_text(&mut self, text: &str, context: &Context<'_>) -> Result<DeltaReport, SessionError> {
        let parsed = parse_delta(text).map_err(BoardRefused::Proposal)?;
        self.commit_delta(parsed.delta, Author::Model, context)
    }

    /// What changed on the board since the last delta or fold, as far as rules can tell. None: nothing.
    pub fn delta_by_rules(&mut self, context: &Context<'_>) -> Result<Option<DeltaReport>, SessionError> {
        self.expect_idle()?;
        let written = |event: &&Event| matches!(event.event, EventBody::StateDelta(_) | EventBody::Fold(_));
        let since = self.trace.iter().rev().find(written).map(|event| event.seq);
        // What came before was asked about then: reading it again costs a compaction of the whole hot zone.
        let mut turns = self.hot_turns().filter(|turn| self.index.event_of(*turn) > since);
        let Some(first) = turns.next() else { return Ok(None) };
        let last = turns.last().unwrap_or(first);
        let request = Request {
            range: TurnRange { first, last },
            budget: self.configuration.fold.block_least as u32,
            focus: None,
        };
        let delta = compact(self, &self.state.board, &request, context.count, context.blobs)?.delta;
        if delta == DeltaProposal::default() {
            return Ok(None);
        }
        match self.commit_delta(delta, Author::Rules, context) {
            Ok(report) => Ok(Some(report)),
            Err(SessionError::Board(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn commit_delta(
        &mut self,
        proposal: DeltaProposal,
        author: Author,
        context: &Context<'_>,
    ) -> Result<DeltaReport, SessionError> {
        if self.state.call.is_some() {
            return Err(SessionError::CallOpen);
        }
        let limits = GateLimits::from(&self.configuration);
        let (delta, refused) = match admit_delta(self, proposal, &limits, context.blobs) {
            Ok(admitted) => admitted,
            Err(GateRefused::Empty { refused }) => return Err(BoardRefused::NothingAdmitted { refused }.into()),
            Err(other) => return Err(BoardRefused::Gate(other).into()),
        };
        self.check_delta(&delta, &refused, context)?;
        let mut board = self.state.board.clone();
        let applied = board.apply(&delta);
        let text = render_delta(&delta, &applied, &self.configuration.board);
        // In an open step the model's own call and its result show the delta.
        let entry = self.state.step.is_none().then(|| context.counted(text.clone()));
        let event = StateDelta {
            version: applied.version,
            author,
            delta,
            entry,
            refused: refused.iter().map(Refused::from).collect(),
        };
        self.record(EventBody::StateDelta(Box::new(event)), context)?;
        Ok(DeltaReport { version: applied.version, author, text, refused })
    }

    fn check_delta(
        &self,
        delta: &crate::claim::Delta,
        refused: &[Refusal],
        context: &Context<'_>,
    ) -> Result<(), BoardRefused> {
        match self.state.board.check(delta, &self.configuration.board, context.count) {
            Ok(()) => Ok(()),
            // Nothing new remained because the rest was refused: say why.
            Err(DeltaRefused::Empty) if !refused.is_empty() => {
                Err(BoardRefused::NothingAdmitted { refused: refused.to_vec() })
            }
            Err(reason) => Err(BoardRefused::Delta(reason)),
        }
    }
}
