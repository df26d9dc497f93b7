//! Seals of thinking: made so that whoever has the key can tell its own from any other, without remembering them.
//! A real provider's key is secret; this one only has to be different from everybody's guess.

use crate::prompt::Digest;

const KEY: &str = "lookback test upstream 2026 thinking seals";

/// A seal over a text and what stood before it.
pub(crate) fn issue(kind: &str, text: &str, history: &Digest) -> String {
    let history = hex(history);
    format!("{kind}{history}{}", tag(kind, text, &history))
}

/// What stood before the text when it was sealed; none where the seal is not ours or the text is another.
pub(crate) fn open<'s>(kind: &str, text: &str, seal: &'s str) -> Option<&'s str> {
    let (history, tag_given) = seal.strip_prefix(kind)?.split_at_checked(HISTORY)?;
    (tag(kind, text, history) == tag_given).then_some(history)
}

pub(crate) fn hex(digest: &Digest) -> String {
    blake3::Hash::from_bytes(*digest).to_hex()[..HISTORY].to_owned()
}

const HISTORY: usize = 32;

fn tag(kind: &str, text: &str, history: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(KEY);
    for field in [kind, history, text] {
        hasher.update(&(field.len() as u64).to_le_bytes()).update(field.as_bytes());
    }
    hasher.finalize().to_hex()[..HISTORY].to_owned()
}
