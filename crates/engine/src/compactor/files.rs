//! Files of the stretch: which were changed, which were read, what they define, and all that is known of their lines.
//!
//! A path alone is what most later steps need (docs/design/measuring.md, "What later steps need"), so every file is
//! named while there is room, as the pointer that leads back to it. Which of the lines are worth showing is decided in
//! [`super::windows`].

use std::{collections::BTreeMap, sync::Arc};

use super::{
    candidate::{Candidates, Focus, Item},
    stretch::{SightKind, Stretch},
};
use crate::{
    admission::{
        Resolver,
        facts::{Stated, state, was_created},
    },
    configuration::rules::{LISTED_FILES, LOADED_FILES, OUTLINE, OUTLINED_FILES},
    evidence::{
        observed::ObservedLine,
        pointer::{LineRange, Place},
        symbols::{defined, is_prose},
    },
    proposal::FactProposal,
    trace::{Blobs, TurnNo, claim::ClaimKind},
};

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
        list.iter_mut()
            .take(LOADED_FILES)
            .for_each(|file| file.lines = stretch.bench.history.known_lines(file.path, blobs));
        list.sort_by_key(|file| std::cmp::Reverse(file.touched));
        Self { list }
    }

    pub(super) fn propose(&self, stretch: &Stretch<'_>, resolver: &mut Resolver<'_>, candidates: &mut Candidates<'_>) {
        let until = stretch.range.last;
        let mut changed = self.list.iter().filter(|file| file.changed.is_some());
        for (most, value) in LISTED_FILES {
            let mut found: Vec<(ClaimKind, String, TurnNo)> = Vec::new();
            for file in changed.by_ref() {
                // Of a file that changed unseen since (`git stash` … `pop`) what was seen holds as of then.
                let then = Place::File { path: file.path.to_owned(), lines: None, at: file.changed };
                let pointers = [file.pointer(), then.to_string()];
                if let Some(pointer) = pointers.into_iter().find(|pointer| resolver.resolve(pointer).is_ok()) {
                    let created = was_created(file.path, until, stretch.bench.history);
                    let kind = if created { ClaimKind::FileCreated } else { ClaimKind::FileChanged };
                    found.push((kind, pointer, file.touched));
                }
                if found.len() == most {
                    break;
                }
            }
            for kind in [ClaimKind::FileChanged, ClaimKind::FileCreated] {
                let of_kind = || found.iter().filter(|(own, ..)| *own == kind);
                let evidence = of_kind().map(|(_, pointer, _)| pointer.clone()).collect();
                let newest = of_kind().map(|(.., turn)| *turn).max();
                let proposal = FactProposal::new(kind, evidence);
                if let (Some(turn), Ok(Stated::Fact(fact))) = (newest, state(&proposal, until, resolver)) {
                    candidates.push(Item::Fact(fact), value, turn);
                }
            }
        }
        let outlined = self.list.iter().filter(|file| file.changed.is_some() && !file.lines.is_empty());
        for file in outlined.filter(|file| !is_prose(file.path)).take(OUTLINED_FILES) {
            if let Some(pointer) = file.outline()
                && let Ok(Stated::Fact(fact)) =
                    state(&FactProposal::new(ClaimKind::Symbol, vec![pointer]), until, resolver)
            {
                let value = OUTLINE + stretch.freshness(file.touched) / 2;
                candidates.push(Item::Fact(fact), value, file.touched);
            }
        }
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

    /// Where the file defines several things, as far as it is known.
    fn outline(&self) -> Option<String> {
        let run = self.longest_run()?;
        let defines = run.iter().filter(|line| defined(&line.text).is_some()).take(2).count() == 2;
        let place = Place::File { path: self.path.to_owned(), lines: Some(range_of(run)), at: None };
        defines.then(|| place.to_string())
    }
}

fn range_of(run: &[ObservedLine]) -> LineRange {
    LineRange { first: run.first().map_or(1, |line| line.number), last: run.last().map_or(1, |line| line.number) }
}
