//! How long a refused prompt was and how long it may be, as far as the refusal says so.

use super::Said;

/// A number stands right behind these. Anthropic, OpenAI and vLLM, llama.cpp, Kimi, Gemini, Qwen, OpenAI's token rate.
const LIMIT_AFTER: [&str; 9] = [
    "context length is ",
    "context size (",
    "token limit: ",
    "tokens allowed (",
    "maximum context length of ",
    "length should be [1, ",
    "tpm): limit ",
    "> ",
    "context length of only ",
];
const SENT_AFTER: [&str; 10] = [
    "too long: ",
    "you requested ",
    "you requested about ",
    "resulted in ",
    "request has ",
    "you passed ",
    "request (",
    "context limit: ",
    "requested: ",
    "token count (",
];
/// OpenAI's rate of tokens names its limit first.
const REQUESTED: &str = ", requested ";

pub(super) fn sizes(said: &Said) -> (Option<u64>, Option<u64>) {
    let words = said.words.to_lowercase();
    let find = |markers: &[&str]| markers.iter().find_map(|marker| number_after(&words, marker));
    let sent = said.sent.or_else(|| find(&SENT_AFTER)).or_else(|| number_after(&words, REQUESTED));
    (sent, said.limit.or_else(|| find(&LIMIT_AFTER)))
}

fn number_after(words: &str, marker: &str) -> Option<u64> {
    words.match_indices(marker).find_map(|(start, _)| {
        let rest = &words[start + marker.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(rest.len());
        rest[..end].replace(',', "").parse().ok()
    })
}
