//! Secrets never reach a person's screen: whatever text is about to be shown passes through here. Servers echo keys in
//! their refusals, and proxies echo whole requests.

mod drawn;
mod reading;
mod runs;
mod shape;

use reqwest::Url;

use runs::{Found, Runs};
pub use shape::hide_key_shapes;
use shape::{key_shapes, without};

/// Shorter values are words rather than secrets, and would blot out ordinary text.
const SHORTEST_SECRET: usize = 6;
/// This much of a secret's beginning is hidden even where the rest was cut off.
const TELLING: usize = 12;

/// All secrets of one endpoint.
#[derive(Clone, Default)]
pub(crate) struct Mask {
    /// The longest first, so that a secret that holds another goes as a whole.
    secrets: Vec<String>,
    /// Of those that are keys, every run in every form.
    runs: Runs,
}

impl Mask {
    pub(crate) fn add(&mut self, secret: &str) {
        let secret = secret.trim();
        if secret.len() >= SHORTEST_SECRET && !self.secrets.iter().any(|known| known == secret) {
            self.secrets.push(secret.to_owned());
            self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// What gives access by itself: it is hidden in every form, and so is every run of it.
    pub(crate) fn add_key(&mut self, key: &str) {
        self.add(key);
        self.runs.add(key.trim());
    }

    /// What in a setting looks like a key: the server may repeat it, and what is made of the setting no longer shows it.
    pub(crate) fn add_shapes(&mut self, setting: &str) {
        key_shapes(setting).into_iter().for_each(|place| self.add_key(&setting[place]));
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        match self.runs.find(text) {
            Found::Everywhere => "[hidden]".to_owned(),
            Found::Places(runs) => {
                let out = without(text, &runs, "[hidden]");
                self.secrets.iter().fold(out, |text, secret| hide(&text, secret))
            }
        }
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

/// A URL as it may be shown: without the password, without the query, where some servers want their key, and without
/// what looks like a key.
pub fn masked_url(text: &str) -> String {
    match Url::parse(text.trim()) {
        Ok(mut url) if url.has_host() => {
            if url.password().is_some() && url.set_password(Some("hidden")).is_err() {
                return "[hidden]".to_owned();
            }
            if url.query().is_some() {
                url.set_query(Some("hidden"));
            }
            hide_shapes_of(text, url.as_str())
        }
        _ if text.contains('@') => "[hidden]".to_owned(),
        _ => hide_key_shapes(text.trim()),
    }
}

/// A text that was made of a setting, without what looked like a key in it: a host's letters become small, and then some
/// keys look like names.
pub(crate) fn hide_shapes_of(setting: &str, text: &str) -> String {
    let mut mask = Mask::default();
    mask.add_shapes(setting);
    mask.apply(&hide_key_shapes(text))
}

#[cfg(test)]
mod tests {
    use base64::{
        Engine,
        engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
    };

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

    /// All that servers were seen to do with a key, and then some.
    fn repeated(key: &str) -> Vec<String> {
        let spelt = |between: &str| key.chars().map(String::from).collect::<Vec<_>>().join(between);
        let turned: String = key.chars().rev().collect();
        let mut said =
            vec![key.to_owned(), key.to_uppercase(), turned, spelt(" "), spelt("\n"), spelt(", "), spelt("\u{200b}")];
        said.extend(
            [1, 2, 5, 10].into_iter().flat_map(|cut| [key[cut..].to_owned(), key[..key.len() - cut].to_owned()]),
        );
        said.push(key[7..].to_owned() + &key[..7]);
        for around in ["", "x", "xy", "xyz"] {
            let text = format!("{around}{key}{around}");
            said.extend([
                STANDARD.encode(&text),
                URL_SAFE_NO_PAD.encode(&text),
                STANDARD.encode(text.chars().rev().collect::<String>()),
            ]);
            said.extend(runs::BASE32.map(|alphabet| runs::in_base32(&text, 0, alphabet).to_uppercase()));
        }
        said.push(key.bytes().map(|byte| format!("{byte:02X} ")).collect());
        said
    }

    /// With the characters that stand for A, a, 0 and 1, and those behind them.
    fn drawn_as(c: char, [large, small, zero, one]: [char; 4]) -> String {
        let behind = |first: char, number: u32| char::from_u32(first as u32 + number).expect("a letter").into();
        match c {
            'A'..='Z' => behind(large, c as u32 - 'A' as u32),
            'a'..='z' => behind(small, c as u32 - 'a' as u32),
            '0' => zero.into(),
            '1'..='9' => behind(one, c as u32 - '1' as u32),
            _ => c.into(),
        }
    }

    /// The same for who looks at what a program would make of it.
    fn written(key: &str) -> Vec<String> {
        let each = |write: fn(char) -> String| key.chars().map(write).collect::<String>();
        let spelt = |between: &str| key.chars().map(String::from).collect::<Vec<_>>().join(between);
        let mut said = vec![
            each(|c| format!("0x{:02x} ", c as u32)),
            each(|c| format!("\\x{:02x}", c as u32)),
            each(|c| format!("\\u{:04x}", c as u32)),
            each(|c| format!("\\u{{{:x}}}", c as u32)),
            each(|c| format!("\\{:03o}", c as u32)),
            each(|c| format!("&#{};", c as u32)),
            each(|c| format!("&#x{:X};", c as u32)),
            each(|c| format!("&amp;#{};", c as u32)),
            each(|c| format!("%{:02x}", c as u32)),
            each(|c| format!("%25{:02X}", c as u32)),
            each(|c| format!("={:02X}", c as u32)),
            each(|c| format!("{}, ", c as u32)),
            each(|c| if c.is_ascii_digit() { format!("%{:02x}", c as u32) } else { c.into() }),
            each(|c| if c.is_ascii_alphabetic() { c.into() } else { format!("\\u{:04x}", c as u32) }),
            each(|c| format!("&#{:07};", c as u32)),
            each(|c| format!("&#x{:08X};", c as u32)),
            each(|c| format!("&amp;#x{:04x};", c as u32)),
            each(|c| format!("\\u{{{:06x}}}", c as u32)),
            each(|c| format!("\\{:06x}", c as u32)),
            each(|c| format!("\\{:04x}", c as u32)),
            each(|c| drawn_as(c, ['𝐀', '𝐚', '𝟎', '𝟏'])),
            each(|c| drawn_as(c, ['𝒜', '𝓪', '𝟘', '𝟙'])),
            each(|c| drawn_as(c, ['Ⓐ', 'ⓐ', '⓪', '①'])),
            each(|c| drawn_as(c, ['A', 'a', '₀', '₁'])),
            each(|c| char::from_u32(c as u32 + 0xfee0).expect("a wide letter").into()),
            each(|c| format!("<b>{c}</b><i class=\"x\">")),
            each(|c| format!("{c}{c}")),
            STANDARD.encode(key).chars().rev().collect(),
            STANDARD.encode(spelt(" ")),
            STANDARD.encode(format!("x{}", spelt(" "))),
            STANDARD.encode(key.to_uppercase()),
            STANDARD.encode(format!("xy{}", key.to_lowercase())),
            (0..).zip(key.chars()).map(|(at, c)| format!("{at}:{c} ")).collect(),
        ];
        said.extend(["<br>", "\u{1b}[31m", "я", "字", "\u{301}", "\\", "xy", " and then ", "\u{8}"].map(spelt));
        said
    }

    #[test]
    fn no_key_is_shown_to_who_reads_escapes_and_passes_over_what_is_between() {
        for key in ["sk-test-0123456789-abcdefghij-f3a", "gsk_Ab1Cd2Ef3Gh4Ij5Kl6Mn7", "ab-cd-ef-gh-ij-kl-mn-op-qr-st"] {
            let mut mask = Mask::default();
            mask.add_key(key);
            for said in written(key) {
                for around in ["", "the answer to all questions: ", "Ключ: "] {
                    let shown = mask.apply(&format!("{around}{said}{around}"));
                    // At the ends of a run at most two characters are left.
                    assert!(shown.contains("[hidden]"), "{said}");
                    assert!(shown.len() <= 2 * around.len() + 60, "{said}: {shown}");
                }
            }
        }
    }

    #[test]
    fn what_holds_no_key_stays_as_it_is() {
        let mut mask = Mask::default();
        mask.add_key("sk-test-0123456789-abcdefghij-f3a");
        for said in [
            "<p>100 % of \\u0067 and &#103; = 67</p> \u{1b}[31mred",
            "the request req_011CSHoEeqs5C35K2UUqR7Fy is wrong: messages.1.content.0.text",
            "2026-11-16T14:11:36.123456Z 0x00007f8a 12345 abcdefg",
        ] {
            assert_eq!(mask.apply(said), said);
        }
    }

    #[test]
    fn a_host_that_is_a_key_is_not_shown_in_small_letters() {
        for key in ["Ab1CdefGhijKlmnOpqrStuv", "gsk_Ab1Cd2Ef3Gh4Ij5Kl6Mn7"] {
            for url in [format!("https://{key}/v1"), format!("https://{key}:8080"), format!("http://{key}.example/v1")]
            {
                let shown = masked_url(&url).to_lowercase();
                assert!(!shown.contains(&key.to_lowercase()[..8]) && shown.contains("[hidden"), "{shown}");
            }
        }
    }

    #[test]
    fn no_run_of_a_key_is_shown_in_any_form() {
        for key in
            ["sk-test-0123456789-abcdefghij-f3a", "gsk_Ab1Cd2Ef3Gh4Ij5Kl6Mn7", "9f86d081884c7d659a2feaa0c55ad015"]
        {
            let mut mask = Mask::default();
            mask.add_key(key);
            for said in repeated(key) {
                for (before, after) in
                    [("", ""), ("the key ", " is wrong"), ("{\"authorization\":\"Bearer ", "\"}"), ("key=", "&x=1")]
                {
                    let shown = mask.apply(&format!("{before}{said}{after}"));
                    let bare = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "").to_lowercase();
                    let (left, said) = (bare(&shown), bare(&said));
                    // At its ends base64 has a few letters that are not the key's alone.
                    let all: Vec<char> = said.chars().collect();
                    let runs = all.windows(11).map(|run| run.iter().collect::<String>());
                    assert!(runs.into_iter().all(|run| !left.contains(&run)), "{shown}");
                    assert!(shown.starts_with(before) && shown.ends_with(after), "{shown}");
                }
            }
            assert_eq!(
                mask.apply("the provider says the key is not valid (401)"),
                "the provider says the key is not valid (401)"
            );
        }
    }

    #[test]
    fn a_password_in_a_url_is_not_shown() {
        assert_eq!(masked_url("http://me:geheim@proxy:3128/"), "http://me:hidden@proxy:3128/");
        assert_eq!(masked_url("https://host/v1?key=geheim"), "https://host/v1?hidden");
        assert_eq!(masked_url("me:geheim@proxy"), "[hidden]");
        assert_eq!(masked_url("host"), "host");
    }
}
