//! What one request gets: the script's step, the script's fault, or the provider's refusal.
//!
//! A fault that a provider's front door would give (rate limits, overload) comes before the body is looked at; then the
//! body is refused or billed; then it is answered. Decides everything, sends nothing.

mod fault;

use std::{collections::BTreeMap, time::Duration};

use lookback_engine::card::{Card, Cards, UsageInStream};
use lookback_models::script::{Fault, PlayError, Played, Player, StepStop, cut_reply};
use lookback_wire::{Provider, Reply, ReplyContent, ReplyPart};

use super::{
    Logged,
    asked::{Asked, Read},
};
use crate::{
    Billed, Examiner, count_o200k,
    refusal::render_error,
    reply::{Ending, EventKind, Shown, Spoken, react::render_react, render_stream, render_whole},
};

/// A response before it is sent.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) retry_after: Option<u32>,
    pub(super) body: Vec<(Vec<u8>, EventKind)>,
    pub(super) close: Close,
    pub(super) first_byte: Duration,
    pub(super) piece: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    Properly,
    Abruptly,
    /// Nothing more comes, and the connection stays.
    Never,
}

impl Answer {
    pub(super) fn json(status: u16, body: Vec<u8>) -> Self {
        Self {
            status,
            content_type: "application/json",
            retry_after: None,
            body: vec![(body, EventKind::Frame)],
            close: Close::Properly,
            first_byte: Duration::ZERO,
            piece: Duration::ZERO,
        }
    }
}

/// Characters of a refusal: it names what was sent, and a body that is refused is not kept.
const REFUSAL: usize = 2_000;

fn brief(message: String) -> String {
    match message.char_indices().nth(REFUSAL) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// The script, and one examiner for each model that was asked.
pub(super) struct House {
    player: Player,
    cards: Cards,
    /// Used for every request, whatever model it names.
    card: Option<Card>,
    examiners: BTreeMap<String, Examiner>,
    answers: u64,
}

impl House {
    pub(super) fn new(player: Player, cards: Cards, card: Option<Card>) -> Self {
        Self { player, cards, card, examiners: BTreeMap::new(), answers: 0 }
    }

    /// Those that may be asked for by name: the script's own, else all that cards name in full.
    pub(super) fn models(&self) -> Vec<&str> {
        match &self.player.script().model {
            Some(model) => vec![model],
            None => {
                let patterns = self.cards.all().iter().flat_map(|card| &card.models);
                patterns.map(|pattern| pattern.trim_end_matches('*')).filter(|name| !name.is_empty()).collect()
            }
        }
    }

    pub(super) fn answer(&mut self, read: Read, now_ms: i64) -> (Answer, Logged) {
        let (api, body) = (read.asked.api, read.body.clone());
        let mut logged = Logged { api, place: None, counted: None, status: 200, refusal: None, fault: None, body };
        let answer = self.decide(read, now_ms, &mut logged);
        logged.status = answer.status;
        (answer, logged)
    }

    fn decide(&mut self, read: Read, now_ms: i64, logged: &mut Logged) -> Answer {
        let Read { asked, prompt, conversation, .. } = read;
        let Some(card) = self.card.as_ref().or_else(|| self.cards.find(&asked.model)).cloned() else {
            let message = brief(format!("The model `{}` does not exist: no price file has a card for it", asked.model));
            logged.refusal = Some(message.clone());
            let kind = if asked.api == Provider::Anthropic { "not_found_error" } else { "invalid_request_error" };
            return Answer::json(404, render_error(asked.api, kind, Some("model_not_found"), &message));
        };
        let planned = conversation.and_then(|conversation| self.player.plan_read(asked.layout, &conversation));
        if let Ok(played) = &planned
            && let Some(answer) = played.fault.and_then(|fault| fault::before_the_body(fault, asked.api, &card))
        {
            (logged.place, logged.fault) = (Some(played.place), played.fault);
            self.player.apply(played);
            return answer;
        }
        let examiner =
            self.examiners.entry(asked.model.clone()).or_insert_with(|| Examiner::new(card, Box::new(count_o200k)));
        let billed = match prompt.and_then(|prompt| examiner.examine_read(prompt, now_ms)) {
            Ok(billed) => billed,
            Err(mut refused) => {
                refused.message = brief(refused.message);
                logged.refusal = Some(refused.message.clone());
                return Answer::json(refused.status, refused.render_error(asked.api));
            }
        };
        logged.counted = Some(billed.usage(0));
        match planned {
            Ok(played) => {
                self.player.apply(&played);
                (logged.place, logged.fault) = (Some(played.place), played.fault);
                self.say(&asked, &played, &billed, now_ms)
            }
            Err(error) => unplayable(asked.api, &error, logged),
        }
    }

    fn say(&mut self, asked: &Asked, played: &Played, billed: &Billed, now_ms: i64) -> Answer {
        let Some(examiner) = self.examiners.get_mut(&asked.model) else {
            unreachable!("a bill comes from an examiner")
        };
        self.answers += 1;
        let parts = sealed(asked, played, billed, examiner);
        let reply = Reply {
            parts: parts.iter().map(|content| ReplyPart { content: content.clone(), native: None }).collect(),
            ..Reply::default()
        };
        let output = examiner.answered(asked.layout, &billed.prompt, &reply, now_ms);
        let after = match played.fault {
            Some(Fault::Cut { after } | Fault::Stall { after }) => Some(after),
            _ => None,
        };
        let is_whole = after.is_none() && played.stop != StepStop::Cut;
        let parts = after.map_or_else(|| parts.clone(), |after| cut_reply(&parts, after));
        let spoken = Spoken {
            number: self.answers,
            created: now_ms / 1_000,
            model: &asked.model,
            parts: &parts,
            ending: if is_whole { Ending::Said(played.stop) } else { Ending::Open },
            usage: played.usage.unwrap_or_else(|| billed.usage(output)),
            thinking_tokens: thinking_tokens(&parts),
            shown: shown(asked, examiner.card()),
        };
        let mut answer = spoken_answer(asked, &spoken);
        answer.close = match played.fault {
            Some(Fault::Stall { .. }) => Close::Never,
            _ if !is_whole => Close::Abruptly,
            _ => Close::Properly,
        };
        (answer.first_byte, answer.piece) = (played.first_byte, played.piece);
        if played.fault == Some(Fault::WrongJson) {
            fault::break_json(&mut answer);
        }
        answer
    }
}

/// As it is said to this request: in one text for `react`, with seals on the thinking everywhere else.
fn sealed(asked: &Asked, played: &Played, billed: &Billed, examiner: &mut Examiner) -> Vec<ReplyContent> {
    if asked.layout == Provider::React {
        return vec![ReplyContent::Text(render_react(&played.parts))];
    }
    let seal = |part: &ReplyContent| match part {
        ReplyContent::Thinking { text, .. } => {
            let seal = examiner.seal(asked.api, &billed.prompt, text);
            ReplyContent::Thinking { text: text.clone(), seal }
        }
        part => part.clone(),
    };
    played.parts.iter().map(seal).collect()
}

fn spoken_answer(asked: &Asked, spoken: &Spoken<'_>) -> Answer {
    if asked.streams {
        let events = render_stream(asked.api, spoken);
        let body = events.iter().map(|event| (event.to_bytes(), event.kind)).collect();
        return Answer { content_type: "text/event-stream; charset=utf-8", body, ..Answer::json(200, Vec::new()) };
    }
    let mut body = render_whole(asked.api, spoken);
    if spoken.ending == Ending::Open {
        // There is no half of a body: the connection breaks inside of it.
        body.truncate(body.len() / 2);
    }
    Answer::json(200, body)
}

fn shown(asked: &Asked, card: &Card) -> Shown {
    Shown {
        usage_in_stream: match card.usage_in_stream {
            UsageInStream::Always => true,
            UsageInStream::OnRequest => asked.asks_for_usage,
            UsageInStream::Never => false,
        },
        encrypted_reasoning: asked.includes_reasoning,
    }
}

fn thinking_tokens(parts: &[ReplyContent]) -> u64 {
    let thoughts = parts.iter().filter_map(|part| match part {
        ReplyContent::Thinking { text, .. } => Some(u64::from(count_o200k(text.as_bytes()))),
        _ => None,
    });
    thoughts.sum()
}

/// The script has nothing to say. 400, because no second try changes that.
fn unplayable(api: Provider, error: &PlayError, logged: &mut Logged) -> Answer {
    let message = error.to_string();
    logged.refusal = Some(message.clone());
    Answer::json(400, render_error(api, "invalid_request_error", Some("script"), &message))
}
