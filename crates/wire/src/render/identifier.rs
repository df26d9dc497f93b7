//! Call ids and tool names that every JSON provider takes. Ids travel: a session begun with one provider goes on with
//! another, and models call tools that were never declared.

use std::borrow::Cow;

/// Some servers of Chat Completions refuse longer call ids.
const LONGEST_ID: usize = 40;

/// The strictest limit for names.
const LONGEST_NAME: usize = 64;

/// The id itself when it will do, else one made from it: the same for a call and its result, different for different
/// ids. 128 bits of digest keep them apart.
pub(super) fn portable_id(id: &str) -> Cow<'_, str> {
    portable(id, LONGEST_ID, 7, 32)
}

/// Names are read by the model, so most of the room goes to what can be kept.
pub(super) fn portable_name(name: &str) -> Cow<'_, str> {
    portable(name, LONGEST_NAME, 47, 16)
}

/// A name made from one that is well formed, but already means something else.
pub(super) fn other_name(name: &str) -> String {
    mapped(name, 47, 16)
}

fn portable(text: &str, longest: usize, kept: usize, digest: usize) -> Cow<'_, str> {
    if !text.is_empty() && text.len() <= longest && text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(mapped(text, kept, digest))
    }
}

fn mapped(text: &str, kept: usize, digest: usize) -> String {
    let prefix: String = text.chars().take(kept).map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("{prefix}_{}", &blake3::hash(text.as_bytes()).to_hex()[..digest])
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_ids_stay() {
        let longest = "x".repeat(40);
        for id in ["toolu_01A-b", "call_9", longest.as_str()] {
            assert_eq!(portable_id(id), id);
        }
    }

    #[test]
    fn other_ids_are_mapped() {
        insta::assert_snapshot!(portable_id("functions.Read:0"), @"functio_f5d7e323081ee521e27e33dca29cc6a7");
        insta::assert_snapshot!(portable_id("调用"), @"___6f2d6928aeac586bad3074a75004586b");
        insta::assert_snapshot!(portable_id(""), @"_af1349b9f5f9a1a6a0404dea36dcc949");
        insta::assert_snapshot!(portable_name("functions.Read"), @"functions_Read_adf3539651fbabfe");
    }

    #[test]
    fn ids_that_look_alike_stay_apart() {
        let long = "x".repeat(65);
        let ids = ["a.b", "a:b", "a b", "a/b", "调", "用", "", &long, &format!("{long}x")]
            .map(|id| portable_id(id).into_owned());
        let different: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        assert!(ids.iter().all(|id| id.len() <= 40 && id.chars().all(is_plain)));
    }
}
