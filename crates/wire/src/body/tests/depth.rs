//! Nesting: as deep as serde_json goes, and an error beyond it.

use super::*;
use crate::body::DEEPEST;

/// A body that nests so deep in a place that is passed over, and in one that is gone into.
fn nested(levels: usize) -> [String; 3] {
    let list = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = format!("{}0{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    [format!(r#"{{"metadata":{}}}"#, list(levels - 1)), format!(r#"{{"messages":{}}}"#, list(levels - 1)), objects]
}

#[test]
fn is_read_as_deep_as_serde_json_reads_it() {
    let limit = DEEPEST as usize;
    for json in nested(limit) {
        assert!(Body::parse(Provider::Chat, json.clone()).is_ok());
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
    }
    for json in nested(limit + 1) {
        let error = Body::parse(Provider::Chat, json.clone()).expect_err("too deep");
        assert!(matches!(error, BodyError::TooDeep { offset } if offset >= limit), "{error}");
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_err());
    }
}

#[test]
fn beyond_all_reason_is_an_error_and_no_crash() {
    for json in nested(2_000_000) {
        assert!(matches!(Body::parse(Provider::Anthropic, json), Err(BodyError::TooDeep { .. })));
    }
}
