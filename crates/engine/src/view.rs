//! The prompt view: what the model is sent, in order, as a list of entries with their token counts.
//!
//! The order is the seed's (docs/seeds.md A1): L1 and L2 are the [`Head`]; L3, the current input and what is appended
//! behind it are the entries. An entry says where its content is in the trace and how large it is; it holds no text.
//! The view knows positions and sizes, not how anything is written ([`rendering`]) nor why it changed
//! ([`crate::session`]).

pub(crate) mod large;
pub(crate) mod recap;
pub(crate) mod rendering;
pub(crate) mod result_text;
pub(crate) mod visible;

use crate::{
    ledger::Miss,
    tight,
    trace::{EventNo, TurnNo, start::Counted},
};

pub(crate) use crate::configuration::fixed::TOKENS_PER_MESSAGE;

/// What the model is sent: a head, and messages in their order.
#[derive(Debug, Clone)]
pub struct View {
    head: Head,
    entries: Vec<Entry>,
    tokens: u64,
    seam: usize,
    change: Change,
    /// How often something was replaced: what was found out about the entries holds while this is the same.
    edits: u64,
}

/// L1 and L2: what stands before the conversation.
#[derive(Debug, Clone)]
pub struct Head {
    /// Of the system prompt and the tools.
    pub frozen_tokens: u32,
    /// L2, as it was last shown.
    pub rules: Counted,
}

/// One message of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it shows.
    pub source: Source,
    /// The event that last changed its content: source and revision together determine its bytes.
    pub revision: EventNo,
    /// Its parts and [`TOKENS_PER_MESSAGE`], and what separates it.
    pub tokens: u32,
    /// A one-line answer stands before it, because the model refuses two user messages in a row.
    pub separated: bool,
    /// An edit of the view took away what the model thought in this turn.
    pub thoughtless: bool,
}

/// What an entry shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A turn as it was recorded, or its results in their short forms.
    Turn(TurnNo),
    /// A machine-made line; the entry's revision is its `note shown` event.
    Note,
    /// The board; the revision is the event that wrote it: a delta, a fold, an archive or a change of layout.
    Board,
    /// What stands for a fold; the revision is the `fold` event.
    Block(u32),
    /// What stands for archived rounds; the revision is the `archive` event.
    Archived(u32),
    /// The dialogue of the `execute` layout; the revision is the `layout changed` event.
    Dialogue,
}

/// What was edited since somebody last looked: everything before `from` is as it was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    pub from: Option<usize>,
    pub reasons: Vec<Miss>,
}

impl View {
    pub(crate) fn new(head: Head) -> Self {
        Self { tokens: head.tokens(), head, entries: Vec::new(), seam: 0, change: Change::default(), edits: 0 }
    }

    /// L1 and L2.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// In the order in which they are sent.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All tokens of the view: head, parts and messages.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The entry at which the hot zone begins: what no block covers yet.
    pub fn seam(&self) -> usize {
        self.seam
    }

    pub(crate) fn edits(&self) -> u64 {
        self.edits
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.tokens += u64::from(entry.tokens);
        tight::push(&mut self.entries, entry);
    }

    pub(crate) fn set_rules(&mut self, rules: Counted) {
        self.tokens -= self.head.tokens();
        self.head.rules = rules;
        self.tokens += self.head.tokens();
        self.note_change(0, Miss::RulesChanged);
    }

    pub(crate) fn set_frozen_tokens(&mut self, tokens: u32) {
        self.tokens -= self.head.tokens();
        self.head.frozen_tokens = tokens;
        self.tokens += self.head.tokens();
        self.note_change(0, Miss::Drift);
    }

    /// Changes one entry in its place. Why the prompt changed is not noted again, since an edit before this entry said so.
    /// It counts as an edit all the same, because sums over entries that somebody keeps are no longer true.
    pub(crate) fn set_entry(&mut self, place: usize, entry: Entry) {
        self.tokens += u64::from(entry.tokens);
        self.tokens -= u64::from(self.entries[place].tokens);
        self.entries[place] = entry;
        self.edits += 1;
    }

    /// Puts `with` in the place of `range` and gives back what stood there.
    pub(crate) fn replace(&mut self, range: std::ops::Range<usize>, with: Vec<Entry>, why: Miss) -> Vec<Entry> {
        let sum = |entries: &[Entry]| entries.iter().map(|entry| u64::from(entry.tokens)).sum::<u64>();
        self.tokens += sum(&with);
        self.edits += 1;
        self.note_change(range.start, why);
        if self.seam >= range.end {
            self.seam = self.seam - range.len() + with.len();
        } else if self.seam > range.start {
            self.seam = range.start + 1;
        }
        let removed: Vec<Entry> = self.entries.splice(range, with).collect();
        self.tokens -= sum(&removed);
        removed
    }

    pub(crate) fn set_seam(&mut self, seam: usize) {
        self.seam = seam;
    }

    pub(crate) fn note_change(&mut self, from: usize, why: Miss) {
        self.change.from = Some(self.change.from.map_or(from, |old| old.min(from)));
        if !self.change.reasons.contains(&why) {
            self.change.reasons.push(why);
        }
    }

    pub(crate) fn take_change(&mut self) -> Change {
        std::mem::take(&mut self.change)
    }

    /// Where a turn stands. Turns stand in their order, so the search begins at the end, where the action is.
    pub(crate) fn position(&self, turn: TurnNo) -> Option<usize> {
        self.entries.iter().rposition(|entry| entry.source == Source::Turn(turn))
    }
}

/// What determines an entry's bytes. Kept for every message that was rendered, so it is small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryKey {
    source: Source,
    /// The revision, and in its highest bit whether the entry is separated: no trace has so many events.
    stamp: u64,
}

const SEPARATED: u64 = 1 << 63;

impl Entry {
    pub(crate) fn new(source: Source, revision: EventNo, tokens: u32) -> Self {
        let tokens = tokens.saturating_add(TOKENS_PER_MESSAGE);
        Self { source, revision, tokens, separated: false, thoughtless: false }
    }

    pub(crate) fn key(&self) -> EntryKey {
        let separated = if self.separated { SEPARATED } else { 0 };
        EntryKey { source: self.source, stamp: self.revision.0 | separated }
    }
}

impl EntryKey {
    /// For a digest.
    pub(crate) fn bytes(self) -> [u8; 13] {
        let (kind, number) = match self.source {
            Source::Turn(turn) => (0, turn.0),
            Source::Note => (1, 0),
            Source::Board => (2, 0),
            Source::Block(number) => (3, number),
            Source::Archived(number) => (4, number),
            Source::Dialogue => (5, 0),
        };
        let mut bytes = [kind; 13];
        bytes[1..5].copy_from_slice(&number.to_le_bytes());
        bytes[5..].copy_from_slice(&self.stamp.to_le_bytes());
        bytes
    }
}

impl Head {
    /// Of all of it.
    pub fn tokens(&self) -> u64 {
        u64::from(self.frozen_tokens) + u64::from(self.rules.tokens)
    }
}
