//! One request, from the door to the provider and back.

use std::sync::Arc;

use axum::{
    body::Body as HttpBody,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header},
};
use bytes::Bytes;
use lookback_upstream::door;
use lookback_wire::{
    Body, Provider,
    body::{Edit, Link},
};
use tokio::sync::Semaphore;
use tracing::{debug, warn};

use crate::{
    access,
    coding::Coding,
    forward::{self, Heard, Teed},
    keeper::{Answered, Asked, Beside, Keeper},
    metrics::Metrics,
    options::{Mode, Options},
    refusal::Refusal,
    route::{self, Asked as Wanted, Route},
    table::{StandingFold, Table},
    who::{Kind, Who},
};

/// Anthropic takes no more marks in one body.
const MOST_MARKS: usize = 4;
/// Requests at once: more wait at the client, which is told so.
const AT_ONCE: usize = 512;

/// What all requests share.
pub(crate) struct House {
    pub(crate) options: Options,
    pub(crate) client: reqwest::Client,
    pub(crate) table: Arc<Table>,
    pub(crate) keeper: Keeper,
    pub(crate) metrics: Arc<Metrics>,
    room: Semaphore,
}

impl House {
    pub(crate) fn new(
        options: Options,
        client: reqwest::Client,
        table: Arc<Table>,
        keeper: Keeper,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { options, client, table, keeper, metrics, room: Semaphore::new(AT_ONCE) }
    }
}

pub(crate) async fn handle(State(house): State<Arc<House>>, request: Request) -> Response<HttpBody> {
    house.metrics.requests.add(1);
    let path = request.uri().path().to_owned();
    let route = Route::parse(&path);
    house.metrics.in_flight.add(1);
    let answered = answer(&house, &route, request).await;
    house.metrics.in_flight.subtract(1);
    answered.unwrap_or_else(|refusal| {
        house.metrics.refused.add(1);
        warn!(status = refusal.status.as_u16(), path = route.path, reason = refusal.message, "refused");
        refusal.into_response(route.api())
    })
}

async fn answer(house: &Arc<House>, route: &Route<'_>, request: Request) -> Result<Response<HttpBody>, Refusal> {
    let (parts, body) = request.into_parts();
    door::check(&parts.uri, &parts.headers).map_err(turned_away)?;
    match route.asked {
        Wanted::Health => return Ok(text("ok\n")),
        Wanted::Metrics if access::has_token(&parts.headers, &house.options.token) => {
            return Ok(text(&house.metrics.render()));
        }
        Wanted::Metrics => {
            return Err(Refusal::new(
                401,
                "authentication_error",
                "send the token of LOOKBACK_HOME/gateway.token as a Bearer",
            ));
        }
        _ => {}
    }
    if parts.headers.contains_key(header::UPGRADE) {
        // Codex goes on over HTTP at once; any other answer costs it seconds or the session.
        return Err(Refusal::new(426, "invalid_request_error", "WebSockets are not spoken here: use HTTP"));
    }
    let _room = house.room.try_acquire().map_err(|_| {
        Refusal::new(503, "overloaded_error", format!("{AT_ONCE} requests are being answered: try again in a moment"))
    })?;
    let api = route.api();
    let Some(base) = house.options.upstreams.of(route.upstream, api.or_else(|| anthropic(&parts.headers))) else {
        let name = route.upstream.unwrap_or_default();
        return Err(Refusal::new(
            404,
            "not_found_error",
            format!("no upstream is called \"{name}\": see lookback doctor"),
        ));
    };
    let url = route::join(base, route.path, parts.uri.query());
    let sent = door::read_body(&parts.headers, body).await.map_err(turned_away)?;
    house.metrics.bytes_in.add(sent.len() as u64);
    let mode = mode(&parts.headers, house.options.mode)?;
    let read = match api.filter(|_| mode != Mode::Off) {
        Some(api) => read(house, api, route, &parts.headers, sent.clone(), base).await?,
        None => None,
    };
    let mut on = forward::headers_on(&parts.headers);
    let (bytes, done) = match read {
        None => (sent, None),
        Some(read) => {
            let (bytes, done) = enter(house, read, mode, base, route);
            (bytes.unwrap_or(sent), done)
        }
    };
    house.metrics.bytes_out.add(bytes.len() as u64);
    on.remove(header::EXPECT);
    let sent = forward::request(&house.client, parts.method, &url, on, bytes).send().await;
    let response = match sent {
        Ok(response) => response,
        Err(error) => {
            house.metrics.upstream_failures.add(1);
            if let Some(done) = done {
                done.none();
            }
            return Err(Refusal::new(502, "api_error", format!("{base} cannot be reached: {}", innermost(&error))));
        }
    };
    Ok(back(response, done))
}

/// A body that is understood, and what is known about it.
struct Read {
    body: Body,
    coding: Coding,
    chain: Vec<Link>,
    who: Who,
    credential: [u8; 32],
}

/// None: it is passed on as it is, because nobody here can read it.
async fn read(
    house: &Arc<House>,
    api: Provider,
    route: &Route<'_>,
    headers: &HeaderMap,
    sent: Bytes,
    base: &str,
) -> Result<Option<Read>, Refusal> {
    let named = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let unpacked = Coding::parse(named).and_then(|coding| Ok((coding, coding.unpack(&sent)?)));
    let (coding, plain) = unpacked.map_err(|error| Refusal::new(413, "request_too_large", error.to_string()))?;
    let body = match Body::parse(api, plain) {
        Ok(body) => body,
        Err(error) => {
            warn!(%error, "a body that is not read here is passed on as it is");
            return Ok(None);
        }
    };
    let credential = credential(headers, &house.options.secret);
    let mut seed = blake3::Hasher::new_keyed(&credential);
    let chain = body.chain(seed.update(base.as_bytes()).update(api.name().as_bytes()).finalize().as_bytes());
    let who = Who::of(headers, &body, route.session);
    if chain.len() > 1 && !house.table.knows(&chain) {
        // A conversation of an earlier process, perhaps: the store knows how far it came.
        let (store, table, chain) = (house.options.store.clone(), Arc::clone(&house.table), chain.clone());
        let learned = tokio::task::spawn_blocking(move || table.learn_from(&store, &chain)).await;
        if let Ok(Err(error)) = learned {
            warn!(%error, "the store cannot be asked for earlier conversations");
        }
    }
    Ok(Some(Read { body, coding, chain, who, credential }))
}

/// Puts the standing folds in, tells the keeper, and says what is sent in the place of the client's bytes; none: those.
fn enter(house: &Arc<House>, read: Read, mode: Mode, base: &str, route: &Route<'_>) -> (Option<Bytes>, Option<Done>) {
    let Read { body, coding, chain, who, credential } = read;
    let folds = match who.kind {
        Kind::Elsewhere => Vec::new(),
        _ => house.table.standing(&chain),
    };
    let folded = (!folds.is_empty()).then(|| splice(&body, &folds)).flatten();
    let packed = folded.and_then(|bytes| coding.pack(bytes).ok()).map(Bytes::from);
    if packed.is_some() {
        house.metrics.folded_requests.add(1);
    }
    let at = (house.options.clock)();
    let is_count = route.asked == Wanted::Count;
    let done = match who.kind {
        _ if is_count => None,
        Kind::Main => {
            let place = house.table.enter(&chain, who.named.as_deref());
            let request = house.keeper.number();
            debug!(conversation = place.conversation, relation = ?place.relation, client = who.client, messages = chain.len(), folds = folds.len(), "main");
            let asked = Asked {
                request,
                place,
                body,
                chain: chain.into(),
                who,
                upstream: base.to_owned(),
                credential,
                at,
                mode,
            };
            house.keeper.asked(asked);
            Some(Done { house: Arc::clone(house), what: What::Main { request, conversation: place.conversation } })
        }
        Kind::Side | Kind::Compaction | Kind::Elsewhere => {
            let conversation = house.table.find(&chain, who.named.as_deref());
            debug!(?conversation, client = who.client, why = who.why, "beside");
            let beside = Beside {
                conversation,
                named: who.named,
                kind: who.kind,
                chain: chain.last().copied(),
                at,
                api: body.provider(),
            };
            Some(Done { house: Arc::clone(house), what: What::Beside(Box::new(beside)) })
        }
    };
    (packed, done)
}

/// The body with its standing folds. The newest block carries the seam's mark, where there is room for one.
fn splice(body: &Body, folds: &[Arc<StandingFold>]) -> Option<Vec<u8>> {
    let mut standing: Vec<&StandingFold> = Vec::new();
    for fold in folds {
        let end = standing.last().map_or(0, |last| last.end);
        if fold.first >= end && fold.end <= body.messages().len() {
            standing.push(fold);
        }
    }
    let covers = |entry: usize| standing.iter().any(|fold| (fold.first..fold.end).contains(&entry));
    let is_kept = |mark: &&lookback_wire::body::Mark| {
        mark.section != lookback_wire::body::SectionKind::Messages || !covers(mark.entry)
    };
    let has_room = body.marks().filter(is_kept).count() < MOST_MARKS;
    let last = standing.len().checked_sub(1)?;
    let edits: Vec<Edit<'_>> = standing
        .iter()
        .enumerate()
        .map(|(place, fold)| {
            let with = if place == last && has_room { &fold.marked } else { &fold.block };
            Edit::Messages { range: fold.first..fold.end, with: (&with[..]).into() }
        })
        .collect();
    body.splice(&edits).map_err(|error| warn!(%error, "a fold does not fit its request")).ok()
}

/// Who is told when an answer is over.
struct Done {
    house: Arc<House>,
    what: What,
}

enum What {
    Main { request: u64, conversation: u64 },
    Beside(Box<Beside>),
}

impl Done {
    /// There was none.
    fn none(self) {
        self.over(StatusCode::BAD_GATEWAY, Coding::Plain, Heard::default());
    }

    fn over(self, status: StatusCode, coding: Coding, heard: Heard) {
        let at = (self.house.options.clock)();
        let answered =
            |request, conversation| Answered { request, conversation, status: status.as_u16(), coding, heard, at };
        match self.what {
            What::Main { request, conversation } => self.house.keeper.answered(answered(request, conversation)),
            What::Beside(beside) => self.house.keeper.beside(*beside, answered(0, 0)),
        }
    }
}

fn back(response: reqwest::Response, done: Option<Done>) -> Response<HttpBody> {
    let status = response.status();
    let headers = forward::headers_back(response.headers());
    let named = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let coding = Coding::parse(named).unwrap_or(Coding::Plain);
    let pieces = Box::pin(response.bytes_stream());
    let body = match done {
        Some(done) => HttpBody::from_stream(Teed::new(pieces, move |heard| done.over(status, coding, heard))),
        None => HttpBody::from_stream(pieces),
    };
    let mut back = Response::new(body);
    *back.status_mut() = status;
    *back.headers_mut() = headers;
    back
}

/// The cause itself, without the layers that only say that something failed.
fn innermost(error: &dyn std::error::Error) -> &dyn std::error::Error {
    error.source().map_or(error, innermost)
}

/// A keyed hash: it tells two credentials apart and gives neither away.
fn credential(headers: &HeaderMap, secret: &[u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    for name in ["authorization", "x-api-key", "api-key", "x-goog-api-key"] {
        if let Some(value) = headers.get(name) {
            hasher.update(name.as_bytes()).update(value.as_bytes());
        }
    }
    *hasher.finalize().as_bytes()
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
