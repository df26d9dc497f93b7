//! The texts that steps name, each once and by a number: the same few are named again and again.

use std::{collections::BTreeMap, rc::Rc};

use crate::parameters::{NAME_WEIGHT, NAMED_WEIGHT};

#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: BTreeMap<Rc<str>, u32>,
    texts: Vec<Rc<str>>,
    weight: u64,
}

impl Names {
    /// None where the session has named more than is looked for.
    pub(super) fn number(&mut self, text: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        if self.weight + weight(text) > NAMED_WEIGHT {
            return None;
        }
        self.weight += weight(text);
        let (text, number) = (Rc::<str>::from(text), self.texts.len() as u32);
        self.texts.push(Rc::clone(&text));
        self.numbers.insert(text, number);
        Some(number)
    }

    pub(super) fn texts(&self) -> &[Rc<str>] {
        &self.texts
    }
}

/// Bytes that a text takes here.
pub(super) fn weight(text: &str) -> u64 {
    text.len() as u64 + NAME_WEIGHT
}
