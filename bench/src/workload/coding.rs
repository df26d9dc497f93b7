//! Rounds of fixing a project as a person and an agent do it: a task, failing tests, searches, reads, edits, conclusions.
//!
//! This is what folding is measured on. The same session for the same id and seed. What happens is made before it is
//! recorded ([`Step`]), so that recording it is the engine's work alone.

mod names;
mod project;
mod tools;

use anyhow::Result;
use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{NoBlobs, Origin, SessionId, Stop, Timestamp},
};

use self::{project::Project, tools::Used};
use super::{Step, tool};
use crate::{random::Random, tokens::Counter};

/// A view of all these sessions' turns fits: what is measured is folding, not the window.
const WINDOW: u32 = 20_000_000;

/// What is left to do in a round, newest last. A failing test is fixed by the edit before the next run.
const ROUND: [Act; 16] = [
    Act::Conclude,
    Act::Test,
    Act::Edit,
    Act::Read,
    Act::Search,
    Act::Test,
    Act::Edit,
    Act::Read,
    Act::Log,
    Act::Read,
    Act::Search,
    Act::Read,
    Act::Read,
    Act::Search,
    Act::Test,
    Act::Ask,
];

#[derive(Debug, Clone, Copy)]
enum Act {
    Ask,
    Test,
    Search,
    Read,
    Log,
    Edit,
    Conclude,
}

/// What is recorded next.
#[derive(Debug)]
enum Happening {
    Question(String),
    Step(Box<Step>),
    Answer(String),
}

#[derive(Debug)]
pub(crate) struct Coding {
    random: Random,
    project: Project,
    counter: Counter,
    clock: i64,
    left: Vec<Act>,
    /// The file in work, and the tests that fail in it.
    file: usize,
    failing: Vec<String>,
}

impl Coding {
    pub(crate) fn new(counter: Counter, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let project = Project::new(&mut random);
        Self { random, project, counter, clock: 1_763_200_000_000, left: Vec::new(), file: 0, failing: Vec::new() }
    }

    pub(crate) fn start(&mut self, id: &str) -> Result<Session> {
        let setup = SessionSetup {
            system: "You are a careful engineer. Find the cause before you change anything.".into(),
            tools: vec![tool("Bash", "command"), tool("Read", "path"), tool("Grep", "pattern"), tool("Edit", "path")],
            rules: "Never touch a test to make it pass. Keep functions short.".into(),
            model: "bench-model".into(),
            window: WINDOW,
            tokenizer: self.counter.name().into(),
            root: "/srv/books".into(),
            ..SessionSetup::new(SessionId(id.to_owned()))
        };
        Ok(Session::start(setup, &self.context())?)
    }

    /// Records until the hot zone has so many tokens, and ends with a step.
    pub(crate) fn grow(&mut self, session: &mut Session, tokens: u64) -> Result<()> {
        while hot_tokens(session) < tokens {
            self.work(session)?;
        }
        Ok(())
    }

    /// Records the next step, with the question or the answer that stands before it.
    pub(crate) fn work(&mut self, session: &mut Session) -> Result<()> {
        loop {
            match self.next() {
                Happening::Question(text) => {
                    session.user_turn(text, Origin::Person, &self.context())?;
                }
                Happening::Answer(text) => {
                    session.start_call(&self.context())?;
                    session.assistant_turn(vec![NewPart::Text(text)], Stop::End, &self.context())?;
                }
                Happening::Step(step) => return self.record(session, *step),
            }
        }
    }

    pub(crate) fn record(&mut self, session: &mut Session, step: Step) -> Result<()> {
        let kind = step.result.data.kind();
        session.start_call(&self.context())?;
        session.assistant_turn(step.answer, Stop::End, &self.context())?;
        session.tool_call(&step.call, kind, &self.context())?;
        session.tool_result(&step.call, step.result, &self.context())?;
        Ok(())
    }

    pub(crate) fn context(&mut self) -> Context<'static> {
        self.clock += 700;
        Context { now: Timestamp(self.clock), count: self.counter.count(), blobs: &NoBlobs }
    }

    fn next(&mut self) -> Happening {
        let act = self.left.pop().unwrap_or_else(|| {
            self.left.extend(&ROUND[..ROUND.len() - 1]);
            Act::Ask
        });
        match act {
            Act::Ask => self.ask(),
            Act::Test => {
                let used = tools::test(&self.project.files[self.file], &self.failing, &mut self.random);
                self.step("The verdict of the tests tells whether that was the cause.".into(), used)
            }
            Act::Search => {
                let name = self.function();
                let used = tools::search(&self.project, name.rsplit('_').next().unwrap_or(&name));
                self.step(format!("`{name}` may be called from elsewhere: I look for its callers."), used)
            }
            Act::Read => self.read(),
            Act::Log => {
                let used = tools::log(&self.project.files[self.file], &mut self.random);
                self.step("The log of the service should show the same amounts.".into(), used)
            }
            Act::Edit => self.edit(),
            Act::Conclude => {
                let (path, name) = (&self.project.files[self.file].path, self.failing.first());
                let test = name.map_or("every test passes".into(), |name| format!("`{name}` still fails"));
                Happening::Answer(format!("{path} compared the wrong side of the period; after both edits {test}."))
            }
        }
    }

    fn ask(&mut self) -> Happening {
        self.file = self.random.below(self.project.files.len());
        self.failing = (0..self.random.between(2, 5))
            .map(|_| format!("{}::tests::{}", names::noun(&mut self.random), names::function(&mut self.random)))
            .collect();
        let file = &self.project.files[self.file];
        Happening::Question(format!(
            "The tests of {} fail since the {} was changed, {} first. Find out why and repair {}; don't touch the tests. \
             先看日志，再改代码。",
            file.package,
            names::variable(&mut self.random),
            self.failing[0],
            file.path
        ))
    }

    /// Mostly of the file in work, sometimes of another one.
    fn read(&mut self) -> Happening {
        let elsewhere = self.random.below(3) == 0;
        let file = if elsewhere { self.random.below(self.project.files.len()) } else { self.file };
        let (first, lines) = (self.random.below(160), self.random.between(60, 220));
        let file = &self.project.files[file];
        let name = self.random.pick(&file.functions);
        let said = format!("`{name}` in {} is where the amount is made: I read it before I decide.", file.path);
        let used = tools::read(file, first, lines);
        self.step(said, used)
    }

    fn edit(&mut self) -> Happening {
        self.failing.pop();
        let file = &mut self.project.files[self.file];
        let at = self.random.between(12, file.lines.len() - 8);
        let said = format!("The cause is line {} of {}: the limit is taken before it is rounded.", at + 1, file.path);
        let used = tools::edit(file, at, &mut self.random);
        self.step(said, used)
    }

    fn function(&mut self) -> String {
        self.random.pick(&self.project.files[self.file].functions).clone()
    }

    fn step(&mut self, said: String, (name, arguments, result): Used) -> Happening {
        let call = format!("toolu_{:016x}", self.random.next());
        let answer = vec![NewPart::Text(said), NewPart::Call { id: call.clone(), name: name.into(), arguments }];
        Happening::Step(Box::new(Step { call, answer, result }))
    }
}

/// Tokens behind the seam.
pub(crate) fn hot_tokens(session: &Session) -> u64 {
    let view = session.view();
    view.entries()[view.seam()..].iter().map(|entry| u64::from(entry.tokens)).sum()
}
