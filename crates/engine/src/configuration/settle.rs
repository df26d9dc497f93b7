//! The numbers of settling, each with the rule that it comes from. What they are applied to is not known here.
//!
//! Where the seed gives a range (5–10, 20–50), both ends are used: what fits the upper one stays whole, of anything
//! longer as much as the lower one remains. So a list of six is not robbed of its last entry, and one of six hundred
//! costs no more than it must.

use serde::{Deserialize, Serialize};

/// How much of a list stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Up to this many, all stay.
    pub whole: usize,
    /// Of more than that, the first so many.
    pub head: usize,
}

impl Keep {
    /// How many of `length` stay.
    pub fn of(self, length: usize) -> usize {
        if length <= self.whole { length } else { self.head.min(length) }
    }
}

/// The parts of `characters` that are tried, one after the other. Ours: the start of every string says more than all of
/// a few, so strings give way before levels do; below fifty characters (an eighth of the default) they say little.
pub(crate) const STRING_SHARES: [usize; 4] = [1, 2, 4, 8];

/// When the results of a round that has ended take their short forms (docs/design/folding.md, "Four ways to get
/// shorter").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettleWhen {
    /// At a cold cache, or when the planner says that it pays.
    Planned,
    /// Before the next round's first call (docs/seeds.md A2).
    Always,
}

limits! {
    /// How short a settled result is.
    pub struct SettleLimits {
        /// None: by layout, always in `react` and planned elsewhere.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub when: Option<SettleWhen> = None,
        /// Lines of a read. docs/seeds.md A3: "Read：最多 500 行".
        pub read_lines: usize = 500,
        /// Matches of a search. docs/seeds.md A3: "Grep：最多 5 行".
        pub matches: usize = 5,
        /// Entries of a listing, hits of a glob, names of failed tests, items of an unknown list. docs/seeds.md A3,
        /// Glob: "命中多时保留前 5-10"; for LS it says "前 N 项" and leaves N open.
        pub entries: Keep = Keep { whole: 10, head: 5 },
        /// Lines of an edit's diff and of a written file, and how many changed ranges are named. docs/seeds.md A3:
        /// "Edit/Write 片段：20-50 行".
        pub snippet: Keep = Keep { whole: 50, head: 20 },
        /// Last lines of standard error. docs/seeds.md A3, Bash: "stderr 末尾 20 行".
        pub stderr_lines: usize = 20,
        /// First and last lines of what a command printed that went well. Ours: "336 lines" alone helps nobody.
        pub output_lines: usize = 2,
        /// Characters of a single line, path, pattern, command or value. Ours: no line written by hand is longer; what
        /// is, is data or minified, and its start says which.
        pub characters: usize = 400,
        /// Keys of an object that no rule knows. Ours, for "默认回退策略（截断/摘要）" of docs/seeds.md D2: an answer of an API has
        /// about so many fields.
        pub keys: usize = 20,
        /// Levels of such a value. Ours: what matters lies in its upper levels.
        pub depth: usize = 4,
        /// Bytes of such a value as JSON: above, strings get shorter and levels go until it fits. Ours: about as much
        /// as fifty lines, the largest snippet of a known tool.
        pub value_bytes: usize = 4_000,
    }
}
