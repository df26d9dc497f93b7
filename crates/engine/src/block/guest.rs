//! The block of a guest: it also says what the board would, because no board entry follows it, and what it says of a way
//! back depends on what the client has.

use std::fmt::Write;

use super::{
    Log, render_claims, render_quote,
    user::{self, WayBack},
    wrap_as,
};
use crate::{
    configuration::Configuration,
    state::Bench,
    text::with_visible_ends,
    trace::{
        SessionId,
        claim::{BlockContent, RunStatus, WorkStatus},
        decision::TurnRange,
        start::ClientRecall,
    },
};

/// What stands around the claims of a guest's block.
pub(crate) struct Framed<'a> {
    pub(crate) conversation: &'a SessionId,
    pub(crate) recall: ClientRecall,
    /// How tests and build ended.
    pub(crate) status: &'a WorkStatus,
    pub(crate) log: &'a Log,
}

/// It has no number: which folds stood before must not reach it.
pub(crate) fn render_guest_block(
    bench: Bench<'_>,
    range: TurnRange,
    content: &BlockContent,
    framed: &Framed<'_>,
    configuration: &Configuration,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let limits = &configuration.block;
    let back = match framed.recall {
        ClientRecall::Declared => {
            format!("the tool recall gives any of them back whole, for conversation {}", framed.conversation.0)
        }
        ClientRecall::Absent => "what is not told here was left out".to_owned(),
    };
    let mut text = format!("COMPRESSED_TURNS · replaces turn#{} to turn#{} · {back}\n", range.first, range.last);
    let root = bench.history.start().root.as_str();
    if root.starts_with('/') {
        push(&mut text, &format!("paths are relative to {root}"));
    }
    text.push_str(&user::render_user_turns(bench.history, range, WayBack::Client(framed.recall), limits, count));
    text.push_str(&render_standing(content, framed.status, range, configuration.board.rules_board_tokens, count));
    let (task, now, open_questions, next_actions) = Default::default();
    let known = BlockContent { task, now, open_questions, next_actions, ..content.clone() };
    text.push_str(&render_claims(&known, bench.state.board()));
    text.push_str(&framed.log.text);
    wrap_as(Some(framed.conversation), &text)
}

/// Task and now, and within the budget of a small board what is open and next and how tests and build ended: the first
/// of each before the others of either, as on the board.
fn render_standing(
    content: &BlockContent,
    status: &WorkStatus,
    range: TurnRange,
    budget: u32,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let asked = [("task", &content.task), ("now", &content.now)];
    let mut lines: Vec<String> =
        asked.iter().filter_map(|(name, quote)| Some(format!("{name}: {}", render_quote(quote.as_ref()?)))).collect();
    let mut open = content.open_questions.iter().map(|question| {
        let evidence = question.evidence.as_ref().map(|evidence| format!(" [{}]", evidence.pointer));
        format!("open: {}{}", question.text, evidence.unwrap_or_default())
    });
    // What was asked is not said twice.
    let is_asked = |action: &str| asked.iter().any(|(_, quote)| quote.as_ref().is_some_and(|it| it.text == action));
    let next = content.next_actions.iter().filter(|action| !is_asked(action));
    let mut next = next.map(|action| format!("next: {action}"));
    let runs = [("tests", &status.tests), ("build", &status.build)];
    let ended = runs.into_iter().filter_map(|(name, status)| Some(format!("{name}: {}", run_text(status)?)));
    let first: Vec<String> = open.next().into_iter().chain(next.next()).collect();
    let mut left = budget;
    let mut told: Vec<String> = Vec::new();
    for line in first.into_iter().chain(ended).chain(open).chain(next) {
        let tokens = count(line.as_bytes());
        if tokens <= left {
            left -= tokens;
            told.push(line);
        }
    }
    told.sort_by_key(|line| {
        ["open:", "next:"].iter().position(|name| line.starts_with(name)).map_or(0, |place| place + 1)
    });
    lines.append(&mut told);
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\nas of turn#{} (a later block's lines replace these):\n", range.last);
    lines.iter().for_each(|line| push(&mut text, line));
    text
}

fn run_text(status: &RunStatus) -> Option<String> {
    let pointer = status.evidence.as_ref().map(|evidence| format!(" [{}]", evidence.pointer)).unwrap_or_default();
    (!status.is_empty()).then(|| format!("{}{pointer}", status.text))
}

fn push(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", with_visible_ends(line));
}
