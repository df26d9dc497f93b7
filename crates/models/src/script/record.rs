//! A script from a recorded session: what its model said, so that a bug report can be played again.
//!
//! Pure: events in, a script out. What a trace does not have is said in comments, and in [`NOT_RECORDED`].

mod side;

use std::collections::BTreeMap;

use lookback_engine::trace::{
    AssistantPart, AssistantTurn, Event, EventBody, Stop, TurnNo,
    decision::Author,
    event::{Interruption, Usage},
};
use lookback_wire::Seal;

use super::{CallEnd, Fault, Script, ScriptedCall, Section, Step, StepStop, position_of_call, without_marker};

/// What no trace holds.
pub const NOT_RECORDED: &str = "not recorded: how long replies took, seals of thinking, fields of providers that Lookback does \
     not know, and what the gate refused of a compactor's text";

/// A session as a script.
#[derive(Debug, Default)]
pub struct Recorder {
    script: Script,
    steps: Vec<Recorded>,
    /// Comments, before a step or an answer of a section.
    notes: BTreeMap<(Option<Section>, usize), Vec<String>>,
    /// What happened since the last reply.
    coming: Vec<String>,
}

/// What is known of a step beside itself.
#[derive(Debug)]
struct Recorded {
    turn: TurnNo,
    call: u32,
    /// The step of the script that played it, where one did.
    position: Option<u32>,
    step: Step,
    notes: Vec<String>,
}

impl Recorder {
    /// Takes the events of a session in their order.
    pub fn push(&mut self, event: &Event) {
        match &event.event {
            EventBody::SessionStarted(start) => self.script.model = Some(start.model.clone()),
            EventBody::ModelChanged { model, .. } => {
                self.coming.push(format!("from here on the model was {model}"));
            }
            EventBody::AssistantTurn(turn) => self.reply(turn),
            EventBody::Usage(usage) => self.usage(usage),
            EventBody::CallInterrupted { call, reason } => {
                let reason = match reason {
                    Interruption::Cancelled => "the person stopped it".to_owned(),
                    Interruption::Failed(reason) => format!("it failed: {reason}"),
                    Interruption::Killed => "the program died".to_owned(),
                };
                self.coming.push(format!("call {call} ended without its answer: {reason}"));
            }
            EventBody::RolledBack { turn, .. } => {
                self.steps.retain(|recorded| recorded.turn <= *turn);
                let left = self.steps.len() as u32;
                for answers in [&mut self.script.compaction, &mut self.script.state] {
                    answers.retain(|answer| answer.after.is_none_or(|after| after <= left));
                }
                self.coming
                    .push(format!("here the person went back to turn#{turn}; what was said after it is left out"));
            }
            EventBody::Fold(fold) if fold.author == Author::Model => {
                let note = refused_note(fold.refused.len());
                self.side(Section::Compaction, side::compaction_text(fold), note);
            }
            EventBody::StateDelta(delta) if delta.author == Author::Model && delta.entry.is_some() => {
                let note = refused_note(delta.refused.len());
                self.side(Section::State, side::delta_value(&delta.delta).to_string(), note);
            }
            EventBody::Archive(archive) if archive.author == Author::Model => {
                let note = refused_note(archive.refused.len());
                self.side(Section::Archive, side::archive_text(archive), note);
            }
            _ => {}
        }
    }

    /// Nothing was said.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The file.
    pub fn finish(mut self) -> String {
        for (index, recorded) in self.steps.into_iter().enumerate() {
            if !recorded.notes.is_empty() {
                self.notes.insert((None, index), recorded.notes);
            }
            self.script.steps.push(recorded.step);
        }
        let notes = &self.notes;
        self.script.render(|section, index| notes.get(&(section, index)).cloned().unwrap_or_default())
    }

    fn reply(&mut self, turn: &AssistantTurn) {
        let (mut step, position, own) = said(turn);
        // That this very call ended need not be mentioned.
        let of_this_call = format!("call {} ended", turn.call);
        let before = self.coming.drain(..).filter(|note| !note.starts_with(&of_this_call));
        let notes = before.chain(own).collect();
        if position.is_some() {
            step.faults = self.failed_tries(position);
        }
        self.steps.push(Recorded { turn: turn.turn, call: turn.call.0, position, step, notes });
    }

    /// A script that played this session tried a step again whenever it was cut or interrupted: the tries are no steps
    /// of their own, and those that were cut are its faults.
    fn failed_tries(&mut self, position: Option<u32>) -> Vec<Fault> {
        let mut faults = Vec::new();
        while let Some(before) = self.steps.pop_if(|before| {
            before.position == position || (before.position.is_none() && before.step.stop == StepStop::Cut)
        }) {
            if before.step.stop == StepStop::Cut {
                faults.insert(0, Fault::Cut { after: length(&before.step) });
            }
            faults.splice(0..0, before.step.faults);
        }
        faults
    }

    fn usage(&mut self, usage: &Usage) {
        if let Some(recorded) = self.steps.iter_mut().rev().find(|recorded| recorded.call == usage.call.0) {
            recorded.step.usage = Some(usage.billed);
        }
    }

    fn side(&mut self, section: Section, text: String, note: Option<String>) {
        // An archive is summarised in a call of its own, which does not say where the conversation is.
        let after = (section != Section::Archive).then_some(self.steps.len() as u32);
        let answers = match section {
            Section::Compaction => &mut self.script.compaction,
            Section::Archive => &mut self.script.archive,
            Section::State => &mut self.script.state,
        };
        self.notes.extend(note.map(|note| ((Some(section), answers.len()), vec![note])));
        answers.push(Step { after, text, ..Step::default() });
    }
}

fn refused_note(refused: usize) -> Option<String> {
    let claims = if refused == 1 { "claim" } else { "claims" };
    (refused > 0).then(|| format!("as it was admitted: the gate refused {refused} {claims} more"))
}

/// A reply as a step, the step of a script that it names, and what could not be said.
fn said(turn: &AssistantTurn) -> (Step, Option<u32>, Vec<String>) {
    let mut step = Step::default();
    let (mut position, mut notes) = (None, Vec::new());
    let mut order = Vec::new();
    for part in &turn.parts {
        match part {
            AssistantPart::Text { text, .. } => {
                let (plain, marked) = without_marker(text);
                position = marked.or(position);
                join(&mut step.text, plain);
                order.push(1);
            }
            AssistantPart::Thinking { seal: Seal::Redacted(_), .. } => {
                notes.push("its provider kept its thinking to itself".to_owned());
            }
            AssistantPart::Thinking { text, .. } => {
                join(&mut step.thinking, text);
                order.push(0);
            }
            AssistantPart::Call { id, name, arguments, unfinished, .. } => {
                position = position_of_call(id).map(|(step, _)| step).or(position);
                let end = if *unfinished { CallEnd::Unfinished } else { CallEnd::Whole };
                step.calls.push(ScriptedCall { name: name.clone(), arguments: arguments.clone(), end });
                order.push(2);
            }
            AssistantPart::Unknown { .. } => {
                notes.push("a part in its provider's own form is left out".to_owned());
            }
        }
    }
    if !order.is_sorted() {
        notes.push("thinking, text and calls came in another order; here they are joined".to_owned());
    }
    step.stop = match turn.stop {
        Stop::End => StepStop::End,
        Stop::Limit => StepStop::Limit,
        Stop::Cut => StepStop::Cut,
        Stop::Cancelled => {
            notes.push("the person stopped it here".to_owned());
            StepStop::Cut
        }
    };
    (step, position, notes)
}

fn join(all: &mut String, text: &str) {
    if !all.is_empty() {
        all.push_str("\n\n");
    }
    all.push_str(text);
}

/// In characters, as faults count them.
fn length(step: &Step) -> usize {
    let calls = step.calls.iter().map(|call| call.arguments.chars().count());
    step.thinking.chars().count() + step.text.chars().count() + calls.sum::<usize>()
}

#[cfg(test)]
mod tests;
