//! The history form of what no rule knows: strings, lists, objects and levels are cut (docs/seeds.md D2, "默认回退策略").
//!
//! What the fields mean is not known here, but for the state marks that the seed names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    SettleLimits,
    object::Object,
    shorten::{render_plain, shorten},
};
use crate::{configuration::STRING_SHARES, evidence::lines::split_lines};

/// Kept whatever else goes. C1: "保留状态标记如 `truncated` / `applied` / `fallback`".
const STATE_MARKS: [&str; 3] = ["truncated", "applied", "fallback"];

/// A tool without data has its text alone. C1 drops the text because the data says the same; here it would be lost.
pub(super) fn settle_text(text: &[u8], limits: &SettleLimits) -> String {
    let present = split_lines(text).count();
    if present == 0 {
        return Value::Null.to_string();
    }
    let kept = limits.snippet.of(present);
    let mut data = Object::new();
    data.field("text", render_plain(split_lines(text).take(kept), limits.characters));
    data.left_out("lines_left_out", present - kept);
    data.end()
}

/// The value, with strings ever shorter and then with fewer levels until it fits; at last its state marks alone.
pub(super) fn settle_value(value: &Value, limits: &SettleLimits) -> String {
    if let Value::String(text) = value {
        return settle_text(text.as_bytes(), limits);
    }
    let sizes =
        (1..=limits.depth).rev().flat_map(|depth| STRING_SHARES.map(|share| (depth, limits.characters / share)));
    sizes
        .map(|(depth, characters)| cut_value(value, depth, characters, limits).to_string())
        .find(|json| json.len() <= limits.value_bytes)
        .unwrap_or_else(|| cut_value(value, 0, limits.characters, limits).to_string())
}

fn cut_value(value: &Value, depth: usize, characters: usize, limits: &SettleLimits) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => shorten(text, characters).into(),
        Value::Array(items) => {
            let kept = if depth == 0 { 0 } else { limits.entries.of(items.len()) };
            let mut list: Vec<Value> =
                items[..kept].iter().map(|item| cut_value(item, depth - 1, characters, limits)).collect();
            if kept < items.len() {
                list.push(format!("…[+{} items]", items.len() - kept).into());
            }
            Value::Array(list)
        }
        Value::Object(fields) => {
            let is_mark = |key: &str, value: &Value| {
                STATE_MARKS.contains(&key) && !matches!(value, Value::Array(_) | Value::Object(_))
            };
            // By name, whatever order the map of this build has.
            let fields: BTreeMap<&str, &Value> = fields.iter().map(|(key, value)| (key.as_str(), value)).collect();
            let (marks, plain): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(key, value)| is_mark(key, value));
            let kept = if depth == 0 { 0 } else { plain.len().min(limits.keys) };
            let rest = plain.len() - kept;
            let mut short: BTreeMap<String, Value> = BTreeMap::new();
            if rest > 0 {
                short.insert("…".to_owned(), format!("[+{rest} keys]").into());
            }
            for (key, value) in plain.into_iter().take(kept).chain(marks) {
                let key = shorten(key, characters).into_owned();
                short.insert(key, cut_value(value, depth.saturating_sub(1), characters, limits));
            }
            Value::Object(short.into_iter().collect())
        }
    }
}
