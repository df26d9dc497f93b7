//! Whether evidence speaks to a fact of the board, or even against it: it is about the same thing, and newer.
//!
//! Any pointer that resolves would otherwise take any fact off the board.

use crate::{
    admission::{
        facts::{Stated, runs_again, state},
        resolve::{Resolver, Voice},
    },
    evidence::pointer::{Place, Pointer},
    history::LiveTurn,
    proposal::FactProposal,
    trace::{
        ResultData, TurnNo,
        claim::{ClaimKind, Evidence, Fact},
    },
};

pub(super) const NEEDS: &str = "something newer about the same thing";

/// Newer evidence about the same thing, and the engine would not state the fact as it stands.
pub(super) fn speaks_against(fact: &Fact, evidence: &[Evidence], until: TurnNo, resolver: &mut Resolver<'_>) -> bool {
    let seen = fact.evidence.iter().map(|seen| seen.event).max();
    let newer: Vec<Evidence> = evidence.iter().filter(|other| Some(other.event) > seen).cloned().collect();
    let words = matches!(fact.kind, ClaimKind::Worded | ClaimKind::Quoted | ClaimKind::GateDecision);
    speaks_to(fact, &newer, resolver) && (words || !still_holds(fact, until, resolver))
}

fn still_holds(fact: &Fact, until: TurnNo, resolver: &mut Resolver<'_>) -> bool {
    let pointers = fact.evidence.iter().map(|seen| seen.pointer.clone()).collect();
    let stated = state(&FactProposal::new(fact.kind, pointers), until, resolver);
    matches!(stated, Ok(Stated::Fact(stated)) if stated.text == fact.text)
}

/// Evidence about the same thing that is no older.
pub(super) fn speaks_to(fact: &Fact, evidence: &[Evidence], resolver: &mut Resolver<'_>) -> bool {
    let Some(seen) = fact.evidence.iter().map(|seen| seen.event).max() else { return true };
    let about = |other: &&Evidence| other.event >= seen;
    evidence.iter().filter(about).any(|other| match fact.kind {
        // Worded by an older version, which let any evidence speak.
        ClaimKind::Worded => true,
        ClaimKind::Quoted | ClaimKind::GateDecision => {
            other.event > seen && resolver.resolve(&other.pointer).is_ok_and(|found| found.voice == Voice::Person)
        }
        _ => fact.evidence.iter().any(|seen| is_same_thing(seen, other, resolver)),
    })
}

/// The same file, the same search, or a run of the same command or more.
fn is_same_thing(seen: &Evidence, other: &Evidence, resolver: &mut Resolver<'_>) -> bool {
    match (subject(seen, resolver), subject(other, resolver)) {
        (Some(Subject::Run(seen)), Some(Subject::Run(other))) => runs_again(resolver.history, seen, other),
        (Some(seen), Some(other)) => seen == other,
        _ => false,
    }
}

#[derive(PartialEq, Eq)]
enum Subject {
    File(String),
    /// `cmd#N`.
    Run(u32),
    Search(String),
}

fn subject(evidence: &Evidence, resolver: &mut Resolver<'_>) -> Option<Subject> {
    match evidence.pointer.parse::<Pointer>().ok()?.place {
        Place::File { path, .. } => Some(Subject::File(path)),
        Place::Cmd { .. } | Place::Test { .. } => resolver.resolve(&evidence.pointer).ok()?.command.map(Subject::Run),
        Place::Turn(turn) => {
            let LiveTurn::Tool(step) = resolver.history.live_turn(turn)? else { return None };
            let mut results = (0..step.calls.len()).filter_map(|index| resolver.history.result_at(step, index));
            results.find_map(|result| match &result.data {
                ResultData::Search(search) => Some(Subject::Search(search.pattern.clone())),
                _ => None,
            })
        }
        _ => None,
    }
}
