//! Synthetic text that looks like a coding session: identifiers, paths, log lines, code, test output, some Chinese.
//!
//! Words are made from syllables and picked by Zipf's law, so that the full-text index gets frequent and rare words, and
//! compression finds about as much to save as it does in real output. Knows nothing of sessions.

mod vocabulary;

use std::{fmt::Write as _, sync::Arc};

pub(crate) use vocabulary::{COMMON, Vocabulary};

use crate::random::Random;

#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) random: Random,
    vocabulary: Arc<Vocabulary>,
}

impl Text {
    pub(crate) fn new(vocabulary: Arc<Vocabulary>, seed: u64) -> Self {
        Self { random: Random::new(seed), vocabulary }
    }

    pub(crate) fn word(&mut self) -> &str {
        let words = &self.vocabulary.words;
        &words[self.random.rank(words.len())]
    }

    pub(crate) fn path(&mut self) -> &str {
        let paths = &self.vocabulary.paths;
        &paths[self.random.rank(paths.len())]
    }

    pub(crate) fn hex(&mut self, digits: usize) -> String {
        format!("{:016x}{:016x}", self.random.next(), self.random.next())[..digits].to_owned()
    }

    pub(crate) fn identifier(&mut self) -> String {
        let mut name = self.word().to_owned();
        let camel = self.random.below(3) == 0;
        for _ in 0..self.random.between(0, 3) {
            let word = self.word().to_owned();
            if camel {
                let (head, tail) = word.split_at(1);
                name.push_str(&head.to_uppercase());
                name.push_str(tail);
            } else {
                name.push('_');
                name.push_str(&word);
            }
        }
        name
    }

    pub(crate) fn sentence(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word().to_owned()).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn chinese(&mut self, words: usize) -> String {
        let pairs = &self.vocabulary.chinese;
        (0..words).map(|_| pairs[self.random.rank(pairs.len())].as_str()).collect()
    }

    /// One line of the kinds that tools print, without its end.
    pub(crate) fn line(&mut self) -> String {
        match self.random.below(20) {
            0..=5 => self.code_line(),
            6..=11 => self.log_line(),
            12..=14 => {
                let state = if self.random.below(40) == 0 { "FAILED" } else { "ok" };
                format!("test {}::{} ... {state}", self.identifier(), self.identifier())
            }
            15 => {
                let (line, column) = (self.random.below(900), self.random.below(90));
                format!("  --> {}:{line}:{column}", self.path())
            }
            16 => format!("// {}，{}。", self.chinese(4), self.chinese(3)),
            _ => self.sentence(9),
        }
    }

    /// Lines of at least `bytes` bytes together.
    pub(crate) fn output(&mut self, bytes: usize) -> String {
        let mut output = String::with_capacity(bytes + 120);
        while output.len() < bytes {
            output.push_str(&self.line());
            output.push('\n');
        }
        output
    }

    pub(crate) fn code_line(&mut self) -> String {
        let mut line = "    ".repeat(self.random.between(0, 4));
        let (target, object, method) = (self.identifier(), self.identifier(), self.identifier());
        let number = self.random.below(5_000);
        let _ = write!(line, "let {target} = {object}.{method}({}, {number});", self.identifier());
        line
    }

    fn log_line(&mut self) -> String {
        let level = *self.random.pick(&["INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"]);
        let (second, millisecond) = (self.random.below(86_400), self.random.below(1_000));
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        let (module, id, took) = (self.identifier(), self.hex(12), self.random.below(4_000));
        let words = self.sentence(5);
        format!(
            "2026-11-0{}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z {level} {module} id={id} took={took}ms {words}",
            1 + took % 9
        )
    }
}
