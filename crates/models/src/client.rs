//! One provider over HTTP. Connections are kept and shared by all clones.
//!
//! It knows where requests go and what is sent with them. `client/exchange.rs` carries out one request; `fault` says
//! what a refusal means.

mod bounds;
mod exchange;
mod incoming;
mod opening;
mod setup;

use std::{fmt, sync::Arc};

use lookback_wire::Provider;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use exchange::Exchange;

use crate::{
    Answering, Endpoint, EndpointError, Key, KeyError, KeyHeader, PlainHttp, Request, Retries, Timeouts,
    endpoint::{Address, parse_address},
    fault::{Cause, Fault, Place},
    mask::{Mask, masked_url},
    retry::Asked,
};

/// A provider at one endpoint.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    http: reqwest::Client,
    api: Provider,
    address: Address,
    headers: HeaderMap,
    key: Option<Key>,
    key_header: KeyHeader,
    timeouts: Timeouts,
    retries: Retries,
    /// All secrets but the key, which is looked up later.
    mask: Mask,
}

impl Client {
    /// Opens no connection and looks up no key yet.
    pub fn new(endpoint: Endpoint) -> Result<Self, EndpointError> {
        let address = parse_address(endpoint.api, &endpoint.base_url)?;
        let headers = setup::headers(&endpoint)?;
        let has_secrets = endpoint.key.is_some() || endpoint.headers.iter().any(|(name, _)| setup::is_secret(name));
        let private = !address.is_plain() || address.is_loopback();
        if has_secrets && !private && endpoint.plain_http == PlainHttp::WithoutSecrets {
            return Err(EndpointError::SecretOverPlainHttp { host: address.shown_host });
        }
        let http = setup::connections(&endpoint, &address)?;
        let mask = setup::mask(&endpoint, &address);
        let Endpoint { api, key, key_header, timeouts, retries, .. } = endpoint;
        Ok(Self { inner: Arc::new(Inner { http, api, address, headers, key, key_header, timeouts, retries, mask }) })
    }

    /// Nothing is sent before the answer is asked for. The request must be written for the endpoint's API.
    pub fn send(&self, request: Request) -> Answering {
        Answering::new(Exchange::new(self.clone(), request))
    }

    /// The headers of one request, the key among them.
    async fn signed_headers(&self) -> Result<HeaderMap, KeyError> {
        let mut headers = self.inner.headers.clone();
        if let Some(key) = &self.inner.key {
            let value = key.value().await?;
            let (name, text) = match self.inner.key_header {
                KeyHeader::ApiKey => (HeaderName::from_static("x-api-key"), value.to_owned()),
                KeyHeader::Bearer => (AUTHORIZATION, format!("Bearer {value}")),
            };
            let mut value = HeaderValue::from_str(&text).expect("a key was checked to be ASCII without spaces");
            value.set_sensitive(true);
            headers.entry(name).or_insert(value);
        }
        Ok(headers)
    }

    /// A text that may be shown: without the key, header values and passwords of this endpoint.
    pub fn hide_secrets(&self, text: &str) -> String {
        self.mask().apply(text)
    }

    fn mask(&self) -> Mask {
        let mut mask = self.inner.mask.clone();
        if let Some(value) = self.inner.key.as_ref().and_then(Key::known) {
            mask.add_key(value);
        }
        mask
    }

    fn place(&self) -> Place<'_> {
        let Address { url, shown_host: host, .. } = &self.inner.address;
        Place { host, url, key: self.inner.key.as_ref(), mask: self.mask() }
    }

    fn fault(&self, cause: Cause) -> Fault {
        self.fault_saying(cause, "")
    }

    /// `said`: what the failing side reported.
    fn fault_saying(&self, cause: Cause, said: &str) -> Fault {
        Fault::new(cause, None, said, Asked::Nothing, &self.place())
    }
}

/// Where it sends to, and nothing of what it sends.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.inner.mask.apply(&masked_url(self.inner.address.url.as_str()));
        write!(f, "Client({} at {url})", self.inner.api)
    }
}
