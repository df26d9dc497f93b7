//! What the rules look at when they write a block without a model, and how much they take each thing to be worth. Not
//! settings: the budgets are.
//!
//! Worths are compared with one another alone. Ours, in the order of docs/design/measuring.md, "What later steps need": what
//! an edit wrote and files in work first, then what errors name, then what was spoken of and looked at.

/// Turns back in which a board's new words of the assistant are looked for, and how many of them it takes. Ours: the block
/// has more of both.
pub(crate) const RECENT_TURNS: u32 = 120;
pub(crate) const SAID_FOR_BOARD: usize = 3;

/// Verdicts that are worded and checked; more never fit.
pub(crate) const VERDICTS: usize = 24;

/// Conclusions that are counted; a block holds a third of them at most.
pub(crate) const CONCLUSIONS: usize = 30;

/// Files, the newest, whose lines are looked up: more never fit into a block.
pub(crate) const LOADED_FILES: usize = 24;
/// Paths of one fact, the newest ones and then those before them, with the worth of each fact.
pub(crate) const LISTED_FILES: [(usize, i32); 2] = [(8, 130), (16, 60)];
/// Files of which it is told what they define.
pub(crate) const OUTLINED_FILES: usize = 5;

/// Open points that go before what is next on the board.
pub(crate) const FIRST_QUESTIONS: usize = 2;
/// Anchors on the board: one or two are what fits beside the rest. Longer ones would be all that the delta says.
pub(crate) const BOARD_ANCHORS: usize = 2;
pub(crate) const BOARD_ANCHOR_LINES: u32 = 12;

/// Lines of an edit that an anchor shows. docs/seeds.md 5.1 asks for the smallest snippet; an edit needs a few lines to find
/// its place.
pub(crate) const EDIT_LINES: usize = 20;
/// An edit of fewer lines tells nobody where it stands: it gets so many lines around it.
pub(crate) const SMALL_EDIT: usize = 4;
pub(crate) const AROUND_SMALL_EDIT: u32 = 3;
/// Lines around a place that an error names.
pub(crate) const AROUND_ERROR: u32 = 2;
/// Lines from where something is defined: of what was spoken of, and of what was written or looked at.
pub(crate) const DEFINITION_LINES: u32 = 6;
pub(crate) const SHOWN_LINES: u32 = 8;
/// A shorter line stands in many places.
pub(crate) const TELLING_LINE: usize = 12;
/// Windows that touch become one, up to so many lines.
pub(crate) const LONGEST_WINDOW: u32 = 24;
/// Windows with no more lines than this between them touch; of one that is cut, more than this must be left at its end.
pub(crate) const APART: u32 = 2;
/// Characters of a line: generated and minified ones tell nothing.
pub(crate) const WIDEST_LINE: usize = 200;
/// Windows that are written and counted.
pub(crate) const WINDOWS: usize = 40;
/// Places of one output.
pub(crate) const ERRORS_PER_RUN: usize = 4;
/// Texts of the assistant, the newest, whose names are looked for.
pub(crate) const SPOKEN_TEXTS: usize = 16;
/// Few lines that were asked for are lines that mattered: so many of a search, so many of a read.
pub(crate) const FEW_FOUND: u32 = 3;
pub(crate) const FEW_READ: u32 = 40;

/// Shares of a block's budget, in per cent. Lines are what is dearest to get again; they and the facts about files give way to
/// the log of calls, down to so much of their shares.
pub(crate) const SAID_SHARE: u32 = 40;
pub(crate) const FILES_SHARE: u32 = 14;
pub(crate) const COMMANDS_SHARE: u32 = 12;
pub(crate) const ANCHORS_SHARE: u32 = 34;
pub(crate) const GIVES_WAY_TO: u32 = 30;
/// The title of a section with the line before it, in tokens.
pub(crate) const TITLE_TOKENS: u32 = 4;
/// What a block is aimed below the most that admission allows, in per cent: joined texts count a little differently.
pub(crate) const AIMED_BELOW: u32 = 1;
/// Tokens. A smaller block says nothing; admission may then find that it does not pay.
pub(crate) const LEAST_BUDGET: u32 = 60;

/// What somebody asked to be kept outweighs every rule.
pub(crate) const FOCUSED: i32 = 1_000;
/// What a span came to, as whoever ended it said.
pub(crate) const OUTCOME: i32 = 120;
/// The last run of a command; that something changed since the run before it is a little less.
pub(crate) const TESTS_FAILED: i32 = 100;
pub(crate) const TESTS_PASSED: i32 = 90;
pub(crate) const COMMAND_FAILED: i32 = 55;
pub(crate) const COMMITTED: i32 = 40;
pub(crate) const CHANGED_SINCE: i32 = 10;
/// What a file defines.
pub(crate) const OUTLINE: i32 = 25;
/// Lines: what an edit wrote or was meant to change, a new file, where an error is, where a log line comes from; each further
/// place of an output is worth less.
pub(crate) const EDITED: i32 = 60;
pub(crate) const WRITTEN: i32 = 20;
pub(crate) const ERROR: i32 = 75;
pub(crate) const LOGGED: i32 = 25;
pub(crate) const FURTHER_PLACE: i32 = 5;
/// What the assistant named before it looked further, and before it changed something or answered.
pub(crate) const NAMED: i32 = 25;
pub(crate) const NAMED_AT_LAST: i32 = 32;
/// What was looked at on purpose.
pub(crate) const FOUND: i32 = 6;
pub(crate) const READ: i32 = 10;
/// Imports, comments and brackets alone are worth so much less, and so are lines that the turns behind the range show, too.
pub(crate) const THIN: i32 = 30;
pub(crate) const STILL_SHOWN: i32 = 40;

/// What is added for the newest turn; so many turns earlier it is half (docs/design/measuring.md, "What later steps need":
/// nine in ten needed lines, paths and symbols were seen within ten to twenty steps).
pub(crate) const FRESHEST: u32 = 60;
pub(crate) const HALF_AS_FRESH: u32 = 12;

/// What a thing is worth more for having been there `age` turns ago.
pub(crate) fn freshness(age: u32) -> i32 {
    (FRESHEST * HALF_AS_FRESH / HALF_AS_FRESH.saturating_add(age)) as i32
}
