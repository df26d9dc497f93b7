//! Everything that may be said of the story, written by hand.

pub(super) const TRUTHS: [&str; 1] = ["task: Fix the failing ledger test."];
