//! Recording a fold: from a draft and what a compactor proposes to one event. On any failure the view stays as it was.

use serde_json::Value;

use super::{fold_text::Written, questions::render_asked};
use crate::{
    compactor::{Request, compact},
    gate::{GateLimits, admit_block},
    planner::{Asked, FoldDecision, FoldQuestion, Verdict, WhyNot, block_budget, plan_fold},
    proposal::{BlockProposal, DeltaProposal, ProposalRefused, parse_compaction},
    report::FoldReport,
    session::{Context, FoldRefused, Session, SessionError, index::TurnRecord, state::BlockStanding},
    trace::{
        EventBody, TurnNo,
        decision::{Author, Fold, Reach, Refused, TurnRange},
        event::CompactorPurpose,
    },
    view::Source,
};

/// A fold that was decided and waits for its block.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldDraft {
    pub range: TurnRange,
    pub reach: Reach,
    /// Tokens that the block may have beside the user's turns.
    pub budget: u32,
    /// What a person asked to keep in view.
    pub focus: Option<String>,
    pub trigger: String,
    pub decision: Option<FoldDecision>,
}

/// Design 3-folding: one repair attempt that lists what was refused and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelAttempt {
    First,
    Repair,
}

impl Session {
    /// `/fold`: what would be folded now, from the seam to the newest step that need not stay raw.
    pub fn draft_fold(&self, focus: Option<&str>, context: &Context<'_>) -> Result<FoldDraft, SessionError> {
        self.expect_idle()?;
        let decision = self.ask_planner(Asked::Order, None, context);
        let kept = self.configuration.fold.keep_steps;
        let refused = match (self.draft_of(&decision, focus), decision.verdict, decision.cut) {
            (Some(draft), ..) => return Ok(draft),
            (None, _, Some(cut)) => FoldRefused::TooLittle { replaced: cut.foldable, block: cut.block },
            (None, Verdict::Hold(WhyNot::NothingFoldable), None) => FoldRefused::NothingToFold { kept },
            (None, _, None) => FoldRefused::OnlyWords { kept },
        };
        // Design 3-folding, "Unfold": those turns stay raw until an archive or `/fold`.
        let unfolded = self.state.blocks.values().rev().filter(|block| block.standing == BlockStanding::Unfolded);
        let again = unfolded.filter_map(|block| self.draft_range(block.range, focus, "/fold").ok()).next();
        again.ok_or(refused.into())
    }

    /// `/fold SPAN`: one closed span alone, by its name or as `name#number`. What lies before it stays raw.
    pub fn draft_span_fold(&self, span: &str, focus: Option<&str>) -> Result<FoldDraft, SessionError> {
        self.expect_idle()?;
        let named = |name: &str, number: u32| name == span || format!("{name}#{number}") == span;
        let spans = self.index.spans().iter().rev().filter(|record| self.is_live(record.started));
        let record = spans.clone().find(|record| named(&record.id.name, record.id.number)).ok_or_else(|| {
            FoldRefused::NoSuchSpan {
                span: span.to_owned(),
                have: spans.map(|record| format!("{}#{}", record.id.name, record.id.number)).collect(),
            }
        })?;
        let end = record.end.filter(|_| record.ended.is_some_and(|event| self.is_live(event)));
        let end = end.ok_or_else(|| FoldRefused::SpanOpen(span.to_owned()))?;
        let turns = (record.first.0..end.0).map(TurnNo).filter(|turn| self.view().position(*turn).is_some());
        let (first, last) = turns.fold((None, None), |(first, _), turn| (first.or(Some(turn)), Some(turn)));
        let (Some(first), Some(last)) = (first, last) else {
            return Err(FoldRefused::NotRaw { what: format!("span {span}") }.into());
        };
        self.draft_range(TurnRange { first, last }, focus, "/fold")
    }

    /// A range of turns alone. It must consist of whole steps that stand raw in the view.
    pub fn draft_range(&self, range: TurnRange, focus: Option<&str>, trigger: &str) -> Result<FoldDraft, SessionError> {
        self.expect_idle()?;
        let not_raw = || FoldRefused::NotRaw { what: format!("turns {}–{}", range.first, range.last) };
        let start = self.view().position(range.first).ok_or_else(not_raw)?;
        let end = self.view().position(range.last).filter(|_| self.is_raw(start, range.last)).ok_or_else(not_raw)?;
        let entries = &self.view().entries()[start..=end];
        if self.index.tool_turn(range.first).is_some() {
            let whole = TurnNo(range.first.0 - 1);
            return Err(FoldRefused::SplitsStep { turn: range.first, whole }.into());
        }
        if self.index.event_of(range.last).is_some()
            && !self.ends_step(range.last)
            && !matches!(self.index.turn(range.last), Some(TurnRecord::User { .. }))
        {
            let whole = TurnNo(range.last.0 + 1);
            return Err(FoldRefused::SplitsStep { turn: range.last, whole }.into());
        }
        if let Some(turn) = self.unseen_results().filter(|unseen| range.contains(*unseen)) {
            return Err(FoldRefused::NotSeenYet { turn }.into());
        }
        let tokens = entries.iter().map(|entry| u64::from(entry.tokens)).sum();
        let budget = block_budget(tokens, &self.configuration.fold) as u32;
        let (focus, trigger) = (focus.map(str::to_owned), trigger.to_owned());
        Ok(FoldDraft { range, reach: Reach::Alone, budget, focus, trigger, decision: None })
    }

    /// The block by rules: from the trace, at no cost.
    pub fn fold_by_rules(&mut self, draft: &FoldDraft, context: &Context<'_>) -> Result<FoldReport, SessionError> {
        let request = Request { range: draft.range, budget: draft.budget, focus: draft.focus.as_deref() };
        let compaction = compact(self, &self.state.board, &request, context.count, context.blobs)?;
        self.commit_fold(draft, compaction.block, compaction.delta, Author::Rules, context)
    }

    /// The block from a model's text. Missing fields are asked for once. Refused texts count for the breaker; what was refused is for the repair attempt.
    pub fn fold_by_model(
        &mut self,
        draft: &FoldDraft,
        text: &str,
        attempt: ModelAttempt,
        context: &Context<'_>,
    ) -> Result<FoldReport, SessionError> {
        let folded = parse_compaction(text).map_err(FoldRefused::from).map_err(SessionError::from).and_then(|parsed| {
            if attempt == ModelAttempt::First && !parsed.missing_fields.is_empty() {
                return Err(FoldRefused::MissingFields(parsed.missing_fields).into());
            }
            let report = self.commit_fold(draft, parsed.block, parsed.delta, Author::Model, context)?;
            Ok(FoldReport { dropped_fields: parsed.dropped_fields, ..report })
        });
        match &folded {
            // Nobody can blame the model for a view that changed meanwhile.
            Err(SessionError::Fold(FoldRefused::OutOfDate)) => {}
            Err(error @ SessionError::Fold(_)) => {
                self.text_refused(Some((CompactorPurpose::Block, draft.range)), text, error.to_string(), context)?;
            }
            _ => {}
        }
        folded
    }

    fn commit_fold(
        &mut self,
        draft: &FoldDraft,
        block: BlockProposal,
        delta: DeltaProposal,
        author: Author,
        context: &Context<'_>,
    ) -> Result<FoldReport, SessionError> {
        self.expect_idle()?;
        self.expect_current(draft)?;
        let limits = GateLimits { block_tokens: draft.budget, ..GateLimits::from(&self.configuration) };
        let admitted =
            admit_block(self, draft.range, block, &limits, context.count, context.blobs).map_err(FoldRefused::Gate)?;
        let Written { content, delta, board, refused: more } =
            self.write_fold(draft, &admitted.content, delta, author, context)?;
        let mut refused = admitted.refused;
        refused.extend(more);
        let report = FoldReport::plan(
            self,
            draft,
            author,
            &admitted.content,
            &content,
            board.as_ref().map(|board| &board.content),
            self.warmth(context.now),
        )
        .with_refusals(refused.clone(), admitted.claims);
        // Design 3-folding: the whole is at least 25% shorter than what it replaces.
        let most = report.replaced * u64::from(100 - self.configuration.block.saves_at_least.min(100)) / 100;
        if report.written() > most {
            let (replaced, block) = (report.replaced, report.written());
            return Err(FoldRefused::TooLittle { replaced, block }.into());
        }
        let fold = Fold {
            block: report.block,
            range: draft.range,
            reach: draft.reach,
            author,
            claims: admitted.content,
            content,
            delta,
            board,
            thinking: self.thinking_behind(),
            trigger: draft.trigger.clone(),
            decision: draft.decision.map_or(Value::Null, |decision| serde_json::json!(decision)),
            refused: refused.iter().map(Refused::from).collect(),
        };
        self.record(EventBody::Fold(Box::new(fold)), context)?;
        Ok(report)
    }

    /// Whether the view still has what the draft was made for. Steps that ended since stay behind the block.
    fn expect_current(&self, draft: &FoldDraft) -> Result<(), FoldRefused> {
        let current = match draft.reach {
            Reach::FromSeam => {
                self.hot_turns().next() == Some(draft.range.first)
                    && self.ends_step(draft.range.last)
                    && self.is_raw(self.view().seam(), draft.range.last)
            }
            Reach::Alone => self.draft_range(draft.range, None, "").is_ok(),
        };
        if current { Ok(()) } else { Err(FoldRefused::OutOfDate) }
    }

    /// Whether only turns, notes and board entries stand from a place up to a turn.
    fn is_raw(&self, start: usize, last: TurnNo) -> bool {
        let end = self.view().position(last).filter(|end| start <= *end);
        end.is_some_and(|end| {
            let mut entries = self.view().entries()[start..=end].iter();
            entries.all(|entry| matches!(entry.source, Source::Turn(_) | Source::Note | Source::Board))
        })
    }

    /// The planner's answer for the view as it stands.
    pub(super) fn ask_planner(&self, asked: Asked, offered: Option<TurnNo>, context: &Context<'_>) -> FoldDecision {
        let view = self.view();
        let hot_zone: u64 = view.entries()[view.seam()..].iter().map(|entry| u64::from(entry.tokens)).sum();
        let cuts = self.cuts(offered);
        let question = FoldQuestion {
            asked,
            before_seam: view.tokens() - hot_zone,
            hot_zone,
            cuts: &cuts,
            board: self.expected_board_entry(),
            expected_recalls: self.expected_recalls(),
            rent: self.state.rents.fold,
            warmth: self.warmth(context.now),
            prefix: self.prefix(),
            compactor: self.compactor_in_use(),
        };
        plan_fold(&question, self.tariff().as_ref(), &self.configuration.fold)
    }

    /// As large as the ones that the fold will cover; a delta where there are none.
    fn expected_board_entry(&self) -> u64 {
        let limits = &self.configuration.board;
        let hot = &self.view().entries()[self.view().seam()..];
        let boards = hot.iter().filter(|entry| entry.source == Source::Board).map(|entry| u64::from(entry.tokens));
        match boards.sum() {
            0 => u64::from(limits.delta_tokens),
            covered => u64::from(limits.board_tokens).min(covered),
        }
    }

    /// What a decision to fold asks for.
    pub(super) fn draft_of(&self, decision: &FoldDecision, focus: Option<&str>) -> Option<FoldDraft> {
        let (Verdict::Go(_), Some(cut)) = (decision.verdict, decision.cut) else { return None };
        Some(FoldDraft {
            range: TurnRange { first: self.hot_turns().next()?, last: cut.end },
            reach: Reach::FromSeam,
            budget: cut.budget as u32,
            focus: focus.map(str::to_owned),
            trigger: render_asked(decision.asked),
            decision: Some(*decision),
        })
    }
}

impl From<ProposalRefused> for FoldRefused {
    fn from(refused: ProposalRefused) -> Self {
        Self::Proposal(refused)
    }
}
