//! A delta becomes part of the board: ids are given, the latest wins, what contradicts is marked.
//!
//! This is what replay does, so it cannot refuse: where a delta makes no sense (an id that is not there), what it adds is
//! kept and the rest has no effect. [`Board::check`](super::Board::check) keeps such deltas from being recorded.

use super::{
    Board, BoardAssertion, BoardFact, Entry, GivenIds, Mark, Stale,
    subject::{Relation, relation, subject},
};
use crate::{
    configuration::fixed::STALE_PER_DELTA,
    trace::EventNo,
    trace::claim::{
        Anchor, Assertion, Change, Delta, Evidence, Fact, Goal, Question, Quote, RunStatus, Standing, WorkStatus,
    },
};

/// What a delta did, as far as the delta itself does not say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The board's, from now on.
    pub version: u32,
    /// One for each change of the delta, in its order; the same holds for the lists below.
    pub facts: Vec<AppliedFact>,
    /// Ids.
    pub questions: Vec<String>,
    /// Ids.
    pub anchors: Vec<String>,
    /// Ids.
    pub said: Vec<String>,
    /// Touched anchors that this delta is to name.
    pub stale: Vec<Stale>,
    /// What a person wants kept word for word.
    pub pinned: Vec<String>,
}

/// What became of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct AppliedFact {
    pub id: String,
    pub outcome: Outcome,
}

/// What a change of a fact did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "`was` is what stood there")]
pub enum Outcome {
    Added,
    /// The board said so already; it has the newer evidence now, unless that proves less.
    Restated,
    /// By id, or because it contradicts what stood there.
    Revised {
        was: Fact,
    },
    Retracted {
        was: Fact,
    },
    /// The board has it from newer evidence, which stays.
    Overtaken,
    /// It names an id that is not on the board.
    NotThere,
}

impl Board {
    /// Follows a delta that was checked.
    pub fn apply(&mut self, delta: &Delta) -> Applied {
        self.version += 1;
        // An older delta's goal is what the work is for.
        let goal = delta.current_goal.as_ref().map(|Goal { text, evidence }| (text.clone(), evidence.clone()));
        let goal = goal.map(|(text, evidence)| Quote { text, evidence });
        if let Some(task) = delta.task.clone().or(goal) {
            self.task = Some(task);
            self.now = None;
        }
        // One that shifts the work to what names no task takes the old one away.
        if delta.goal_shift.is_some() && delta.task.is_none() {
            self.task = None;
        }
        if let Some(now) = &delta.now {
            self.now = Some(now.clone());
        }
        if let Some(reason) = &delta.goal_shift_reason {
            self.goal_shift_reason = Some(reason.clone());
        }
        if let Some(shift) = &delta.goal_shift {
            self.goal_shift = Some(shift.clone());
        }
        let facts = delta.confirmed_facts.iter().map(|change| self.apply_fact(change)).collect();
        let questions = delta.open_questions.iter().map(|change| self.apply_question(change)).collect();
        let anchors = delta.anchors.iter().map(|change| self.apply_anchor(change)).collect();
        let said = delta.said.iter().map(|change| self.apply_said(change)).collect();
        delta.exec_assertions.iter().for_each(|assertion| self.apply_assertion(assertion));
        if let Some(status) = &delta.status {
            self.status = self.status_with(status);
        }
        if let Some(actions) = &delta.next_actions {
            self.next_actions = actions.clone();
        }
        let stale = self.name_stale();
        Applied { version: self.version, facts, questions, anchors, said, stale, pinned: self.pinned.clone() }
    }

    /// The ids that were given so far.
    pub(crate) fn given(&self) -> GivenIds {
        self.given
    }

    /// After a rollback: ids that were given are not given again, whatever became of their entries.
    pub(crate) fn go_on_from(&mut self, given: GivenIds) {
        self.given = GivenIds {
            facts: self.given.facts.max(given.facts),
            questions: self.given.questions.max(given.questions),
            anchors: self.given.anchors.max(given.anchors),
            said: self.given.said.max(given.said),
        };
    }

    /// The status after a delta: each field is a scalar, and one that says nothing changes nothing.
    pub(crate) fn status_with(&self, delta: &WorkStatus) -> WorkStatus {
        let latest = |new: &RunStatus, old: &RunStatus| if new.is_empty() { old.clone() } else { new.clone() };
        WorkStatus {
            tests: latest(&delta.tests, &self.status.tests),
            build: latest(&delta.build, &self.status.build),
            errors_left: delta.errors_left.or(self.status.errors_left),
        }
    }

    /// The touched anchors that the entry written now is to name; each is named once.
    pub(crate) fn name_stale(&mut self) -> Vec<Stale> {
        self.stale.drain(..self.stale.len().min(STALE_PER_DELTA)).collect()
    }

    /// The place of a fact that still holds.
    pub(super) fn standing_fact(&self, id: &str) -> Option<usize> {
        self.facts.iter().position(|entry| entry.id == id && entry.value.holds())
    }

    fn apply_fact(&mut self, change: &Change<Fact>) -> AppliedFact {
        match change {
            Change::Add(fact) => match self.related_fact(fact) {
                // A fold of older turns tells nothing newer than what was seen since.
                Some((at, _)) if newest(&fact.evidence) < newest(&self.facts[at].value.fact.evidence) => {
                    AppliedFact { id: self.facts[at].id.clone(), outcome: Outcome::Overtaken }
                }
                Some((at, Relation::Same)) => self.restate_fact(at, fact),
                Some((at, _)) => self.revise_fact(at, fact),
                None => self.add_fact(fact),
            },
            Change::Revise { id, to } => match self.standing_fact(id) {
                Some(at) if self.facts[at].value.fact == *to => self.restate_fact(at, to),
                Some(at) => self.revise_fact(at, to),
                None => self.add_fact(to),
            },
            Change::Retract { id, evidence } => self.retract_fact(id, evidence),
        }
    }

    /// The newest fact with the same subject. What the assistant merely concluded takes no confirmed fact's place unless
    /// it is told to by id: then both stand.
    fn related_fact(&self, fact: &Fact) -> Option<(usize, Relation)> {
        let facts = self.facts.iter().enumerate().rev().filter(|(_, entry)| entry.value.holds());
        facts
            .map(|(at, entry)| (at, relation(&fact.text, &entry.value.fact.text, &entry.value.subject)))
            .filter(|(at, relation)| *relation == Relation::Same || !self.proves_less(fact, *at))
            .find(|(_, relation)| *relation != Relation::Unrelated)
    }

    fn proves_less(&self, fact: &Fact, at: usize) -> bool {
        fact.standing == Standing::Concluded && self.facts[at].value.fact.standing == Standing::Confirmed
    }

    fn add_fact(&mut self, fact: &Fact) -> AppliedFact {
        self.given.facts += 1;
        let id = format!("f{}", self.given.facts);
        let value = BoardFact { fact: fact.clone(), mark: Mark::Plain, subject: subject(&fact.text) };
        self.facts.push(Entry { id: id.clone(), since: self.version, value });
        AppliedFact { id, outcome: Outcome::Added }
    }

    fn restate_fact(&mut self, at: usize, fact: &Fact) -> AppliedFact {
        let proves_less = self.proves_less(fact, at);
        let entry = &mut self.facts[at];
        if !proves_less && entry.value.fact != *fact {
            entry.value.fact = fact.clone();
            entry.value.subject = subject(&fact.text);
            entry.since = self.version;
        }
        AppliedFact { id: entry.id.clone(), outcome: Outcome::Restated }
    }

    fn revise_fact(&mut self, at: usize, fact: &Fact) -> AppliedFact {
        let entry = &mut self.facts[at];
        let was = std::mem::replace(&mut entry.value.fact, fact.clone());
        entry.value.mark = Mark::Revised { was: was.evidence.clone() };
        entry.value.subject = subject(&fact.text);
        entry.since = self.version;
        AppliedFact { id: entry.id.clone(), outcome: Outcome::Revised { was } }
    }

    fn retract_fact(&mut self, id: &str, evidence: &[Evidence]) -> AppliedFact {
        let outcome = self.standing_fact(id).map_or(Outcome::NotThere, |at| {
            let entry = &mut self.facts[at];
            entry.value.mark = Mark::Retracted { by: evidence.to_vec() };
            entry.since = self.version;
            Outcome::Retracted { was: entry.value.fact.clone() }
        });
        AppliedFact { id: id.to_owned(), outcome }
    }

    fn apply_question(&mut self, change: &Change<Question>) -> String {
        let same = |entry: &&Entry<Question>, to: &Question| entry.value.text.trim() == to.text.trim();
        let existing = match change {
            Change::Add(to) => self.questions.iter().find(|entry| same(entry, to)).map(|entry| entry.id.clone()),
            Change::Revise { id, .. } | Change::Retract { id, .. } => Some(id.clone()),
        };
        let kind = Kind { letter: 'q', version: self.version };
        apply_change(&mut self.questions, &mut self.given.questions, kind, change, existing)
    }

    fn apply_said(&mut self, change: &Change<Quote>) -> String {
        let existing = match change {
            Change::Add(to) => self.said.iter().find(|entry| entry.value.text == to.text).map(|entry| entry.id.clone()),
            Change::Revise { id, .. } | Change::Retract { id, .. } => Some(id.clone()),
        };
        let kind = Kind { letter: 's', version: self.version };
        apply_change(&mut self.said, &mut self.given.said, kind, change, existing)
    }

    fn apply_anchor(&mut self, change: &Change<Anchor>) -> String {
        let same = |entry: &&Entry<Anchor>, to: &Anchor| {
            let held = &entry.value;
            (&held.path, held.first_line, held.last_line) == (&to.path, to.first_line, to.last_line)
        };
        let existing = match change {
            Change::Add(to) => self.anchors.iter().find(|entry| same(entry, to)).map(|entry| entry.id.clone()),
            Change::Revise { id, .. } | Change::Retract { id, .. } => Some(id.clone()),
        };
        if let (Change::Add(to), None) = (change, &existing)
            && let Some(id) = self.id_of(to)
        {
            self.anchors.push(Entry { id: id.clone(), since: self.version, value: to.clone() });
            return id;
        }
        let kind = Kind { letter: 'a', version: self.version };
        apply_change(&mut self.anchors, &mut self.given.anchors, kind, change, existing)
    }

    fn apply_assertion(&mut self, assertion: &Assertion) {
        let held = self.assertions.iter_mut().find(|held| held.assertion.command == assertion.command);
        match held {
            // A fold of older turns tells nothing newer about a command that ran since.
            Some(held) if held.assertion.evidence.event > assertion.evidence.event => {}
            Some(held) if held.assertion == *assertion => {}
            Some(held) => *held = BoardAssertion { since: self.version, assertion: assertion.clone() },
            None => self.assertions.push(BoardAssertion { since: self.version, assertion: assertion.clone() }),
        }
    }
}

fn newest(evidence: &[Evidence]) -> Option<EventNo> {
    evidence.iter().map(|evidence| evidence.event).max()
}

struct Kind {
    letter: char,
    version: u32,
}

/// Questions, anchors and what was said: no marks, and what is retracted goes.
fn apply_change<T: Clone + PartialEq>(
    entries: &mut Vec<Entry<T>>,
    given: &mut u32,
    kind: Kind,
    change: &Change<T>,
    existing: Option<String>,
) -> String {
    let at = existing.as_ref().and_then(|id| entries.iter().position(|entry| entry.id == *id));
    match (change, at) {
        (Change::Add(to) | Change::Revise { to, .. }, Some(at)) => {
            let entry = &mut entries[at];
            if entry.value != *to {
                entry.value = to.clone();
                entry.since = kind.version;
            }
            entry.id.clone()
        }
        (Change::Add(to) | Change::Revise { to, .. }, None) => {
            *given += 1;
            let id = format!("{}{given}", kind.letter);
            entries.push(Entry { id: id.clone(), since: kind.version, value: to.clone() });
            id
        }
        (Change::Retract { id, .. }, at) => {
            if let Some(at) = at {
                entries.remove(at);
            }
            id.clone()
        }
    }
}
