//! The numbers of settling, each with the rule that it comes from. What they are applied to is not known here.
//!
//! Where the seed gives a range (5–10, 20–50), both ends are used: what fits the upper one stays whole, of anything
//! longer as much as the lower one remains. So a list of six is not robbed of its last entry, and one of six hundred
//! costs no more than it must.

/// How much of a list stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettleLimits {
    /// Lines of a read.
    pub read_lines: usize,
    /// Matches of a search.
    pub matches: usize,
    /// Entries of a listing, hits of a glob, names of failed tests, items of an unknown list.
    pub entries: Keep,
    /// Lines of an edit's diff and of a written file, and how many changed ranges are named.
    pub snippet: Keep,
    /// Last lines of standard error.
    pub stderr_lines: usize,
    /// Characters of a single line, path, pattern, command or value.
    pub characters: usize,
    /// Keys of an object that no rule knows.
    pub keys: usize,
    /// Levels of such a value.
    pub depth: usize,
    /// Bytes of such a value as JSON: above, strings get shorter and levels go until it fits.
    pub value_bytes: usize,
}

impl Default for SettleLimits {
    fn default() -> Self {
        Self {
            // A3: "Read：最多 500 行".
            read_lines: 500,
            // A3: "Grep：最多 5 行".
            matches: 5,
            // A3, Glob: "命中多时保留前 5-10"; for LS it says "前 N 项" and leaves N open.
            entries: Keep { whole: 10, head: 5 },
            // A3: "Edit/Write 片段：20-50 行".
            snippet: Keep { whole: 50, head: 20 },
            // A3, Bash: "stderr 末尾 20 行".
            stderr_lines: 20,
            // Ours: no line written by hand is longer; what is, is data or minified, and its start says which.
            characters: 400,
            // Ours, for "默认回退策略（截断/摘要）" of D2: an answer of an API has about so many fields, and what matters
            // lies in its upper levels.
            keys: 20,
            depth: 4,
            // Ours: about as much as fifty lines, the largest snippet of a known tool.
            value_bytes: 4_000,
        }
    }
}
