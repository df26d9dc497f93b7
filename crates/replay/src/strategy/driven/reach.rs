//! Whether what a view does not show can be reached from it, and whether what its blocks claim resolves.

use std::collections::BTreeMap;

use lookback_engine::{
    Session, Source,
    evidence::pointer::{LineRange, Place, Pointer},
    fold::{Anchor, BlockContent, Change, Evidence as Pointing, Fact},
    trace::{Event, EventBody, EventNo, NoBlobs},
};
use memchr::memmem;

use super::Driven;
use crate::{
    conversation::Need,
    shown::{Evidence, Reach},
};

/// A direct pointer leads to at most 200 lines.
const DIRECT_LINES: usize = 200;

/// What the pointers of a fold or a board entry show, where that is short, by session and event.
pub(super) type Pointed = BTreeMap<(usize, EventNo), Vec<String>>;

impl Driven<'_> {
    pub(super) fn reach_of(&self, need: &Need) -> Reach {
        if self.points_at(need) {
            return Reach::Direct;
        }
        let session = self.session();
        let turns = || need.seen.iter().filter_map(|piece| self.fed.turn(*piece));
        let reached = session.view().entries().iter().any(|entry| match entry.source {
            // A turn in another form names itself: its results have their pointer.
            Source::Turn(turn) => turns().any(|seen| seen == turn),
            Source::Block(block) => {
                session.state().blocks().get(&block).is_some_and(|block| turns().any(|seen| block.range.contains(seen)))
            }
            Source::Archived(_) => match &session.trace()[entry.revision.0 as usize].event {
                EventBody::Archive(archive) => turns().any(|seen| archive.range.contains(seen)),
                _ => false,
            },
            _ => false,
        });
        if reached { Reach::Range } else { Reach::Lost }
    }

    /// Whether a pointer in the view leads to a short stretch that holds the item.
    fn points_at(&self, need: &Need) -> bool {
        let finder = memmem::Finder::new(&*need.text);
        let mut pointed = self.pointed.borrow_mut();
        self.session().view().entries().iter().any(|entry| {
            if !matches!(entry.source, Source::Block(_) | Source::Board) {
                return false;
            }
            // A stub has the pointers of the block that it was.
            let folded = match entry.source {
                Source::Block(block) => self.session().state().fold_of(block),
                _ => None,
            };
            let event = folded.unwrap_or(entry.revision);
            let texts = pointed.entry((self.fed.number(), event)).or_insert_with(|| self.short_stretches(event));
            texts.iter().any(|text| finder.find(text.as_bytes()).is_some())
        })
    }

    /// What the pointers of a fold or delta of the session show, where that is at most [`DIRECT_LINES`] lines.
    fn short_stretches(&self, event: EventNo) -> Vec<String> {
        let mut places = Vec::new();
        match &self.session().trace()[event.0 as usize].event {
            EventBody::Fold(fold) => places.extend(places_of(&fold.claims)),
            EventBody::StateDelta(delta) => {
                let facts = delta.delta.confirmed_facts.iter().filter_map(|change| match change {
                    Change::Add(fact) => Some(&fact.evidence),
                    _ => None,
                });
                places.extend(facts.flatten().filter_map(place_of));
            }
            _ => {}
        }
        let claimed = claimed_at(self.session(), &self.session().trace()[event.0 as usize]);
        let mut texts = Vec::new();
        for place in places {
            let Ok(recalled) = self.session().recall_before(&place, claimed, &NoBlobs) else { continue };
            let text: Vec<u8> =
                recalled.pieces.iter().flat_map(|piece| piece.bytes.iter().copied().chain([b'\n'])).collect();
            if memchr::memchr_iter(b'\n', &text).count() <= DIRECT_LINES {
                texts.push(String::from_utf8_lossy(&text).into_owned());
            }
        }
        texts
    }

    /// Every fact and anchor of every block and of every change of the board, resolved again as of the event that holds it.
    pub(super) fn check_evidence(&self) -> Evidence {
        let mut evidence = Evidence { refused: self.refused, ..Evidence::default() };
        for session in self.fed.sessions() {
            for event in session.trace() {
                let (facts, anchors) = claims_of(&event.event);
                let claimed = claimed_at(session, event);
                for fact in facts {
                    let is_there = |place: Place| session.recall_before(&place, claimed, &NoBlobs).is_ok();
                    let resolves = !fact.evidence.is_empty()
                        && fact.evidence.iter().all(|pointing| place_of(pointing).is_some_and(is_there));
                    evidence.all += 1;
                    evidence.resolved += u64::from(resolves);
                }
                for anchor in anchors {
                    evidence.all += 1;
                    evidence.resolved += u64::from(is_verbatim(session, anchor, claimed));
                }
            }
        }
        evidence
    }
}

/// The event before which a claim was true: a guest's block says what was known at the end of its turns.
fn claimed_at(session: &Session, event: &Event) -> EventNo {
    let EventBody::Fold(fold) = &event.event else { return event.seq };
    let ends = |past: &&Event| match &past.event {
        EventBody::StepEnded { turn, .. } => *turn == fold.range.last,
        EventBody::AssistantTurn(turn) => turn.turn == fold.range.last,
        _ => false,
    };
    let end = session.trace().iter().find(ends).filter(|_| session.is_guest());
    end.map_or(event.seq, |end| EventNo(end.seq.0 + 1))
}

/// What an event claims: a fold its block's and the board's, a delta the board's.
fn claims_of(event: &EventBody) -> (Vec<&Fact>, Vec<&Anchor>) {
    let (mut facts, mut anchors) = (Vec::new(), Vec::new());
    let delta = match event {
        EventBody::Fold(fold) => {
            facts.extend(&fold.claims.what_we_learned);
            anchors.extend(&fold.claims.anchors);
            fold.delta.as_ref()
        }
        EventBody::StateDelta(delta) => Some(&delta.delta),
        _ => None,
    };
    if let Some(delta) = delta {
        facts.extend(delta.confirmed_facts.iter().filter_map(claimed));
        anchors.extend(delta.anchors.iter().filter_map(claimed));
    }
    (facts, anchors)
}

fn claimed<T>(change: &Change<T>) -> Option<&T> {
    match change {
        Change::Add(claim) | Change::Revise { to: claim, .. } => Some(claim),
        Change::Retract { .. } => None,
    }
}

fn is_verbatim(session: &Session, anchor: &Anchor, event: EventNo) -> bool {
    let Ok(recalled) = session.recall_before(&anchor_place(anchor), event, &NoBlobs) else { return false };
    let text: Vec<u8> = recalled.pieces.iter().flat_map(|piece| piece.bytes.iter().copied()).collect();
    String::from_utf8_lossy(&text).trim_end_matches('\n') == anchor.snippet.trim_end_matches('\n')
}

fn places_of(claims: &BlockContent) -> Vec<Place> {
    let facts = claims.what_we_learned.iter().flat_map(|fact| &fact.evidence);
    let commands = claims.exec_assertions.iter().map(|assertion| &assertion.evidence);
    let mut places: Vec<Place> = facts.chain(commands).filter_map(place_of).collect();
    places.extend(claims.anchors.iter().map(anchor_place));
    places
}

fn place_of(pointing: &Pointing) -> Option<Place> {
    pointing.pointer.parse::<Pointer>().ok().map(|pointer| pointer.place)
}

fn anchor_place(anchor: &Anchor) -> Place {
    let lines = LineRange { first: anchor.first_line, last: anchor.last_line };
    // As of the fold that holds it: edits have moved its lines since they were seen.
    Place::File { path: anchor.path.clone(), lines: Some(lines), at: None }
}
