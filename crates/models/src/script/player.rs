//! Playing a script: a request's body in, what the model says to it out.
//!
//! Which step comes is read from the conversation alone. Only two things are remembered between requests: how many of a
//! step's faults were met, and how many answers of a section were given; a new player begins with both again. What was
//! planned counts only when it is applied: a request that is refused has met nothing.

use std::{collections::BTreeMap, fmt, time::Duration};

use lookback_wire::{Provider, ReplyContent, Seal, TokenUsage};

use super::{
    CallEnd, Fault, Script, Section, Step, StepStop,
    conversation::{Conversation, Side},
    position::{call_id, plan_position, side_call_id, with_marker},
};

/// A script that is being played.
#[derive(Debug, Clone)]
pub struct Player {
    /// What the script is called in messages for people.
    name: String,
    script: Script,
    faults_met: BTreeMap<Place, usize>,
    /// How many answers were given, for each section and each `after` in it.
    answered: BTreeMap<(Section, Option<u32>), usize>,
}

/// What is said to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// What of the script it is.
    pub place: Place,
    /// Thinking has no seal yet: that is the API's.
    pub parts: Vec<ReplyContent>,
    /// How the reply ends.
    pub stop: StepStop,
    /// How long nothing comes at first.
    pub first_byte: Duration,
    /// How long each further piece takes.
    pub piece: Duration,
    /// As the script says; none: to be counted.
    pub usage: Option<TokenUsage>,
    /// What this try meets instead of the whole reply.
    pub fault: Option<Fault>,
    /// For the answers of a section: which of its `after` this one was looked up by.
    after: Option<u32>,
}

/// Where a reply stands in its script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A reply of the conversation.
    Step {
        /// From 1, as it is played.
        number: u32,
    },
    /// The answer to a call that compacts, counted from 1 within its section.
    Side {
        /// Which kind of call.
        section: Section,
        /// From 1.
        number: u32,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { number } => write!(f, "step {number}"),
            Self::Side { section, number } => write!(f, "{} {number}", section.name()),
        }
    }
}

/// A request that the script has nothing for.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum PlayError {
    #[error("the request's body is no JSON: {0}")]
    NoJson(#[from] serde_json::Error),
    #[error("{script} ends with step {steps}, and this conversation asks for step {asked}: add a [[step]] to it")]
    BeyondTheEnd { script: String, steps: u32, asked: u32 },
    #[error("{script} has no {section} to answer this call with: add one to it")]
    NoAnswer { script: String, section: Section },
    #[error(
        "this conversation begins with a record of earlier turns, and nothing in it says which step of {script} was \
         played last: keep at least one of its replies unfolded"
    )]
    Lost { script: String },
}

impl Player {
    /// `name` is what the script is called in messages for people.
    pub fn new(name: impl Into<String>, script: Script) -> Self {
        Self { name: name.into(), script, faults_met: BTreeMap::new(), answered: BTreeMap::new() }
    }

    /// All of it, played or not.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Plans and applies at once, for callers that refuse nothing.
    pub fn play(&mut self, api: Provider, body: &[u8]) -> Result<Played, PlayError> {
        let played = self.plan(api, body)?;
        self.apply(&played);
        Ok(played)
    }

    /// Remembers that this was really said or met.
    pub fn apply(&mut self, played: &Played) {
        match (played.fault, played.place) {
            (Some(_), place) => *self.faults_met.entry(place).or_default() += 1,
            (None, Place::Side { section, .. }) => *self.answered.entry((section, played.after)).or_default() += 1,
            (None, Place::Step { .. }) => {}
        }
    }

    /// What would be said to a request.
    pub fn plan(&self, api: Provider, body: &[u8]) -> Result<Played, PlayError> {
        self.plan_read(api, &Conversation::parse(api, body)?)
    }

    /// The same for a request that was read before.
    pub fn plan_read(&self, api: Provider, conversation: &Conversation) -> Result<Played, PlayError> {
        let (number, attempt) = plan_position(&conversation.seen, |number| self.script.step(number));
        if let Some(side) = &conversation.side {
            let newest = (!conversation.seen.is_empty()).then_some(number - 1);
            return self.plan_side(side, newest);
        }
        if conversation.seen.is_empty() && conversation.has_block {
            return Err(PlayError::Lost { script: self.name.clone() });
        }
        let Some(step) = self.script.step(number) else {
            return Err(PlayError::BeyondTheEnd {
                script: self.name.clone(),
                steps: self.script.step_count(),
                asked: number,
            });
        };
        let needs_marker = !step.has_whole_call() || api == Provider::React;
        let text = if needs_marker { with_marker(&step.text, number) } else { step.text.clone() };
        let parts = parts(step, text, |call| call_id(number, attempt, call));
        Ok(self.met(Place::Step { number }, None, step, parts))
    }

    fn plan_side(&self, side: &Side, newest: Option<u32>) -> Result<Played, PlayError> {
        let Side { section, turns } = *side;
        let (after, answers) = fitting(self.script.section(section), newest);
        let given = self.answered.get(&(section, after)).copied().unwrap_or_default();
        let mut before = 0;
        let next = answers.iter().find(|(_, answer)| {
            before += answer.repeat as usize;
            given < before
        });
        // The last one goes on answering.
        let Some(&(index, answer)) = next.or(answers.last()) else {
            return Err(PlayError::NoAnswer { script: self.name.clone(), section });
        };
        let number = index as u32 + 1;
        let text = match turns {
            Some((first, last)) => {
                answer.text.replace("{start_turn}", &first.to_string()).replace("{end_turn}", &last.to_string())
            }
            None => answer.text.clone(),
        };
        let parts = parts(answer, text, |call| side_call_id(section, number, call));
        Ok(self.met(Place::Side { section, number }, after, answer, parts))
    }

    /// A step as this try meets it.
    fn met(&self, place: Place, after: Option<u32>, step: &Step, parts: Vec<ReplyContent>) -> Played {
        let Step { stop, first_byte, piece, usage, .. } = *step;
        let met = self.faults_met.get(&place).copied().unwrap_or_default();
        Played { place, parts, stop, first_byte, piece, usage, fault: step.faults.get(met).copied(), after }
    }
}

/// The answers among which the next one is: those made for this place of the conversation, else those for any place.
/// A call that is sent alone does not say where the conversation is: it gets one after the other.
fn fitting(answers: &[Step], newest: Option<u32>) -> (Option<u32>, Vec<(usize, &Step)>) {
    let with = |after: Option<u32>| answers.iter().enumerate().filter(move |(_, answer)| answer.after == after);
    match newest {
        Some(_) if with(newest).next().is_some() => (newest, with(newest).collect()),
        Some(_) => (None, with(None).collect()),
        None => (None, answers.iter().enumerate().collect()),
    }
}

fn parts(step: &Step, text: String, id: impl Fn(usize) -> String) -> Vec<ReplyContent> {
    let thinking =
        (!step.thinking.is_empty()).then(|| ReplyContent::Thinking { text: step.thinking.clone(), seal: Seal::None });
    let text = (!text.is_empty()).then_some(ReplyContent::Text(text));
    let calls = step.calls.iter().enumerate().map(|(index, call)| {
        let (id, name, arguments) = (id(index + 1), call.name.clone(), call.arguments.clone());
        match call.end {
            CallEnd::Whole => ReplyContent::Call { id, name, arguments },
            CallEnd::Unfinished => ReplyContent::UnfinishedCall { id, name, arguments },
        }
    });
    thinking.into_iter().chain(text).chain(calls).collect()
}
