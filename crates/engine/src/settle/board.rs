//! The history form of a `Board` call's result: the recap only, like that of a todo list. What stands on the board is in
//! the view anyway; the ids that the delta got are not worth cutting.

use serde_json::Value;

use super::object::Object;

const TITLE: &str = "STATE_DELTA v";

/// `STATE_DELTA vN` and the ids of the items that it changed; None for any other text.
pub(super) fn settle_delta(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let (header, rest) = text.split_once('\n')?;
    let version = header.strip_prefix(TITLE)?;
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (body, refusals) = rest.split_once('\n').unwrap_or((rest, ""));
    let body: Value = serde_json::from_str(body).ok()?;
    let items = ["confirmed_facts", "open_questions", "anchors"].iter().filter_map(|field| body[field].as_array());
    let ids: Vec<&str> = items.flatten().filter_map(|item| item["id"].as_str()).collect();
    let recap = if ids.is_empty() { header.to_owned() } else { format!("{header}: {}", ids.join(", ")) };
    let mut data = Object::new();
    data.field("recap", recap);
    data.left_out("lines_left_out", refusals.lines().count());
    Some(data.end())
}
