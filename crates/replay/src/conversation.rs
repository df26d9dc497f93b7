//! A recording prepared for replay: pieces with their counts, calls with what they needed.
//!
//! The conversation is whole: the client's own compactions are skipped. Its turns are numbered as they came, whoever went
//! back from them; a session that is fed the same recording has numbers of its own.

mod ahead;
mod needs;
mod scale;

pub(crate) use ahead::{Ahead, STEPS_AHEAD, lines_with};
pub(crate) use needs::push_decoded;
pub use needs::{Need, NeedKind, SeenIn};
pub use scale::Scale;

use std::{
    cell::OnceCell,
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher},
    ops::Range,
};

use lookback_engine::{
    NewPart,
    configuration::TOKENS_PER_MESSAGE,
    trace::{NoBlobs, Origin, Timestamp, ToolKind, TurnNo},
};

use crate::recording::{Billed, CallItem, Format, Item, Recording};

#[derive(Debug)]
pub struct Conversation<'a> {
    pub recording: &'a Recording,
    pub scale: Scale,
    /// Everything that was ever said, in order.
    pub pieces: Vec<Piece>,
    pub calls: Vec<Call<'a>>,
    ahead: OnceCell<Ahead>,
    /// By the name of a text: its tokens.
    weights: BTreeMap<u64, u32>,
}

/// The same for the same text, in every process.
fn name_of(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}

/// The smallest thing that a strategy keeps or replaces: a user's turn, an answer, one result.
#[derive(Debug, Clone)]
pub struct Piece {
    pub turn: TurnNo,
    pub role: Role,
    /// Multiplied by the session's factor.
    pub tokens: u32,
    /// As it was counted.
    pub counted: u32,
    /// What can be found in it: texts, decoded arguments, output. Thinking is left out.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User(Origin),
    Answer,
    /// The result of this call of its step.
    Result {
        index: u32,
        kind: ToolKind,
    },
}

/// One call to the model.
#[derive(Debug)]
pub struct Call<'a> {
    /// In the recording's items.
    pub item: usize,
    pub recorded: &'a CallItem,
    /// Its own, else the one that the session began with.
    pub model: Option<&'a str>,
    pub at: Option<Timestamp>,
    /// The pieces that were part of the conversation when it was sent; one range unless the person went back.
    pub before: Vec<Range<usize>>,
    pub answer: usize,
    pub results: Range<usize>,
    pub output_tokens: u64,
    pub billed: Option<Billed>,
    /// The client compacted between the call before and this one.
    pub after_compaction: bool,
    /// What its own calls name that had been seen before.
    pub needs: Vec<Need>,
}

impl<'a> Conversation<'a> {
    /// `count` is the plain count of a text.
    pub fn new(recording: &'a Recording, count: &dyn Fn(&[u8]) -> u32) -> Self {
        let (pieces, calls, live, ends) = Default::default();
        let branches = Vec::new();
        let mut builder =
            Builder { recording, count, pieces, calls, live, ends, branches, next_turn: 0, compacted: false };
        for (number, item) in recording.items.iter().enumerate() {
            builder.add(number, item);
        }
        builder.finish()
    }

    /// Pieces before a call, in order.
    pub fn before(&self, call: usize) -> impl Iterator<Item = usize> + '_ {
        self.calls[call].before.iter().cloned().flatten()
    }

    /// Whether another model answered the call before: nothing of the prompt is in this one's cache.
    pub fn changes_model(&self, call: usize) -> bool {
        call.checked_sub(1).is_some_and(|before| self.calls[before].model != self.calls[call].model)
    }

    /// What came between two calls weighs what the bill grew by: for whoever compares bills call by call, and whose
    /// decisions fall where they fell. An answer is what it counts; the rest is its results', with all that nobody can
    /// count: names, envelopes, sealed thinking.
    pub(crate) fn weigh_by_bills(&mut self) {
        for (pieces, billed) in scale::growths(&self.calls) {
            let of = |is_answer: bool, pieces: &[Piece]| -> f64 {
                pieces.iter().filter(|piece| piece.is_answer() == is_answer).map(|piece| f64::from(piece.tokens)).sum()
            };
            let new = &mut self.pieces[pieces];
            let (answers, others) = (of(true, new), of(false, new));
            if others <= 0.0 || billed <= answers {
                continue;
            }
            for piece in new.iter_mut().filter(|piece| !piece.is_answer()) {
                piece.tokens = (f64::from(piece.tokens) * (billed - answers) / others).round() as u32;
                let text = piece.tokens.saturating_sub(TOKENS_PER_MESSAGE).max(1);
                self.weights.insert(name_of(piece.text.as_bytes()), text);
            }
        }
    }

    /// What a text was billed as, where a bill tells it apart.
    pub(crate) fn weight(&self, text: &[u8]) -> Option<u32> {
        if self.weights.is_empty() { None } else { self.weights.get(&name_of(text)).copied() }
    }

    /// What later steps need of each piece, made when it is first asked for.
    pub(crate) fn ahead(&self) -> &Ahead {
        self.ahead.get_or_init(|| Ahead::new(&self.pieces, &self.calls))
    }
}

impl Piece {
    pub fn is_result(&self) -> bool {
        matches!(self.role, Role::Result { .. })
    }

    /// By a person, not by a program.
    pub fn is_typed(&self) -> bool {
        matches!(self.role, Role::User(Origin::Person | Origin::Queued))
    }

    pub fn is_answer(&self) -> bool {
        self.role == Role::Answer
    }
}

struct Builder<'a, 'c> {
    recording: &'a Recording,
    count: &'c dyn Fn(&[u8]) -> u32,
    pieces: Vec<Piece>,
    calls: Vec<Call<'a>>,
    live: Vec<Range<usize>>,
    /// Where each user or call item ends.
    ends: Vec<usize>,
    /// Where the conversation went on after a rewind, and what was live then.
    branches: Vec<(usize, Vec<Range<usize>>)>,
    next_turn: u32,
    compacted: bool,
}

impl<'a> Builder<'a, '_> {
    fn add(&mut self, number: usize, item: &'a Item) {
        match item {
            Item::User(user) => {
                let tokens = (self.count)(user.text.as_bytes()) + TOKENS_PER_MESSAGE;
                let turn = self.turn();
                self.push(Piece {
                    turn,
                    role: Role::User(user.origin),
                    tokens,
                    counted: tokens,
                    text: user.text.clone(),
                });
                self.ends.push(self.pieces.len());
            }
            Item::Call(call) => {
                self.add_call(number, call);
                self.ends.push(self.pieces.len());
            }
            Item::Compaction(_) => self.compacted = true,
            Item::Rewind { last } => {
                self.live = last.and_then(|last| self.ends.get(last)).map_or(Vec::new(), |end| self.live_at(*end));
                if self.live.is_empty() {
                    self.branches.clear();
                }
                self.branches.push((self.pieces.len(), self.live.clone()));
            }
        }
    }

    /// What was part of the conversation when the pieces ended here: a branch that was left is so again. None from before
    /// a rewind to the very beginning.
    fn live_at(&self, end: usize) -> Vec<Range<usize>> {
        let branch = self.branches.iter().rev().find(|(start, _)| *start < end);
        let (start, mut live) = match (branch, self.branches.first()) {
            (Some(branch), _) => branch.clone(),
            (None, Some((_, first))) if first.is_empty() => return Vec::new(),
            (None, _) => (0, Vec::new()),
        };
        live.push(start..end);
        live
    }

    fn add_call(&mut self, number: usize, call: &'a CallItem) {
        let before = self.live.clone();
        let (text, tokens) = self.answer(&call.parts);
        let turn = self.turn();
        let counted = tokens + TOKENS_PER_MESSAGE;
        let answer = self.push(Piece { turn, role: Role::Answer, tokens: counted, counted, text });
        let first = self.pieces.len();
        if !call.results.is_empty() {
            let turn = self.turn();
            for (index, result) in call.results.iter().enumerate() {
                let bytes = result.text.bytes(&NoBlobs).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let tokens = (self.count)(text.as_bytes()) + TOKENS_PER_MESSAGE;
                let role = Role::Result { index: index as u32, kind: result.data.kind() };
                self.push(Piece { turn, role, tokens, counted: tokens, text });
            }
        }
        self.calls.push(Call {
            item: number,
            recorded: call,
            model: call.model.as_deref().or(self.recording.about.model.as_deref()),
            at: call.at,
            before,
            answer,
            results: first..self.pieces.len(),
            // Counted when the scale is known, as are the needs.
            output_tokens: 0,
            billed: call.billed.and_then(Billed::known),
            after_compaction: std::mem::take(&mut self.compacted),
            needs: Vec::new(),
        });
    }

    /// The searchable text of an answer, and its count.
    fn answer(&self, parts: &[NewPart]) -> (String, u32) {
        let mut found = String::new();
        let mut tokens = 0;
        for part in parts {
            match part {
                NewPart::Text(text) => {
                    tokens += (self.count)(text.as_bytes());
                    found.push_str(text);
                }
                NewPart::Thinking { text, .. } => tokens += (self.count)(text.as_bytes()),
                NewPart::Call { name, arguments, .. } => {
                    tokens += (self.count)(format!("{name}{arguments}").as_bytes());
                    found.push_str(name);
                    found.push('\n');
                    needs::push_decoded(&mut found, arguments);
                }
                NewPart::UnfinishedCall { .. } | NewPart::Native { .. } => {}
            }
            found.push('\n');
        }
        (found, tokens)
    }

    fn turn(&mut self) -> TurnNo {
        self.next_turn += 1;
        TurnNo(self.next_turn - 1)
    }

    fn push(&mut self, piece: Piece) -> usize {
        let number = self.pieces.len();
        self.pieces.push(piece);
        match self.live.last_mut() {
            Some(range) if range.end == number => range.end += 1,
            _ => self.live.push(number..number + 1),
        }
        number
    }

    fn finish(self) -> Conversation<'a> {
        let Self { recording, count, mut pieces, mut calls, .. } = self;
        let system = recording.about.system.as_deref().map_or(0, |system| count(system.as_bytes()));
        let scale = Scale::of(recording.agent(), system, &pieces, &calls);
        for piece in &mut pieces {
            piece.tokens = scale.apply(piece.tokens);
        }
        for call in &mut calls {
            let answer = u64::from(pieces[call.answer].tokens);
            call.output_tokens = output_of(recording.agent(), call.billed, answer);
        }
        fill_times(&mut calls);
        needs::find_needs(&mut calls, &pieces, &|text| scale.apply(count(text.as_bytes())));
        Conversation { recording, scale, pieces, calls, ahead: OnceCell::new(), weights: BTreeMap::new() }
    }
}

/// What an answer was billed as output. Claude Code writes down what it knew when a line was streamed, often a first few
/// tokens, so there an answer is at least what it counts; without a bill it is what it counts.
fn output_of(format: Format, billed: Option<Billed>, counted: u64) -> u64 {
    match (format, billed.map_or(0, |billed| billed.output)) {
        (Format::ClaudeCode, billed) => billed.max(counted),
        (_, 0) => counted,
        (_, billed) => billed,
    }
}

/// A call whose time cannot be read was made when the one before it was: a gap in a file is no pause. Files without any
/// times have none.
fn fill_times(calls: &mut [Call<'_>]) {
    let mut known = calls.iter().find_map(|call| call.at);
    for call in calls {
        call.at = call.at.or(known);
        known = call.at;
    }
}
