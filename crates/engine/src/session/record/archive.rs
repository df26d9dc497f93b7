//! Recording an archive: whole old rounds, or where the window demands it whole steps, become one summary.

use serde_json::Value;

use crate::{
    archive::{ArchiveBody, admit_summary, parse_summary, render_archive, summarise_by_rules},
    board::render_board,
    gate::Refusal,
    planner::{ArchiveDecision, ArchiveQuestion, plan_archive},
    report::ArchiveReport,
    session::{ArchiveRefused, Context, Session, SessionError, state::RoundState},
    trace::{
        EventBody, TurnNo,
        decision::{Archive, Author, Refused, TurnRange},
        event::CompactorPurpose,
        start::Counted,
    },
    view::{Entry, Source, TOKENS_PER_MESSAGE},
};

/// An archive that was decided and waits for its summary.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveDraft {
    pub range: TurnRange,
    pub trigger: String,
    pub decision: Option<ArchiveDecision>,
}

/// The texts of an archive and what they leave of the view.
struct Written {
    content: Counted,
    board: Option<Counted>,
    refused: Vec<Refusal>,
    /// The size of the whole view afterwards.
    after: u64,
}

impl Session {
    /// Everything but the newest rounds that are to stay (`keep_rounds`).
    pub fn draft_archive(&self) -> Result<ArchiveDraft, SessionError> {
        self.expect_idle()?;
        let keep = self.configuration.archive.keep_rounds as usize;
        let range = self.rounds_before(keep).ok_or(ArchiveRefused::NothingToArchive { kept: keep })?;
        Ok(ArchiveDraft { range, trigger: "order".into(), decision: None })
    }

    pub fn archive_by_rules(
        &mut self,
        draft: &ArchiveDraft,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        self.commit_archive(draft, Author::Rules, context)
    }

    /// The summary did not come in time: the rounds leave the view all the same.
    pub fn archive_timed_out(
        &mut self,
        draft: &ArchiveDraft,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        self.commit_archive(draft, Author::TimedOut, context)
    }

    /// The summary from a model's text.
    pub fn archive_by_model(
        &mut self,
        draft: &ArchiveDraft,
        text: &str,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        self.expect_idle()?;
        match self.write_by_model(draft.range, text, context) {
            Ok(written) => self.record_archive(draft, Author::Model, written, context),
            Err(SessionError::Archive(ArchiveRefused::OutOfDate)) => Err(ArchiveRefused::OutOfDate.into()),
            Err(error) => {
                let what = (CompactorPurpose::Summary, draft.range);
                self.text_refused(Some(what), text, error.to_string(), context)?;
                Err(error)
            }
        }
    }

    fn write_by_model(&self, range: TurnRange, text: &str, context: &Context<'_>) -> Result<Written, SessionError> {
        let summary = parse_summary(text).map_err(ArchiveRefused::Summary)?;
        let (summary, refused) = admit_summary(self, range, summary, context.blobs);
        let written = self.write_archive(range, &ArchiveBody::ByModel(summary), context)?;
        Ok(Written { refused, ..written })
    }

    fn commit_archive(
        &mut self,
        draft: &ArchiveDraft,
        author: Author,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        self.expect_idle()?;
        let written = self.write_by_rules(draft.range, author, context)?;
        self.record_archive(draft, author, written, context)
    }

    fn write_by_rules(&self, range: TurnRange, author: Author, context: &Context<'_>) -> Result<Written, SessionError> {
        let budget = self.configuration.archive.summary_tokens;
        let summary = summarise_by_rules(self, range, &self.state.board, budget, context.count, context.blobs)?;
        let body = match author {
            Author::TimedOut => ArchiveBody::TimedOut(summary),
            Author::Rules | Author::Model => ArchiveBody::ByRules(summary),
        };
        self.write_archive(range, &body, context)
    }

    fn write_archive(
        &self,
        range: TurnRange,
        body: &ArchiveBody,
        context: &Context<'_>,
    ) -> Result<Written, SessionError> {
        let covered = self.covered_by_archive(range)?;
        let number = self.index.archives + 1;
        let text = render_archive(self, number, range, body, &self.configuration.block, context.count);
        let content = context.counted(text);
        let mut board = self.state.board.clone();
        let entry = covered.board.then(|| {
            let stale = board.name_stale();
            context.counted(render_board(&board, &stale, &self.configuration.board, context.count))
        });
        let per_message = u64::from(TOKENS_PER_MESSAGE);
        let added = u64::from(content.tokens) + per_message;
        let added = added + entry.as_ref().map_or(0, |entry| u64::from(entry.tokens) + per_message);
        // Design 3-folding: on time-out the rounds leave the view all the same.
        if added >= covered.tokens && !matches!(body, ArchiveBody::TimedOut(_)) {
            return Err(ArchiveRefused::NotShorter { replaced: covered.tokens, summary: added }.into());
        }
        let refused = Vec::new();
        Ok(Written { content, board: entry, refused, after: self.tokens_in_chat() + added - covered.tokens })
    }

    fn record_archive(
        &mut self,
        draft: &ArchiveDraft,
        author: Author,
        written: Written,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        let covered = self.covered_by_archive(draft.range)?;
        let report = ArchiveReport {
            archive: self.index.archives + 1,
            range: draft.range,
            author,
            replaced: covered.tokens,
            summary: u64::from(written.content.tokens),
            refused: written.refused,
        };
        let archive = Archive {
            archive: report.archive,
            range: draft.range,
            author,
            content: written.content,
            board: written.board,
            thinking: self.thinking_behind(),
            trigger: draft.trigger.clone(),
            decision: draft.decision.map_or(Value::Null, |decision| serde_json::json!(decision)),
            refused: report.refused.iter().map(Refused::from).collect(),
        };
        self.record(EventBody::Archive(Box::new(archive)), context)?;
        // Design 2-model, "L2": changed rules take effect at the next archive, where the head is rewritten anyway.
        self.let_rules_take_effect(context)?;
        Ok(report)
    }

    /// All turns that are not archived yet, up to where the newest `keep` rounds begin. A block that goes beyond stays,
    /// and with it the round in which it begins: archives take whole rounds.
    pub(super) fn rounds_before(&self, keep: usize) -> Option<TurnRange> {
        self.plan_rounds_before(keep).map(|planned| planned.range)
    }

    /// In one walk: behind each entry where a round begins, all that stands before could go.
    fn plan_rounds_before(&self, keep: usize) -> Option<Planned> {
        let rounds = &self.state.rounds;
        let kept = rounds.len().checked_sub(keep)?;
        let all_ended = rounds.last().is_some_and(|round| round.state == RoundState::Ended);
        let end = match rounds.get(kept) {
            Some(round) => round.first,
            None if all_ended => self.index.next_turn(),
            None => return None,
        };
        let begins_in = |after: TurnNo, up_to: TurnNo| {
            let next = rounds.partition_point(|round| round.first <= after);
            rounds.get(next).is_some_and(|round| round.first <= up_to)
        };
        let (mut walked, mut best): (Option<Planned>, Option<Planned>) = (None, None);
        let (mut entries, mut tokens) = (0, 0);
        for entry in self.chat_entries().skip_while(|entry| matches!(entry.source, Source::Archived(_))) {
            let turns = self.turns_of(entry);
            if let (Some(turns), Some(before)) = (turns, walked)
                && begins_in(before.range.last, turns.first)
            {
                best = walked;
            }
            if turns.is_some_and(|turns| turns.last >= end) {
                return best;
            }
            entries += 1;
            tokens += u64::from(entry.tokens);
            if let Some(turns) = turns {
                let first = walked.map_or(turns.first, |walked| walked.range.first);
                walked = Some(Planned { range: TurnRange { first, last: turns.last }, entries, tokens });
            }
        }
        if all_ended { walked } else { best }
    }

    /// The turns that an entry shows or stands for.
    fn turns_of(&self, entry: &Entry) -> Option<TurnRange> {
        match entry.source {
            Source::Turn(turn) => Some(TurnRange { first: turn, last: turn }),
            Source::Block(number) => self.state.blocks.get(&number).map(|block| block.range),
            Source::Note | Source::Board | Source::Archived(_) | Source::Dialogue => None,
        }
    }

    /// From the first turn that is not archived to the last that can be, at most `last`.
    pub(super) fn archivable(&self, last: TurnNo) -> Option<TurnRange> {
        self.plan_through(last).map(|planned| planned.range)
    }

    /// The same with its size, in one walk over what would go.
    fn plan_through(&self, last: TurnNo) -> Option<Planned> {
        let mut planned: Option<Planned> = None;
        let (mut entries, mut tokens) = (0, 0);
        for entry in self.chat_entries().skip_while(|entry| matches!(entry.source, Source::Archived(_))) {
            entries += 1;
            tokens += u64::from(entry.tokens);
            let Some(turns) = self.turns_of(entry) else { continue };
            if turns.last > last {
                break;
            }
            let first = planned.map_or(turns.first, |planned| planned.range.first);
            planned = Some(Planned { range: TurnRange { first, last: turns.last }, entries, tokens });
        }
        planned
    }

    /// The entries of the `chat` layout, to which an archive returns: what the dialogue stands for, not the dialogue.
    fn chat_entries(&self) -> impl Iterator<Item = &Entry> {
        let shown = self.view().entries().iter().filter(|entry| entry.source != Source::Dialogue);
        self.state.set_aside.iter().chain(shown)
    }

    fn tokens_in_chat(&self) -> u64 {
        let aside: u64 = self.state.set_aside.iter().map(|entry| u64::from(entry.tokens)).sum();
        let first = self.view().entries().first();
        let dialogue =
            first.filter(|entry| entry.source == Source::Dialogue).map_or(0, |entry| u64::from(entry.tokens));
        self.view().tokens() + aside - dialogue
    }

    /// Earlier summaries stand before a new one and stay as they are.
    fn summaries_tokens(&self) -> u64 {
        let summaries = self.chat_entries().take_while(|entry| matches!(entry.source, Source::Archived(_)));
        summaries.map(|entry| u64::from(entry.tokens)).sum()
    }

    fn covered_by_archive(&self, range: TurnRange) -> Result<Covered, ArchiveRefused> {
        let planned = self.plan_through(range.last).filter(|planned| planned.range == range);
        let Planned { entries: covered, tokens, .. } = planned.ok_or(ArchiveRefused::OutOfDate)?;
        let entries: Vec<Entry> = self.chat_entries().copied().collect();
        let start = entries.iter().take_while(|entry| matches!(entry.source, Source::Archived(_))).count();
        let board = self.loses_board(&entries[start..start + covered], &entries[start + covered..]);
        Ok(Covered { tokens, board })
    }

    /// The planner's answer, by the rent rule and by how full the window is.
    pub(super) fn ask_archive(&self, context: &Context<'_>) -> Option<(ArchiveDraft, ArchiveDecision)> {
        let Planned { range, tokens, .. } = self.planned_archive()?;
        let verbatim = self.verbatim_tokens(range);
        let question = ArchiveQuestion {
            archivable: tokens,
            summary: u64::from(self.configuration.archive.summary_tokens) + verbatim,
            follows: self.tokens_in_chat() - self.view().head().tokens() - self.summaries_tokens() - tokens,
            rent: self.state.rents.archive,
            warmth: self.warmth(context.now),
            summariser: self.compactor_in_use(),
            used: self.used_tokens(),
            window: u64::from(self.state.model.window),
            messages: self.view().entries().len() as u32,
        };
        let limits = &self.configuration;
        let decision = plan_archive(&question, self.tariff().as_ref(), &limits.archive, &limits.fold);
        Some((ArchiveDraft { range, trigger: "planner".into(), decision: Some(decision) }, decision))
    }

    /// What the planner is asked about: the same until a round begins or ends, or the view is edited.
    fn planned_archive(&self) -> Option<Planned> {
        let running = self.state.rounds.last().is_some_and(|round| round.state == RoundState::Running);
        let keep = self.configuration.archive.keep_rounds as usize;
        let key = (self.view().edits(), self.state.rounds.len(), running, keep);
        if let Some((known, planned)) = self.archive_plan.get()
            && known == key
        {
            return planned;
        }
        let planned = self.plan_rounds_before(keep);
        self.archive_plan.set(Some((key, planned)));
        planned
    }

    /// What an archive of this range keeps word for word.
    fn verbatim_tokens(&self, range: TurnRange) -> u64 {
        let longest = self.configuration.block.longest_user_turn;
        let users = self.index.users.iter().filter(|turn| range.contains(**turn));
        users
            .filter_map(|turn| self.index.event_of(*turn))
            .filter(|event| self.is_live(*event))
            .map(|event| match self.body_of(event) {
                EventBody::UserTurn(user) => u64::from(user.tokens.min(longest)),
                _ => 0,
            })
            .sum()
    }

    /// Archives as little as makes the view fit: rounds first, then steps of the running round, oldest first.
    pub(super) fn archive_for_window(&mut self, context: &Context<'_>) -> Result<Option<ArchiveReport>, SessionError> {
        let keep_rounds = self.configuration.archive.keep_rounds as usize;
        let by_rounds = (1..=keep_rounds.max(1)).rev().filter_map(|keep| self.rounds_before(keep));
        let newest = self.state.steps.last().map_or(TurnNo(0), |step| step.assistant);
        let running = self.state.rounds.last().map_or(TurnNo(0), |round| round.first);
        let steps = self.steps_before(newest).into_iter().filter(|end| *end >= running);
        let by_steps = steps.filter_map(|last| self.archivable(last).filter(|range| range.last >= running));
        // A result that the model has not seen stays, whatever the person typed meanwhile.
        let unseen = self.unseen_results().map_or(TurnNo(u32::MAX), |turn| turn);
        let seen = |range: &TurnRange| range.last.0 + 1 < unseen.0;
        let mut ranges: Vec<TurnRange> = by_rounds.chain(by_steps).filter(seen).collect();
        ranges.sort_by_key(|range| range.last);
        ranges.dedup();
        // The more goes, the less is left: a search by halves finds the least that fits.
        let (mut first, mut end) = (0, ranges.len());
        let mut best: Option<(TurnRange, Written)> = None;
        while first < end {
            let middle = first + (end - first) / 2;
            let written = self.write_by_rules(ranges[middle], Author::Rules, context).ok();
            let fits = written.as_ref().is_some_and(|written| self.fits(written.after));
            if fits {
                end = middle;
            } else {
                first = middle + 1;
            }
            let improves =
                |written: &Written| fits || best.as_ref().is_none_or(|(_, smallest)| written.after < smallest.after);
            if let Some(written) = written.filter(improves) {
                best = Some((ranges[middle], written));
            }
        }
        let Some((range, written)) = best else { return Ok(None) };
        let draft = ArchiveDraft { range, trigger: "window".into(), decision: None };
        self.record_archive(&draft, Author::Rules, written, context).map(Some)
    }

    /// The ends of all steps that came before the newest one.
    fn steps_before(&self, newest: TurnNo) -> Vec<TurnNo> {
        let ends = self.state.steps.iter().map(|step| step.tool.unwrap_or(step.assistant));
        ends.filter(|end| *end < newest).collect()
    }
}

/// What was found out last, and what it depends on.
pub(in crate::session) type ArchivePlan = Option<((u64, usize, bool, usize), Option<Planned>)>;

/// What could be archived, and how much of the view it is.
#[derive(Debug, Clone, Copy)]
pub(in crate::session) struct Planned {
    range: TurnRange,
    /// Behind the earlier summaries.
    entries: usize,
    tokens: u64,
}

/// What an archive takes out of the view.
#[derive(Debug, Clone, Copy)]
struct Covered {
    tokens: u64,
    /// Whether it takes something of the board that nothing else shows.
    board: bool,
}
