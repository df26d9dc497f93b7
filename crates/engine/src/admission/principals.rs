//! Who may direct the work: the user, a gate's decision, and the assistant by what it really called.
//!
//! What a tool printed directs nothing, whoever repeats it (docs/design/folding.md, "Admission"). Here it is asked
//! whether a principal named something, and whether a text was copied from a tool's output.

use std::{cell::OnceCell, sync::Arc};

use super::{
    checkable::occurs,
    named::{Name, names},
    talk::{is_echo, only_talks},
};
use crate::{
    evidence::{
        copied::{Runs, Words},
        lines::lossy,
    },
    history::index::{GateRecord, ToolTurn, TurnRecord},
    state::Bench,
    trace::claim::BlockContent,
    trace::{Blobs, EventBody, EventNo, Origin, ToolResult, TurnNo, decision::TurnRange, event::Cut},
    view::Source,
};

pub(super) struct Principals<'a> {
    bench: Bench<'a>,
    /// Where the compactor got its input from.
    range: Option<TurnRange>,
    blobs: &'a dyn Blobs,
    /// What users and decisions say.
    directed: OnceCell<Vec<Arc<Words>>>,
    /// The arguments of the assistant's calls.
    called: OnceCell<Vec<Arc<Words>>>,
    /// What the tools of the range printed, as far as the model was shown it.
    printed: OnceCell<Vec<Arc<Words>>>,
    /// What blocks and archives in the view and the board say.
    recorded: OnceCell<Vec<Arc<Words>>>,
    /// What any tool printed; asked for only where a record says the same.
    ever_printed: OnceCell<Vec<Arc<Words>>>,
}

/// A user turn or a decision, and the pointer that names it.
pub(super) struct Directive<'a> {
    pub(super) pointer: String,
    pub(super) text: &'a str,
    event: EventNo,
}

impl<'a> Principals<'a> {
    pub(super) fn new(bench: Bench<'a>, range: impl Into<Option<TurnRange>>, blobs: &'a dyn Blobs) -> Self {
        Self {
            bench,
            range: range.into(),
            blobs,
            directed: OnceCell::new(),
            called: OnceCell::new(),
            printed: OnceCell::new(),
            recorded: OnceCell::new(),
            ever_printed: OnceCell::new(),
        }
    }

    /// The first thing in a text that no principal named.
    pub(super) fn unnamed(&self, text: &str) -> Option<String> {
        let unnamed = names(text).into_iter().find(|name| !self.named(name));
        unnamed.map(|name| name.parts.join(" "))
    }

    /// Whether a text repeats what a tool printed and no principal said.
    pub(super) fn is_copied(&self, text: &str) -> bool {
        let Some(runs) = Runs::of(text) else { return false };
        // What a person said is not a copy. So for most goals no output need be read.
        let directed = self.directed.get_or_init(|| self.directed_words());
        if runs.all_found_in(directed) {
            return false;
        }
        let printed = self.printed.get_or_init(|| self.printed_words());
        let mut copied = runs.found_in(printed);
        // A fold takes a tool's words out of sight, but a record may still show them. What records repeat is looked up
        // where it was printed: most of it is the assistant's own wording.
        if !runs.found_in(self.recorded.get_or_init(|| self.recorded_words())).is_empty() {
            let ever_printed = self.ever_printed.get_or_init(|| self.words_printed_in(self.all_turns(), Keep::Nothing));
            copied.extend(runs.found_in(ever_printed));
        }
        if copied.is_empty() {
            return false;
        }
        let said = runs.found_in(directed.iter().chain(self.called.get_or_init(|| self.called_words())));
        copied.iter().any(|run| !said.contains(run))
    }

    /// User turns, then decisions, the newest first. What was rolled back directs nothing any more.
    pub(super) fn directives(&self) -> impl Iterator<Item = Directive<'a>> {
        let index = self.bench.history.index();
        let users = index.users.iter().enumerate().rev().filter_map(|(place, turn)| {
            let TurnRecord::User { event } = index.turn(*turn)? else { return None };
            match self.live(*event)? {
                EventBody::UserTurn(user) if user.origin != Origin::Machine => {
                    Some(Directive { pointer: format!("user#{}", place + 1), text: &user.text, event: *event })
                }
                _ => None,
            }
        });
        let decisions = index.gates.iter().flat_map(GateRecord::events).rev().filter_map(|event| {
            let (number, text) = self.live(event)?.decided_gate()?;
            Some(Directive { pointer: format!("gate#{number}"), text, event })
        });
        users.chain(decisions)
    }

    /// The steps of the conversation, the newest first.
    fn steps(&self) -> impl Iterator<Item = &'a ToolTurn> {
        let steps = self.bench.history.index().turns.iter().rev().filter_map(|record| match record {
            TurnRecord::Tool(step) => Some(step),
            TurnRecord::User { .. } | TurnRecord::Assistant { .. } => None,
        });
        steps.filter(|step| self.live(step.assistant).is_some())
    }

    /// The arguments of a step's finished calls, of those that did something.
    fn calls_of(&self, step: &'a ToolTurn) -> impl Iterator<Item = &'a str> {
        let history = self.bench.history;
        let acts = (0..step.calls.len()).filter(move |index| !only_talks(history, step, *index));
        acts.filter_map(|index| Some(history.call_of(step, index)?.2))
    }

    /// In one text: words said apart are not the command that they make together.
    fn named(&self, name: &Name) -> bool {
        if self.directives().any(|directive| name.parts.iter().all(|part| occurs(part, directive.text))) {
            return true;
        }
        // Arguments are JSON: what stands in them is written with its escapes.
        let escape = |part: &String| {
            let escaped = serde_json::Value::from(part.as_str()).to_string();
            escaped[1..escaped.len() - 1].to_owned()
        };
        let escaped: Vec<String> = name.parts.iter().map(escape).collect();
        self.steps()
            .flat_map(|step| self.calls_of(step))
            .any(|arguments| escaped.iter().all(|part| occurs(part, arguments)))
    }

    fn printed_words(&self) -> Vec<Arc<Words>> {
        self.range.map(|range| self.words_printed_in(range, Keep::All)).unwrap_or_default()
    }

    fn all_turns(&self) -> TurnRange {
        TurnRange { first: TurnNo(0), last: TurnNo(self.bench.history.turns()) }
    }

    fn directed_words(&self) -> Vec<Arc<Words>> {
        let directives = self.directives();
        directives.map(|said| self.read(said.event, Keep::All, |words| words.push(said.text))).collect()
    }

    fn called_words(&self) -> Vec<Arc<Words>> {
        let words_of = |step: &'a ToolTurn| {
            // Until a step has ended it may turn out that a call only talked.
            let keep = if step.ended().is_some() { Keep::All } else { Keep::Nothing };
            self.read(step.assistant, keep, |words| self.calls_of(step).for_each(|arguments| words.push(arguments)))
        };
        self.steps().map(words_of).collect()
    }

    /// Without goals and next actions, which had to pass this same rule.
    fn recorded_words(&self) -> Vec<Arc<Words>> {
        let mut recorded = Vec::new();
        for entry in self.bench.state.view.entries() {
            match (entry.source, self.live(entry.revision)) {
                (Source::Block(_), Some(EventBody::Fold(fold))) => {
                    recorded.push(self.read(entry.revision, Keep::All, |words| push_claims(&fold.claims, words)));
                }
                (Source::Archived(_), Some(EventBody::Archive(archive))) => {
                    recorded.push(self.read(entry.revision, Keep::All, |words| words.push(&archive.content.text)));
                }
                _ => {}
            }
        }
        let board = self.bench.state.board();
        let mut words = Words::default();
        board.facts().iter().for_each(|fact| words.push(&fact.value.fact.text));
        board.questions().iter().for_each(|question| words.push(&question.value.text));
        board.anchors().iter().for_each(|anchor| words.push(&anchor.value.snippet));
        board.assertions().iter().for_each(|held| words.push(&held.assertion.result));
        recorded.push(Arc::new(words));
        recorded
    }

    fn words_printed_in(&self, range: TurnRange, keep: Keep) -> Vec<Arc<Words>> {
        let mut words = Vec::new();
        for turn in range.first.0..=range.last.0.min(self.bench.history.turns()) {
            let Some(step) = self.bench.history.index().tool_turn(TurnNo(turn)) else { continue };
            let shown: &[_] = match step.ended().and_then(|event| self.live(event)) {
                Some(EventBody::StepEnded { shown, .. }) => shown,
                _ => &[],
            };
            for (index, (call, shown)) in step.calls.iter().zip(shown).enumerate() {
                if is_echo(self.bench.history, step, index) {
                    continue;
                }
                let Some(event) = call.result() else { continue };
                if let Some(EventBody::ToolResult { result, .. }) = self.live(event) {
                    words.push(self.words_printed_by(event, result, shown.cut, keep));
                }
            }
        }
        words
    }

    /// What cannot be read was not shown to the compactor either.
    fn words_printed_by(&self, event: EventNo, result: &ToolResult, cut: Option<Cut>, keep: Keep) -> Arc<Words> {
        // Asked first: an output may lie on disk.
        if let Some(known) = self.bench.history.words_read(event) {
            return known;
        }
        // What could not be read now may be readable later.
        let bytes = result.text.bytes(self.blobs);
        let keep = if bytes.is_ok() { keep } else { Keep::Nothing };
        self.read(event, keep, |words| {
            if let Some(error) = &result.error {
                words.push(&error.message);
            }
            let Ok(bytes) = bytes else { return };
            let (head, tail) = match cut {
                Some(cut) => (cut.head as usize, cut.tail as usize),
                None => (bytes.len(), 0),
            };
            words.push(&lossy(&bytes[..head.min(bytes.len())]));
            words.push(&lossy(&bytes[bytes.len().saturating_sub(tail)..]));
        })
    }

    /// The words of an event: each is read for one purpose only, and it never changes.
    fn read(&self, event: EventNo, keep: Keep, push: impl FnOnce(&mut Words)) -> Arc<Words> {
        if let Some(known) = self.bench.history.words_read(event) {
            return known;
        }
        let mut words = Words::default();
        push(&mut words);
        let words = Arc::new(words);
        if keep == Keep::All {
            self.bench.history.keep_words(event, words.clone());
        }
        words
    }

    fn live(&self, event: EventNo) -> Option<&'a EventBody> {
        let event = self.bench.history.events().get(event.0 as usize)?;
        self.bench.history.is_live(event.seq).then_some(&event.event)
    }
}

/// Whether the session remembers the words: not when everything ever printed is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    All,
    Nothing,
}

fn push_claims(claims: &BlockContent, words: &mut Words) {
    claims.what_we_learned.iter().for_each(|fact| words.push(&fact.text));
    claims.open_questions.iter().for_each(|question| words.push(&question.text));
    claims.anchors.iter().for_each(|anchor| words.push(&anchor.snippet));
    claims.exec_assertions.iter().for_each(|assertion| words.push(&assertion.result));
}
