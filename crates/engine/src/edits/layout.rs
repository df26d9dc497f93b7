//! Another layout of the view, and what a resumed session with a cold cache is shown as.

use super::{Desk, window};
use crate::{
    board::render_board,
    context::Context,
    dialogue::{DialogueLimits, render_dialogue},
    error::LayoutRefused,
    state::{BlockStanding, RoundState},
    trace::{
        EventBody, Layout, TurnNo,
        decision::{Dialogue, LayoutChange, TurnRange},
    },
    view::{Source, TOKENS_PER_MESSAGE},
};

/// From the next call on the view is laid out so.
pub(crate) fn change_layout(
    desk: Desk<'_>,
    layout: Layout,
    context: &Context<'_>,
) -> Result<LayoutChange, LayoutRefused> {
    let (change, tokens) = plan_layout(desk, layout, context);
    if layout == Layout::Execute && change.dialogue.is_none() {
        return Err(LayoutRefused::NothingBefore);
    }
    if !window::fits(desk, tokens) {
        return Err(LayoutRefused::WouldNotFit { layout, tokens, limit: window::input_limit(desk.state) });
    }
    Ok(change)
}

/// At a cold cache the history is rendered once as the four parts, where that leaves as much out as a fold at a cold cache
/// has to (docs/design/model.md, "Layouts").
pub(crate) fn execute_when_cold(desk: Desk<'_>, context: &Context<'_>) -> Option<LayoutChange> {
    if desk.state.layout != Layout::Chat || !desk.has_gone_cold(context.now) {
        return None;
    }
    let (change, tokens) = plan_layout(desk, Layout::Execute, context);
    let shown = desk.state.view.tokens();
    let gone = shown.saturating_sub(tokens);
    let limits = &desk.policy.configuration.fold;
    let pays = gone >= limits.gone_least && gone as f64 >= limits.gone_share * shown as f64;
    (pays && window::fits(desk, tokens)).then_some(change)
}

/// The change, and how many tokens the view has after it.
pub(super) fn plan_layout(desk: Desk<'_>, layout: Layout, context: &Context<'_>) -> (LayoutChange, u64) {
    let thinking = desk.thinking_behind();
    let aside = desk.state.set_aside.iter().map(|entry| u64::from(entry.tokens)).sum::<u64>();
    let dialogue = desk.state.view.entries().iter().find(|entry| entry.source == Source::Dialogue);
    let in_chat = desk.state.view.tokens() + aside - dialogue.map_or(0, |entry| u64::from(entry.tokens));
    let bare = LayoutChange { layout, dialogue: None, board: None, thinking };
    let through = match layout {
        Layout::Execute => last_turn_before_running_round(desk),
        Layout::Chat | Layout::React => None,
    };
    let Some(through) = through else { return (bare, in_chat) };
    let blocks: Vec<_> = desk
        .state
        .blocks
        .iter()
        .filter(|(_, block)| block.standing == BlockStanding::InView && block.range.last <= through)
        .map(|(number, block)| (*number, block.range))
        .collect();
    let archives = archives_in_view(desk);
    let limits =
        DialogueLimits { execute: &desk.policy.configuration.execute, block: &desk.policy.configuration.block };
    let text = render_dialogue(desk.history, through, &blocks, &archives, &limits, context.count);
    let dialogue = Dialogue { through, content: context.counted(text) };
    let shown = desk.state.board_in(layout, &desk.state.board);
    let board = (!shown.is_empty()).then(|| {
        let text = render_board(&shown, &[], &desk.policy.configuration.board, context.count);
        context.counted(text)
    });
    let tokens = tokens_behind(desk, through)
        + u64::from(dialogue.content.tokens + TOKENS_PER_MESSAGE)
        + board.as_ref().map_or(0, |board| u64::from(board.tokens + TOKENS_PER_MESSAGE))
        + desk.state.view.head().tokens();
    (LayoutChange { dialogue: Some(dialogue), board, ..bare }, tokens)
}

fn archives_in_view(desk: Desk<'_>) -> Vec<(u32, TurnRange)> {
    let archives = desk.state.view.entries().iter().filter(|entry| matches!(entry.source, Source::Archived(_)));
    archives
        .filter_map(|entry| match desk.history.body_of(entry.revision) {
            EventBody::Archive(archive) => Some((archive.archive, archive.range)),
            _ => None,
        })
        .collect()
}

/// The last unfinished round is shown in full; all rounds have ended: the newest turn is the last.
fn last_turn_before_running_round(desk: Desk<'_>) -> Option<TurnNo> {
    let running = desk.state.rounds.last().filter(|round| round.state == RoundState::Running);
    let end = running.map_or(desk.history.index().next_turn(), |round| round.first);
    let shown = desk.state.view.entries().iter().any(|entry| {
        desk.state.first_turn(entry).is_some_and(|turn| turn < end) || matches!(entry.source, Source::Archived(_))
    });
    end.0.checked_sub(1).map(TurnNo).filter(|_| shown)
}

/// What would stand natively behind a dialogue: turns and notes, those that blocks cover now among them.
fn tokens_behind(desk: Desk<'_>, through: TurnNo) -> u64 {
    let mut tokens = 0;
    let mut behind = false;
    for entry in desk.state.view.entries() {
        match entry.source {
            Source::Block(number) => {
                let Some(block) = desk.state.blocks.get(&number) else { continue };
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
