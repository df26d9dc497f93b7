//! A coding session as an agent records it: user turns, calls, answers with one tool call, typed results.
//!
//! What a step will record is made before it is timed ([`Step`]); recording it is the engine's work alone.

pub(crate) mod coding;
mod step;

use std::sync::Arc;

use anyhow::Result;
use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{NoBlobs, Origin, SessionId, Stop, Timestamp},
};
use lookback_wire::ToolSpec;

pub(crate) use step::{Sizes, Step};

use crate::text::{Text, Vocabulary};

/// An answer without a tool call and the next question stand between so many steps.
const STEPS_PER_ROUND: usize = 40;

/// Records one session from its start; the same session for the same id and seed.
#[derive(Debug)]
pub(crate) struct Workload {
    pub(crate) text: Text,
    sizes: Sizes,
    clock: i64,
    steps: usize,
    /// A line that some later result shall hold.
    planted: Option<String>,
}

impl Workload {
    pub(crate) fn new(vocabulary: &Arc<Vocabulary>, sizes: Sizes, seed: u64) -> Self {
        let text = Text::new(vocabulary.clone(), seed);
        Self { text, sizes, clock: 1_763_200_000_000, steps: 0, planted: None }
    }

    pub(crate) fn start(&mut self, id: &str) -> Result<Session> {
        let setup = SessionSetup {
            system: self.text.sentence(400),
            tools: vec![tool("Bash", "command"), tool("Read", "path"), tool("Grep", "pattern"), tool("Edit", "path")],
            rules: self.text.sentence(100),
            model: "bench-model".into(),
            // Nothing is folded yet, so that the whole of a long session has to fit.
            window: u32::MAX,
            tokenizer: "bytes/4".into(),
            root: "bench".into(),
            ..SessionSetup::new(SessionId(id.to_owned()))
        };
        let mut session = Session::start(setup, &self.context())?;
        self.ask(&mut session)?;
        Ok(session)
    }

    /// Records steps and questions until the session has `turns` turns.
    pub(crate) fn grow(&mut self, session: &mut Session, turns: u32) -> Result<()> {
        while session.turns() < turns {
            let step = self.next_step();
            self.record(session, step)?;
            if self.steps.is_multiple_of(STEPS_PER_ROUND) {
                session.start_call(&self.context())?;
                let answer = self.text.sentence(40);
                session.assistant_turn(vec![NewPart::Text(answer)], Stop::End, &self.context())?;
                self.ask(session)?;
            }
        }
        Ok(())
    }

    pub(crate) fn next_step(&mut self) -> Step {
        self.steps += 1;
        let planted = self.planted.take();
        Step::new(&mut self.text, self.sizes, planted)
    }

    /// The next result will hold this line.
    pub(crate) fn plant(&mut self, line: String) {
        self.planted = Some(line);
    }

    pub(crate) fn record(&mut self, session: &mut Session, step: Step) -> Result<()> {
        session.start_call(&self.context())?;
        session.assistant_turn(step.answer, Stop::End, &self.context())?;
        session.tool_result(&step.call, step.result, &self.context())?;
        Ok(())
    }

    fn ask(&mut self, session: &mut Session) -> Result<()> {
        let question = format!("{} {}", self.text.sentence(20), self.text.chinese(6));
        session.user_turn(question, Origin::Person, &self.context())?;
        Ok(())
    }

    fn context(&mut self) -> Context<'static> {
        self.clock += 700;
        Context { now: Timestamp(self.clock), count: &|bytes| bytes.len().div_ceil(4) as u32, blobs: &NoBlobs }
    }
}

fn tool(name: &str, argument: &str) -> ToolSpec {
    let parameters = format!(r#"{{"type":"object","properties":{{"{argument}":{{"type":"string"}}}}}}"#);
    ToolSpec { name: name.into(), description: format!("{name} takes a {argument}."), parameters }
}
