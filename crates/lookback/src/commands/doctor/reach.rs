//! How a model is reached, row by row.

use std::time::Duration;

use lookback_models::{Timeouts, masked_url};

use super::{Row, row};
use crate::settings::{Chosen, KeyFound, Settings};

pub(super) fn rows(chosen: &Chosen, settings: &Settings) -> Vec<Row> {
    let Chosen { endpoint, origins, .. } = chosen;
    let mut rows = vec![
        row("provider", "", &chosen.provider),
        row("API", &origins.api, endpoint.api),
        row("base URL", &origins.base_url, masked_url(&endpoint.base_url)),
        row("time-outs", &origins.timeouts, timeouts(&endpoint.timeouts)),
    ];
    rows.push(match (&endpoint.proxy, &origins.proxy) {
        (Some(proxy), Some(origin)) => row("proxy", origin, masked_url(proxy)),
        _ => standard_proxy(settings, &endpoint.base_url),
    });
    rows.push(match (&endpoint.ca_file, &origins.ca_file, settings.set("SSL_CERT_FILE")) {
        (Some(path), Some(origin), _) => row("CA file", origin, path.display()),
        (_, _, Some(path)) => row("CA file", "SSL_CERT_FILE", format!("{path}, in the place of the system's")),
        _ => row("CA file", "", "the system's"),
    });
    if !endpoint.headers.is_empty() {
        let names: Vec<&str> = endpoint.headers.iter().map(|(name, _)| name.as_str()).collect();
        rows.push(row("headers", "", names.join(", ")));
    }
    rows.push(key(chosen));
    rows
}

/// What the environment says for all programs. Who is exempt from it is known when a connection is made.
fn standard_proxy(settings: &Settings, base_url: &str) -> Row {
    let variables: &[&str] = match base_url.starts_with("http:") {
        true => &["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
        false => &["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
    };
    let set = variables.iter().find_map(|variable| Some((variable, settings.set(variable)?)));
    match set {
        Some((variable, proxy)) => {
            row("proxy", variable, format!("{}; never for this computer, nor for NO_PROXY", masked_url(proxy)))
        }
        None => row("proxy", "", "none"),
    }
}

fn key(chosen: &Chosen) -> Row {
    let described = chosen.endpoint.key.as_ref().map(|key| key.describe()).unwrap_or_default();
    match &chosen.key {
        KeyFound::Found(origin) => row("key", origin, described),
        KeyFound::ByCommand(origin) => row("key", origin, format!("{described}: it runs before a request")),
        KeyFound::NotNeeded => row("key", "", "none is set, and none is needed"),
        KeyFound::Missing { .. } => row("key", "", "none"),
    }
}

fn timeouts(timeouts: &Timeouts) -> String {
    let Timeouts { connect, first_byte, idle, whole } = timeouts;
    let [connect, first_byte, idle, whole] = [connect, first_byte, idle, whole].map(span);
    format!("connect {connect}, first byte {first_byte}, idle {idle}, whole {whole}")
}

fn span(span: &Duration) -> String {
    match span.as_secs() {
        seconds if seconds >= 60 && seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}
