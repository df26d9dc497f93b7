//! What the rules propose is admitted, whatever the session was like.

use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, play},
    folding,
    operations::{sessions, settings},
};

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_rules_propose_nothing_that_is_refused(
        operations in sessions(),
        setting in settings(),
        budget in 60u32..1_200,
        ends in any::<(usize, usize)>(),
        focus in prop::option::of("[a-z日_.]{0,8}"),
    ) {
        let session = play(&operations, &setting, &mut Nothing).session;
        if let Some(range) = folding::some_range(&session, ends) {
            folding::check(&session, range, budget, focus.as_deref());
        }
    }
}
