//! Who speaks in a message of the user's role: a person, or the client in a person's place.

use lookback_engine::trace::Origin;

/// Instructions from files that carry no tag of their own.
const MACHINE: [&str; 3] = ["# AGENTS.md instructions", "# AGENTS.md", "Warning: "];

/// The client's own messages are one element: `<environment_context>…</environment_context>`.
pub(super) fn origin_of(role: &str, text: &str) -> Origin {
    let text = text.trim();
    match role == "user" && !is_one_element(text) && !MACHINE.iter().any(|mark| text.starts_with(mark)) {
        true => Origin::Person,
        false => Origin::Machine,
    }
}

fn is_one_element(text: &str) -> bool {
    let Some((tag, _)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) else { return false };
    let name = tag.split_whitespace().next().unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|next| next.is_alphanumeric() || matches!(next, '_' | '-'));
    is_name
        && text
            .strip_suffix('>')
            .is_some_and(|text| text.ends_with(&format!("</{tag}")) || text.ends_with(&format!("</{name}")))
}
