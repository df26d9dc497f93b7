//! Invariant 6, Nothing lost: for every turn, in the view or not, recall returns the complete bytes.

use lookback_engine::trace::{NoBlobs, TurnNo};
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, play, recalled},
    operations::{sessions, settings},
};

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_6_nothing_lost(operations in sessions(), setting in settings()) {
        let played = play(&operations, &setting, &mut Nothing);
        for (turn, went_in) in &played.went_in {
            let back = recalled(&played.session, *turn, &NoBlobs);
            for (_, bytes) in went_in {
                prop_assert!(back.contains(bytes), "turn {turn} lost {:?}", String::from_utf8_lossy(bytes));
            }
        }
        for turn in 0..played.session.turns() {
            recalled(&played.session, TurnNo(turn), &NoBlobs);
        }
    }
}
