//! User turns stay word for word (docs/design/model.md, "User turns"): what a person typed stands in every view, word
//! for word.

use lookback_engine::{Entry, Session, Source, fold::escape_tag, trace::EventBody};
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Watch, play},
    operations::{sessions, settings},
    walk::text_of,
};

/// Above this a turn shows its two ends and a pointer.
const LONGEST: u32 = 1_000;

pub(crate) struct Verbatim;

impl Watch for Verbatim {
    fn sent(&mut self, session: &Session, _counted: u64) {
        let entries = session.view().entries();
        let is_record =
            |entry: &&Entry| matches!(entry.source, Source::Block(_) | Source::Archived(_) | Source::Dialogue);
        let records: Vec<String> = entries.iter().filter(is_record).map(|entry| text_of(session, entry)).collect();
        for event in session.trace().iter().filter(|event| session.history().is_live(event.seq)) {
            let EventBody::UserTurn(user) = &event.event else { continue };
            let Some(number) = user.user.filter(|_| user.tokens <= LONGEST) else { continue };
            let raw = entries.iter().any(|entry| entry.source == Source::Turn(user.turn));
            let words = escape_tag(&user.text);
            let named = format!("user#{number}:");
            let quoted = records.iter().any(|record| record.contains(&named) && record.contains(&words));
            assert!(raw || quoted, "user#{number} is not in the view: {:?}", user.text);
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn what_a_person_typed_is_always_in_the_view(operations in sessions(), setting in settings()) {
        play(&operations, &setting, &mut Verbatim);
    }
}
