//! A provider that answers every request and remembers what it was.

use std::{
    io::Write,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Request, Response},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// What reached the provider.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn messages(&self) -> Vec<Value> {
        self.json()["messages"].as_array().cloned().unwrap_or_default()
    }
}

/// How it answers from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Answers {
    /// One call of a tool, with an id of its own.
    #[default]
    Call,
    /// These words and no call.
    Says(&'static str),
    /// The same behind a thought.
    Thinking,
    /// An error of this status.
    Status(u16),
    /// A stream that breaks off in the middle.
    Cut,
    /// A stream of several events with pauses between them.
    Slowly,
    /// Refuses prompts of more than so many messages as too long.
    TooLongAbove(usize, Sent),
    /// Refuses everything for another reason.
    Refuses(Sent),
}

/// How an error is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    Whole,
    /// In pieces, so that its length is not told.
    Pieces,
    Gzip,
    /// In pieces, and longer than anybody reads to understand it.
    Long,
}

pub(crate) const TOO_LONG: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;
pub(crate) const REFUSED: &str =
    r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: must be 1"}}"#;

impl Sent {
    /// What is sent of a text.
    pub(crate) fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Self::Whole | Self::Pieces => text.into(),
            Self::Gzip => {
                let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                gzip.write_all(text.as_bytes()).unwrap();
                gzip.finish().unwrap()
            }
            Self::Long => [text, &" ".repeat(3 << 20)].concat().into(),
        }
    }

    fn refusal(self, text: &str) -> Response<Body> {
        let whole = self.bytes(text);
        let body = match self {
            Self::Whole | Self::Gzip => Body::from(whole),
            Self::Pieces | Self::Long => {
                let mut pieces: Vec<Bytes> =
                    whole.chunks(whole.len().min(50_000) / 2 + 1).map(Bytes::copy_from_slice).collect();
                pieces.reverse();
                let next = move |_: &mut std::task::Context<'_>| Poll::Ready(pieces.pop().map(Ok::<_, std::io::Error>));
                Body::from_stream(futures_core_stream(next))
            }
        };
        let response = Response::builder().status(400).header("content-type", "application/json");
        let response = response.header("x-request-id", "r1");
        if self == Self::Gzip { response.header("content-encoding", "gzip") } else { response }.body(body).unwrap()
    }
}

#[derive(Debug, Default)]
struct Inside {
    got: Mutex<Vec<Got>>,
    answers: Mutex<Answers>,
    calls: AtomicU64,
}

/// A provider at work.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    inside: Arc<Inside>,
    pub(crate) url: String,
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let inside = Arc::new(Inside::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(Arc::clone(&inside));
        tokio::spawn(async move { axum_serve(listener, router).await });
        Self { inside, url }
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.inside.got.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Got {
        self.got().last().cloned().expect("a request")
    }

    pub(crate) fn answers(&self, answers: Answers) {
        *self.inside.answers.lock().unwrap() = answers;
    }
}

async fn axum_serve(listener: TcpListener, router: Router) {
    use hyper::server::conn::http1;
    use hyper_util::{rt::TokioIo, service::TowerToHyperService};
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(State(inside): State<Arc<Inside>>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 << 20).await.unwrap();
    let path = parts.uri.to_string();
    inside.got.lock().unwrap().push(Got { path: path.clone(), headers: parts.headers, body: body.clone() });
    let number = inside.calls.fetch_add(1, Ordering::Relaxed);
    let answers = *inside.answers.lock().unwrap();
    let whole = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "example",
        "content": [{"type": "text", "text": format!("Step {number}.")},
                    {"type": "tool_use", "id": format!("toolu_{number}"), "name": "Bash", "input": {"command": format!("cat part{number}.txt")}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": body.len() / 4, "output_tokens": 20},
    });
    let whole = match answers {
        Answers::Call if path.ends_with("/chat/completions") => as_chat(number),
        Answers::Call if path.ends_with("/responses") => as_responses(number),
        Answers::Says(words) => {
            let mut said = whole;
            said["content"] = json!([{"type": "text", "text": words}]);
            said["stop_reason"] = "end_turn".into();
            said
        }
        Answers::Thinking => {
            let mut thought = whole;
            let thinking =
                json!({"type": "thinking", "thinking": format!("thought {number}"), "signature": "c2lnbmVk"});
            thought["content"].as_array_mut().unwrap().insert(0, thinking);
            thought
        }
        _ => whole,
    };
    let messages = || {
        let read: Value = serde_json::from_slice(&body).unwrap_or_default();
        read["messages"].as_array().map_or(0, Vec::len)
    };
    let respond = |status: u16, kind: &str, body: Body| {
        Response::builder().status(status).header("content-type", kind).header("x-request-id", "r1").body(body).unwrap()
    };
    match answers {
        Answers::Status(status) => respond(
            status,
            "application/json",
            Body::from(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        ),
        Answers::TooLongAbove(most, sent) if messages() > most => sent.refusal(TOO_LONG),
        Answers::Refuses(sent) => sent.refusal(REFUSED),
        Answers::Cut | Answers::Slowly => {
            let (sender, mut receiver) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(1);
            tokio::spawn(async move {
                for piece in 0..5 {
                    if piece == 3 && answers == Answers::Cut {
                        let _ = sender.send(Err(std::io::Error::other("cut"))).await;
                        return;
                    }
                    let event = format!("event: ping\ndata: {{\"type\":\"ping\",\"piece\":{piece}}}\n\n");
                    let _ = sender.send(Ok(event.into())).await;
                    tokio::time::sleep(Duration::from_millis(40)).await;
                }
            });
            let stream = futures_core_stream(move |context| receiver.poll_recv(context));
            respond(200, "text/event-stream", Body::from_stream(stream))
        }
        _ => respond(200, "application/json", Body::from(whole.to_string())),
    }
}

fn as_chat(number: u64) -> Value {
    let function = json!({"name": "Bash", "arguments": format!("{{\"command\":\"cat part{number}.txt\"}}")});
    let call = json!({"id": format!("call_{number}"), "type": "function", "function": function});
    let message = json!({"role": "assistant", "content": format!("Step {number}."), "tool_calls": [call]});
    json!({
        "id": "c", "object": "chat.completion", "model": "example",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 9_000, "completion_tokens": 20, "total_tokens": 9_020},
    })
}

fn as_responses(number: u64) -> Value {
    let text = json!([{"type": "output_text", "text": format!("Step {number}."), "annotations": []}]);
    json!({
        "id": "r", "object": "response", "status": "completed", "model": "example",
        "output": [
            {"type": "message", "id": "m", "status": "completed", "role": "assistant", "content": text},
            {"type": "function_call", "id": "f", "status": "completed", "call_id": format!("call_{number}"),
             "name": "Bash", "arguments": format!("{{\"command\":\"cat part{number}.txt\"}}")},
        ],
        "usage": {"input_tokens": 9_000, "output_tokens": 20, "total_tokens": 9_020},
    })
}

/// A stream from a function that is polled.
fn futures_core_stream<T>(
    poll: impl FnMut(&mut std::task::Context<'_>) -> Poll<Option<T>> + Unpin,
) -> impl futures_core::Stream<Item = T> {
    struct Polled<F>(F);
    impl<T, F: FnMut(&mut std::task::Context<'_>) -> Poll<Option<T>> + Unpin> futures_core::Stream for Polled<F> {
        type Item = T;

        fn poll_next(mut self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<Option<T>> {
            (self.0)(context)
        }
    }
    Polled(poll)
}
