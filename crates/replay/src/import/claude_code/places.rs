//! Where each line of a file went: the item that holds it, and whether the conversation went on from it.
//!
//! Needed to see that a person went back: then a turn has a parent from which the conversation had gone on already. Lines
//! are known by a hash of their id, so a line costs about 16 bytes however long it is: 30 MB for two million lines, the
//! only memory that grows with the file.

use std::collections::BTreeMap;

const WENT_ON: u32 = 1 << 31;

/// The item that a line belongs to, and the mark that the conversation went on behind it.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The number of items up to and with the line.
    lines: BTreeMap<u64, u32>,
    root_went_on: bool,
    /// Some line named a parent: the file is a tree.
    is_tree: bool,
    /// The first item of each branch that a person began by going back, and the item that it follows.
    branches: Vec<(usize, Option<usize>)>,
}

/// What is known of a parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parent {
    /// None: before the first item.
    pub(super) last: Option<usize>,
    pub(super) went_on: bool,
}

impl Places {
    /// `items` counts all items up to and with this line's.
    pub(super) fn note(&mut self, uuid: &str, items: usize) {
        self.lines.entry(hash(uuid)).or_insert((items as u32).min(WENT_ON - 1));
    }

    pub(super) fn has(&self, uuid: &str) -> bool {
        self.lines.contains_key(&hash(uuid))
    }

    /// An answer or a person's turn follows this line.
    pub(super) fn go_on(&mut self, parent: Option<&str>) {
        match parent {
            None => self.root_went_on = true,
            Some(uuid) => {
                self.is_tree = true;
                if let Some(place) = self.lines.get_mut(&hash(uuid)) {
                    *place |= WENT_ON;
                }
            }
        }
    }

    /// Another conversation begins: nobody went on from the root of this one yet.
    pub(super) fn begin_again(&mut self, items: usize) {
        self.root_went_on = false;
        self.branch(None, items);
    }

    /// The person went back: of `items` so far, the next one follows this.
    pub(super) fn branch(&mut self, last: Option<usize>, items: usize) {
        self.branches.push((items, last));
    }

    /// Whether the person had gone back behind an item, so that the newest of `items` does not follow from it.
    pub(super) fn was_left(&self, item: Option<usize>, items: usize) -> bool {
        let (Some(item), Some(mut newest)) = (item, items.checked_sub(1)) else { return false };
        for (first, follows) in self.branches.iter().rev().filter(|(first, _)| *first <= items) {
            if *first > newest {
                continue;
            }
            if item >= *first {
                return item > newest;
            }
            let Some(before) = follows else { return true };
            newest = *before;
        }
        item > newest
    }

    /// None for one that is not in the file. Where no line names a parent the file is a plain list, and every line goes on
    /// from the one before it.
    pub(super) fn parent(&self, parent: Option<&str>) -> Option<Parent> {
        let Some(uuid) = parent else {
            return Some(Parent { last: None, went_on: self.root_went_on && self.is_tree });
        };
        let place = self.lines.get(&hash(uuid))?;
        let last = ((place & !WENT_ON) as usize).checked_sub(1);
        Some(Parent { last, went_on: place & WENT_ON != 0 })
    }
}

/// FNV-1a: the same on every machine and in every run.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
