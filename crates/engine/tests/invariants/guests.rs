//! The same laws in sessions that another program drives, and those of their own: nothing but blocks and raw turns in the
//! view, and blocks that are functions of the conversation up to their end.

use lookback_engine::{Context, session::GuestFold};
use lookback_engine::{
    Session, Source,
    evidence::pointer::{LineRange, Place},
    session::FoldNeed,
    trace::{AsCame, Event, EventBody, EventNo, NoBlobs, Part, Timestamp, TurnNo, start::ClientRecall},
};
use lookback_wire::Provider;
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, Watch, count, play, recalled},
    frozen::Frozen,
    operations::{Guest, Operation, Setting, guests, sessions},
    pairs::Pairs,
    prefix::Prefix,
    users::Verbatim,
    walk::{Law, walk},
    whole::Whole,
};

/// Only blocks are ours; what else is there is as the client sent it, but for thinking that a fold dropped.
struct AllOfThem;

impl Watch for AllOfThem {
    fn sent(&mut self, session: &Session, counted: u64) {
        Verbatim.sent(session, counted);
        Pairs.sent(session, counted);
        for entry in session.view().entries() {
            let raw = entry.thoughtless || entry.separated || session.bench().shows_raw_turn(entry);
            assert!(raw || matches!(entry.source, Source::Block(_)), "{entry:?}");
        }
    }
}

/// No fold takes a picture away.
struct Walls;

impl Law for Walls {
    fn before(&mut self, session: &Session, event: &Event) {
        let EventBody::Fold(fold) = &event.event else { return };
        for past in session.trace() {
            let EventBody::UserTurn(user) = &past.event else { continue };
            let has_picture = |as_came: &AsCame| as_came.parts.iter().any(|part| matches!(part, Part::Image(_)));
            let barred = user.as_came.as_deref().is_some_and(has_picture) && session.history().is_live(past.seq);
            assert!(!barred || !fold.range.contains(user.turn), "{:?} takes away turn {}", fold.range, user.turn);
        }
        let end = session.end_of_turn(fold.range.last).expect("it is folded now");
        for anchor in &fold.claims.anchors {
            let lines = Some(LineRange { first: anchor.first_line, last: anchor.last_line });
            let place = Place::File { path: anchor.path.clone(), lines, at: None };
            let seen = session.recall_before(&place, EventNo(end.0 + 1), &NoBlobs).expect("the lines were seen");
            assert_eq!(seen.pieces[0].bytes, anchor.snippet.as_bytes(), "verbatim at the end of its turns");
        }
        assert!(fold.board.is_none() && session.state().board().next_actions().len() <= 3);
    }
}

fn blocks(session: &Session) -> Vec<(lookback_engine::trace::decision::TurnRange, String)> {
    let in_view = |number: &u32| session.bench().block(*number).map(str::to_owned);
    let blocks = session.state().blocks().iter();
    blocks.filter_map(|(number, block)| Some((block.range, in_view(number)?))).collect()
}

/// The laws are those of all sessions, so fewer will do.
fn some_cases() -> ProptestConfig {
    let all = cases();
    ProptestConfig { cases: all.cases / 4, ..all }
}

proptest! {
    #![proptest_config(some_cases())]

    #[test]
    fn the_laws_hold_for_guests(operations in sessions(), setting in guests()) {
        let played = play(&operations, &setting, &mut AllOfThem);
        walk(&played, Prefix::default);
        walk(&played, Frozen::default);
        walk(&played, || Whole);
        walk(&played, || Walls);
        let session = played.session;
        let again = Session::replay(session.trace().to_vec(), &NoBlobs).expect("a recorded trace replays");
        prop_assert_eq!(format!("{:?}", session.state()), format!("{:?}", again.state()));
        for provider in Provider::ALL {
            prop_assert_eq!(session.body_for(provider, &NoBlobs), again.body_for(provider, &NoBlobs));
        }
        for turn in 0..session.turns() {
            recalled(&session, TurnNo(turn), &NoBlobs);
        }
        let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
        let checked = Session::replay_checked(session.trace().to_vec(), &context).expect("it replays");
        prop_assert_eq!(checked.doubted, None);
    }

    /// Whatever the times, the bills and the folds before it.
    #[test]
    fn a_block_is_a_function_of_the_conversation_up_to_its_end(operations in sessions(), setting in guests()) {
        // A fork is another conversation.
        let operations: Vec<Operation> =
            operations.into_iter().filter(|operation| !matches!(operation, Operation::Fork(_))).collect();
        let context = Context { now: Timestamp(7), count: &count, blobs: &NoBlobs };
        let folded = play(&operations, &setting, &mut Nothing).session;
        let watched = play(&operations, &Setting { guest: Some(Guest::Watches), ..setting }, &mut Nothing).session;
        let mut again = Session::replay(folded.trace().to_vec(), &NoBlobs).expect("a recorded trace replays");
        again.configure(folded.configuration().clone());
        for (range, block) in blocks(&folded) {
            for other in [&folded, &watched, &again] {
                let text = other.guest_block(range, ClientRecall::Absent, &context).expect("they can be folded");
                prop_assert_eq!(&text, &block);
            }
        }
        // What is folded later and at once stands in other blocks, each of which is what it would be anywhere.
        let mut at_once = watched;
        let asked = GuestFold { joined: &Default::default(), recall: ClientRecall::Absent, need: FoldNeed::ToFit };
        at_once.tidy_guest(&asked, &context).expect("no call is under way");
        for (range, block) in blocks(&at_once) {
            let text = folded.guest_block(range, ClientRecall::Absent, &context).expect("they can be folded");
            prop_assert_eq!(&text, &block);
        }
    }
}
