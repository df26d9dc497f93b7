//! Names as programmers give them. Text made of them costs a tokenizer what real code does.

use crate::random::Random;

const VERBS: [&str; 24] = [
    "parse", "render", "load", "store", "merge", "split", "apply", "check", "find", "count", "open", "close", "settle",
    "resolve", "schedule", "validate", "round", "convert", "collect", "expire", "refund", "post", "reserve", "retry",
];

const ADJECTIVES: [&str; 16] = [
    "pending",
    "open",
    "stale",
    "signed",
    "partial",
    "foreign",
    "monthly",
    "internal",
    "shared",
    "locked",
    "rounded",
    "expired",
    "recurring",
    "default",
    "unpaid",
    "nested",
];

const NOUNS: [&str; 40] = [
    "invoice", "account", "ledger", "entry", "balance", "currency", "amount", "tax", "customer", "contract", "payment",
    "batch", "report", "window", "period", "rate", "journal", "mandate", "receipt", "voucher", "transfer", "limit",
    "session", "queue", "worker", "snapshot", "cursor", "segment", "header", "record", "index", "schema", "token",
    "policy", "region", "tariff", "quota", "channel", "lease", "digest",
];

/// `parse_pending_invoice`.
pub(super) fn function(random: &mut Random) -> String {
    let (verb, noun) = (random.pick(&VERBS), random.pick(&NOUNS));
    match random.below(3) {
        0 => format!("{verb}_{noun}"),
        1 => format!("{verb}_{}_{noun}", random.pick(&ADJECTIVES)),
        _ => format!("{verb}_{noun}_{}", random.pick(&NOUNS)),
    }
}

/// `stale_cursor`.
pub(super) fn variable(random: &mut Random) -> String {
    if random.below(2) == 0 {
        noun(random).to_owned()
    } else {
        format!("{}_{}", random.pick(&ADJECTIVES), noun(random))
    }
}

/// `PendingInvoice`.
pub(super) fn kind(random: &mut Random) -> String {
    [*random.pick(&ADJECTIVES), noun(random)].map(capital).concat()
}

pub(super) fn noun(random: &mut Random) -> &'static str {
    NOUNS[random.below(NOUNS.len())]
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}
