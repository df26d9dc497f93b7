//! `record`: a stored session as a script.

use std::fs;

use crate::{
    person::{Person, store_question},
    played::Playing,
};

#[test]
fn a_session_is_recorded_as_a_script() {
    let person = Person::with_sample();
    let said = person.run(&["record", "sample"]);
    insta::assert_snapshot!("record", said.out);
    insta::assert_snapshot!(said.err, @"the script holds what the session held, secrets included: read it before you pass it on");
}

#[test]
fn what_was_recorded_can_be_played() {
    let person = Person::with_sample();
    let file = person.home.path().join("bug.toml");
    let file = file.to_str().expect("text");
    let said = person.run(&["record", "sample", "--out", file]).shown();
    assert!(said.contains(&format!("lookback upstream --script {file}")), "{said}");
    assert_eq!(fs::read_to_string(file).expect("written"), person.run(&["record", "sample"]).out);
    let unknown = person.run(&["upstream", "--script", file]).complaint();
    assert!(unknown.contains("says model = \"example-model\", and no price file has a card for it"), "{unknown}");
    let playing = Playing::start(&person, &["--script", file, "--model", "anthropic"]);
    let body = r#"{"model":"any","max_tokens":100,"messages":[{"role":"user","content":"why?"}]}"#;
    let answer = playing.post("/v1/messages", body);
    assert!(answer.contains("I'll run it.") && answer.contains("step-1-1"), "{answer}");
}

#[test]
fn a_session_without_replies_has_nothing_to_play() {
    let person = Person::new();
    store_question(&person.store(), "question0000", "why?", 0);
    insta::assert_snapshot!(person.run(&["record", "question"]).complaint(), @"error: session question0000 has no reply of a model: there is nothing to play");
}
