//! What pieces add up to.

use super::*;

fn assemble(pieces: &[&str]) -> String {
    let mut assembly = Assembly::default();
    for piece in pieces {
        assembly.add_all(&Members::parse(piece).expect("an object"), &["skipped"]);
    }
    assembly.to_json()
}

#[test]
fn what_is_said_once_keeps_its_bytes() {
    assert_eq!(
        assemble(&[r#"{"b": 1.00,"a":{ "x":[] }, "skipped":1}"#, r#"{"b":null}"#]),
        r#"{"b":1.00,"a":{ "x":[] }}"#
    );
}

#[test]
fn texts_and_lists_grow_and_the_rest_is_replaced() {
    assert_eq!(
        assemble(&[r#"{"a":"x","b":[1],"c":1}"#, r#"{"a":"y","b":[2],"c":2}"#]),
        r#"{"a":"xy","b":[1,2],"c":2}"#
    );
}

#[test]
fn entries_of_one_index_are_one() {
    let pieces = [
        r#"{"d":[{"index":0,"type":"t","text":"a"},{"index":1,"type":"t","text":"x"}]}"#,
        r#"{"d":[{"index":0,"type":"t","text":"b","signature":null}]}"#,
        r#"{"d":[{"index":0,"type":"t","signature":"s"},{"type":"new"},{"type":"new"}]}"#,
    ];
    let joined = r#"{"d":[{"index":0,"signature":"s","text":"ab","type":"t"},{"index":1,"text":"x","type":"t"},{"type":"new"},{"type":"new"}]}"#;
    assert_eq!(assemble(&pieces), joined);
}

#[test]
fn entries_are_appended_as_they_are() {
    let mut assembly = Assembly::default();
    assembly.set("list", "null");
    for entry in ["{ \"n\":1.0 }", "2"] {
        assembly.append("list", serde_json::from_str(entry).expect("JSON"));
    }
    assert_eq!(assembly.to_json(), r#"{"list":[{ "n":1.0 },2]}"#);
}
