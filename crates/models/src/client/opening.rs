//! From a request to the first sign of an answer: headers that promise a stream, a whole body, or a refusal.

use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use lookback_wire::Provider;
use reqwest::{Response, header};
use tokio::time::{Instant, timeout_at};

use super::{Client, bounds::LARGEST_BODY, incoming::Incoming};
use crate::{
    ErrorKind, ModelError,
    fault::{Cause, Fault, Phase, parse_said, transport_cause},
    mask::masked_url,
    retry::{Again, Asked, parse_asked},
};

/// A refusal is read no further, and no longer, than this.
const LONGEST_REFUSAL: usize = 64 << 10;
const REFUSAL_LIMIT: Duration = Duration::from_secs(10);

pub(super) enum Opened {
    Stream(Incoming),
    Whole(Vec<u8>),
}

pub(super) async fn open(client: Client, api: Provider, body: Bytes) -> Result<Opened, Fault> {
    check_api(&client, api)?;
    let headers = client.signed_headers().await.map_err(|e| Fault {
        error: ModelError::new(ErrorKind::BadKey, None, format!("{e}\ncheck it with `lookback doctor`")),
        again: Again::Never,
        asked: Asked::Nothing,
    })?;
    let timeouts = client.inner.timeouts;
    let deadline = Instant::now() + timeouts.first_byte;
    let request = client.inner.http.post(client.inner.address.url.clone()).headers(headers).body(body);
    let response = match timeout_at(deadline, request.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(e)) => return Err(client.fault(transport_cause(&e, timeouts.connect))),
        Err(_) => {
            return Err(client.fault(Cause::Timeout { phase: Phase::FirstByte, limit: timeouts.first_byte }));
        }
    };
    if !response.status().is_success() {
        return Err(refusal(&client, response).await);
    }
    let kind = content_type(&response).to_ascii_lowercase();
    if kind.starts_with("text/html") {
        return Err(page(&client, response).await);
    }
    let incoming = Incoming::new(response, client, deadline);
    if !kind.starts_with("application/json") {
        return Ok(Opened::Stream(incoming));
    }
    let mut incoming = incoming.limited_to(LARGEST_BODY);
    let mut whole = Vec::new();
    while let Some(piece) = incoming.next().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(Opened::Whole(whole))
}

/// A react prompt travels in a Chat body.
fn check_api(client: &Client, api: Provider) -> Result<(), Fault> {
    let spoken = |api| if api == Provider::React { Provider::Chat } else { api };
    let own = client.inner.api;
    if spoken(api) == spoken(own) {
        return Ok(());
    }
    let message = format!("the request is written for {api}, but {} speaks {own}", client.inner.address.shown_host);
    let error = ModelError::new(ErrorKind::BadRequest, None, format!("{message}\nset `api` of the endpoint to {api}"));
    Err(Fault { error, again: Again::Never, asked: Asked::Nothing })
}

fn content_type(response: &Response) -> &str {
    response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default()
}

async fn refusal(client: &Client, response: Response) -> Fault {
    let status = response.status();
    if status.is_redirection() {
        let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
        let cause = Cause::Redirected { to: masked_url(to) };
        return Fault::new(cause, Some(status.as_u16()), "", Asked::Nothing, &client.place());
    }
    let asked = parse_asked(response.headers(), Timestamp::now());
    let said = parse_said(&beginning(client, response).await);
    Fault::of_answer(Some(status.as_u16()), &said, asked, &client.place())
}

/// A login page, or whatever else a person would see in a browser.
async fn page(client: &Client, response: Response) -> Fault {
    let status = response.status().as_u16();
    let said = parse_said(&beginning(client, response).await);
    Fault::new(Cause::Nonsense, Some(status), &said.words, Asked::Nothing, &client.place())
}

async fn beginning(client: &Client, mut response: Response) -> Vec<u8> {
    let deadline = Instant::now() + client.inner.timeouts.idle.min(REFUSAL_LIMIT);
    let mut body = Vec::new();
    // Half a refusal still says more than its status.
    while let Ok(Ok(Some(piece))) = timeout_at(deadline, response.chunk()).await {
        body.extend_from_slice(&piece);
        if body.len() > LONGEST_REFUSAL {
            break;
        }
    }
    body
}
