//! Where a model is and how it is reached. Nothing here opens a connection.

mod address;
mod key_header;

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use lookback_wire::Provider;

pub(crate) use address::{Address, parse_address};
pub use key_header::KeyHeader;

use crate::{
    Key, Retries,
    mask::{hide_key_shapes, masked_url},
};

/// A place that answers requests of one API, and how it is spoken to.
#[derive(Clone)]
pub struct Endpoint {
    /// What the server speaks.
    pub api: Provider,
    /// Where the API lies. Its own path (`/messages`, `/chat/completions`, `/responses`) is added, unless the URL ends
    /// in it already. A URL without any path gets `/v1` first; for Anthropic also one whose last segment is no version,
    /// as `https://api.deepseek.com/anthropic`. Every other path and a query are kept as they are.
    pub base_url: String,
    /// None: the server wants none.
    pub key: Option<Key>,
    /// By which header the key is sent.
    pub key_header: KeyHeader,
    /// Sent with every request; they replace the client's own of the same name. Their values are treated as secrets.
    pub headers: Vec<(String, String)>,
    /// None: as the environment says (`HTTPS_PROXY`, `NO_PROXY`). This computer itself is never reached by a proxy.
    pub proxy: Option<String>,
    /// Certificates in PEM, trusted beside the system's.
    pub ca_file: Option<PathBuf>,
    /// Only for servers on other computers.
    pub plain_http: PlainHttp,
    /// How long each wait may take.
    pub timeouts: Timeouts,
    /// How often a failed request is sent again.
    pub retries: Retries,
}

/// Whether a secret may go over `http://` to another computer, where everybody on the way can read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainHttp {
    /// Refused as soon as there is a key.
    WithoutSecrets,
    /// For a network of one's own.
    WithSecrets,
}

/// How long is waited before a request counts as failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Name, connection and TLS together.
    pub connect: Duration,
    /// From sending the request to the first byte of the answer's body: the whole prompt is read in between.
    pub first_byte: Duration,
    /// Between two pieces of the answer. Pings count.
    pub idle: Duration,
    /// From the first try to the end of the answer, however much of it keeps coming. The caller's own pauses do not
    /// count.
    pub whole: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            // The longest answers have 128,000 tokens, and 40 in a second are slow for who writes so many.
            whole: Duration::from_secs(3_600),
        }
    }
}

impl KeyHeader {
    /// As the API's own clients send it.
    pub fn usual(api: Provider) -> Self {
        match api {
            Provider::Anthropic => Self::ApiKey,
            Provider::Chat | Provider::Responses | Provider::React => Self::Bearer,
        }
    }
}

impl Endpoint {
    /// Without a key, with what is usual for the API.
    pub fn new(api: Provider, base_url: impl Into<String>) -> Self {
        Self {
            api,
            base_url: base_url.into(),
            key: None,
            key_header: KeyHeader::usual(api),
            headers: Vec::new(),
            proxy: None,
            ca_file: None,
            plain_http: PlainHttp::WithoutSecrets,
            timeouts: Timeouts::default(),
            retries: Retries::default(),
        }
    }
}

/// Header values and a proxy's password are not shown.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Endpoint")
            .field("api", &self.api)
            .field("base_url", &masked_url(&self.base_url))
            .field("key", &self.key)
            .field("key_header", &self.key_header)
            .field("headers", &names)
            .field("proxy", &self.proxy.as_deref().map(masked_url))
            .field("ca_file", &self.ca_file.as_deref().map(shown_path))
            .field("plain_http", &self.plain_http)
            .field("timeouts", &self.timeouts)
            .field("retries", &self.retries)
            .finish()
    }
}

/// Some paste a key here.
fn shown_path(path: &Path) -> String {
    hide_key_shapes(&path.to_string_lossy())
}

/// Why an endpoint cannot be used at all, before anything was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum EndpointError {
    #[error("\"{url}\" is not a URL that models can be reached by ({reason}); write it like https://host/v1")]
    BadUrl { url: String, reason: String },
    #[error(
        "the key would go to {host} over plain http, readable for everybody on the way; \
         use https, or allow it for this endpoint if the network is yours"
    )]
    SecretOverPlainHttp { host: String },
    #[error("the header \"{name}\" cannot be sent: {reason}")]
    BadHeader { name: String, reason: &'static str },
    #[error(
        "\"{url}\" is not a proxy that can be used ({reason}); write it like http://host:3128 or socks5h://host:1080"
    )]
    BadProxy { url: String, reason: String },
    #[error(
        "cannot use the CA file {}: {reason}; it must hold certificates in PEM (-----BEGIN CERTIFICATE-----)",
        shown_path(path)
    )]
    BadCaFile { path: PathBuf, reason: String },
    #[error("cannot set up TLS: {0}; install the system's CA certificates, or name a CA file")]
    NoTls(String),
}
