//! Blocks of methods, and calls of them.

use super::tokens::{Token, closing, is, is_word};

/// An `impl` or a `trait`: whose methods it has, and which.
#[derive(Debug)]
pub(crate) struct Impl {
    pub(crate) of: Vec<String>,
    pub(crate) of_a_trait: bool,
    /// Each with the module in and below which it may be called. None: everywhere.
    pub(crate) methods: Vec<(String, Option<usize>)>,
}

/// `.name(…)`: by `self` in a block, or by something else.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) by_self: Option<usize>,
    pub(crate) line: usize,
}

impl Impl {
    /// Reads the block whose `impl` or `trait` stands at `start`, and gives the place behind it.
    pub(crate) fn read(tokens: &[Token<'_>], start: usize, this: usize, parent: Option<usize>) -> (Self, usize) {
        let (mut at, mut depth, mut of, mut of_a_trait) =
            (start + 1, 0_usize, Vec::new(), tokens[start].text == "trait");
        while !is(tokens, at, "{") && at < tokens.len() {
            match tokens[at].text {
                "<" => depth += 1,
                ">" if !is(tokens, at - 1, "-") => depth -= 1,
                "where" if depth == 0 => break,
                "for" if depth == 0 => (of_a_trait, of) = (true, Vec::new()),
                word if depth == 0 && is_word(word) => of.push(word.to_owned()),
                _ => {}
            }
            at += 1;
        }
        while !is(tokens, at, "{") && at < tokens.len() {
            at += 1;
        }
        let end = closing(tokens, at);
        let (mut methods, mut seen_by) = (Vec::new(), Some(this));
        at += 1;
        while at < end {
            match tokens[at].text {
                "{" => at = closing(tokens, at) - 1,
                "pub" if is(tokens, at + 1, "(") && is(tokens, at + 2, "super") => seen_by = parent,
                "pub" => seen_by = None,
                "fn" => {
                    let seen_by = seen_by.replace(this).filter(|_| !of_a_trait);
                    methods.push((tokens[at + 1].text.to_owned(), seen_by));
                }
                _ => {}
            }
            at += 1;
        }
        (Self { of, of_a_trait, methods }, end)
    }
}

/// Not `x: impl Trait` or `-> impl Trait`.
pub(crate) fn begins_item(tokens: &[Token<'_>], at: usize) -> bool {
    at == 0 || matches!(tokens[at - 1].text, ";" | "}" | "]" | ")" | "unsafe" | "pub")
}

pub(crate) fn is_call(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|name| is_word(name.text)) && (is(tokens, at + 1, "(") || is(tokens, at + 1, "::"))
}
