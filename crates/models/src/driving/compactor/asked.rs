//! One question to a compactor: sent, waited for, recorded with what it cost.

use std::time::Duration;

use lookback_engine::{
    Session, SessionError,
    card::{Card, Constrained},
    fold::Dialect,
    session::{AloneRequest, Schema, render_alone},
    trace::event::{CompactorPurpose, Interruption, Ride},
};
use lookback_wire::{Message, Part, Provider, Reply, ReplyContent, ReplyStop, Role};

use crate::{
    Answering, Model, ModelError, Request,
    driving::{CallError, Cancel, Surroundings, surroundings::with_context},
};

const CALLED_A_TOOL: &str = "it called a tool: answer with text alone";
const CUT_OFF: &str = "it was cut off before its end: be shorter";
/// What stands for an answer without any text, so that no two messages of the user follow one another.
const NO_TEXT: &str = "(no text)";

/// Who writes, and how it is reached.
#[derive(Debug, Clone, Copy)]
pub struct CompactorModel<'a> {
    /// Where its requests go.
    pub model: &'a Model,
    /// As its provider calls it.
    pub name: &'a str,
    /// What it is asked in when it is asked alone.
    pub api: Provider,
    /// What it can do; none: nothing is known of it.
    pub card: Option<&'a Card>,
    /// Only the session's own model can ride on its prompt.
    pub ride: Ride,
}

impl CompactorModel<'_> {
    /// What it understands of a schema.
    pub(super) fn dialect(&self) -> Dialect {
        match self.card.map(|card| card.constrained) {
            Some(Constrained::JsonSchema) => Dialect::Grammar,
            Some(Constrained::Alone | Constrained::None) | None => Dialect::Strict,
        }
    }

    /// How much it can read beside what it writes.
    pub(super) fn input_room(&self, session: &Session) -> u64 {
        self.card.map_or(u64::from(session.input_limit()), |card| {
            let reserve = session.configuration().window.output_reserve(Some(card.max_output), card.window);
            u64::from(card.window.saturating_sub(reserve))
        })
    }
}

/// A question, or its second form: what was answered, and what is wrong with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) purpose: CompactorPurpose,
    pub(super) first: &'a str,
    pub(super) repair: Option<&'a (String, String)>,
    pub(super) schema: Option<&'a str>,
}

#[derive(Debug)]
pub(super) enum Asked {
    Text(String),
    /// There is an answer, and nothing in it can be used: why, in words for the model.
    Unusable(&'static str),
    TimedOut(String),
    Failed(String),
}

pub(super) async fn ask(
    session: &mut Session,
    compactor: &CompactorModel<'_>,
    asks: &Ask<'_>,
    cancel: &mut Cancel,
    outside: &mut dyn Surroundings,
) -> Result<Asked, CallError> {
    let request = request(session, compactor, asks, outside)?;
    let appended: String =
        asks.repair.iter().fold(asks.first.to_owned(), |text, (answer, repair)| text + answer + repair);
    with_context(outside, |context| {
        session.ask_compactor(asks.purpose, compactor.name, compactor.ride, &appended, context)
    })?;
    outside.keep(session)?;
    let seconds = match asks.purpose {
        CompactorPurpose::Block => session.configuration().compactor.timeout_seconds,
        CompactorPurpose::Summary => session.configuration().archive.timeout_seconds,
    };
    let mut answering = compactor.model.send(request);
    // None: cancelled.
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        read = tokio::time::timeout(Duration::from_secs(seconds.into()), read_all(&mut answering)) => Some(read),
    };
    // Whatever became of it, what it has cost so far was billed.
    let reply = answering.into_reply();
    let usage = reply.usage;
    let asked = match &ended {
        Some(Ok(Ok(()))) => read(reply),
        Some(Ok(Err(error))) => Asked::Failed(error.first_line().to_owned()),
        Some(Err(_)) => Asked::TimedOut(format!("{} did not answer in {seconds} s", compactor.name)),
        None => Asked::Failed("the person stopped it".to_owned()),
    };
    let failed = match (&ended, &asked) {
        (None, _) => Some(Interruption::Cancelled),
        (_, Asked::TimedOut(problem) | Asked::Failed(problem)) => Some(Interruption::Failed(problem.clone())),
        (_, Asked::Text(_) | Asked::Unusable(_)) => None,
    };
    with_context(outside, |context| session.compactor_ended(usage, failed, context))?;
    if ended.is_none() {
        outside.keep(session)?;
        return Err(CallError::Cancelled);
    }
    if let Asked::TimedOut(problem) | Asked::Failed(problem) = &asked {
        with_context(outside, |context| session.compactor_failed(problem, context))?;
    }
    Ok(asked)
}

fn request(
    session: &Session,
    compactor: &CompactorModel<'_>,
    asks: &Ask<'_>,
    outside: &dyn Surroundings,
) -> Result<Request, SessionError> {
    let schema = asks.schema.map_or(Schema::Free, Schema::Constrained);
    match compactor.ride {
        Ride::Live => {
            let mut appended = vec![Message::user(asks.first)];
            if let Some((answer, repair)) = asks.repair {
                let answer = if answer.is_empty() { NO_TEXT } else { answer };
                appended.push(Message { role: Role::Assistant, parts: vec![Part::Text(answer.into())] });
                appended.push(Message::user(repair.as_str()));
            }
            let body = session.riding_request(&appended, schema, outside.blobs())?;
            Ok(Request { api: session.prompt_provider(), body })
        }
        Ride::Alone => {
            let prompt = match asks.repair {
                None => asks.first.to_owned(),
                Some((answer, repair)) => format!("{}\n\nYour last answer:\n{answer}\n\n{repair}", asks.first),
            };
            let can_constrain = compactor.card.is_some_and(|card| card.constrained != Constrained::None);
            let max_output = compactor.card.map_or(session.state().model().reserve, |card| {
                session.configuration().window.output_reserve(Some(card.max_output), card.window)
            });
            let api = if compactor.api == Provider::React { Provider::Chat } else { compactor.api };
            let body = render_alone(&AloneRequest {
                api,
                model: compactor.name,
                card: compactor.card,
                prompt: &prompt,
                max_output,
                key: &session.id().0,
                schema: asks.schema.filter(|_| can_constrain),
            });
            Ok(Request { api, body })
        }
    }
}

async fn read_all(answering: &mut Answering) -> Result<(), ModelError> {
    while answering.next().await?.is_some() {}
    Ok(())
}

/// Thinking never counts as the answer.
fn read(reply: Reply) -> Asked {
    match reply.stop {
        ReplyStop::Limit | ReplyStop::WindowFull | ReplyStop::Cut => return Asked::Unusable(CUT_OFF),
        ReplyStop::Refused(why) => return Asked::Failed(format!("it would not answer: {why}")),
        ReplyStop::End => {}
    }
    let mut text = String::new();
    for part in reply.parts {
        match part.content {
            ReplyContent::Text(said) => text += &said,
            ReplyContent::Call { .. } | ReplyContent::UnfinishedCall { .. } => return Asked::Unusable(CALLED_A_TOOL),
            ReplyContent::Thinking { .. } | ReplyContent::Unknown => {}
        }
    }
    Asked::Text(text)
}
