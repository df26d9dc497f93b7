//! What the words on the page mean.

use super::html::write_to;

const WORDS: &[(&str, &str)] = &[
    ("session", "One recorded conversation of an agent with a model, from its file."),
    ("call", "One response of the model, with the prompt that was sent for it."),
    ("token", "The unit in which providers count and bill text: for code, three to four characters."),
    ("strategy", "A way of deciding what of the conversation is sent with each call."),
    ("append", "Everything is sent every time; nothing is ever removed. All ratios are against it."),
    (
        "head-summary",
        "When the prompt is nearly full, its older part becomes a summary (Claude Code, Codex and others).",
    ),
    ("mask", "Tool results older than the newest ten steps become a short placeholder, at every step (SWE-agent)."),
    (
        "mask-batched",
        "The same, but only every 20 steps, so that the cache is broken less often; mask-batched-10: every 10.",
    ),
    ("clear-tools", "Above 100k tokens, old tool results are cleared (Anthropic's context editing)."),
    ("settle", "Rules for each kind of tool: what a later result replaces is shortened."),
    (
        "lookback",
        "Old steps become a short block with pointers to what it replaces, when a planner finds that it pays.",
    ),
    ("lookback-fixed", "The same with a fixed count of steps instead of the planner."),
    ("oracle", "Knows the future and keeps exactly what later steps need. Nobody can do this; it is the limit."),
    (
        "cost",
        "What a session is billed, in uncached-input tokens: every kind of token is counted at its price relative to one input token that no cache held. Output and the calls that write summaries are included.",
    ),
    (
        "cost after repairs",
        "Cost, plus a look-up for every step that needed something that was no longer in view. The headline: forgetting is cheap until it must be repaired.",
    ),
    (
        "repair",
        "Such a look-up: the prompt is read once more from the cache, 80 tokens ask for it, and what was missing is written.",
    ),
    (
        "read, written, uncached",
        "Parts of a prompt: read from the provider's cache at a low price, written to it for the next call, or neither.",
    ),
    ("compactor", "Calls to a model that write summaries."),
    (
        "recall",
        "Of the paths, names and lines that a step used and that had been seen before, the share that was still in view.",
    ),
    (
        "pointer recall",
        "The same, with what a pointer in the view leads to counted as found. Direct: the pointer leads to at most 200 lines.",
    ),
    (
        "recall of paths, symbols, edit lines",
        "The same for each kind of thing: file names, names in code, and lines that an edit replaces.",
    ),
    ("context", "Tokens of the prompt of a call."),
    (
        "cheapest on",
        "On how many sessions a strategy cost less after repairs than every other. The oracle and lookback-fixed stand apart: they are no choices that one has.",
    ),
    ("dollars", "Cost at the prices of the card, repairs not counted."),
    (
        "competitive ratio",
        "The planner's whole bill divided by that of the best places to fold, found in hindsight; 1 is the best.",
    ),
    (
        "evidence, refused",
        "The share of what a strategy wrote down as fact that leads back to the turn it came from, and how many claims were turned away because they did not.",
    ),
    (
        "error of the check",
        "The differences between predicted and billed cached tokens of all calls, divided by the billed ones. First calls and calls after a compaction are left out.",
    ),
    (
        "unexplained miss",
        "A call that was billed less than half of the cached tokens that the rules of the provider promise. Shown apart, not part of the error.",
    ),
    (
        "prefix reuse",
        "The share of all input tokens that was read from the cache. High is not always good: a long prompt that is never shortened reuses much and costs much.",
    ),
    (
        "task signal (Task-SNR)",
        "The share of a view that holds something that one of the next 20 steps needs, mean over calls.",
    ),
    (
        "fold",
        "Old steps become a block or a summary. Results that are only masked, settled or cleared are no folds, but marked in the pictures too.",
    ),
    ("cold", "The pause since the call before was longer than the cache keeps entries, so all must be written again."),
    (
        "median, quartiles",
        "Half of the sessions lie below the median; half of them lie between the quartiles, the two small numbers.",
    ),
    ("prices", "The card of a provider's prices and of its cache's rules, by which all strategies are billed alike."),
];

pub(super) fn render() -> String {
    let mut list = String::from("<dl>\n");
    for (word, meaning) in WORDS {
        write_to(&mut list, format_args!("<dt>{word}</dt><dd>{meaning}</dd>\n"));
    }
    list.push_str("</dl>\n");
    list
}
