//! Whether a view would be taken by the provider of its session.
//!
//! A view is written as the engine writes one: a message for each turn, the results of a step in one, what stands alone in
//! the user's voice. Then the provider's own rules are asked ([`check_body`]).
//!
//! Views of one run differ little, so they are checked in stretches, each distinct one once, and none again that stood at
//! the beginning of the view before: answers that stand together, and what the user's side says to them. No rule looks further than that, but two: a view begins with the user's side (its
//! first stretch is checked as it is, the others behind a user's word), and no call occurs twice (asked of the whole view).
//! So nothing passes that the whole body would not; a test holds it to that. It is stricter in one place: Responses would
//! take a result behind a later answer.
//!
//! A few recordings go on after an answer that asked for nothing, where the client's own summary stood between. Whoever
//! left that summary out has to say something instead: there the view is checked with a user's word at its end. The same
//! holds for a recording that begins with an answer: its views are checked behind a user's word.
//!
//! Texts are shortened before, see `messages`. What a provider thinks of lengths is not known here.

mod messages;

use std::collections::BTreeMap;

use lookback_engine::cache::PartId;
use lookback_wire::{Head, Message, Provider, check_body, render_body, render_head, render_message};

use messages::Messages;

use super::{Step, Strategy};
use crate::{
    conversation::{Conversation, Need},
    recording::Format,
    shown::{Evidence, Part, Reach, Shown},
};

/// A strategy each of whose views is checked.
pub(super) struct Checked<'a, S> {
    strategy: S,
    validity: Validity<'a>,
    invalid: Option<String>,
}

impl<'a, S: Strategy> Checked<'a, S> {
    pub(super) fn new(strategy: S, conversation: &'a Conversation<'a>) -> Self {
        Self { strategy, validity: Validity::new(conversation), invalid: None }
    }
}

impl<S: Strategy> Strategy for Checked<'_, S> {
    fn show(&mut self, call: usize) -> Step {
        let step = self.strategy.show(call);
        self.invalid = self.validity.check(call, &step.shown).err();
        step
    }

    fn reach(&self, need: &Need) -> Reach {
        self.strategy.reach(need)
    }

    fn invalid(&self) -> Option<String> {
        self.strategy.invalid().or_else(|| self.invalid.clone())
    }

    fn evidence(&self) -> Evidence {
        self.strategy.evidence()
    }
}

/// Writes and checks views of one conversation.
pub(super) struct Validity<'a> {
    conversation: &'a Conversation<'a>,
    messages: Messages<'a>,
    provider: Provider,
    head: Vec<u8>,
    /// What was said against stretches, by where they stand and their parts.
    verdicts: BTreeMap<(Around, Vec<PartId>), Result<(), String>>,
    last: Last,
}

/// The view that was found valid last.
#[derive(Default)]
struct Last {
    begins: bool,
    /// Its parts, with the pieces of answers.
    parts: Vec<(PartId, Option<usize>)>,
    /// By piece: whether it stands in it as an answer.
    answers: Vec<bool>,
}

impl Last {
    /// Keeps so many of its parts.
    fn keep(&mut self, same: usize) {
        for (_, answer) in self.parts.drain(same..) {
            answer.into_iter().for_each(|piece| self.answers[piece] = false);
        }
    }
}

/// Whether a word of the user stands before and behind a stretch when it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Around {
    before: bool,
    behind: bool,
}

impl<'a> Validity<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>) -> Self {
        let provider = provider_of(conversation.recording.agent());
        let head = render_head(provider, &Head { tools: &[], system: "s", rules: "" });
        let last = Last { answers: vec![false; conversation.pieces.len()], ..Last::default() };
        Self { conversation, messages: Messages::new(conversation), provider, head, verdicts: BTreeMap::new(), last }
    }

    /// What the provider's rules say against the view of a call.
    pub(super) fn check(&mut self, call: usize, shown: &Shown) -> Result<(), String> {
        let begins = self.begins(call);
        let same = match begins == self.last.begins {
            true => self.last.parts.iter().zip(&shown.parts).take_while(|((id, _), part)| *id == part.id()).count(),
            false => 0,
        };
        let checked = self.check_behind(same, Around { before: begins, behind: self.goes_on(call) }, &shown.parts);
        self.last.begins = begins;
        if checked.is_err() {
            self.last.keep(0);
        }
        checked
    }

    /// The same of a view of which so many parts began the one before.
    fn check_behind(&mut self, same: usize, around: Around, parts: &[Part]) -> Result<(), String> {
        self.last.keep(same);
        for part in &parts[same..] {
            self.last.parts.push((part.id(), self.messages.answer_of(part)));
            self.check_repeated()?;
        }
        if parts.is_empty() {
            return self.check_stretch(Around { behind: false, ..around }, &[]);
        }
        let start = self.stretch_of(same.saturating_sub(1));
        let stretches = self.stretches(&parts[start..]);
        for (number, stretch) in stretches.iter().enumerate() {
            let around = Around {
                before: start > 0 || number > 0 || around.before,
                behind: number + 1 == stretches.len() && around.behind,
            };
            let key = (around, stretch.iter().map(Part::id).collect());
            let verdict = match self.verdicts.get(&key) {
                Some(verdict) => verdict.clone(),
                None => {
                    let verdict = self.check_stretch(around, stretch);
                    self.verdicts.insert(key, verdict.clone());
                    verdict
                }
            };
            verdict?;
        }
        Ok(())
    }

    /// Where the stretch begins in which a part stands: it may have grown.
    fn stretch_of(&self, part: usize) -> usize {
        let is_answer = |place: usize| self.last.parts[place].1.is_some();
        (1..=part).rev().find(|place| is_answer(*place) && !is_answer(place - 1)).unwrap_or(0)
    }

    /// Whether the recording itself goes on after an answer here.
    fn goes_on(&self, call: usize) -> bool {
        let last = self.conversation.calls[call].before.last().map(|range| range.end - 1);
        last.is_some_and(|last| self.conversation.pieces[last].is_answer())
    }

    /// Whether nobody had said anything before the first answer.
    fn begins(&self, call: usize) -> bool {
        let first = self.conversation.calls[call].before.first().map(|range| range.start);
        first.is_none_or(|first| self.conversation.pieces[first].is_answer())
    }

    /// Each call has an id of its own, so one that occurs twice is one answer shown twice. No view should do that at all.
    fn check_repeated(&mut self) -> Result<(), String> {
        let Some((_, Some(piece))) = self.last.parts.last() else { return Ok(()) };
        if std::mem::replace(&mut self.last.answers[*piece], true) {
            return Err(format!("the answer of turn {} stands in it twice", self.conversation.pieces[*piece].turn));
        }
        Ok(())
    }

    /// A stretch begins with each answer that follows something else.
    fn stretches<'p>(&self, parts: &'p [Part]) -> Vec<&'p [Part]> {
        let is_answer = |part: &Part| self.messages.answer_of(part).is_some();
        parts.chunk_by(|one, next| is_answer(one) || !is_answer(next)).collect()
    }

    /// Asks the provider's rules about a whole view, or about a part of one.
    fn check_stretch(&self, around: Around, parts: &[Part]) -> Result<(), String> {
        let groups = self.messages.group(parts).into_iter().map(|group| self.messages.message(group));
        let word = |said: bool| said.then(|| Message::user("w"));
        let messages = word(around.before).into_iter().chain(groups).chain(word(around.behind));
        let messages = messages.map(|message| render_message(self.provider, &message));
        let messages: Vec<Vec<u8>> = messages.collect();
        let body = render_body(self.provider, "m", 1, &self.head, messages.iter().map(Vec::as_slice));
        check_body(self.provider, &body).map_err(|violations| {
            let rules: Vec<String> = violations.iter().map(|violation| violation.rule.to_string()).collect();
            match parts.first().and_then(|part| self.messages.turn_of(part)) {
                Some(turn) => format!("from turn {turn} on: {}", rules.join("; ")),
                None => rules.join("; "),
            }
        })
    }
}

/// Whose rules a session's prompts had to follow. Those of gemini-cli are not known here; Anthropic's are the strictest.
pub(super) fn provider_of(format: Format) -> Provider {
    match format {
        Format::Codex => Provider::Responses,
        Format::SweAgent | Format::MiniSweAgent => Provider::Chat,
        Format::ClaudeCode | Format::Opencode | Format::Pi | Format::GeminiCli | Format::Lookback => {
            Provider::Anthropic
        }
    }
}

#[cfg(test)]
impl Validity<'_> {
    /// The whole body at once.
    pub(super) fn check_whole(&self, call: usize, shown: &Shown) -> Result<(), String> {
        self.check_stretch(Around { before: self.begins(call), behind: self.goes_on(call) }, &shown.parts)
    }
}
