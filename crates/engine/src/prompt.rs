//! Filling the prompts for a model that compacts: the files of `prompts/`, which the caller brings.
//!
//! What is filled in stands there as it is: a name in braces inside of it is text, not a place to fill. Which model is
//! asked, and what it answers, is not known here.

mod turns;

pub(crate) use turns::Detail;
pub(crate) use turns::turns_as_text;

use crate::{
    archive::{changed_paths, time::render_utc, times_of},
    board::{Board, BoardLimits, render_board},
    proposal::one_line,
    state::Bench,
    trace::{BlobError, Blobs, decision::TurnRange},
};

/// What a prompt says where there is nothing to say.
const NONE: &str = "(none)";

/// `archive_summary.txt`, for the rounds of `range`.
pub(crate) fn render_archive_prompt(
    template: &str,
    bench: Bench<'_>,
    range: TurnRange,
    detail: Detail,
    blobs: &dyn Blobs,
) -> Result<String, BlobError> {
    let (from, to) = times_of(bench, range);
    let paths: Vec<String> =
        changed_paths(bench.history, range).iter().map(|path| format!("- {}", one_line(path))).collect();
    let files = if paths.is_empty() { NONE.to_owned() } else { paths.join("\n") };
    let turns = turns_as_text(bench, range, detail, blobs)?;
    let (from, to) = (format!("{} UTC", render_utc(from)), format!("{} UTC", render_utc(to)));
    Ok(fill(template, &[("start_time", &from), ("cutoff_time", &to), ("files", &files), ("turns", &turns)]))
}

/// What the compactor is told besides the turns, which it has before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compaction<'a> {
    pub range: TurnRange,
    pub board: &'a Board,
    /// What can be cited.
    pub legend: &'a str,
    /// What a person asked to keep in view; may be empty.
    pub focus: &'a str,
    /// Of the block, in tokens.
    pub budget: u32,
    pub limits: &'a BoardLimits,
}

/// `tail_compaction.txt`. `count` is the session's counter.
pub(crate) fn render_compaction_prompt(
    template: &str,
    compaction: &Compaction<'_>,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let Compaction { range, board, legend, focus, budget, limits } = compaction;
    let focus = if focus.trim().is_empty() { NONE } else { focus.trim() };
    fill(
        template,
        &[
            ("start_turn", &range.first.to_string()),
            ("end_turn", &range.last.to_string()),
            ("board", &render_board(board, &[], limits, count)),
            ("focus", focus),
            ("legend", legend),
            ("budget", &budget.to_string()),
            ("delta_budget", &limits.delta_tokens.to_string()),
        ],
    )
}

/// The prompt `state_update.txt` with the board and its budget in their places.
pub(crate) fn render_state_prompt(
    template: &str,
    board: &Board,
    legend: &str,
    limits: &BoardLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let (board, budget) = (render_board(board, &[], limits, count), limits.delta_tokens.to_string());
    fill(template, &[("board", &board), ("legend", legend), ("budget", &budget)])
}

/// `repair.txt`: `name` is the prompt that was answered badly.
pub(crate) fn render_repair_prompt(template: &str, name: &str, problem: &str) -> String {
    fill(template, &[("name", name), ("problem", problem.trim())])
}

/// Puts each value where its name stands in braces. Other braces are part of the prompt.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let named = values.iter().find_map(|(name, value)| {
            let after = rest[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((value, after))
        });
        rest = match named {
            Some((value, after)) => {
                filled.push_str(value);
                after
            }
            None => {
                filled.push('{');
                &rest[1..]
            }
        };
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests;
