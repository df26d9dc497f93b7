//! By what it is read where the work stands: how far back, how much of each thing, and what is a sentence worth quoting.
//! Not settings. Ours throughout; what they come to is measured in docs/measuring.md, "Boards and blocks: what a successor
//! reads".

/// Turns: several working days. A session of any length is read in the same time.
pub(crate) const TURNS_BACK: u32 = 4_000;
/// Turns of a person: no piece of work takes more.
pub(crate) const REQUESTS_BACK: usize = 60;
/// After so many other requests a plan that nobody ended is not what the work is about.
pub(crate) const PLAN_REQUESTS: usize = 6;
/// Whoever works by a list ticks it off: one that lay through so many requests is forgotten.
pub(crate) const LIST_REQUESTS: usize = 3;
/// Calls: what failed longer ago was answered by what was done since.
pub(crate) const CALLS_BACK: usize = 12;
/// Runs whose verdict nobody can tell are looked past so often.
pub(crate) const UNKNOWN_RUNS: usize = 8;

/// Runs before the newest that are asked what it does not say.
pub(crate) const EARLIER_RUNS: usize = 12;

/// Bytes of a turn: what is wanted stands at its beginning, the rest may be a whole log.
pub(crate) const LONGEST_LOOK: usize = 4_000;
/// Characters of a turn in which an objection is looked for: it begins with a single word.
pub(crate) const OBJECTION_CUE: usize = 40;
/// Characters: no words that a text is asked to begin with are longer.
pub(crate) const LONGEST_CUE: usize = 40;
/// Sentences: the request stands among the first, or at the very end.
pub(crate) const SENTENCES: usize = 40;
/// A question that waits for its answer is one of the last sentences of a text.
pub(crate) const LAST_SENTENCES: usize = 3;
/// A turn of fewer words that asks for nothing is an answer: understood only with what was said before.
pub(crate) const LEAST_WORDS: usize = 4;
/// A sentence of fewer words may not say what it is about.
pub(crate) const FEW_WORDS: usize = 12;
/// So many words state a matter, even where none of them asks: a review's remark, an issue.
pub(crate) const MATTER: usize = 40;
/// A title of so many words says what a plan is for; a longer line is a sentence.
pub(crate) const TITLE_WORDS: std::ops::RangeInclusive<usize> = 3..=25;
/// Under a title, so many words are a plan.
pub(crate) const PLAN: usize = 120;
/// Bytes of a request that goes on over several lines.
pub(crate) const LONGEST_REQUEST: usize = 240;
/// A line of fewer words that speaks of plans is the title of a list.
pub(crate) const LIST_TITLE_WORDS: usize = 5;
/// What is next. docs/seeds.md 5.1: one to three.
pub(crate) const NEXT_ACTIONS: usize = 3;
/// Bytes of a plan; a longer sentence tells a story.
pub(crate) const LONGEST_PLAN: usize = 240;

/// Lines of errors, each of another file, and tokens for all of them: the pointer has the rest.
pub(crate) const ERROR_LINES: usize = 3;
pub(crate) const ERROR_TOKENS: u32 = 60;
/// Characters of the names of failing tests: names alone do not say what is wrong.
pub(crate) const NAMED_CHARACTERS: usize = 50;
/// The user's open sentences.
pub(crate) const OPEN_SENTENCES: usize = 2;
/// Characters of an open point, and of a command in a sentence.
pub(crate) const LONGEST_QUESTION: usize = 180;
pub(crate) const SENTENCE_COMMAND: usize = 70;

/// Bytes of a sentence that can conclude something. One of less than twice as many must name something.
pub(crate) const SHORTEST_CONCLUSION: usize = 24;
/// Below this a sentence is not worth its tokens.
pub(crate) const LEAST_WORTH: i32 = 14;
/// Conclusions of one turn; each further one is worth so much less.
pub(crate) const CONCLUSIONS_PER_TURN: usize = 5;
pub(crate) const FURTHER_CONCLUSION: i32 = 6;
/// As strong as this, a sentence names the cause of something. So many of those that a round named on its way are shown.
pub(crate) const CAUSE: i32 = 35;
pub(crate) const CAUSES_OF_ROUND: usize = 2;
/// Sentences said on the way, between looks at files: the newest.
pub(crate) const ASIDES: usize = 12;
/// Words beside names of code: fewer make no sentence.
pub(crate) const FEWEST_WORDS: usize = 3;
/// A question that was answered with "yes".
pub(crate) const APPROVED: i32 = 45;
/// Where a sentence stands: it opens an answer, is an item of its list, stands in it elsewhere, or before a change.
pub(crate) const OPENS_ANSWER: i32 = 22;
pub(crate) const LISTED_IN_ANSWER: i32 = 14;
pub(crate) const IN_ANSWER: i32 = 8;
pub(crate) const BEFORE_CHANGE: i32 = 6;
/// It names something.
pub(crate) const NAMES_SOMETHING: i32 = 8;
/// What begins with manners concludes only in words as strong as these.
pub(crate) const STRONG: i32 = 25;
/// Two sentences have one subject where they share so much of the shorter one's words, in per cent.
pub(crate) const SAME_SUBJECT: usize = 60;
