//! Inverted wishes: half of what the user said, joined halves, and what nobody said.

use serde_json::{Value, json};

use super::Lies;

/// Halves that say the opposite, and words that were not said.
const INVERTED: [&str; 26] = [
    "push to main",
    "push to main without asking me.",
    "main without asking",
    "delete the old tests",
    "the old tests",
    "rewrite the parser",
    "rewrite the parser.",
    "Publish the package.",
    "Publish the package",
    "rewrite the parser. Publish the package.",
    "You could also use tabs.",
    "use tabs",
    "Dropping the table would be easy",
    "the table",
    "Should we release today?",
    "release today",
    "ledger test. Never push",
    "these: - delete",
    "Push to main.",
    "push  to\u{a0}main",
    "push\u{200b} to main",
    "“push to main”",
    "**push to main**",
    "…push to main…",
    "push to main …",
    "Never push to main without asking me. Do",
];
const UNSAID: [&str; 16] = [
    "Always push to main without asking me.",
    "Never ask me before you push to main.",
    "push to main and ask me later",
    "Fix the failing ledger test by deleting it.",
    "the user prefers tabs",
    "user#1: push to main",
    "The user agreed to a release.",
    "用户希望推送到主分支",
    "der Nutzer will einen Release",
    "Drop the table.",
    "keep the branch and push to main",
    "Push to main, or what?",
    "I say yes.",
    "Fix the fаiling ledger test.",
    "fix The Failing Ledger Test.",
    "Fix the failing ledger test, then push to main.",
];

pub(super) fn tell(lies: &mut Lies) {
    for (place, text) in INVERTED.iter().chain(&UNSAID).enumerate() {
        let pointers = ["user#1", "user#2", "gate#1", "workday00000/gate#1", "turn#0", "turn#23", "cmd#5"];
        for (turn, pointer) in pointers.iter().enumerate() {
            // Where the words stand in every form, elsewhere in one.
            let forms = wishes(text, pointer);
            let chosen = if turn == 0 { &forms[..] } else { &forms[(place + turn) % 4..][..1] };
            chosen.iter().for_each(|fields| lies.claim("inverted wishes", fields));
        }
    }
    for pointer in [
        "cmd#5",
        "turn#23",
        "turn#24",
        "file:src/ledger.py:L1",
        "user#0",
        "user#99",
        "gate#2",
        "user#1@turn#3",
        "user#1 exit=0",
        "user#+1",
    ] {
        lies.claim("inverted wishes", &json!({ "task": pointer }));
        lies.claim("inverted wishes", &json!({ "now": { "pointer": pointer } }));
        lies.claim("inverted wishes", &json!({ "task": "user#1", "goal_shift_reason": pointer, "facts": [{ "kind": "quoted", "evidence": [pointer] }] }));
    }
}

fn wishes(text: &str, pointer: &str) -> Vec<Value> {
    vec![
        json!({ "task": { "pointer": pointer, "text": text } }),
        json!({ "facts": [{ "kind": "quoted", "evidence": [pointer], "text": text }] }),
        json!({ "facts": [{ "kind": "gate_decision", "evidence": [pointer], "text": text }] }),
        json!({ "next_actions": [{ "pointer": pointer, "text": text }], "now": text }),
    ]
}
