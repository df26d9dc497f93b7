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

/// Characters of the line that tells what came of a command: it is a hint, and its pointer has the whole.
pub(crate) const TOLD_CHARACTERS: usize = 140;
/// Bytes of the closing line of a success: a longer one is text, not a verdict.
pub(crate) const CLOSING_CHARACTERS: usize = 100;
/// Bytes of both ends of an output in which such lines are looked for.
pub(crate) const OUTPUT_EDGE: usize = 64 << 10;
/// Characters of the name of an exception: `KeyError`.
pub(crate) const SHORTEST_EXCEPTION: usize = 8;
/// Places in files that are looked at of one output.
pub(crate) const PLACES: usize = 40;
/// A file that an output names ends so: `.scala`, `.swift`.
pub(crate) const LONGEST_EXTENSION: usize = 5;

/// Blanks before a line that still defines something: deeper ones are details. A tabulator counts for so many.
pub(crate) const DEFINED_WITHIN: usize = 8;
pub(crate) const TAB: usize = 4;
/// Characters of a name that somebody speaks of: shorter ones are words.
pub(crate) const SHORTEST_NAME: usize = 4;

/// Characters of a session's id in a pointer. Ids of other agents are up to 40.
pub(crate) const LONGEST_SESSION_ID: usize = 128;
/// Characters of the short name of a commit; git prints no fewer.
pub(crate) const SHORTEST_HASH: usize = 7;
