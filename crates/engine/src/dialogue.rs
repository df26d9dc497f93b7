//! The real dialogue in one block: the second part of the `execute` layout (docs/seeds.md execute).
//!
//! Made summaries lose what was asked; "continue" then stands alone. So the user's turns stand here word for word, in
//! order with what the assistant said to them. Tool calls, results and thinking are not part of a dialogue, and what
//! work is under way stands elsewhere: neither is known here.

use crate::{
    block::{
        user::{WayBack, render_user_turn},
        way_back, wrap,
    },
    configuration::{BlockLimits, ExecuteLimits},
    history::{History, LiveTurn},
    trace::{AssistantPart, AssistantTurn, TurnNo, decision::TurnRange, event::Cut},
    view::visible::visible_parts,
    view::{
        large::{head_length, tail_length},
        result_text::render_cut,
    },
};

/// How much of what was said is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DialogueLimits<'a> {
    pub execute: &'a ExecuteLimits,
    pub block: &'a BlockLimits,
}

/// The dialogue up to and including turn `through`: every live user turn, and the latest utterances of the assistant.
/// Blocks and archives of that stretch are named by their numbers and what they stand for. `count` is the session's counter.
pub(crate) fn render_dialogue(
    history: &History,
    through: TurnNo,
    blocks: &[(u32, TurnRange)],
    archives: &[(u32, TurnRange)],
    limits: &DialogueLimits<'_>,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let range = TurnRange { first: TurnNo(0), last: through };
    let mut text = format!("DIALOGUE · stands for turn#0 to turn#{through} · {}\n", way_back(history));
    for (what, standing) in [("archive", archives), ("block", blocks)] {
        for (number, range) in standing.iter().filter(|(_, range)| range.first <= through) {
            text.push_str(&format!("{what} {number} stands for turn#{} to turn#{}\n", range.first, range.last));
        }
    }
    let said: Vec<TurnNo> = history
        .live_turns(range)
        .filter(|(_, turn)| matches!(turn, LiveTurn::Assistant(turn) if utterance(turn).is_some()))
        .map(|(turn, _)| turn)
        .collect();
    let (earlier, latest) = said.split_at(said.len().saturating_sub(limits.execute.utterances));
    for (turn, content) in history.live_turns(range) {
        if earlier.last() == Some(&turn) {
            text.push_str(&render_earlier(earlier));
        }
        match content {
            LiveTurn::User(user) => {
                text.push_str(&render_user_turn(user, WayBack::Own, limits.block, count).unwrap_or_default())
            }
            LiveTurn::Assistant(assistant) if latest.binary_search(&turn).is_ok() => {
                text.push_str(&render_utterance(assistant, limits.execute, count));
            }
            LiveTurn::Assistant(_) | LiveTurn::Tool(_) => {}
        }
    }
    wrap(&text)
}

/// One line for all that is older: nobody reads two hundred of them, and any can be recalled.
fn render_earlier(turns: &[TurnNo]) -> String {
    match turns {
        [] => String::new(),
        [only] => format!("\n1 earlier answer of the assistant: Recall turn#{only}\n"),
        [first, .., last] => {
            format!("\n{} earlier answers of the assistant: Recall turn#{first} … turn#{last}\n", turns.len())
        }
    }
}

/// Its lines are marked, so that nothing the assistant quotes can pass for a turn of the user.
fn render_utterance(turn: &AssistantTurn, limits: &ExecuteLimits, count: &dyn Fn(&[u8]) -> u32) -> String {
    let number = turn.turn;
    let said = utterance(turn).unwrap_or_default();
    let said = shorten(&said, number, limits, count);
    let broken = if turn.stop.is_interrupted() { " (interrupted)" } else { "" };
    let lines: Vec<&str> = said.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']).collect();
    match lines[..] {
        [line] => format!("\nassistant turn#{number}{broken}: {line}\n"),
        _ => {
            let lines: String = lines.iter().map(|line| format!("| {line}\n")).collect();
            format!("\nassistant turn#{number}{broken}:\n{lines}")
        }
    }
}

/// What a turn said to the user; None where it only called tools.
fn utterance(turn: &AssistantTurn) -> Option<String> {
    let texts: Vec<&str> = visible_parts(turn)
        .into_iter()
        .filter_map(|part| match part {
            AssistantPart::Text { text, .. } => Some(text.trim()),
            AssistantPart::Thinking { .. } | AssistantPart::Call { .. } | AssistantPart::Unknown { .. } => None,
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n").replace("\r\n", "\n"))
}

fn shorten(said: &str, turn: TurnNo, limits: &ExecuteLimits, count: &dyn Fn(&[u8]) -> u32) -> String {
    let bytes = said.as_bytes();
    if count(bytes) <= limits.longest_utterance {
        return said.to_owned();
    }
    let head = head_length(bytes, limits.utterance_head, count);
    let tail = tail_length(&bytes[head..], limits.utterance_tail, count);
    render_cut(bytes, Cut { head: head as u32, tail: tail as u32 }, &format!("turn#{turn}")).trim_end().to_owned()
}

#[cfg(test)]
mod tests;
