//! What admission takes for words, for a refusal, for a repetition. Not settings: what was admitted once must be admitted
//! again. Ours throughout.

/// Sentences of a quotation; no proposal needs more.
pub(crate) const QUOTED_SENTENCES: usize = 6;

/// What stands in quotation marks is a name below so many words, or so many signs of a script without blanks.
pub(crate) const REPEATED_WORDS: usize = 3;
pub(crate) const REPEATED_SIGNS: usize = 6;

/// Words of a negation that takes back what was said before it: "Don't.", and longer where it points back ("That would be
/// wrong."); then signs of a script without blanks.
pub(crate) const SHORT_REFUSAL: usize = 3;
pub(crate) const LONG_REFUSAL: usize = 12;
pub(crate) const SIGNS_OF_REFUSAL: usize = 8;

/// Test runs back that are looked at for one that says more than another.
pub(crate) const TEST_RUNS: usize = 32;
