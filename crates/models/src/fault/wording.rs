//! The text for a person: first what the provider says, with its status, then what to do. Secrets are masked before
//! anything is shortened, so that no half of one is left.

use std::time::Duration;

use jiff::Zoned;

use super::{
    Cause, Place,
    cause::{NoConnection, Phase},
};
use crate::{Bound, ErrorKind, ModelError};

const LONGEST_QUOTE: usize = 300;
const OTHER_MODEL: &str = "choose another model with --model";

pub(super) fn render_message(cause: &Cause, status: Option<u16>, said: &str, place: &Place<'_>) -> String {
    let mut first = what(cause, place);
    if let Some(status) = status {
        first.push_str(&format!(" ({status})"));
    }
    let said = shorten(&place.mask.apply(said));
    if !said.is_empty() {
        first.push_str(": ");
        first.push_str(&said);
    }
    let mut lines = vec![first];
    if matches!(cause, Cause::BadKey) {
        lines.push(place.key.map_or("no key was sent".to_owned(), |key| key.describe()));
    }
    lines.push(advice(cause, place));
    place.mask.apply(&lines.join("\n"))
}

fn what(cause: &Cause, place: &Place<'_>) -> String {
    let host = place.host;
    match cause {
        Cause::BadKey => "the provider says the key is not valid".to_owned(),
        Cause::NoSuchModel => "the provider knows no such model".to_owned(),
        Cause::NothingThere => format!("{host} knows no such path or model"),
        Cause::TooLong { .. } => "the prompt is too long for the model".to_owned(),
        Cause::NothingToPayWith => "the provider says there is no credit left".to_owned(),
        Cause::RateLimited => "the provider says it was asked too much".to_owned(),
        Cause::Overloaded => "the provider is overloaded".to_owned(),
        Cause::RefusedContent => "the provider refuses this content".to_owned(),
        Cause::RefusedThinking => "the provider refuses the thinking of earlier steps".to_owned(),
        Cause::BadRequest => "the provider says the request is wrong".to_owned(),
        Cause::ServerTimeout => "the provider took too long by its own measure".to_owned(),
        Cause::ServerError => "the provider failed".to_owned(),
        Cause::Redirected { to } => format!("{host} redirects to {to}, which is not followed: the key would go there"),
        Cause::Nonsense => format!("what {host} answered is not what the API says"),
        Cause::Cut => "the answer broke off".to_owned(),
        Cause::NoConnection(reason) => no_connection(reason, place),
        Cause::Timeout { phase, limit } => {
            let limit = limit.as_secs_f32();
            match phase {
                Phase::Connect => format!("no connection to {host} within {limit} s"),
                Phase::FirstByte => format!("{host} took the request, but no answer began within {limit} s"),
                Phase::NextByte => format!("{host} stopped in the middle of the answer and was silent for {limit} s"),
            }
        }
        Cause::Beyond { bound, limit } => match bound {
            Bound::AnswerBytes => format!("{host} sent {} MiB and did not end its answer", limit >> 20),
            Bound::EventBytes => format!("{host} sent an event of more than {} MiB", limit >> 20),
            Bound::Values => format!("{host} sent more than {limit} JSON values in an answer"),
            Bound::EmptyLines => format!("{host} sent {limit} lines in a row without anything of an answer"),
            Bound::WholeTime => {
                format!("{host} did not end its answer within {} s", Duration::from_millis(*limit).as_secs_f32())
            }
        },
    }
}

fn no_connection(reason: &NoConnection, place: &Place<'_>) -> String {
    let host = place.host;
    match reason {
        NoConnection::UnknownHost => format!("there is no host called {host}"),
        NoConnection::Refused => {
            let port = place.url.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
            format!("nobody listens at {host}{port}")
        }
        NoConnection::UnknownIssuer => {
            format!("the certificate of {host} is signed by nobody that this computer trusts")
        }
        NoConnection::WrongName => format!("the certificate of {host} is made out to another name"),
        NoConnection::Expired => format!("the certificate of {host} is not valid today"),
        NoConnection::OtherTls(why) => format!("no secure connection to {host} ({why})"),
        NoConnection::Proxy(why) => format!("the proxy does not reach {host} ({why})"),
        NoConnection::Broken(why) => format!("the connection to {host} broke before an answer came ({why})"),
    }
}

fn advice(cause: &Cause, place: &Place<'_>) -> String {
    match cause {
        Cause::BadKey => format!("check it with `lookback doctor`, or {OTHER_MODEL}"),
        Cause::NoSuchModel => format!("check the model's name with `lookback doctor`, or {OTHER_MODEL}"),
        Cause::NothingThere => {
            format!("check base_url (requests go to {}) and the model's name with `lookback doctor`", shown_url(place))
        }
        Cause::TooLong { .. } => "choose a model with a larger window with --model".to_owned(),
        Cause::NothingToPayWith => format!("add credit at the provider, or {OTHER_MODEL}"),
        Cause::RateLimited | Cause::Overloaded => format!("wait a little and try again, or {OTHER_MODEL}"),
        Cause::RefusedContent => "say it in other words, or fold what it refuses out of view with /fold".to_owned(),
        Cause::RefusedThinking => {
            "set `thinking` on the model's card to what this provider wants: keep, drop or required".to_owned()
        }
        Cause::BadRequest => {
            "compare the model's card with what this server can do; if the card is right, please report this".to_owned()
        }
        Cause::ServerTimeout | Cause::ServerError => format!("try again later, or {OTHER_MODEL}"),
        Cause::Redirected { .. } => "set base_url to where the API really is".to_owned(),
        Cause::Nonsense => format!(
            "check base_url (requests go to {}), and whether a proxy or a login page is in between",
            shown_url(place)
        ),
        Cause::Cut => "what came is kept: go on from there, or try again".to_owned(),
        Cause::NoConnection(reason) => reach(reason, place),
        Cause::Timeout { phase: Phase::Connect, .. } => "check the network, base_url and the proxy".to_owned(),
        Cause::Timeout { phase: Phase::FirstByte, .. } => {
            "a local model may still be reading the prompt: raise the first-byte time-out for this endpoint".to_owned()
        }
        Cause::Timeout { phase: Phase::NextByte, .. } => {
            "try again, or raise the idle time-out for this endpoint".to_owned()
        }
        Cause::Beyond { bound: Bound::WholeTime, .. } => {
            "what came is kept: ask for less at once, or raise the whole time-out for this endpoint".to_owned()
        }
        Cause::Beyond { .. } => format!(
            "what came is kept; no model answers so: check base_url (requests go to {}), or {OTHER_MODEL}",
            shown_url(place)
        ),
    }
}

fn reach(reason: &NoConnection, place: &Place<'_>) -> String {
    match reason {
        NoConnection::UnknownHost => "check base_url and the network".to_owned(),
        NoConnection::Refused => format!("start the server, or check base_url (requests go to {})", shown_url(place)),
        NoConnection::UnknownIssuer => {
            "if it is your company's proxy or your own server, give its CA certificate (PEM) as ca_file".to_owned()
        }
        NoConnection::WrongName => "check base_url: the name in it must be the one in the certificate".to_owned(),
        NoConnection::Expired => "check this computer's clock; if it is right, the server needs a new one".to_owned(),
        NoConnection::OtherTls(_) => "if the server speaks no TLS, write base_url with http://".to_owned(),
        NoConnection::Proxy(_) => "check the proxy's address, name and password".to_owned(),
        NoConnection::Broken(_) => "check the network, and try again".to_owned(),
    }
}

/// Without the query, which may hold a key.
fn shown_url(place: &Place<'_>) -> String {
    crate::mask::masked_url(place.url.as_str())
}

/// One line, of bounded length.
pub(super) fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    lookback_engine::text::shorten(&line, LONGEST_QUOTE).into_owned()
}

/// A line that says when it may be tried again.
pub(super) fn later(wait: Duration, now: &Zoned) -> String {
    let minutes = wait.as_secs().div_ceil(60);
    let when = match now.checked_add(wait) {
        Ok(then) if then.date() == now.date() => format!("at {}, ", then.strftime("%H:%M")),
        Ok(then) => format!("on {}, ", then.strftime("%Y-%m-%d at %H:%M")),
        Err(_) => String::new(),
    };
    format!("\nit can be asked again {when}in {minutes} minutes")
}

/// What stopped an answer that had begun.
pub(super) fn cut(error: &ModelError) -> ModelError {
    if error.kind == ErrorKind::CutStream {
        return error.clone();
    }
    let message = format!(
        "the answer broke off: {}\n{}",
        error.first_line(),
        "what came is kept: go on from there, or try again"
    );
    ModelError::new(ErrorKind::CutStream, error.status, message)
}
