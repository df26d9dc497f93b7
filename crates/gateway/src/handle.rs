//! One request, from the door to the provider and back.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body as HttpBody,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header},
};
use bytes::Bytes;
use lookback_models::{ErrorKind, kind_of_refusal};
use lookback_upstream::door;
use lookback_wire::Provider;
use tokio::{sync::oneshot, time::timeout};
use tracing::{debug, warn};

use crate::{
    access, afresh,
    coding::{Coding, CodingError},
    forward::{self, Heard, Pieces, Teed, Way},
    house::{AT_ONCE, Flight, House},
    note::{Answered, Asked, Beside},
    options::Mode,
    read::Read,
    refusal::Refusal,
    route::{self, Asked as Wanted, Route},
    table::ConversationId,
    who::Kind,
};

/// As web servers log it.
const CLIENT_GONE: u16 = 499;
/// Of an error so much is read, for so long, to know what it is about: one that is longer or slower only passes.
const LONGEST_ERROR: usize = 1 << 20;
const SLOWEST_ERROR: Duration = Duration::from_secs(5);

pub(crate) async fn handle(State(house): State<Arc<House>>, request: Request) -> Response<HttpBody> {
    house.metrics.requests.add(1);
    let path = request.uri().path().to_owned();
    let route = Route::parse(&path);
    answer(&house, &route, request).await.unwrap_or_else(|refusal| {
        house.metrics.refused.add(1);
        warn!(status = refusal.status.as_u16(), path = route.path, reason = refusal.message, "refused");
        refusal.into_response(route.api())
    })
}

async fn answer(house: &Arc<House>, route: &Route<'_>, request: Request) -> Result<Response<HttpBody>, Refusal> {
    let (parts, body) = request.into_parts();
    door::check(&parts.uri, &parts.headers).map_err(turned_away)?;
    access::check_host(&parts.uri, &parts.headers, house.address)?;
    match route.asked {
        Wanted::Health => return Ok(text("ok\n")),
        Wanted::Metrics if access::has_token(&parts.headers, &house.options.token) => {
            return Ok(text(&house.metrics.render()));
        }
        Wanted::Metrics => {
            let how = "send the token of LOOKBACK_HOME/gateway.token as a Bearer";
            return Err(Refusal::new(401, "authentication_error", how));
        }
        _ => {}
    }
    if route::has_dots(parts.uri.path()) {
        return Err(Refusal::new(
            400,
            "invalid_request_error",
            "a path with . or .. would be another one at the provider",
        ));
    }
    if forward::listed(&parts.headers, header::UPGRADE).any(|to| to.eq_ignore_ascii_case("websocket")) {
        // Codex goes on over HTTP at once; any other answer costs it seconds or the session.
        return Err(Refusal::new(426, "invalid_request_error", "WebSockets are not spoken here: use HTTP"));
    }
    let flight = house.take_off().ok_or_else(|| {
        Refusal::new(503, "overloaded_error", format!("{AT_ONCE} requests are being answered: try again in a moment"))
    })?;
    let api = route.api();
    let Some(base) = house.options.upstreams.of(route.upstream, api.or_else(|| anthropic(&parts.headers))) else {
        let name = route.upstream.unwrap_or_default();
        return Err(Refusal::new(404, "not_found_error", format!("no upstream is called \"{name}\"")));
    };
    let memory = |bytes| house.buffers.take(bytes);
    let sent = door::read_body_into(&parts.headers, body, memory).await.map_err(turned_away)?;
    let sent = house.buffers.lend(sent);
    house.metrics.bytes_in.add(sent.len() as u64);
    let mode = mode(&parts.headers, house.options.mode)?;
    let read = match api.filter(|_| mode != Mode::Off || house.table.may_stand()) {
        Some(api) => Read::of(house, mode, api, route, &parts.headers, &sent, base).await?,
        None => None,
    };
    let (read, announced) = match mode {
        Mode::Off => (None, read.and_then(|read| read.without_blocks(house))),
        _ => (read, None),
    };
    let url = route::join(base, route.path, parts.uri.query());
    let way = Way { method: parts.method, url, headers: forward::headers_on(&parts.headers) };
    let (bytes, done) = match &read {
        Some(read) => {
            let (done, made) = enter(house, read, mode, base, route);
            if let Some(made) = made {
                afresh::wait(house, read, made).await;
            }
            (read.folded(house).unwrap_or(sent), done)
        }
        None => (sent, None),
    };
    let gone = match (&read, &done) {
        (Some(read), Some(Done { what: Some(What::Main { request, conversation }), .. })) if mode == Mode::Fold => {
            send_or_fold(house, &way, bytes, read, (*request, *conversation)).await
        }
        _ => send(house, &way, bytes).await,
    };
    match gone {
        Ok(gone) => Ok(with_note(back(gone, done, flight), announced)),
        Err(error) => {
            house.metrics.upstream_failures.add(1);
            if let Some(done) = done {
                done.over(StatusCode::BAD_GATEWAY, Coding::Plain, Heard::default());
            }
            Err(Refusal::new(502, "api_error", format!("{base} cannot be reached: {}", innermost(&error))))
        }
    }
}

/// Tells the keeper of a request that goes on now, and says who is to be told of its answer; and what it waits for.
fn enter(
    house: &Arc<House>,
    read: &Read,
    mode: Mode,
    base: &str,
    route: &Route<'_>,
) -> (Option<Done>, Option<oneshot::Receiver<bool>>) {
    if route.asked == Wanted::Count {
        return (None, None);
    }
    let mut waits = None;
    let Read { body, chain, who, credential, .. } = read;
    let at = (house.options.clock)();
    let what = match who.kind {
        Kind::Main => {
            let place = house.table.enter(chain, (&read.digests, read.tokens()), who.named.as_ref());
            let (request, conversation) = (house.keeper.number(), place.conversation);
            let afresh = (mode == Mode::Fold && afresh::is_due(house, read, &place)).then(|| {
                let (made, waited) = oneshot::channel();
                waits = Some(waited);
                made
            });
            debug!(conversation, relation = ?place.relation, client = who.client, messages = chain.len(), "main");
            house.keeper.asked(Asked {
                request,
                place,
                body: Arc::clone(body),
                chain: Arc::clone(chain),
                who: who.clone(),
                upstream: base.to_owned(),
                credential: *credential,
                at,
                mode,
                afresh,
            });
            What::Main { request, conversation }
        }
        kind @ (Kind::Side | Kind::Compaction | Kind::Elsewhere) => {
            let conversation = house.table.find(chain, who.named.as_ref());
            debug!(?conversation, client = who.client, why = who.why, "beside");
            let (named, chain) = (who.named.clone(), chain.last().copied());
            let model = body.model().unwrap_or_default().into_owned();
            What::Beside(Box::new(Beside { conversation, named, kind, chain, at, api: body.provider(), model }))
        }
    };
    (Some(Done { house: Arc::clone(house), what: Some(what) }), waits)
}

/// An answer on its way.
struct Gone {
    status: StatusCode,
    headers: HeaderMap,
    pieces: Pieces,
}

impl Gone {
    fn coding(&self) -> Result<Coding, CodingError> {
        Coding::parse(self.headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok()))
    }

    /// Whether it says that the prompt is too long, however it is packed. What is read for that goes on all the same.
    async fn is_too_long(&mut self) -> bool {
        let status = self.status.as_u16();
        if !matches!(status, 400 | 413) {
            return false;
        }
        let read = timeout(SLOWEST_ERROR, self.pieces.whole(LONGEST_ERROR)).await;
        let plain = read.ok().flatten().and_then(|whole| self.coding().and_then(|coding| coding.unpack(&whole)).ok());
        plain.is_some_and(|plain| matches!(kind_of_refusal(status, &plain), ErrorKind::PromptTooLong { .. }))
    }
}

async fn send(house: &House, way: &Way, bytes: Bytes) -> Result<Gone, reqwest::Error> {
    house.metrics.bytes_out.add(bytes.len() as u64);
    let response = way.request(&house.clients, bytes).send().await?;
    let (status, headers) = (response.status(), forward::headers_back(response.headers()));
    Ok(Gone { status, headers, pieces: Pieces::of(response) })
}

/// Where the provider calls the prompt too long, more is folded, and it is sent once more: some clients do not recover
/// from that by themselves.
async fn send_or_fold(
    house: &House,
    way: &Way,
    bytes: Bytes,
    read: &Read,
    (request, conversation): (u64, ConversationId),
) -> Result<Gone, reqwest::Error> {
    let mut gone = send(house, way, bytes).await?;
    if gone.is_too_long().await && house.keeper.make_room(request, conversation, (house.options.clock)()).await {
        house.table.try_anew(&read.chain);
        if let Some(bytes) = read.folded(house) {
            return send(house, way, bytes).await;
        }
    }
    Ok(gone)
}

/// Who is told when an answer is over; also when the client left before it began.
struct Done {
    house: Arc<House>,
    what: Option<What>,
}

impl Drop for Done {
    fn drop(&mut self) {
        self.tell(CLIENT_GONE, Coding::Plain, Heard::default());
    }
}

enum What {
    Main { request: u64, conversation: ConversationId },
    Beside(Box<Beside>),
}

impl Done {
    fn over(mut self, status: StatusCode, coding: Coding, heard: Heard) {
        self.tell(status.as_u16(), coding, heard);
    }

    fn tell(&mut self, status: u16, coding: Coding, heard: Heard) {
        let Some(what) = self.what.take() else { return };
        let at = (self.house.options.clock)();
        match what {
            What::Main { request, conversation } => {
                self.house.keeper.answered(Answered { request, conversation, status, coding, heard, at });
            }
            What::Beside(beside) => {
                let answered = Answered { request: 0, conversation: 0, status, coding, heard, at };
                self.house.keeper.beside(*beside, answered);
            }
        }
    }
}

fn back(gone: Gone, done: Option<Done>, flight: Flight) -> Response<HttpBody> {
    let coding = gone.coding().unwrap_or(Coding::Plain);
    let Gone { status, headers, pieces } = gone;
    let ended = move |heard| {
        drop(flight);
        if let Some(done) = done {
            done.over(status, coding, heard);
        }
    };
    let mut back = Response::new(HttpBody::from_stream(Teed::new(pieces, ended)));
    *back.status_mut() = status;
    *back.headers_mut() = headers;
    back
}

/// In a header of our own: what is said to the model and by it stays as it is.
fn with_note(mut response: Response<HttpBody>, note: Option<String>) -> Response<HttpBody> {
    if let Some((note, value)) = note.and_then(|note| HeaderValue::from_str(&note).ok().map(|value| (note, value))) {
        warn!(note, "off, and blocks stand in this conversation");
        response.headers_mut().insert(HeaderName::from_static("x-lookback-note"), value);
    }
    response
}

/// The cause itself, without the layers that only say that something failed.
fn innermost<'e>(error: &'e (dyn std::error::Error + 'static)) -> &'e (dyn std::error::Error + 'static) {
    error.source().map_or(error, innermost)
}

fn mode(headers: &HeaderMap, usual: Mode) -> Result<Mode, Refusal> {
    let Some(said) = headers.get(HeaderName::from_static("x-lookback-mode")) else { return Ok(usual) };
    let said = said.to_str().unwrap_or_default();
    said.parse().map_err(|error| Refusal::new(400, "invalid_request_error", format!("x-lookback-mode: {error}")))
}

/// `/v1/models` is of both; Anthropic's clients say so.
fn anthropic(headers: &HeaderMap) -> Option<Provider> {
    headers.contains_key("anthropic-version").then_some(Provider::Anthropic)
}

fn turned_away(error: door::TurnedAway) -> Refusal {
    let (status, kind) = error.status();
    Refusal::new(status, kind, error.to_string())
}

fn text(text: &str) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::from(text.to_owned()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
