//! Counts tokens as OpenAI's `o200k_base` makes them, without making them.
//!
//! ```
//! assert_eq!(lookback_tokens::count_o200k(b"hello world"), 2);
//! ```
//!
//! A command that counts one line must not pay for a tokenizer first. So the tables are made when this crate is built and used
//! as they lie in the binary: `vocabulary.rs` finds a token by its bytes, `classes.rs` knows characters, `pieces.rs` cuts a text,
//! `encoding.rs` counts the tokens of a piece. Their data and whose they are: `data/NOTICE`.

#![warn(missing_docs)]

mod classes;
mod encoding;
mod pieces;
mod vocabulary;

/// Tokens of these bytes. What is not UTF-8 is counted as it is shown: as replacement characters.
pub fn count_o200k(bytes: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(bytes);
    let mut encoding = encoding::Encoding::default();
    let (mut start, mut count) = (0, 0);
    while start < text.len() {
        let end = pieces::end_of_piece(&text, start);
        count += encoding.count(text.as_bytes(), start..end);
        start = end;
    }
    u32::try_from(count).unwrap_or(u32::MAX)
}
