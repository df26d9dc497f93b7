//! What is enough to know something by, and how far outputs are looked into. Bounds, not settings: recorded facts should
//! not depend on what a person has set. Ours throughout.

/// Children of children in a pointer; the bound keeps hostile text from exhausting the stack.
pub(crate) const CHILDREN_DEEP: u32 = 8;

/// No system opens a longer path; the bound keeps long lines from being tried at every colon.
pub(crate) const LONGEST_PATH: usize = 4096;

/// The end of an output in which a test runner's summary is looked for: what runs longer prints it last.
pub(crate) const RECOGNISED_BYTES: usize = 4 << 20;

/// How many lines from the end the last summary may stand: after it come hints, timings and the failure of the build tool.
pub(crate) const SUMMARY_TAIL: usize = 40;

/// Lines with fewer characters than this, all together, may stand anywhere that was not seen.
pub(crate) const TELLING_CHARACTERS: usize = 12;

/// Pairs of lines that are compared to find where an edit belongs: two texts of 500 lines. Larger changes stay one place.
pub(crate) const COMPARED_LINES: usize = 250_000;
