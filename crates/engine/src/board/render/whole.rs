//! `STATE_BOARD vN`: the whole board within a budget, what does not fit as a count with a pointer that `Recall` knows.
//! Questions have no evidence: their count names the next id alone.
//!
//! Goal, one open question, one next action, the others of both, the whole status, then the newest facts and anchors
//! (docs/design/model.md, "Where the board stands"). The status comes before the facts because it is one line that says
//! where the work stands; how tests and build ended always stands, without room for more without their commands. Assertions
//! come last because facts cite the same commands.

use std::cmp::Reverse;

use super::json::{Body, Item, Quoted, ShownStatus, action, reminder, render_json, stale_notes};
use crate::{
    board::{Board, BoardAssertion, BoardFact, BoardLimits, Entry, Mark, Stale},
    evidence::pointer::{LineRange, Place},
    trace::claim::{Anchor, Evidence, Question, Quote},
};

const TITLE: &str = "STATE_BOARD v";

/// `stale` are the touched anchors that this entry names. Never longer than `limits.board_tokens` by `count`, unless the counts alone are.
pub(crate) fn render_board(
    board: &Board,
    stale: &[Stale],
    limits: &BoardLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> String {
    let page = Page::new(board, stale, limits);
    let fits = |shown: &Shown| count(page.render(shown).as_bytes()) <= limits.board_tokens;
    let mut shown = Shown { goal_characters: usize::MAX, item_characters: usize::MAX, ..Shown::default() };
    // What is open and what is next is not to be pushed out by a long goal, nor by its own length.
    let first = |shown: Shown| Shown { status: 1, questions: 1, actions: 1, ..shown };
    if !fits(&first(shown)) {
        shown.item_characters = limits.reminder_characters;
        shown.goal_characters = longest_goal(board, &first(shown), &fits).max(limits.reminder_characters);
        if !fits(&shown) {
            shown.goal_characters = longest_goal(board, &shown, &fits);
        }
    }
    let mut closed = Vec::new();
    for part in page.parts() {
        if closed.contains(&part) {
            continue;
        }
        let more = shown.with(part);
        if fits(&more) {
            shown = more;
        } else {
            // Then nothing behind it of this kind either, so that the rest may be counted.
            closed.push(part);
        }
    }
    page.render(&shown)
}

/// How much of the goal there is room for.
fn longest_goal(board: &Board, shown: &Shown, fits: &impl Fn(&Shown) -> bool) -> usize {
    let characters = |quote: Option<&Quote>| quote.map_or(0, |quote| quote.text.chars().count());
    let (mut fitting, mut too_long) = (0, characters(board.task()).max(characters(board.now())));
    while too_long - fitting > 1 {
        let middle = fitting + (too_long - fitting) / 2;
        if fits(&Shown { goal_characters: middle, ..*shown }) { fitting = middle } else { too_long = middle }
    }
    fitting
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    ShiftReason,
    Question,
    Action,
    Status,
    Fact,
    Anchor,
    Assertion,
    Said,
}

/// How much of each part is shown, counted from the newest item.
#[derive(Clone, Copy, Default)]
struct Shown {
    goal_characters: usize,
    /// Of a question or an action.
    item_characters: usize,
    whole_reason: usize,
    questions: usize,
    actions: usize,
    status: usize,
    facts: usize,
    anchors: usize,
    assertions: usize,
    said: usize,
}

impl Shown {
    fn with(mut self, part: Part) -> Self {
        *match part {
            Part::ShiftReason => &mut self.whole_reason,
            Part::Question => &mut self.questions,
            Part::Action => &mut self.actions,
            Part::Status => &mut self.status,
            Part::Fact => &mut self.facts,
            Part::Anchor => &mut self.anchors,
            Part::Assertion => &mut self.assertions,
            Part::Said => &mut self.said,
        } += 1;
        self
    }
}

/// The board with the newest item of each kind first.
struct Page<'a> {
    board: &'a Board,
    stale: &'a [Stale],
    limits: &'a BoardLimits,
    questions: Vec<&'a Entry<Question>>,
    facts: Vec<&'a Entry<BoardFact>>,
    anchors: Vec<&'a Entry<Anchor>>,
    assertions: Vec<&'a BoardAssertion>,
    said: Vec<&'a Entry<Quote>>,
}

impl<'a> Page<'a> {
    fn new(board: &'a Board, stale: &'a [Stale], limits: &'a BoardLimits) -> Self {
        Self {
            board,
            stale,
            limits,
            questions: newest_first(&board.questions, |entry| entry.since),
            facts: newest_first(&board.facts, |entry| entry.since),
            anchors: newest_first(&board.anchors, |entry| entry.since),
            assertions: newest_first(&board.assertions, |held| held.since),
            said: newest_first(&board.said, |entry| entry.since),
        }
    }

    /// One for each item there is, the most important first.
    fn parts(&self) -> impl Iterator<Item = Part> {
        let facts = self.facts.iter().map(|entry| (entry.since, Part::Fact));
        let anchors = self.anchors.iter().map(|entry| (entry.since, Part::Anchor));
        let mut newest: Vec<(u32, Part)> = facts.chain(anchors).collect();
        newest.sort_by_key(|(since, _)| Reverse(*since));
        let (questions, actions) = (self.questions.len(), self.board.next_actions.len());
        // The first of each before the others of either; which commands ran stands in a block, too.
        [Part::ShiftReason]
            .into_iter()
            .chain((questions > 0).then_some(Part::Question))
            .chain((actions > 0).then_some(Part::Action))
            .chain((1..questions).map(|_| Part::Question))
            .chain((1..actions).map(|_| Part::Action))
            .chain([Part::Status])
            .chain(newest.into_iter().map(|(_, part)| part))
            .chain(self.assertions.iter().map(|_| Part::Assertion))
            .chain(self.said.iter().map(|_| Part::Said))
    }

    fn render(&self, shown: &Shown) -> String {
        let Self { board, limits, .. } = *self;
        let has_status = board.status != Default::default();
        let (questions, more_questions) = split(&self.questions, shown.questions);
        let (facts, more_facts) = split(&self.facts, shown.facts);
        let (anchors, more_anchors) = split(&self.anchors, shown.anchors);
        let (assertions, more_assertions) = split(&self.assertions, shown.assertions);
        let (said, more_said) = split(&self.said, shown.said);
        let (actions, more_actions) = board.next_actions.split_at(shown.actions.min(board.next_actions.len()));
        let questions = questions.iter().map(|entry| Item::question(&entry.id, &entry.value, shown.item_characters));
        let facts = facts.iter().map(|entry| Item::board_fact(&entry.id, &entry.value, limits));
        let anchors = anchors.iter().map(|entry| Item::anchor(&entry.id, &entry.value));
        let assertions = assertions.iter().map(|held| Item::assertion(&held.assertion));
        let body =
            Body {
                task: board.task.as_ref().map(|task| Quoted::new(task, shown.goal_characters)),
                now: board.now.as_ref().map(|now| Quoted::new(now, shown.goal_characters)),
                goal_shift_reason: board
                    .goal_shift_reason
                    .as_deref()
                    .map(|reason| if shown.whole_reason > 0 { reason.into() } else { reminder(reason, limits) }),
                open_questions: questions
                    .chain(more_questions.first().map(|next| marker(more_questions.len(), "questions", &next.id, None)))
                    .collect(),
                next_actions: actions
                    .iter()
                    .map(|text| action(text, board.task.as_ref(), board.now.as_ref(), shown.item_characters))
                    .chain((!more_actions.is_empty()).then(|| format!("(+{} more)", more_actions.len()).into()))
                    .collect(),
                status: has_status.then(|| match shown.status {
                    0 => ShownStatus::brief(&board.status, limits),
                    _ => ShownStatus::of(&board.status),
                }),
                confirmed_facts: facts
                    .chain(
                        more_facts
                            .first()
                            .map(|next| marker(more_facts.len(), "facts", &next.id, fact_pointer(next, limits))),
                    )
                    .collect(),
                anchors: stale_notes(self.stale)
                    .chain(anchors)
                    .chain(more_anchors.first().map(|next| {
                        marker(more_anchors.len(), "anchors", &next.id, Some(anchor_pointer(next, limits)))
                    }))
                    .collect(),
                exec_assertions: assertions
                    .chain(more_assertions.first().map(|next| {
                        let pointer = &next.assertion.evidence.pointer;
                        Item::Note(format!("(+{} more assertions: recall {pointer})", more_assertions.len()))
                    }))
                    .collect(),
                the_assistant_said: said
                    .iter()
                    .map(|entry| Item::quote(&entry.id, &entry.value))
                    .chain(more_said.first().map(|next| {
                        let pointer = next.value.evidence.pointer.clone();
                        marker(more_said.len(), "sayings", &next.id, Some(pointer))
                    }))
                    .collect(),
                pinned: &board.pinned,
            };
        render_json(&format!("{TITLE}{}", board.version), &body)
    }
}

/// Of one delta, whoever made it put first what is worth most.
fn newest_first<T>(items: &[T], since: impl Fn(&T) -> u32) -> Vec<&T> {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_by_key(|item| Reverse(since(item)));
    items
}

fn split<T>(items: &[T], shown: usize) -> (&[T], &[T]) {
    items.split_at(shown.min(items.len()))
}

/// Names the next of those left out, and where it can be recalled.
fn marker<'a>(count: usize, what: &str, next: &str, pointer: Option<String>) -> Item<'a> {
    let recall = pointer.map(|pointer| format!(": recall {pointer}")).unwrap_or_default();
    Item::Note(format!("(+{count} more {what}, next {next}{recall})"))
}

/// Its shortest evidence, where that is short enough to stand in a count.
fn fact_pointer(entry: &Entry<BoardFact>, limits: &BoardLimits) -> Option<String> {
    let evidence: &[Evidence] = match &entry.value.mark {
        Mark::Retracted { by } => by,
        Mark::Plain | Mark::Revised { .. } => &entry.value.fact.evidence,
    };
    let shortest = evidence.iter().map(|evidence| &evidence.pointer).min_by_key(|pointer| pointer.len());
    shortest.filter(|pointer| pointer.len() <= limits.marker_pointer_bytes).cloned()
}

/// Its lines or, where their path is long, the turn that showed them.
fn anchor_pointer(entry: &Entry<Anchor>, limits: &BoardLimits) -> String {
    let Anchor { path, first_line, last_line, as_of, .. } = &entry.value;
    let lines = Some(LineRange { first: *first_line, last: *last_line });
    let pointer = Place::File { path: path.clone(), lines, at: None }.to_string();
    if pointer.len() <= limits.marker_pointer_bytes { pointer } else { Place::Turn(*as_of).to_string() }
}
