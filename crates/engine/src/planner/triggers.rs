//! What proposes a fold: counters over the foldable steps (docs/seeds.md 6.2).
//!
//! A step is counted when it has become foldable, that is when `keep_steps` newer ones stand behind it. The counters do
//! not know prices and decide nothing; what they count (digests of ranges, commands and results) is told to them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::TriggerLimits;
use crate::trace::TurnNo;

/// What the triggers want to know of a finished step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepSeen {
    /// Its last turn.
    pub end: TurnNo,
    /// None: the run of consecutive tool calls ends here.
    pub tool_calls: u32,
    pub tokens: u64,
    /// Of these, raw tool output.
    pub raw_tokens: u64,
    /// File ranges that it read and commands that it ran.
    pub seen: Vec<Seen>,
    pub logical_break: Option<Break>,
}

/// A file range or a command, and what came of it; both as digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Which call of the step showed it. A command that prints a file is both, and repeats once.
    pub call: u32,
    pub what: u64,
    pub result: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Break {
    SpanEnded,
    VerdictChanged,
    TodoClosed,
}

impl Break {
    pub fn words(self) -> &'static str {
        match self {
            Self::SpanEnded => "a span ended",
            Self::VerdictChanged => "a test verdict changed",
            Self::TodoClosed => "a todo item was closed",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    ToolCalls(u32),
    RawShare(f64),
    Repeats(u32),
    Break(Break),
}

/// A trigger that fired and the end that it offers as the cut.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Proposal {
    pub trigger: Trigger,
    pub end: TurnNo,
}

#[derive(Debug, Clone)]
pub(crate) struct Triggers {
    limits: TriggerLimits,
    keep_steps: usize,
    /// Newest steps that no fold may cover yet.
    kept: VecDeque<StepSeen>,
    /// Foldable steps since the last fold, oldest first, and how many of their calls repeated something: what they saw is
    /// no longer with them.
    foldable: Vec<(StepSeen, u32)>,
    counts: Counts,
    last: BTreeMap<u64, u64>,
}

#[derive(Debug, Clone, Default)]
struct Counts {
    end: Option<TurnNo>,
    tool_calls_in_a_row: u32,
    tool_calls: u32,
    tokens: u64,
    raw_tokens: u64,
    repeats: u32,
    logical_break: Option<(Break, TurnNo)>,
}

impl Triggers {
    pub(crate) fn new(limits: TriggerLimits, keep_steps: u32) -> Self {
        Self {
            limits,
            keep_steps: keep_steps.max(1) as usize,
            kept: VecDeque::new(),
            foldable: Vec::new(),
            counts: Counts::default(),
            last: BTreeMap::new(),
        }
    }

    /// Takes in a finished step and says what the steps that are now foldable propose.
    pub(crate) fn apply_step(&mut self, step: StepSeen) -> Option<Proposal> {
        self.kept.push_back(step);
        while self.kept.len() > self.keep_steps {
            if let Some(mut step) = self.kept.pop_front() {
                let repeats = self.repeats(&std::mem::take(&mut step.seen));
                self.counts.add(&step, repeats);
                self.foldable.push((step, repeats));
            }
        }
        self.proposal()
    }

    /// A break right behind the newest step: that step ends with it.
    pub(crate) fn apply_break(&mut self, logical_break: Break) {
        if let Some(newest) = self.kept.back_mut() {
            newest.logical_break = Some(logical_break);
        }
    }

    /// Everything up to `end` left the hot zone: the counting begins anew behind it. What earlier steps saw is still
    /// known, so reading a folded range again unchanged is a repeat.
    pub(crate) fn apply_fold(&mut self, end: TurnNo) {
        self.kept.retain(|step| step.end > end);
        self.foldable.retain(|(step, _)| step.end > end);
        self.counts = Counts::default();
        self.foldable.iter().for_each(|(step, repeats)| self.counts.add(step, *repeats));
    }

    /// How many of a step's calls showed something again that had not changed.
    fn repeats(&mut self, seen: &[Seen]) -> u32 {
        let mut calls = BTreeSet::new();
        for Seen { call, what, result } in seen {
            if self.last.insert(*what, *result) == Some(*result) {
                calls.insert(*call);
            }
        }
        calls.len() as u32
    }

    /// What the foldable steps propose, a logical break before all others because it offers the best end.
    pub(crate) fn proposal(&self) -> Option<Proposal> {
        let Counts { end, tool_calls_in_a_row, tool_calls, tokens, raw_tokens, repeats, logical_break } = self.counts;
        if let Some((logical_break, end)) = logical_break {
            return Some(Proposal { trigger: Trigger::Break(logical_break), end });
        }
        let raw_share = if tokens == 0 { 0.0 } else { raw_tokens as f64 / tokens as f64 };
        let trigger = if repeats >= self.limits.repeats {
            Trigger::Repeats(repeats)
        } else if tool_calls_in_a_row >= self.limits.tool_calls {
            Trigger::ToolCalls(tool_calls_in_a_row)
        } else if tool_calls >= self.limits.raw_share_calls && raw_share >= self.limits.raw_share {
            Trigger::RawShare(raw_share)
        } else {
            return None;
        };
        end.map(|end| Proposal { trigger, end })
    }
}

impl Counts {
    fn add(&mut self, step: &StepSeen, repeats: u32) {
        self.end = Some(step.end);
        self.tool_calls += step.tool_calls;
        self.tool_calls_in_a_row = if step.tool_calls == 0 { 0 } else { self.tool_calls_in_a_row + step.tool_calls };
        self.tokens += step.tokens;
        self.raw_tokens += step.raw_tokens;
        self.repeats += repeats;
        if let Some(logical_break) = step.logical_break {
            self.logical_break = Some((logical_break, step.end));
        }
    }
}
