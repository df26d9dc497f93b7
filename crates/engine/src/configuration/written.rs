//! How much is written of each thing in a block and on the board. Not configurable one by one: the budgets are.

/// docs/seeds.md 5.1 wants quotations short; what is longer is cut at a word, with its pointer.
pub(crate) const QUOTE_TOKENS: u32 = 60;
/// Names of failed tests with a verdict. Ours: more are a list that its pointer has.
pub(crate) const NAMED_FAILURES: usize = 4;
/// Names in the outline of a file. Ours: about 150 tokens.
pub(crate) const OUTLINE_NAMES: usize = 24;
/// Places of a search. Ours: what a reader looks at.
pub(crate) const SEARCH_HITS: usize = 6;
/// What a summariser's own words may take of a block's budget, in per cent: a fifth.
pub(crate) const NOTES_SHARE: u32 = 20;
/// A line of the log of calls, in characters: a plain list cut there told the next command best of all that was tried.
pub(crate) const LOG_LINE_CHARACTERS: usize = 300;
/// The same in the older half of a log that may not fit. Ours: the program, and what it is about.
pub(crate) const LOG_OLD_CHARACTERS: usize = 100;
/// Names of what an edit defines, in the log. Ours: with more of them it is a whole file.
pub(crate) const LOG_NAMES: usize = 4;
/// A call in the legend of what can be cited: about ten tokens.
pub(crate) const LEGEND_CHARACTERS: usize = 48;
/// About what a pointer and an outcome take in a line of the log.
pub(crate) const LOG_POINTER: u64 = 8;
/// About as many as a token of English and of code has.
pub(crate) const CHARACTERS_PER_TOKEN: usize = 4;
/// How much of a block's budget its log can take from lines and outlines, in per cent: six tenths of their shares.
pub(crate) const LOG_TAKES_OF_BLOCK: u64 = 32;
/// Characters of a command in a block. Ours: longer ones are mostly scripts in quotes; the log and its pointer have more.
pub(crate) const LONGEST_COMMAND: usize = 100;
/// Characters of a line of a file in a fact. Ours: what is longer was not written by hand.
pub(crate) const LONGEST_LINE: usize = 200;
/// Pointers that a schema lists: about 1,500 tokens. Ours: grammars with thousands of alternatives take a small server seconds
/// to compile.
pub(crate) const CITABLE: usize = 120;
/// Facts, items of other lists, and characters that a schema allows. Ours: a block has room for about this much, and a small
/// model that loops fills any list.
pub(crate) const PROPOSED_FACTS: usize = 12;
pub(crate) const PROPOSED_OTHERS: usize = 8;
pub(crate) const PROPOSED_CHARACTERS: usize = 400;
/// Columns of the board for people: where texts begin, and where evidence does on a terminal of at least this width; else it
/// stands under its text. What follows the first line of an item stands behind its sign.
pub(crate) const TEXT_COLUMN: usize = 12;
pub(crate) const EVIDENCE_COLUMN: usize = 80;
pub(crate) const WIDE: usize = 110;
pub(crate) const INDENT: usize = 2;
/// No terminal is so narrow that a line has less.
pub(crate) const LEAST_ROOM: usize = 20;
