//! A summary within its budget: what matters least goes first, and of each kind the oldest.
//!
//! Every kind first gets an equal share, so that a long list does not push all others out; what is then free goes to the
//! kinds in the order of their worth.

use super::{
    Section,
    summary::{Answer, ChangedFile, Decision, Done, ReadFile, Summary, learning_line},
};

/// Decisions and changed files cannot be guessed from anywhere else; that a file was looked at matters least.
const KINDS: [Kind; 6] = [Kind::Decisions, Kind::Changed, Kind::Done, Kind::Learnings, Kind::Answers, Kind::Read];

#[derive(Clone, Copy)]
enum Kind {
    Decisions,
    Changed,
    Done,
    Learnings,
    Answers,
    Read,
}

/// Never longer than `budget` by `count`, unless the headings alone are.
pub(super) fn fit(mut summary: Summary, budget: u32, count: &dyn Fn(&[u8]) -> u32) -> Summary {
    if measure(&summary, count) <= budget {
        return summary;
    }
    let costs: Vec<Vec<u32>> = KINDS.iter().map(|kind| kind.costs(&summary, count)).collect();
    let mut bare = summary.clone();
    KINDS.iter().for_each(|kind| kind.keep(&mut bare, 0));
    let room = budget.saturating_sub(measure(&bare, count));
    let kept = plan_kept(&costs, room);
    for (kind, kept) in KINDS.iter().zip(&kept) {
        kind.keep(&mut summary, *kept);
    }
    // A text may take a token more than its lines do one by one.
    while measure(&summary, count) > budget {
        let Some(kind) = KINDS.iter().rev().find(|kind| kind.length(&summary) > 0) else { break };
        let fewer = kind.length(&summary) - 1;
        kind.keep(&mut summary, fewer);
    }
    summary
}

/// How many of each kind fit, of costs that stand from the newest to the oldest.
fn plan_kept(costs: &[Vec<u32>], room: u32) -> Vec<usize> {
    let share = room / costs.len().max(1) as u32;
    let mut left = room;
    let mut kept = vec![0; costs.len()];
    for (kept, costs) in kept.iter_mut().zip(costs) {
        let mut own = share;
        while let Some(cost) = costs.get(*kept).filter(|cost| **cost <= own) {
            (own, left, *kept) = (own - cost, left - cost, *kept + 1);
        }
    }
    for (kept, costs) in kept.iter_mut().zip(costs) {
        while let Some(cost) = costs.get(*kept).filter(|cost| **cost <= left) {
            (left, *kept) = (left - cost, *kept + 1);
        }
    }
    kept
}

fn measure(summary: &Summary, count: &dyn Fn(&[u8]) -> u32) -> u32 {
    let text: String = Section::ALL.map(|section| super::render_section(section, &summary.section(section))).concat();
    count(text.as_bytes())
}

impl Kind {
    /// Of each line, the newest first. Lines of lists under a label are indented.
    fn costs(self, summary: &Summary, count: &dyn Fn(&[u8]) -> u32) -> Vec<u32> {
        fn of<T>(items: &[T], count: &dyn Fn(&[u8]) -> u32, line: impl Fn(&T) -> String) -> Vec<u32> {
            items.iter().rev().map(|item| count(format!("  {}", line(item)).as_bytes())).collect()
        }
        match self {
            Self::Decisions => of(&summary.decisions.items, count, Decision::line),
            Self::Changed => of(&summary.changed.items, count, ChangedFile::line),
            Self::Done => of(&summary.done.items, count, Done::line),
            Self::Learnings => of(&summary.learnings.items, count, learning_line),
            Self::Answers => of(&summary.answers.items, count, Answer::line),
            Self::Read => of(&summary.read.items, count, ReadFile::line),
        }
    }

    fn keep(self, summary: &mut Summary, newest: usize) {
        match self {
            Self::Decisions => summary.decisions.keep(newest),
            Self::Changed => summary.changed.keep(newest),
            Self::Done => summary.done.keep(newest),
            Self::Learnings => summary.learnings.keep(newest),
            Self::Answers => summary.answers.keep(newest),
            Self::Read => summary.read.keep(newest),
        }
    }

    fn length(self, summary: &Summary) -> usize {
        match self {
            Self::Decisions => summary.decisions.items.len(),
            Self::Changed => summary.changed.items.len(),
            Self::Done => summary.done.items.len(),
            Self::Learnings => summary.learnings.items.len(),
            Self::Answers => summary.answers.items.len(),
            Self::Read => summary.read.items.len(),
        }
    }
}
