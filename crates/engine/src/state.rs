//! The part of a session that a rollback takes back: the view, the board, the open call and step, rounds, todo, rules.
//!
//! It is a function of the live events alone, in their order, and decides nothing: rebuilding it from the trace gives the
//! same state again.

mod archive;
pub(crate) mod entries;
mod events;
mod fold;
mod held;
mod layout;
pub(crate) mod message;
mod rollback;
mod settle;
mod stub;
mod thinking;

use std::collections::BTreeMap;

pub use held::{Block, BlockStanding, ModelInUse, PaidRents, Round, RoundState, Step};
pub(crate) use held::{Note, PendingRules};

use crate::{
    board::{Board, GivenIds},
    history::{History, index::Index},
    reconcile::Reconciled,
    trace::{
        CallNo, EventNo, Layout, SessionStarted, Stop, TurnNo,
        claim::Quote,
        event::{NoteKind, Pinned, SpanId, Usage},
        result::TodoItem,
    },
    view::{Entry, Head, Source, View},
};

/// What stands of a session: view, board, what is open.
#[derive(Debug)]
pub struct State {
    pub(crate) view: View,
    pub(crate) model: ModelInUse,
    pub(crate) layout: Layout,
    /// The model call under way.
    pub(crate) call: Option<CallNo>,
    /// The tool turn that still waits for results.
    pub(crate) step: Option<TurnNo>,
    /// How the last assistant turn ended.
    pub(crate) last_stop: Stop,
    pub(crate) steps: Vec<Step>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) open_spans: Vec<SpanId>,
    pub(crate) todo: Vec<TodoItem>,
    /// The last text of each kind and key of note.
    pub(crate) notes: BTreeMap<(NoteKind, String), Note>,
    pub(crate) pending_rules: Option<PendingRules>,
    pub(crate) board: Board,
    /// Tool turns whose results show a delta: the model wrote it itself.
    pub(crate) board_calls: Vec<TurnNo>,
    /// Task and now as a Board call last named them: no guess of the rules.
    named: [Option<Quote>; 2],
    pub(crate) blocks: BTreeMap<u32, Block>,
    /// What a person wants kept word for word, by its pointer.
    pub(crate) pins: Vec<(EventNo, Pinned)>,
    /// The newest fold, archive or dialogue: since then files may be re-read once in full.
    pub(crate) last_fold: Option<EventNo>,
    /// What the `execute` layout's dialogue stands for.
    pub(crate) set_aside: Vec<Entry>,
    /// Results in their short form: the settle event and the place in it.
    pub(crate) settled: BTreeMap<(TurnNo, u32), (EventNo, u32)>,
    /// The newest L1, where it is not the one that the session began with.
    pub(crate) head_changed: Option<EventNo>,
    pub(crate) rents: PaidRents,
    pub(crate) thinking_refused: bool,
    /// Texts of the model that were refused since one was admitted.
    pub(crate) texts_refused: u32,
    /// The board's version when the model was asked for a delta, and the note that asked.
    pub(crate) delta_asked: Option<(u32, EventNo)>,
    /// Where the seam stood in what the dialogue stands for.
    pub(crate) seam_aside: usize,
    /// Counts and bills of the model in use.
    pub(crate) reconciled: Reconciled,
    /// Of the last call, until the view is edited.
    pub(crate) last_usage: Option<(Usage, EventNo)>,
    /// What was counted for the last call of the conversation.
    input_tokens: (CallNo, u32),
    /// The last call that leaves no turn.
    pub(crate) aside: Option<CallNo>,
    /// The ids that the board had given at each rollback: what came after it is named from there on.
    given_at: Vec<(EventNo, GivenIds)>,
}

/// What happened, and what stands of it now: all that whoever proposes, checks or renders may look at.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Bench<'a> {
    pub history: &'a History,
    pub state: &'a State,
}

impl State {
    /// Who is asked.
    pub fn model(&self) -> &ModelInUse {
        &self.model
    }

    /// Oldest first.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// Oldest first, those in blocks among them.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What is known and to be done.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// How the view is laid out.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// By their numbers, those that were unfolded among them.
    pub fn blocks(&self) -> &BTreeMap<u32, Block> {
        &self.blocks
    }

    /// What holding has cost so far.
    pub fn rents(&self) -> &PaidRents {
        &self.rents
    }

    /// What a person wants kept word for word.
    pub fn pins(&self) -> impl Iterator<Item = &Pinned> {
        self.pins.iter().map(|(_, pinned)| pinned)
    }

    /// The event of the newest fold, archive or dialogue.
    pub fn last_fold(&self) -> Option<EventNo> {
        self.last_fold
    }

    /// A board as a layout shows it: in `execute` only what a Board call or a gate named is a task.
    pub(crate) fn board_in(&self, layout: Layout, board: &Board) -> Board {
        let mut shown = board.clone();
        if layout == Layout::Execute {
            let at_gate = |quote: &Quote| quote.evidence.pointer.starts_with("gate#");
            shown.keep_wishes(|quote| at_gate(quote) || self.named.iter().flatten().any(|named| named == quote));
        }
        shown
    }

    pub(crate) fn new(start: &SessionStarted) -> Self {
        let head =
            Head { frozen_tokens: start.system.tokens.saturating_add(start.tools_tokens), rules: start.rules.clone() };
        let model = ModelInUse {
            provider: start.provider,
            name: start.model.clone(),
            window: start.window,
            reserve: start.output_reserve,
            alternation: start.alternation,
            plain_thinking: start.plain_thinking,
            pictures: start.pictures,
        };
        Self {
            view: View::new(head),
            model,
            layout: start.layout,
            call: None,
            step: None,
            last_stop: Stop::End,
            steps: Vec::new(),
            rounds: Vec::new(),
            open_spans: Vec::new(),
            todo: Vec::new(),
            notes: BTreeMap::new(),
            pending_rules: None,
            board: Board::default(),
            board_calls: Vec::new(),
            named: [None, None],
            blocks: BTreeMap::new(),
            pins: Vec::new(),
            last_fold: None,
            set_aside: Vec::new(),
            settled: BTreeMap::new(),
            head_changed: None,
            rents: PaidRents::default(),
            thinking_refused: false,
            texts_refused: 0,
            delta_asked: None,
            seam_aside: 0,
            reconciled: Reconciled::default(),
            last_usage: None,
            input_tokens: (CallNo(0), 0),
            aside: None,
            given_at: Vec::new(),
        }
    }

    /// A step's calls and its results stand together.
    pub(crate) fn expect_whole_step(&self, what: &str) -> Result<(), String> {
        match self.step {
            Some(turn) => Err(format!("{what} stands between the calls and the results of turn {turn}")),
            None => Ok(()),
        }
    }

    pub(crate) fn show(&mut self, source: Source, revision: EventNo, tokens: u32, index: &Index) {
        self.view.push(Entry::new(source, revision, tokens));
        let newest = self.view.entries().len() - 1;
        self.separate_users(newest..newest + 1, index);
    }
}
