//! A session that a script drives, without tools: every call is answered by a line of text. It can be stopped at any
//! moment and opened again from its events.

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{Layout, NoBlobs, Origin, ResultData, SessionId, Stop, Timestamp, ToolKind, ToolResult},
};
use lookback_wire::{Provider, ReplyContent};
use serde_json::{Value, json};

use crate::script::{Place, PlayError, Played, Player, StepStop};

pub(in crate::script) struct Story {
    pub(in crate::script) session: Session,
    now: i64,
    pub(in crate::script) api: Provider,
}

fn count(bytes: &[u8]) -> u32 {
    bytes.len().div_ceil(4) as u32
}

impl Story {
    pub(in crate::script) fn begin(api: Provider) -> Self {
        let setup = SessionSetup {
            system: "You are careful.".into(),
            provider: if api == Provider::React { Provider::Chat } else { api },
            layout: if api == Provider::React { Layout::React } else { Layout::Chat },
            model: "claude-sonnet-4-6".into(),
            tokenizer: "bytes/4".into(),
            window: 60_000,
            ..SessionSetup::new(SessionId("story".into()))
        };
        let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
        Self { session: Session::start(setup, &context).expect("it starts"), now: 0, api }
    }

    pub(in crate::script) fn tell<T>(&mut self, what: impl FnOnce(&mut Session, &Context<'_>) -> T) -> T {
        self.now += 1_000;
        what(&mut self.session, &Context { now: Timestamp(self.now), count: &count, blobs: &NoBlobs })
    }

    pub(in crate::script) fn user(&mut self, text: &str) {
        self.tell(|session, now| session.user_turn(text, Origin::Person, now).expect("idle"));
    }

    /// The request for the view as it stands.
    pub(in crate::script) fn body(&self) -> Vec<u8> {
        let body = self.session.body(&NoBlobs).expect("no blobs");
        match self.api {
            Provider::React => {
                let prompt = String::from_utf8(body).expect("text");
                json!({"model": "m", "messages": [{"role": "user", "content": prompt}]}).to_string().into_bytes()
            }
            _ => body,
        }
    }

    /// The same request with one more message of the user.
    pub(in crate::script) fn body_asking(&self, text: &str) -> Vec<u8> {
        let mut body: Value = serde_json::from_slice(&self.body()).expect("JSON");
        let (list, message) = match self.api {
            Provider::Responses => ("input", json!({"type": "message", "role": "user", "content": text})),
            Provider::React => panic!("a prompt of one text"),
            _ => ("messages", json!({"role": "user", "content": text})),
        };
        body[list].as_array_mut().expect("a list").push(message);
        body.to_string().into_bytes()
    }

    pub(in crate::script) fn open_call(&mut self) {
        self.tell(|session, now| session.start_call(now).expect("it fits"));
    }

    pub(in crate::script) fn ask(&mut self, player: &mut Player) -> Result<Played, PlayError> {
        self.open_call();
        player.play(self.api, &self.body())
    }

    /// Takes the first `kept` characters of a reply, or all of it. Returns the calls that wait.
    pub(in crate::script) fn take(&mut self, played: &Played, kept: Option<usize>) -> Vec<String> {
        let mut room = kept.unwrap_or(usize::MAX);
        let mut parts = Vec::new();
        for part in &played.parts {
            if room == 0 {
                break;
            }
            let (text, length) = match part {
                ReplyContent::Text(text) | ReplyContent::Thinking { text, .. } => (text, text.chars().count()),
                ReplyContent::Call { arguments, .. } | ReplyContent::UnfinishedCall { arguments, .. } => {
                    (arguments, arguments.chars().count())
                }
                ReplyContent::Unknown => continue,
            };
            let shown: String = text.chars().take(room).collect();
            let is_whole = length <= room;
            room = room.saturating_sub(length);
            parts.push(match part.clone() {
                ReplyContent::Text(_) => NewPart::Text(shown),
                ReplyContent::Thinking { seal, .. } => NewPart::Thinking { text: shown, seal },
                ReplyContent::Call { id, name, .. } if is_whole => NewPart::Call { id, name, arguments: shown },
                ReplyContent::Call { id, name, .. } | ReplyContent::UnfinishedCall { id, name, .. } => {
                    NewPart::UnfinishedCall { id, name, arguments: shown }
                }
                ReplyContent::Unknown => continue,
            });
        }
        let stop = match (kept, played.stop) {
            (Some(_), _) | (_, StepStop::Cut) => Stop::Cut,
            (_, StepStop::Limit | StepStop::WindowFull) => Stop::Limit,
            (_, StepStop::End | StepStop::Refused) => Stop::End,
        };
        self.tell(|session, now| session.assistant_turn(parts, stop, now).expect("a call is open"));
        self.session.waiting_calls().into_iter().map(str::to_owned).collect()
    }

    pub(in crate::script) fn begin_tool(&mut self, id: &str) {
        self.tell(|session, now| session.tool_call(id, ToolKind::Other, now).expect("it waits"));
    }

    pub(in crate::script) fn result(&mut self, id: &str) {
        let result =
            ToolResult::success(format!("done {id} {}", "and more ".repeat(40)), ResultData::Other(Value::Null));
        self.tell(|session, now| session.tool_result(id, result, now).expect("it waits"));
    }

    /// The process dies here, and another one opens what it had written down.
    pub(in crate::script) fn killed(&mut self) {
        let events = self.session.trace().to_vec();
        self.session = Session::replay(events, &NoBlobs).expect("its own trace");
        self.tell(|session, now| session.resume(now).expect("it resumes"));
    }

    /// Folds whatever can be folded.
    pub(in crate::script) fn fold(&mut self) -> bool {
        self.tell(|session, now| match session.draft_fold(None, now) {
            Ok(draft) => session.fold_by_rules(&draft, now).is_ok(),
            Err(_) => false,
        })
    }
}

/// The number of a step of the conversation.
pub(in crate::script) fn number(played: &Played) -> u32 {
    match played.place {
        Place::Step { number } => number,
        Place::Side { .. } => panic!("an answer to a compactor: {played:?}"),
    }
}
