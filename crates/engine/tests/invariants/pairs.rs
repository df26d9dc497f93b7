//! Invariant 3, Pairs: every prompt is one that each provider accepts, and what is kept is what would be written now.

use lookback_engine::{Session, card::Alternation, trace::NoBlobs};
use lookback_wire::{Provider, check_body};
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    cases,
    driver::{Watch, play},
    operations::{sessions, settings},
    walk::rendered,
};

pub(crate) struct Pairs;

impl Watch for Pairs {
    fn sent(&mut self, session: &Session, _counted: u64) {
        let provider = session.prompt_provider();
        assert_eq!(session.sent().provider(), provider);
        let written = session.view().entries().iter().map(|entry| rendered(session, entry, provider));
        let written: Vec<Vec<u8>> = written.collect();
        assert!(session.sent().holds(written.iter().map(Vec::as_slice)), "what is kept is what would be written now");
        let model = session.state().model();
        for provider in Provider::ALL {
            let body = session.body_for(provider, &NoBlobs).expect("no blobs are needed");
            if let Err(violations) = check_body(provider, &body) {
                panic!("{provider}: {violations:?}\n{}", String::from_utf8_lossy(&body));
            }
            if model.alternation == Alternation::Strict && provider == Provider::Chat {
                check_alternation(&body);
            }
        }
    }
}

/// docs/design/model.md, "The voice of a record": where two user messages in a row are refused, none stand so.
fn check_alternation(body: &[u8]) {
    let body: Value = serde_json::from_slice(body).expect("a body is JSON");
    let roles: Vec<&str> =
        body["messages"].as_array().into_iter().flatten().filter_map(|it| it["role"].as_str()).collect();
    let in_a_row = roles.windows(2).any(|roles| roles == ["user", "user"]);
    assert!(!in_a_row, "two user messages in a row: {roles:?}");
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_3_pairs(operations in sessions(), setting in settings()) {
        play(&operations, &setting, &mut Pairs);
    }
}
