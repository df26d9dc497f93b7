//! The delta: what of all this belongs on the board, within its 250 tokens.
//!
//! Task and now, where tests and build stand, what is next and what is open: all as of now, whatever the range. Then what
//! changed among the tests, what the assistant concluded, and the lines that the next edit most likely needs. The board is
//! asked whether it would take each; what does not fit is left out.

use super::{candidate::Item, fit::Fitted};
use crate::{
    board::{Board, BoardLimits},
    configuration::rules::{BOARD_ANCHOR_LINES, BOARD_ANCHORS, FIRST_QUESTIONS},
    standing::{Asked, Concluded},
    trace::claim::{Anchor, Change, Delta, Evidence, Fact, Question, Quote, WorkStatus},
};

/// Where the work stands now.
pub(super) struct News {
    pub(super) asked: Asked,
    pub(super) status: WorkStatus,
    pub(super) actions: Vec<String>,
    pub(super) questions: Vec<Question>,
    /// What the status says in a word already.
    pub(super) untested: Option<Question>,
    pub(super) said: Vec<Concluded>,
    /// The tests that changed their state, newest first.
    pub(super) changed: Vec<Fact>,
}

/// One change. What is worth most stands first in the list.
enum Piece {
    /// With the turn that made another one of it.
    Task(Option<Quote>, Option<Evidence>),
    Now(Quote),
    Status(WorkStatus),
    Actions(Vec<String>),
    Question(Change<Question>),
    Fact(Fact),
    Said(Change<Quote>),
    Anchor(Anchor),
}

pub(super) fn propose(
    board: &Board,
    fitted: &Fitted,
    news: News,
    limits: &BoardLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> Delta {
    let mut taken: Vec<Piece> = Vec::new();
    for piece in pieces(board, fitted, news) {
        taken.push(piece);
        while board.check(&admitted(&taken), limits, count).is_err() {
            // Of a list of actions the first ones, of anything else nothing.
            let Some(Piece::Actions(mut actions)) = taken.pop() else { break };
            actions.pop();
            if actions.is_empty() {
                break;
            }
            taken.push(Piece::Actions(actions));
        }
    }
    admitted(&taken)
}

fn pieces(board: &Board, fitted: &Fitted, news: News) -> Vec<Piece> {
    let mut pieces = asked(board, news.asked);
    let named = board.status().errors_left.is_some();
    let errors_left = news.status.errors_left.filter(|failed| *failed > 0 || named);
    let status = WorkStatus { errors_left, ..news.status };
    if board.status_with(&status) != *board.status() {
        pieces.push(Piece::Status(status));
    }
    // What fails comes before what is to be done about it, and that before what else is open.
    pieces.extend(answered(board, || news.questions.iter().chain(&news.untested)));
    let mut open = new_questions(board, &news.questions);
    pieces.extend(open.by_ref().take(FIRST_QUESTIONS));
    if news.actions != board.next_actions() {
        pieces.push(Piece::Actions(news.actions));
    }
    pieces.extend(open);
    pieces.extend(new_questions(board, news.untested.as_slice()));
    let mut anchors = anchors(board, fitted).into_iter();
    pieces.extend(anchors.next());
    for fact in news.changed {
        // Later edits word it otherwise; what it points at stays.
        let known = board.facts().iter().any(|held| held.value.fact.evidence == fact.evidence);
        if !known {
            pieces.push(Piece::Fact(fact));
        }
    }
    pieces.extend(said(board, news.said));
    pieces.extend(anchors);
    pieces
}

/// Where the task is the same and nothing else is asked any more, the task alone says so.
fn asked(board: &Board, asked: Asked) -> Vec<Piece> {
    let same =
        |one: Option<&Quote>, other: Option<&Quote>| one.map(|quote| &quote.text) == other.map(|quote| &quote.text);
    let (task, now) = (asked.task.as_ref(), asked.now.as_ref());
    if same(board.task(), task) && same(board.now(), now) || task.or(now).is_none() {
        return Vec::new();
    }
    let other = board.task().is_some() && !same(board.task(), task);
    let shift = task.or(now).filter(|_| other).map(|quote| quote.evidence.clone());
    let mut pieces = vec![Piece::Task(asked.task, shift)];
    pieces.extend(asked.now.map(Piece::Now));
    pieces
}

/// Those that the engine found itself and that are no longer open go.
fn answered<'a, I: Iterator<Item = &'a Question>>(board: &Board, open: impl Fn() -> I) -> Vec<Piece> {
    let is_open = |held: &Question| open().any(|question| question.text == held.text);
    let gone = board.questions().iter().filter(|entry| entry.value.evidence.is_some() && !is_open(&entry.value));
    gone.map(|entry| Piece::Question(Change::Retract { id: entry.id.clone(), evidence: Vec::new() })).collect()
}

fn new_questions<'a>(board: &Board, open: &'a [Question]) -> impl Iterator<Item = Piece> + use<'a> {
    let held: Vec<String> = board.questions().iter().map(|entry| entry.value.text.clone()).collect();
    let new = open.iter().filter(move |question| !held.contains(&question.text));
    new.map(|question| Piece::Question(Change::Add(question.clone())))
}

/// The same for what the assistant said.
fn said(board: &Board, said: Vec<Concluded>) -> Vec<Piece> {
    let is_said = |held: &Quote| said.iter().any(|said| said.quote.text == held.text);
    let gone = board.said().iter().filter(|entry| !is_said(&entry.value));
    let gone = gone.map(|entry| Change::Retract { id: entry.id.clone(), evidence: Vec::new() });
    let held = |quote: &Quote| board.said().iter().any(|entry| entry.value.text == quote.text);
    let new = said.iter().filter(|said| !held(&said.quote)).map(|said| Change::Add(said.quote.clone()));
    gone.chain(new).map(Piece::Said).collect()
}

/// The most valuable short ones that the board does not hold yet.
fn anchors(board: &Board, fitted: &Fitted) -> Vec<Piece> {
    let mut anchors: Vec<(i32, &Anchor)> = fitted
        .chosen
        .iter()
        .filter_map(|candidate| match &candidate.item {
            Item::Anchor(anchor) => Some((candidate.value, anchor)),
            _ => None,
        })
        .filter(|(_, anchor)| anchor.last_line - anchor.first_line < BOARD_ANCHOR_LINES)
        .filter(|(_, anchor)| {
            !board.anchors().iter().any(|held| {
                let held = &held.value;
                held.path == anchor.path && held.first_line <= anchor.last_line && anchor.first_line <= held.last_line
            })
        })
        .collect();
    anchors.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
    anchors.into_iter().take(BOARD_ANCHORS).map(|(_, anchor)| Piece::Anchor(anchor.clone())).collect()
}

fn admitted(pieces: &[Piece]) -> Delta {
    let mut delta = Delta::default();
    for piece in pieces {
        match piece {
            Piece::Task(task, shift) => {
                delta.task.clone_from(task);
                delta.goal_shift.clone_from(shift);
            }
            Piece::Now(now) => delta.now = Some(now.clone()),
            Piece::Status(status) => delta.status = Some(status.clone()),
            Piece::Actions(actions) => delta.next_actions = Some(actions.clone()),
            Piece::Question(change) => delta.open_questions.push(change.clone()),
            Piece::Fact(fact) => delta.confirmed_facts.push(Change::Add(fact.clone())),
            Piece::Said(change) => delta.said.push(change.clone()),
            Piece::Anchor(anchor) => delta.anchors.push(Change::Add(anchor.clone())),
        }
    }
    delta
}
