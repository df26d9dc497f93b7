//! What looks like a key wherever it stands: people paste theirs into the wrong setting, and nobody knows it there.

use std::ops::Range;

/// How keys of known providers begin: OpenAI and many others, Groq, Google, xAI, Hugging Face, GitHub, GitLab,
/// Perplexity, NVIDIA, Replicate, Fireworks, Cerebras, AWS, signed tokens.
const BEGINNINGS: [&str; 18] = [
    "sk-",
    "sk_",
    "gsk_",
    "aiza",
    "xai-",
    "hf_",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "pplx-",
    "nvapi-",
    "r8_",
    "fw_",
    "csk-",
    "akia",
    "eyjh",
    "ya29.",
];
/// Behind such a beginning. Shorter ones are examples in somebody's notes.
const SHORTEST_REST: usize = 12;
/// Names of models, hosts and files have shorter words; random keys without any known beginning have 20 letters and more.
const SHORTEST_RANDOM: usize = 20;
/// So many digits within one word are no name either.
const MANY_DIGITS: usize = 4;
/// The lengths of a UUID's five parts.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];

/// A text without what looks like a key in it.
pub fn hide_key_shapes(text: &str) -> String {
    without(text, &key_shapes(text), "[hidden: it looks like a key]")
}

/// Where something looks like a key, in order.
pub(super) fn key_shapes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(before) = text[at..].find(is_of_a_word) {
        let start = at + before;
        at = text[start..].find(|c| !is_of_a_word(c)).map_or(text.len(), |length| start + length);
        if looks_like_key(&text[start..at]) {
            found.push(start..at);
        }
    }
    found
}

/// `places` are in order, without overlaps.
pub(super) fn without(text: &str, places: &[Range<usize>], instead: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut shown = 0;
    for place in places {
        out.push_str(&text[shown..place.start]);
        out.push_str(instead);
        shown = place.end;
    }
    out.push_str(&text[shown..]);
    out
}

fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.~+=".contains(c)
}

fn looks_like_key(word: &str) -> bool {
    // Settings are named by paths, as `providers.NAME.key`; some keys have a dot themselves.
    let mut pieces = [word].into_iter().chain(word.split(['.', '=']));
    pieces.any(|piece| begins_like_one(piece) || is_uuid(piece))
        || word.split(|c: char| !c.is_ascii_alphanumeric()).any(is_random)
}

fn begins_like_one(piece: &str) -> bool {
    let lower = piece.to_ascii_lowercase();
    BEGINNINGS.iter().any(|known| lower.strip_prefix(known).is_some_and(|rest| rest.len() >= SHORTEST_REST))
}

fn is_uuid(piece: &str) -> bool {
    piece.split('-').map(str::len).eq(UUID) && piece.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

fn is_random(part: &str) -> bool {
    let count = |kind: fn(&char) -> bool| part.chars().filter(kind).count();
    let digits = count(char::is_ascii_digit);
    let (small, large) = (count(char::is_ascii_lowercase), count(char::is_ascii_uppercase));
    part.len() >= SHORTEST_RANDOM
        && digits > 0
        && small + large > 0
        && (digits >= MANY_DIGITS || (small > 0 && large > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_shape_are_hidden() {
        for key in [
            "sk-ant-api03-R2D2abcdefgh-ijklmnop_qrstuvwxyz-AA",
            "SK-ANT-API03-ABCDEFGHIJKLMNOP",
            "sk-proj-aaaabbbbccccdddd",
            "sk-0123456789abcdef0123456789abcdef",
            "AIzaSyA-1234567890abcdefghijklmnopqrstu",
            "gsk_abcdefghijklmnop1234",
            "hf_abcdefghijKLMNOP",
            "9f86d081884c7d659a2feaa0c55ad015",
            "Zm9vYmFyYmF6cXV4MTIzNDU2",
            "0d8f1c2e-1b2a-4c3d-8e9f-0123456789ab",
        ] {
            for (before, after) in
                [("", ""), ("https://", "/v1"), ("\"", "\""), ("/etc/", ".pem"), ("providers.", ".key")]
            {
                let hidden = hide_key_shapes(&format!("{before}{key}{after}"));
                assert!(hidden.contains("[hidden: it looks like a key]"), "{hidden}");
                assert!(!hidden.to_lowercase().contains(&key.to_lowercase()[..8]), "{hidden}");
            }
        }
    }

    #[test]
    fn names_of_models_files_and_hosts_stay() {
        for name in [
            "claude-sonnet-4-5-20250929",
            "openrouter/anthropic/claude-sonnet-4.6",
            "accounts/fireworks/models/qwen3-coder-480b-a35b-instruct",
            "Meta-Llama-3.1-405B-Instruct-Turbo",
            "anthropic.claude-3-5-sonnet-20241022-v2:0",
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            "/home/ada/.config/lookback/work-certificate.pem",
            "generativelanguage.googleapis.com",
            "keys begin with sk-, as in sk-…",
            "ANTHROPIC_API_KEY is set, 108 characters, ends in …f3a",
            "https://platform.claude.com/docs/en/api/messages",
        ] {
            assert_eq!(hide_key_shapes(name), name);
        }
    }
}
