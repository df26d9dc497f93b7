//! The summary without a model: what the trace and the board say of a range, and nothing else.
//!
//! Preferences of the user are not among it: no rule can tell one from any other sentence, and the user's turns stand
//! beside the summary word for word.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    budget::fit,
    done::finished,
    files::{Touched, touched_files},
    summary::{Answer, Decision, Done, Summary},
};
use crate::{
    board::{Board, Mark},
    configuration::archive::{FILE_ENDINGS, LONGEST_ENDING},
    history::{History, LiveTurn},
    state::Bench,
    trace::claim::{Evidence, Fact, Quote},
    trace::{AssistantPart, AssistantTurn, BlobError, Blobs, TurnNo, decision::TurnRange},
};

/// The summary of a range within `budget` tokens (`archive.summary_tokens` of the configuration), the user's turns not counted.
pub(crate) fn summarise_by_rules(
    bench: Bench<'_>,
    range: TurnRange,
    board: &Board,
    budget: u32,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> Result<Summary, BlobError> {
    let touched = touched_files(bench.history, range, blobs)?;
    let mut done = finished(bench.history, range);
    let stack = stack(&done, &touched);
    done.extend(all_changes(&touched));
    let summary = Summary {
        original_goal: original_goal(bench, range),
        stack,
        done: done.into(),
        decisions: decisions(bench.history, range).into(),
        learnings: learnings(bench, range, board).into(),
        answers: answers(bench, range).into(),
        changed: touched.changed.into(),
        read: touched.read.into(),
        ..Summary::default()
    };
    Ok(fit(summary, budget, count))
}

fn original_goal(bench: Bench<'_>, range: TurnRange) -> Option<Quote> {
    bench.history.live_turns(range).find_map(|(turn, live)| match live {
        LiveTurn::User(user) => {
            let evidence =
                Evidence { pointer: format!("user#{}", user.user?), event: bench.history.index().event_of(turn)? };
            Some(Quote { text: user.text.clone(), evidence })
        }
        LiveTurn::Assistant(_) | LiveTurn::Tool(_) => None,
    })
}

/// Test frameworks that were recognised, and the endings of the files that were touched, the most frequent first.
fn stack(done: &[Done], touched: &Touched) -> Vec<String> {
    let frameworks: BTreeSet<&str> = done
        .iter()
        .flat_map(|done| match done {
            Done::Tests { report, .. } => report.framework.split('+').collect(),
            _ => Vec::new(),
        })
        .filter(|name| !name.is_empty())
        .collect();
    let paths = touched.changed.iter().map(|file| &file.path).chain(touched.read.iter().map(|file| &file.path));
    let mut endings: BTreeMap<&str, usize> = BTreeMap::new();
    paths.filter_map(|path| ending(path)).for_each(|ending| *endings.entry(ending).or_default() += 1);
    let mut endings: Vec<(&str, usize)> = endings.into_iter().collect();
    endings.sort_by_key(|(ending, count)| (std::cmp::Reverse(*count), *ending));
    let endings: Vec<String> =
        endings.into_iter().take(FILE_ENDINGS).map(|(ending, count)| format!(".{ending} ({count})")).collect();
    let mut stack = Vec::new();
    if !frameworks.is_empty() {
        stack.push(format!("tests: {}", frameworks.into_iter().collect::<Vec<_>>().join(", ")));
    }
    if !endings.is_empty() {
        stack.push(format!("files: {}", endings.join(", ")));
    }
    stack
}

fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_ending = !stem.is_empty() && (1..=LONGEST_ENDING).contains(&ending.len());
    (is_ending && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(ending)
}

fn all_changes(touched: &Touched) -> Option<Done> {
    let (first, last) = touched.changes?;
    let own = || touched.changed.iter().filter(|file| file.edits + file.writes > 0);
    Some(Done::Changes {
        edits: own().map(|file| file.edits).sum(),
        writes: own().map(|file| file.writes).sum(),
        files: own().count(),
        first,
        last,
    })
}

/// Questions that somebody decided.
fn decisions(history: &History, range: TurnRange) -> Vec<Decision> {
    let decided = history.live_events(range).filter_map(|event| event.event.decided_gate());
    decided
        .filter_map(|(number, decision)| {
            let question = history.gate_asked(number)?.question.clone();
            Some(Decision { question, decision: decision.to_owned(), number })
        })
        .collect()
}

/// What the board holds for true and the range shows: the board's entry in the view has room for the newest only.
fn learnings(bench: Bench<'_>, range: TurnRange, board: &Board) -> Vec<Fact> {
    let mut events = bench.history.live_events(range).map(|event| event.seq);
    let Some(first) = events.next() else { return Vec::new() };
    let last = events.next_back().unwrap_or(first);
    let is_inside = |fact: &Fact| {
        !fact.evidence.is_empty() && fact.evidence.iter().all(|evidence| (first..=last).contains(&evidence.event))
    };
    let held = board.facts().iter().filter(|entry| !matches!(entry.value.mark, Mark::Retracted { .. }));
    held.map(|entry| &entry.value.fact).filter(|fact| is_inside(fact)).cloned().collect()
}

/// The last words of each round that ended with words.
fn answers(bench: Bench<'_>, range: TurnRange) -> Vec<Answer> {
    let rounds = bench.state.rounds();
    let starts = rounds.iter().map(|round| round.first);
    let ends = rounds.iter().skip(1).map(|round| round.first.0).chain([bench.history.turns()]);
    let inside = |turn: &TurnNo| (range.first..=range.last).contains(turn);
    starts
        .zip(ends)
        .filter_map(|(first, end)| {
            let round = TurnRange { first, last: TurnNo(end.checked_sub(1)?) };
            let mut said = bench.history.live_turns(round).filter_map(|(turn, content)| match content {
                LiveTurn::Assistant(assistant) => Some(Answer { text: final_words(assistant)?, turn }),
                LiveTurn::User(_) | LiveTurn::Tool(_) => None,
            });
            said.next_back()
        })
        .filter(|answer| inside(&answer.turn))
        .collect()
}

/// None: it goes on with tool calls, or says nothing.
fn final_words(turn: &AssistantTurn) -> Option<String> {
    let mut words = Vec::new();
    for part in &turn.parts {
        match part {
            AssistantPart::Text { text, .. } => words.push(text.trim()),
            AssistantPart::Call { .. } => return None,
            AssistantPart::Thinking { .. } | AssistantPart::Unknown { .. } => {}
        }
    }
    let words = words.join("\n");
    (!words.trim().is_empty()).then_some(words)
}
