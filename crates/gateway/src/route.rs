//! From a path to what is asked for, and of whom.

use lookback_wire::Provider;

/// What a path asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// An answer of a model.
    Model(Provider),
    /// How long a prompt is.
    Count,
    /// Whether the gateway runs.
    Health,
    /// Its figures.
    Metrics,
    /// Anything else goes on as it is.
    Other,
}

/// A path, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route<'a> {
    pub(crate) asked: Asked,
    /// `/s/NAME`: what the person calls the conversation or project.
    pub(crate) session: Option<&'a str>,
    /// `/u/NAME`: the upstream.
    pub(crate) upstream: Option<&'a str>,
    /// What goes on.
    pub(crate) path: &'a str,
}

impl<'a> Route<'a> {
    pub(crate) fn parse(mut path: &'a str) -> Self {
        let (mut session, mut upstream) = (None, None);
        loop {
            let prefix =
                |mark: &str| path.strip_prefix(mark).and_then(|rest| rest.find('/').map(|end| rest.split_at(end)));
            if let Some((name, rest)) = prefix("/s/") {
                (session, path) = (Some(name), rest);
            } else if let Some((name, rest)) = prefix("/u/") {
                (upstream, path) = (Some(name), rest);
            } else {
                break;
            }
        }
        let asked = match path.trim_end_matches('/') {
            "/healthz" => Asked::Health,
            "/metrics" => Asked::Metrics,
            path if path.ends_with("/v1/messages") || path == "/messages" => Asked::Model(Provider::Anthropic),
            path if path.ends_with("/v1/messages/count_tokens") || path == "/messages/count_tokens" => Asked::Count,
            path if path.ends_with("/chat/completions") => Asked::Model(Provider::Chat),
            path if path.ends_with("/responses") => Asked::Model(Provider::Responses),
            _ => Asked::Other,
        };
        Self { asked, session, upstream, path }
    }

    /// The API of the body.
    pub(crate) fn api(&self) -> Option<Provider> {
        match self.asked {
            Asked::Model(api) => Some(api),
            Asked::Count => Some(Provider::Anthropic),
            _ => None,
        }
    }
}

/// Whether a path has parts that are taken out on the way, by the rules of addresses (WHATWG, "double-dot URL path segment").
pub(crate) fn has_dots(path: &str) -> bool {
    let is_dots = |part: &str| matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    path.split(['/', '\\']).filter(|part| matches!(part.len(), 1..=6)).any(is_dots)
}

/// Where a request goes. A base that ends in the version that the path begins with says it once.
pub(crate) fn join(base: &str, path: &str, query: Option<&str>) -> String {
    let base = base.trim_end_matches('/');
    let base = match path.starts_with("/v1/") || path == "/v1" {
        true => base.strip_suffix("/v1").unwrap_or(base),
        false => base,
    };
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    format!("{base}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_taken_off_in_any_order() {
        let route = Route::parse("/s/shop/u/openai/v1/responses");
        assert_eq!((route.session, route.upstream, route.path), (Some("shop"), Some("openai"), "/v1/responses"));
        assert_eq!(route.asked, Asked::Model(Provider::Responses));
        assert_eq!(Route::parse("/u/x/s/y/healthz").asked, Asked::Health);
        assert_eq!(Route::parse("/v1/messages/count_tokens").asked, Asked::Count);
        assert_eq!(Route::parse("/v1/models").asked, Asked::Other);
        assert_eq!(Route::parse("/v1/threads/t1/messages").asked, Asked::Other, "OpenAI's");
        assert_eq!(Route::parse("/s/").path, "/s/");
    }

    #[test]
    fn dots_are_found_as_addresses_have_them() {
        for path in ["/v1/../admin", "/v1/.", "/%2e%2E/x", "/a/.%2e", "/v1\\..\\x"] {
            assert!(has_dots(path), "{path}");
        }
        for path in ["/v1/messages", "/v1/files/..a", "/v1/...", "/v1/a.b", "/"] {
            assert!(!has_dots(path), "{path}");
        }
    }

    #[test]
    fn a_version_is_said_once() {
        assert_eq!(
            join("https://api.example/v1/", "/v1/messages", Some("beta=true")),
            "https://api.example/v1/messages?beta=true"
        );
        assert_eq!(join("http://127.0.0.1:1", "/v1/responses", None), "http://127.0.0.1:1/v1/responses");
        assert_eq!(join("https://x/backend/codex", "/responses", None), "https://x/backend/codex/responses");
    }
}
