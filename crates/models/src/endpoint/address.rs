//! From what a person writes as base URL to the one URL that requests go to.

use std::net::IpAddr;

use lookback_wire::Provider;
use reqwest::Url;

use super::EndpointError;
use crate::mask::{hide_shapes_of, masked_url};

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) url: Url,
    pub(crate) host: String,
    /// As people are told of it: some paste a key here.
    pub(crate) shown_host: String,
}

impl Address {
    /// This computer itself: nothing leaves it, so neither a proxy nor encryption is wanted.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => bare == "localhost" || bare.ends_with(".localhost"),
        }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }
}

pub(crate) fn parse_address(api: Provider, base_url: &str) -> Result<Address, EndpointError> {
    let bad = |reason: String| EndpointError::BadUrl { url: masked_url(base_url), reason };
    let mut url = Url::parse(base_url.trim()).map_err(|e| bad(e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!("the scheme is {}", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it holds a name or password; give the key as key, anything else as a header".to_owned()));
    }
    let host = url.host_str().ok_or_else(|| bad("it names no host".to_owned()))?.to_owned();
    url.set_fragment(None);
    let path = whole_path(api, url.path());
    url.set_path(&path);
    Ok(Address { url, shown_host: hide_shapes_of(base_url, &host), host })
}

fn whole_path(api: Provider, base: &str) -> String {
    let own = match api {
        Provider::Anthropic => "/messages",
        Provider::Chat | Provider::React => "/chat/completions",
        Provider::Responses => "/responses",
    };
    let base = base.trim_end_matches('/');
    let last = base.rsplit('/').next().unwrap_or_default();
    if base.ends_with(own) {
        base.to_owned()
    } else if base.is_empty() || (api == Provider::Anthropic && !is_version(last)) {
        format!("{base}/v1{own}")
    } else {
        format!("{base}{own}")
    }
}

/// `v1`, `v4`, `v1beta`.
fn is_version(segment: &str) -> bool {
    let mut letters = segment.chars();
    letters.next() == Some('v') && letters.next().is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(api: Provider, base_url: &str) -> String {
        parse_address(api, base_url).unwrap().url.to_string()
    }

    #[test]
    fn every_usual_way_to_write_a_base_url_reaches_the_api() {
        use Provider::{Anthropic, Chat, React, Responses};
        for (api, base_url, url) in [
            (Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            (Anthropic, "https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"),
            (Anthropic, "https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"),
            (Anthropic, "https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
            (Anthropic, "https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages"),
            (Anthropic, "https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1/messages"),
            (Anthropic, "https://gate.example/v1/me/anthropic", "https://gate.example/v1/me/anthropic/v1/messages"),
            (Chat, "http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            (Chat, "http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions"),
            (Chat, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
            (
                Chat,
                "https://host.example/compatible-mode/v1",
                "https://host.example/compatible-mode/v1/chat/completions",
            ),
            (Chat, "https://host.example/v1beta/openai", "https://host.example/v1beta/openai/chat/completions"),
            (Chat, "https://api.perplexity.ai/chat/completions", "https://api.perplexity.ai/chat/completions"),
            (
                Chat,
                "https://host.example/openai?api-version=2",
                "https://host.example/openai/chat/completions?api-version=2",
            ),
            (React, "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
            (Responses, " https://api.openai.com/v1/responses/ ", "https://api.openai.com/v1/responses"),
            (Responses, "https://api.openai.com#top", "https://api.openai.com/v1/responses"),
        ] {
            assert_eq!(whole(api, base_url), url, "{base_url}");
        }
    }

    #[test]
    fn what_is_no_http_url_is_refused_without_showing_its_password() {
        for base_url in ["", "api.openai.com", "ftp://host/v1", "https://", "https://me:geheim@host/v1"] {
            let error = parse_address(Provider::Chat, base_url).unwrap_err().to_string();
            assert!(error.contains("https://host/v1"), "{error}");
            assert!(!error.contains("geheim"), "{error}");
        }
    }

    #[test]
    fn loopback_is_this_computer_and_no_other() {
        for (base_url, expected) in [
            ("http://localhost:1", true),
            ("http://app.localhost", true),
            ("http://127.3.2.1", true),
            ("http://[::1]:8080", true),
            ("http://192.168.1.5", false),
            ("http://localhost.example", false),
            ("http://0.0.0.0", false),
        ] {
            assert_eq!(parse_address(Provider::Chat, base_url).unwrap().is_loopback(), expected, "{base_url}");
        }
    }
}
