//! Secrets never reach a person's screen: whatever text is about to be shown passes through here. Servers echo keys in
//! their refusals, and proxies echo whole requests.

use reqwest::Url;

/// Shorter values are words rather than secrets, and would blot out ordinary text.
const SHORTEST_SECRET: usize = 6;
/// This much of a secret's beginning is hidden even where the rest was cut off.
const TELLING: usize = 12;

/// All secrets of one endpoint.
#[derive(Clone, Default)]
pub(crate) struct Mask {
    /// The longest first, so that a secret that holds another goes as a whole.
    secrets: Vec<String>,
}

impl Mask {
    pub(crate) fn add(&mut self, secret: &str) {
        let secret = secret.trim();
        if secret.len() >= SHORTEST_SECRET && !self.secrets.iter().any(|known| known == secret) {
            self.secrets.push(secret.to_owned());
            self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| hide(&text, secret))
    }
}

/// Also where only the beginning of the secret is left, because somebody cut the text.
fn hide(text: &str, secret: &str) -> String {
    let telling = secret.char_indices().nth(TELLING).map_or(secret, |(end, _)| &secret[..end]);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(telling) {
        let same = rest[start..].char_indices().zip(secret.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(start, |((at, c), _)| start + at + c.len_utf8());
        out.push_str(&rest[..start]);
        out.push_str("[hidden]");
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({} secrets)", self.secrets.len())
    }
}

/// A URL as it may be shown: without the password and without the query, where some servers want their key.
pub fn masked_url(text: &str) -> String {
    match Url::parse(text.trim()) {
        Ok(mut url) if url.has_host() => {
            if url.password().is_some() && url.set_password(Some("hidden")).is_err() {
                return "[hidden]".to_owned();
            }
            if url.query().is_some() {
                url.set_query(Some("hidden"));
            }
            url.to_string()
        }
        _ if text.contains('@') => "[hidden]".to_owned(),
        _ => text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_secret_goes_first_and_words_stay() {
        let mut mask = Mask::default();
        mask.add("secret");
        mask.add("Bearer secret-and-more");
        mask.add("a");
        assert_eq!(mask.apply("Bearer secret-and-more, secret, a"), "[hidden], [hidden], a");
    }

    #[test]
    fn what_is_left_of_a_cut_secret_goes_as_well() {
        let mut mask = Mask::default();
        mask.add("sk-test-0123456789-äöü-secret");
        assert_eq!(mask.apply("a sk-test-0123456789-äöü-secret, sk-test-0123456789-ä…"), "a [hidden], [hidden]…");
        assert_eq!(mask.apply("keys begin with sk-test-"), "keys begin with sk-test-");
    }

    #[test]
    fn a_password_in_a_url_is_not_shown() {
        assert_eq!(masked_url("http://me:geheim@proxy:3128/"), "http://me:hidden@proxy:3128/");
        assert_eq!(masked_url("https://host/v1?key=geheim"), "https://host/v1?hidden");
        assert_eq!(masked_url("me:geheim@proxy"), "[hidden]");
        assert_eq!(masked_url("host"), "host");
    }
}
