//! Invariant 5, Evidence: every admitted fact resolves, every admitted anchor is verbatim, and what the board shows as
//! current is what was last seen of the file.

use lookback_engine::{
    Session, Source,
    evidence::pointer::{LineRange, Place, Pointer},
    fold::{Anchor, Assertion, BlockContent, Change, Delta, Evidence, Fact, Quote},
    recall::{RecallError, Recalled},
    trace::{Event, EventBody, EventNo, NoBlobs},
};
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, PLANTED, play},
    operations::{sessions, settings},
    walk::{Law, walk},
};

struct Admitted;

fn lines_of(session: &Session, anchor: &Anchor, before: Option<EventNo>) -> Result<Recalled, RecallError> {
    let lines = Some(LineRange { first: anchor.first_line, last: anchor.last_line });
    let place = Place::File { path: anchor.path.clone(), lines, at: None };
    match before {
        Some(event) => session.recall_before(&place, event, &NoBlobs),
        None => session.recall(&place, &NoBlobs),
    }
}

fn check_verbatim(session: &Session, anchor: &Anchor, before: Option<EventNo>, what: &str) {
    match lines_of(session, anchor, before) {
        Ok(recalled) => assert_eq!(recalled.pieces[0].bytes, anchor.snippet.as_bytes(), "{what}: {anchor:?}"),
        Err(error) => panic!("{what}: {anchor:?}: {error}"),
    }
}

fn check_resolves(session: &Session, evidence: &Evidence, what: &str) {
    let pointer: Pointer = evidence.pointer.parse().unwrap_or_else(|_| panic!("{what}: {evidence:?} is no pointer"));
    // It is bound to the event that shows what it names: that one counts, later ones do not.
    let recalled = session.recall_before(&pointer.place, EventNo(evidence.event.0 + 1), &NoBlobs);
    assert!(recalled.is_ok(), "{what}: {evidence:?} does not resolve: {recalled:?}");
}

/// What a pointer is bound to is what it showed when it was admitted.
fn check_bound(session: &Session, evidence: &Evidence, admitted: EventNo) {
    let Ok(Pointer { place: place @ Place::File { .. }, .. }) = evidence.pointer.parse() else { return };
    let pieces = |before| session.recall_before(&place, before, &NoBlobs).map(|recalled| recalled.pieces);
    assert_eq!(pieces(EventNo(evidence.event.0 + 1)), pieces(admitted), "{evidence:?}");
}

fn all_evidence<'a>(
    quotes: impl Iterator<Item = &'a Quote>,
    facts: impl Iterator<Item = &'a Fact>,
    assertions: impl Iterator<Item = &'a Assertion>,
) -> Vec<&'a Evidence> {
    quotes
        .map(|quote| &quote.evidence)
        .chain(facts.flat_map(|fact| &fact.evidence))
        .chain(assertions.map(|assertion| &assertion.evidence))
        .collect()
}

fn check_block(session: &Session, claims: &BlockContent) {
    let quotes = claims.task.iter().chain(&claims.now).chain(&claims.said);
    let evidence = all_evidence(quotes, claims.what_we_learned.iter(), claims.exec_assertions.iter());
    evidence.into_iter().for_each(|evidence| check_resolves(session, evidence, "a block"));
}

fn check_board(session: &Session) {
    let board = session.state().board();
    let facts = board.facts().iter().map(|entry| &entry.value.fact);
    let assertions = board.assertions().iter().map(|entry| &entry.assertion);
    let said = board.said().iter().map(|entry| &entry.value);
    let quotes = board.task().into_iter().chain(board.now()).chain(said);
    for evidence in all_evidence(quotes, facts, assertions) {
        check_resolves(session, evidence, "the board");
    }
}

fn new_anchors(delta: &Delta) -> impl Iterator<Item = &Anchor> {
    delta.anchors.iter().filter_map(|change| match change {
        Change::Add(anchor) | Change::Revise { to: anchor, .. } => Some(anchor),
        Change::Retract { .. } => None,
    })
}

fn is_planted(goal: Option<&Quote>, actions: &[String]) -> bool {
    goal.is_some_and(|goal| goal.text.contains(PLANTED)) || actions.iter().any(|action| action.contains(PLANTED))
}

impl Law for Admitted {
    fn after(&mut self, session: &Session, event: &Event) {
        let (claims, delta) = match &event.event {
            EventBody::Fold(fold) => (Some(&fold.claims), fold.delta.as_ref()),
            EventBody::StateDelta(delta) => (None, Some(&delta.delta)),
            EventBody::CallStarted { .. } => return self.look_at_all(session),
            _ => return,
        };
        let in_block = claims.into_iter().flat_map(|claims| &claims.anchors);
        for anchor in in_block.chain(delta.into_iter().flat_map(new_anchors)) {
            check_verbatim(session, anchor, Some(event.seq), "an admitted anchor");
        }
        if let Some(claims) = claims {
            check_block(session, claims);
            let facts = claims.what_we_learned.iter().flat_map(|fact| &fact.evidence);
            facts.for_each(|evidence| check_bound(session, evidence, event.seq));
            assert!(!is_planted(claims.task.as_ref(), &claims.next_actions), "{claims:?}");
        }
        check_board(session);
    }
}

impl Admitted {
    /// Before a call: this is what the model will believe.
    fn look_at_all(&self, session: &Session) {
        let board = session.state().board();
        check_board(session);
        assert!(!is_planted(board.task(), board.next_actions()), "{board:?}");
        for anchor in board.anchors() {
            check_verbatim(session, &anchor.value, None, "an anchor that the board shows as current");
        }
        for entry in session.view().entries() {
            let Source::Block(block) = entry.source else { continue };
            // A stub shows what its fold admitted.
            let folded = session.state().fold_of(block).expect("a block has its fold");
            let EventBody::Fold(fold) = &session.trace()[folded.0 as usize].event else {
                panic!("a block was written by its fold: {entry:?}");
            };
            check_block(session, &fold.claims);
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_5_evidence(operations in sessions(), setting in settings()) {
        walk(&play(&operations, &setting, &mut Nothing), || Admitted);
    }
}
