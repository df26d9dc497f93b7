//! One request until it is answered from a script: tried, perhaps tried again, said piece by piece.

use std::{collections::VecDeque, time::Duration};

use lookback_wire::{Reply, ReplyContent, ReplyStop};
use tokio::time::{Instant, sleep_until};

use super::{
    ScriptModel,
    act::{Act, SoFar, plan_acts},
    failure::{broken, failure},
};
use crate::{
    ModelError, Progress, Request, Retries,
    answering::{Source, Step},
    fault::Fault as Failure,
    retry::plan_pause,
    script::{Fault, Played, cut_reply},
};

#[derive(Debug)]
pub(super) struct Performance {
    model: ScriptModel,
    request: Request,
    tries: u32,
    stage: Stage,
    /// Until then nothing happens.
    pause: Option<Instant>,
    so_far: SoFar,
}

#[derive(Debug)]
enum Stage {
    Asking,
    Saying(VecDeque<Act>),
    Over,
}

impl Performance {
    pub(super) fn new(model: ScriptModel, request: Request) -> Self {
        Self { model, request, tries: 0, stage: Stage::Asking, pause: None, so_far: SoFar::default() }
    }

    async fn step(&mut self) -> Result<Option<Progress>, ModelError> {
        loop {
            if let Some(end) = self.pause {
                sleep_until(end).await;
                self.pause = None;
            }
            let act = match &mut self.stage {
                Stage::Over => return Ok(None),
                Stage::Asking => match self.ask() {
                    Ok(None) => continue,
                    Ok(retrying) => return Ok(retrying),
                    Err(error) => return Err(self.fail(error)),
                },
                Stage::Saying(acts) => acts.pop_front(),
            };
            match act {
                None => self.stage = Stage::Over,
                Some(Act::Wait(time)) => self.wait(time),
                Some(Act::Say(delta)) => {
                    self.so_far.say(&delta);
                    return Ok(Some(Progress::Delta(delta)));
                }
                Some(Act::Close(content)) => self.so_far.close(content),
                Some(Act::End(stop, usage)) => {
                    self.so_far.reply.stop = stop;
                    self.so_far.reply.usage = usage;
                }
                Some(Act::Fail(error)) => return Err(self.fail(error)),
            }
        }
    }

    fn fail(&mut self, error: ModelError) -> ModelError {
        self.stage = Stage::Over;
        error
    }

    fn wait(&mut self, time: Duration) {
        self.pause = (!time.is_zero()).then(|| Instant::now() + time);
    }

    /// Plays the step once: then it is being said, or was met by a fault after which it is tried again.
    fn ask(&mut self) -> Result<Option<Progress>, ModelError> {
        self.tries += 1;
        let (reply, played) = self.model.play(&self.request)?;
        let Played { fault, first_byte, piece, .. } = played;
        let parts: Vec<ReplyContent> = reply.parts.into_iter().map(|part| part.content).collect();
        let said = match fault {
            None => parts,
            Some(Fault::Cut { after } | Fault::Stall { after }) if after > 0 => cut_reply(&parts, after),
            Some(fault) => return self.again(failure(fault)),
        };
        let mut acts = plan_acts(&said, first_byte, piece);
        acts.push_back(match (fault, reply.stop) {
            (Some(fault), _) => Act::Fail(broken(fault)),
            (None, ReplyStop::Cut) => Act::Fail(broken(Fault::Cut { after: 0 })),
            (None, stop) => Act::End(stop, reply.usage),
        });
        self.stage = Stage::Saying(acts);
        Ok(None)
    }

    fn again(&mut self, failure: Failure) -> Result<Option<Progress>, ModelError> {
        // No pause of our own: whoever plays a script waits for what the script says.
        let retries = Retries { base: Duration::ZERO, ..Retries::default() };
        let Some(wait) = plan_pause(&retries, self.tries, failure.again, failure.asked, 0.0) else {
            return Err(failure.error);
        };
        self.wait(wait);
        Ok(Some(Progress::Retrying { attempt: self.tries + 1, wait, because: failure.error.message }))
    }
}

impl Source for Performance {
    fn next(&mut self) -> Step<'_> {
        Box::pin(self.step())
    }

    fn into_reply(self: Box<Self>) -> Reply {
        self.so_far.reply
    }
}
