//! Files of the stretch: which were changed, which were read, what they define, and all that is known of their lines.
//!
//! A path alone is what most later steps need (docs/design/measuring.md, "What later steps need"), so every file is
//! named while there is room, as the pointer that leads back to it. Which of the lines are worth showing is decided in
//! [`super::windows`].

use std::{collections::BTreeMap, sync::Arc};

use super::{
    candidate::{Candidates, FactKind, Focus, Item},
    stretch::{SightKind, Stretch},
    symbols::defined,
};
use crate::{
    admission::Examiner,
    evidence::{
        observed::ObservedLine,
        pointer::{LineRange, Place},
    },
    proposal::FactProposal,
    trace::{Blobs, ResultData, TurnNo},
};

/// How many files, the newest, have their lines looked up: more never fit into a block.
const LOADED: usize = 24;
/// Paths of one fact: the newest ones, then those before them.
const LISTED: [usize; 2] = [8, 16];
/// What is told of what files define: so many files, so many names.
const OUTLINED: usize = 5;
const NAMES: usize = 24;
const PATTERNS: usize = 8;
const FOUND: usize = 6;

pub(super) struct Files<'a> {
    /// The file touched last comes first.
    pub(super) list: Vec<KnownFile<'a>>,
}

pub(super) struct KnownFile<'a> {
    pub(super) path: &'a str,
    pub(super) touched: TurnNo,
    pub(super) changed: Option<TurnNo>,
    /// In their order; empty where none were looked up.
    pub(super) lines: Arc<Vec<ObservedLine>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(stretch: &Stretch<'a>, focus: &Focus, blobs: &dyn Blobs) -> Self {
        let mut touched: BTreeMap<&'a str, (TurnNo, Option<TurnNo>)> = BTreeMap::new();
        for sight in stretch.sights.iter().filter(|sight| !matches!(sight.kind, SightKind::Found)) {
            let entry = touched.entry(sight.path).or_insert((sight.turn, None));
            entry.0 = sight.turn;
            if matches!(sight.kind, SightKind::Changed(_)) {
                entry.1 = Some(sight.turn);
            }
        }
        let mut list: Vec<KnownFile<'a>> = touched
            .into_iter()
            .map(|(path, (touched, changed))| KnownFile { path, touched, changed, lines: Arc::default() })
            .collect();
        list.sort_by_key(|file| std::cmp::Reverse((focus.is_in(file.path), file.changed.is_some(), file.touched)));
        list.iter_mut().take(LOADED).for_each(|file| file.lines = stretch.bench.history.known_lines(file.path, blobs));
        list.sort_by_key(|file| std::cmp::Reverse(file.touched));
        Self { list }
    }

    pub(super) fn propose(&self, stretch: &Stretch<'_>, examiner: &mut Examiner<'_>, candidates: &mut Candidates<'_>) {
        let changed: Vec<&KnownFile<'_>> = self.list.iter().filter(|file| file.changed.is_some()).collect();
        let read: Vec<&KnownFile<'_>> = self.list.iter().filter(|file| file.changed.is_none()).collect();
        list(FactKind::Changed, "files changed", [130, 60], &changed, examiner, candidates);
        list(FactKind::Read, "files read", [70, 12], &read, examiner, candidates);
        for file in self.list.iter().filter(|file| !file.lines.is_empty()).take(OUTLINED) {
            if let Some(proposal) = file.outline()
                && let Some(fact) = examiner.fact(&proposal)
            {
                let value = 15 + stretch.freshness(file.touched) / 2 + if file.changed.is_some() { 10 } else { 0 };
                candidates.push(Item::Fact { kind: FactKind::Outline, fact }, value, file.touched);
            }
        }
        self.found(stretch, examiner, candidates);
        searched(stretch, examiner, candidates);
    }

    /// Files that only a search showed.
    fn found(&self, stretch: &Stretch<'_>, examiner: &mut Examiner<'_>, candidates: &mut Candidates<'_>) {
        let mut evidence: Vec<String> = Vec::new();
        let mut newest = None;
        for sight in stretch.sights.iter().rev().filter(|sight| matches!(sight.kind, SightKind::Found)) {
            let pointer = Place::File { path: sight.path.to_owned(), lines: None, at: None }.to_string();
            let known = evidence.contains(&pointer) || self.list.iter().any(|file| file.path == sight.path);
            if evidence.len() < FOUND && !known && examiner.resolves(&pointer) {
                newest = newest.max(Some(sight.turn));
                evidence.push(pointer);
            }
        }
        let proposal = FactProposal { text: "files found by searches".to_owned(), evidence };
        if let (Some(turn), Some(fact)) = (newest, examiner.fact(&proposal)) {
            let value = 10 + stretch.freshness(turn) / 2;
            candidates.push(Item::Fact { kind: FactKind::Searched, fact }, value, turn);
        }
    }
}

/// Pointers are the paths: a fact's text would only repeat them.
fn list(
    kind: FactKind,
    text: &str,
    values: [i32; 2],
    files: &[&KnownFile<'_>],
    examiner: &mut Examiner<'_>,
    candidates: &mut Candidates<'_>,
) {
    let mut files = files.iter();
    for (place, (most, value)) in LISTED.into_iter().zip(values).enumerate() {
        let mut evidence = Vec::new();
        let mut newest = None;
        for file in files.by_ref() {
            let pointer = file.pointer();
            if examiner.resolves(&pointer) {
                newest = newest.max(Some(file.touched));
                evidence.push(pointer);
            }
            if evidence.len() == most {
                break;
            }
        }
        let text = if place == 0 { text.to_owned() } else { format!("{text}, earlier") };
        let proposal = FactProposal { text, evidence };
        if let (Some(turn), Some(fact)) = (newest, examiner.fact(&proposal)) {
            candidates.push(Item::Fact { kind, fact }, value, turn);
        }
    }
}

/// Names that were searched for and found.
fn searched(stretch: &Stretch<'_>, examiner: &mut Examiner<'_>, candidates: &mut Candidates<'_>) {
    let mut names: Vec<&str> = Vec::new();
    let mut evidence: Vec<String> = Vec::new();
    let mut newest = None;
    for done in stretch.done.iter().rev() {
        let ResultData::Search(search) = &done.result.data else { continue };
        let pattern = search.pattern.trim();
        let is_name = pattern.len() >= 4
            && pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && search.matches.iter().any(|found| found.text.contains(pattern));
        let pointer = format!("turn#{}", done.turn);
        let proposal = FactProposal { text: format!("`{pattern}`"), evidence: vec![pointer.clone()] };
        if !is_name || names.contains(&pattern) || names.len() == PATTERNS || examiner.fact(&proposal).is_none() {
            continue;
        }
        names.push(pattern);
        newest = newest.max(Some(done.turn));
        if !evidence.contains(&pointer) {
            evidence.push(pointer);
        }
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let proposal = FactProposal { text: format!("searched for and found: {}", names.join(", ")), evidence };
    if let (Some(turn), Some(fact)) = (newest, examiner.fact(&proposal)) {
        candidates.push(Item::Fact { kind: FactKind::Searched, fact }, 10 + stretch.freshness(turn) / 2, turn);
    }
}

impl KnownFile<'_> {
    /// With its lines, where they are known without a gap.
    fn pointer(&self) -> String {
        let lines = self
            .longest_run()
            .map(range_of)
            .filter(|lines| self.changed.is_none() && (lines.last - lines.first) as usize + 1 == self.lines.len());
        Place::File { path: self.path.to_owned(), lines, at: None }.to_string()
    }

    fn longest_run(&self) -> Option<&[ObservedLine]> {
        self.lines.chunk_by(|one, next| one.number + 1 == next.number).max_by_key(|run| run.len())
    }

    /// What the file defines, as far as it is known.
    fn outline(&self) -> Option<FactProposal> {
        let run = self.longest_run()?;
        let all: Vec<(&str, u32)> = run.iter().filter_map(|line| Some((defined(&line.text)?, line.number))).collect();
        if all.len() < 2 {
            return None;
        }
        // Of many, those spread over the whole file.
        let step = all.len().div_ceil(NAMES);
        let names: Vec<String> = all.iter().step_by(step).map(|(name, line)| format!("{name} L{line}")).collect();
        let more = if step > 1 { ", …" } else { "" };
        let pointer = Place::File { path: self.path.to_owned(), lines: Some(range_of(run)), at: None };
        Some(FactProposal { text: format!("defines {}{more}", names.join(", ")), evidence: vec![pointer.to_string()] })
    }
}

fn range_of(run: &[ObservedLine]) -> LineRange {
    LineRange { first: run.first().map_or(1, |line| line.number), last: run.last().map_or(1, |line| line.number) }
}
