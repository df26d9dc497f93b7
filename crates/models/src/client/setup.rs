//! From an endpoint to the connections, headers and secrets of a client.

use std::{fs, time::Duration};

use lookback_wire::Provider;
use reqwest::{
    Certificate, Proxy, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT},
    redirect,
};

use crate::{
    Endpoint, EndpointError,
    endpoint::Address,
    mask::{Mask, masked_url},
};

/// A connection that died while a model was thinking is noticed by this, long before a time-out.
const ALIVE: Duration = Duration::from_secs(20);

pub(super) fn connections(endpoint: &Endpoint, address: &Address) -> Result<reqwest::Client, EndpointError> {
    // Another part of the program may have chosen already. It chose the same one: we build with no other.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(endpoint.timeouts.connect)
        .tcp_keepalive(ALIVE)
        .http2_keep_alive_interval(ALIVE)
        .http2_keep_alive_timeout(ALIVE);
    if address.is_loopback() {
        builder = builder.no_proxy();
    } else if let Some(url) = &endpoint.proxy {
        builder = builder.proxy(proxy(url)?);
    }
    let certificates = certificates(endpoint)?;
    builder = if address.is_loopback() && address.is_plain() {
        // Nothing to verify: a computer without any CA certificates can still talk to itself.
        builder.tls_certs_only(certificates)
    } else {
        builder.tls_certs_merge(certificates)
    };
    builder.build().map_err(|e| match &endpoint.ca_file {
        Some(path) => EndpointError::BadCaFile { path: path.clone(), reason: innermost(&e) },
        None => EndpointError::NoTls(innermost(&e)),
    })
}

fn proxy(text: &str) -> Result<Proxy, EndpointError> {
    let bad = |reason| EndpointError::BadProxy { url: masked_url(text), reason };
    // A proxy of any other kind would be ignored silently.
    match Url::parse(text).map_err(|e| bad(e.to_string()))?.scheme() {
        "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h" => {}
        other => return Err(bad(format!("the scheme is {other}"))),
    }
    Proxy::all(text).map_err(|e| bad(innermost(&e)))
}

fn certificates(endpoint: &Endpoint) -> Result<Vec<Certificate>, EndpointError> {
    let Some(path) = &endpoint.ca_file else { return Ok(Vec::new()) };
    let bad = |reason: String| EndpointError::BadCaFile { path: path.clone(), reason };
    let bytes = fs::read(path).map_err(|e| bad(e.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&bytes).map_err(|e| bad(innermost(&e)))?;
    if certificates.is_empty() {
        return Err(bad("there is no certificate in it".to_owned()));
    }
    Ok(certificates)
}

/// The cause itself, without the layers that only say that something failed.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

pub(super) fn headers(endpoint: &Endpoint) -> Result<HeaderMap, EndpointError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("lookback/", env!("CARGO_PKG_VERSION"))));
    if endpoint.api == Provider::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    for (name, value) in &endpoint.headers {
        let bad = |reason| EndpointError::BadHeader { name: name.clone(), reason };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("that is no name for a header"))?;
        let mut value =
            HeaderValue::from_str(value).map_err(|_| bad("its value holds a line break or a control character"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// By its name, as keys and tokens are usually called.
pub(super) fn is_secret(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    ["auth", "key", "token", "secret", "password", "cookie"].iter().any(|word| name.contains(word))
}

pub(super) fn mask(endpoint: &Endpoint, address: &Address) -> Mask {
    let mut mask = Mask::default();
    let mut add = |name: &str, value: &str| if is_secret(name) { mask.add_key(value) } else { mask.add(value) };
    for (name, value) in &endpoint.headers {
        add(name, value);
        // `Bearer SECRET`: a server may echo the second word alone.
        value.split_whitespace().skip(1).for_each(|word| add(name, word));
    }
    address.url.query_pairs().for_each(|(name, value)| add(&name, &value));
    mask.add_shapes(&endpoint.base_url);
    endpoint.proxy.iter().for_each(|proxy| mask.add_shapes(proxy));
    if let Some(proxy) = endpoint.proxy.as_deref().and_then(|proxy| Url::parse(proxy).ok()) {
        proxy.password().into_iter().for_each(|password| mask.add_key(password));
    }
    mask
}
