//! Recording a change of layout, and what a resumed session with a cold cache is shown as.

use crate::{
    board::render_board,
    dialogue::{DialogueLimits, render_dialogue},
    planner::Warmth,
    session::{
        Context, LayoutRefused, Session, SessionError,
        state::{BlockStanding, RoundState},
    },
    trace::{
        EventBody, Layout, TurnNo,
        decision::{Dialogue, LayoutChange, TurnRange},
    },
    view::{Source, TOKENS_PER_MESSAGE},
};

impl Session {
    /// From the next call on the view is laid out so. Nothing is recorded where it already is.
    pub fn change_layout(&mut self, layout: Layout, context: &Context<'_>) -> Result<(), SessionError> {
        self.expect_idle()?;
        if layout == self.state.layout {
            return Ok(());
        }
        let (change, tokens) = self.plan_layout(layout, context);
        if layout == Layout::Execute && change.dialogue.is_none() {
            return Err(LayoutRefused::NothingBefore.into());
        }
        if !self.fits(tokens) {
            return Err(LayoutRefused::WouldNotFit { layout, tokens, limit: self.input_limit() }.into());
        }
        self.record(EventBody::LayoutChanged(Box::new(change)), context)
    }

    /// Design 2-model, "Layouts": at a cold cache the history is rendered once as the four parts, where that leaves as
    /// much out as a fold at a cold cache has to.
    pub(super) fn enter_execute_when_cold(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let is_cold = self.sent_to.is_some() && self.warmth(context.now) == Warmth::Cold;
        if self.state.layout != Layout::Chat || !is_cold {
            return Ok(());
        }
        let (change, tokens) = self.plan_layout(Layout::Execute, context);
        let gone = self.view().tokens().saturating_sub(tokens);
        let limits = &self.configuration.fold;
        let pays = gone >= limits.gone_least && gone as f64 >= limits.gone_share * self.view().tokens() as f64;
        if pays && self.fits(tokens) {
            self.record(EventBody::LayoutChanged(Box::new(change)), context)?;
        }
        Ok(())
    }

    /// The change, and how many tokens the view has after it.
    fn plan_layout(&self, layout: Layout, context: &Context<'_>) -> (LayoutChange, u64) {
        let thinking = self.thinking_behind();
        let aside = self.state.set_aside.iter().map(|entry| u64::from(entry.tokens)).sum::<u64>();
        let dialogue = self.view().entries().iter().find(|entry| entry.source == Source::Dialogue);
        let in_chat = self.view().tokens() + aside - dialogue.map_or(0, |entry| u64::from(entry.tokens));
        let bare = LayoutChange { layout, dialogue: None, board: None, thinking };
        let through = match layout {
            Layout::Execute => self.last_turn_before_running_round(),
            Layout::Chat | Layout::React => None,
        };
        let Some(through) = through else { return (bare, in_chat) };
        let blocks: Vec<_> = self
            .state
            .blocks
            .iter()
            .filter(|(_, block)| block.standing == BlockStanding::InView && block.range.last <= through)
            .map(|(number, block)| (*number, block.range))
            .collect();
        let archives = self.archives_in_view();
        let limits = DialogueLimits { execute: &self.configuration.execute, block: &self.configuration.block };
        let text = render_dialogue(self, through, &blocks, &archives, &limits, context.count);
        let dialogue = Dialogue { through, content: context.counted(text) };
        let board = (!self.state.board.is_empty()).then(|| {
            let text = render_board(&self.state.board, &[], &self.configuration.board, context.count);
            context.counted(text)
        });
        let tokens = self.tokens_behind(through)
            + u64::from(dialogue.content.tokens + TOKENS_PER_MESSAGE)
            + board.as_ref().map_or(0, |board| u64::from(board.tokens + TOKENS_PER_MESSAGE))
            + self.view().head().tokens();
        (LayoutChange { dialogue: Some(dialogue), board, ..bare }, tokens)
    }

    fn archives_in_view(&self) -> Vec<(u32, TurnRange)> {
        let archives = self.view().entries().iter().filter(|entry| matches!(entry.source, Source::Archived(_)));
        archives
            .filter_map(|entry| match self.body_of(entry.revision) {
                EventBody::Archive(archive) => Some((archive.archive, archive.range)),
                _ => None,
            })
            .collect()
    }

    /// The last unfinished round is shown in full; all rounds have ended: the newest turn is the last.
    fn last_turn_before_running_round(&self) -> Option<TurnNo> {
        let running = self.state.rounds.last().filter(|round| round.state == RoundState::Running);
        let end = running.map_or(self.index.next_turn(), |round| round.first);
        let shown = self.view().entries().iter().any(|entry| {
            self.state.first_turn(entry).is_some_and(|turn| turn < end) || matches!(entry.source, Source::Archived(_))
        });
        end.0.checked_sub(1).map(TurnNo).filter(|_| shown)
    }

    /// What would stand natively behind a dialogue: turns and notes, those that blocks cover now among them.
    fn tokens_behind(&self, through: TurnNo) -> u64 {
        let mut tokens = 0;
        let mut behind = false;
        for entry in self.view().entries() {
            match entry.source {
                Source::Block(number) => {
                    let Some(block) = self.state.blocks.get(&number) else { continue };
                    behind |= block.range.last > through;
                    let inside = block.entries.iter().filter(|entry| match entry.source {
                        Source::Turn(turn) => turn > through,
                        _ => behind,
                    });
                    if behind {
                        tokens += inside.map(|entry| u64::from(entry.tokens)).sum::<u64>();
                    }
                }
                Source::Turn(turn) => {
                    behind |= turn > through;
                    tokens += if behind { u64::from(entry.tokens) } else { 0 };
                }
                Source::Note if behind => tokens += u64::from(entry.tokens),
                Source::Note | Source::Board | Source::Archived(_) | Source::Dialogue => {}
            }
        }
        tokens
    }
}
