//! Everything that may be said of the story, written by hand.

pub(super) const TRUTHS: [&str; 20] = [
    // Wishes, in whole sentences.
    "task: Fix the failing ledger test.",
    "now: Fix the failing ledger test.",
    "now: Should we release today?",
    "now: Should we release today? I say no.",
    "fact: Fix the failing ledger test. [user#1]",
    "fact: Never push to main without asking me. [user#1]",
    "fact: Do none of these: delete the old tests [user#1]",
    "fact: Do none of these: rewrite the parser. [user#1]",
    "fact: Do none of these: Publish the package. [user#1]",
    "fact: keep the branch [gate#1]",
    // Runs, with what has happened since.
    "fact: pytest -q → exit 1, 1 failed, 2 passed: tests/test_ledger.py::test_cash (\"AssertionError: assert 130 == 100\") · 1 file edited since [cmd#6 exit=1]",
    "fact: cargo build → exit 101: \"error[E0308]: mismatched types\" · 1 file edited since [cmd#2 exit=101]",
    "fact: error: \"AssertionError: assert 130 == 100\" · 1 file edited since [cmd#6 exit=1]",
    // Where the work stands, by rules.
    "status: pytest -q: failed (1 failed, 2 passed); 1 file edited since",
    "status: cargo build: failed (exit 101); 1 file edited since",
    "question: pytest -q fails: tests/test_ledger.py::test_cash: E   AssertionError: assert 130 == 100",
    "question: cargo build fails: error[E0308]: mismatched types · error: could not compile `x`",
    "question: pytest -q failed: E   AssertionError: assert 130 == 100",
    "action: compare account names exactly",
    "action: I will look at the report next.",
];
