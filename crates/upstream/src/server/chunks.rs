//! How bytes are cut on their way out. A client must not care; this is how to find out whether it does.

use std::str::FromStr;

use bytes::Bytes;

/// Sizes of the pieces that a client gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Chunks {
    /// Each event by itself.
    #[default]
    Whole,
    /// Each byte by itself.
    One,
    /// Sizes from 1 to 23 without regard to events or characters, the same in every run.
    Odd,
}

/// A name that is none of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no way to cut: write 1, odd or whole")]
pub struct UnknownChunks(String);

impl FromStr for Chunks {
    type Err = UnknownChunks;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "whole" => Ok(Self::Whole),
            "1" => Ok(Self::One),
            "odd" => Ok(Self::Odd),
            _ => Err(UnknownChunks(name.to_owned())),
        }
    }
}

/// Cuts what goes out, one after the other. What was left of a piece goes out with the next.
#[derive(Debug)]
pub(super) struct Cutter {
    chunks: Chunks,
    seed: u64,
    rest: Vec<u8>,
}

impl Cutter {
    pub(super) fn new(chunks: Chunks) -> Self {
        Self { chunks, seed: 0x2545_F491_4F6C_DD1D, rest: Vec::new() }
    }

    pub(super) fn cut(&mut self, bytes: Vec<u8>) -> Vec<Bytes> {
        match self.chunks {
            Chunks::Whole => vec![bytes.into()],
            Chunks::One => bytes.into_iter().map(|byte| Bytes::from(vec![byte])).collect(),
            Chunks::Odd => {
                self.rest.extend(bytes);
                let mut cut = Vec::new();
                loop {
                    let size = self.next_size();
                    if size > self.rest.len() {
                        return cut;
                    }
                    let rest = self.rest.split_off(size);
                    cut.push(std::mem::replace(&mut self.rest, rest).into());
                }
            }
        }
    }

    /// What is still here.
    pub(super) fn flush(&mut self) -> Bytes {
        std::mem::take(&mut self.rest).into()
    }

    /// Xorshift: good enough to be odd.
    fn next_size(&mut self) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed % 23) as usize + 1
    }
}
