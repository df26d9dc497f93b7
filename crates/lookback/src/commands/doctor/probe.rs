//! One small request, to see whether a model answers.
//!
//! It goes out without a session, without tools and without the card's extra members: a budget for thinking, for one,
//! does not fit into so small an answer.

use std::{
    fmt,
    time::{Duration, Instant},
};

use anyhow::Result;
use lookback_engine::session::{AloneRequest, render_alone};
use lookback_models::{Client, Endpoint, KeyError, ModelError, Progress, Request, Retries};
use lookback_wire::{Reply, ReplyContent, ReplyStop};

use crate::{commands::runtime, screen::exact, settings::Chosen};

const QUESTION: &str = "Reply with the word ready.";

/// The least that OpenAI's Responses takes.
const LONGEST_ANSWER: u32 = 16;

struct Answer {
    reply: Reply,
    /// Until the first content came.
    first: Duration,
    whole: Duration,
}

/// Why there is no answer.
pub(super) enum Failure {
    /// There is no key: nothing was sent.
    Key(KeyError),
    Model(ModelError),
}

/// Sent once: whoever asks for a diagnosis wants the first refusal, not the fifth.
pub(super) fn ask(chosen: &Chosen) -> Result<Result<String, Failure>> {
    let runtime = runtime()?;
    if let Some(Err(error)) = chosen.endpoint.key.as_ref().map(|key| runtime.block_on(key.resolve())) {
        return Ok(Err(Failure::Key(error)));
    }
    let once = Retries { tries: 1, ..Retries::default() };
    let client = Client::new(Endpoint { retries: once, ..chosen.endpoint.clone() })?;
    let mut card = chosen.card.clone();
    card.request.clear();
    let body = render_alone(&AloneRequest {
        api: chosen.endpoint.api,
        model: &chosen.model,
        card: Some(&card),
        prompt: QUESTION,
        max_output: LONGEST_ANSWER,
        key: "doctor",
        schema: None,
    });
    let request = Request { api: chosen.endpoint.api, body };
    let answered = runtime.block_on(answer(&client, request));
    // A server may repeat what it was sent, the key included.
    Ok(answered.map(|answer| client.hide_secrets(&answer.to_string())).map_err(Failure::Model))
}

async fn answer(client: &Client, request: Request) -> Result<Answer, ModelError> {
    let begun = Instant::now();
    let mut first = None;
    let mut answering = client.send(request);
    while let Some(progress) = answering.next().await? {
        if matches!(progress, Progress::Delta(_)) {
            first.get_or_insert_with(|| begun.elapsed());
        }
    }
    let whole = begun.elapsed();
    Ok(Answer { reply: answering.into_reply(), first: first.unwrap_or(whole), whole })
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reply { parts, stop, usage, model, .. } = &self.reply;
        let said: String = parts
            .iter()
            .filter_map(|part| match &part.content {
                ReplyContent::Text(text) => Some(text.trim()),
                _ => None,
            })
            .collect();
        write!(f, "{} answered ", model.as_deref().unwrap_or("the model"))?;
        match (said.as_str(), stop) {
            ("", ReplyStop::Limit) => write!(f, "without text before {LONGEST_ANSWER} tokens were written")?,
            ("", _) => write!(f, "without text")?,
            (said, _) => write!(f, "\"{said}\"")?,
        }
        write!(f, ", first content after {} ms, all after {} ms", self.first.as_millis(), self.whole.as_millis())?;
        match usage {
            Some(usage) => {
                let prompt = exact(usage.prompt());
                let [cached, written, output] = [usage.cached, usage.written, usage.output].map(u64::from).map(exact);
                write!(f, "; billed: {prompt} of prompt ({cached} cached, {written} written), {output} of answer")
            }
            None => write!(f, "; it did not say what it billed"),
        }
    }
}
