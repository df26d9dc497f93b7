//! What a tool printed: bytes, complete, whatever their encoding.
//!
//! Small outputs travel inside their event. A store takes large ones out, keeps them once by hash, and gives them back
//! through [`Blobs`]; the engine itself reads no disk.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::ids::BlobHash;

pub(crate) use crate::configuration::fixed::{BEYOND_EDGE, COMPLETE_LIMIT};

/// Bytes, in the trace itself or in a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Stored", try_from = "Stored")]
pub enum Output {
    /// The bytes themselves.
    Inline(Bytes),
    /// The bytes are in the store.
    Blob {
        /// Of all of them.
        hash: BlobHash,
        /// How many there are.
        len: u64,
    },
    /// More than `COMPLETE_LIMIT`.
    Beyond(Box<BothEnds>),
}

/// What is kept of an output beyond `COMPLETE_LIMIT`: both ends, the size and the hash of the whole, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BothEnds {
    /// The first `BEYOND_EDGE` bytes.
    pub head: Bytes,
    /// The last ones.
    pub tail: Bytes,
    /// How many there were.
    pub len: u64,
    /// Of all of them.
    pub hash: BlobHash,
}

/// Where the engine gets the bytes that a store took out of the trace.
pub trait Blobs {
    /// The bytes with this hash.
    fn blob(&self, hash: &BlobHash) -> Result<Bytes, BlobError>;
}

/// For traces that hold all their outputs themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBlobs;

/// Why bytes could not be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// Nobody has them.
    #[error("output {0} is not in the store: the trace names it, so the store is damaged or incomplete")]
    Missing(BlobHash),
    /// Somebody should have them.
    #[error("output {hash} could not be read: {reason}")]
    Unreadable {
        /// Of which bytes.
        hash: BlobHash,
        /// Why not.
        reason: String,
    },
}

impl Blobs for NoBlobs {
    fn blob(&self, hash: &BlobHash) -> Result<Bytes, BlobError> {
        Err(BlobError::Missing(*hash))
    }
}

impl Output {
    /// Keeps as much of the bytes as is ever kept.
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        if bytes.len() <= COMPLETE_LIMIT {
            return Self::Inline(bytes);
        }
        Self::Beyond(Box::new(BothEnds {
            hash: BlobHash::of(&bytes),
            len: bytes.len() as u64,
            head: Bytes::copy_from_slice(&bytes[..BEYOND_EDGE]),
            tail: Bytes::copy_from_slice(&bytes[bytes.len() - BEYOND_EDGE..]),
        }))
    }

    /// Of everything that the tool printed, kept or not.
    pub fn hash(&self) -> BlobHash {
        match self {
            Self::Inline(bytes) => BlobHash::of(bytes),
            Self::Blob { hash, .. } => *hash,
            Self::Beyond(ends) => ends.hash,
        }
    }

    /// How many bytes the tool printed, kept or not.
    pub fn len(&self) -> u64 {
        match self {
            Self::Inline(bytes) => bytes.len() as u64,
            Self::Blob { len, .. } => *len,
            Self::Beyond(ends) => ends.len,
        }
    }

    /// Leaves more than so many bytes to the store that holds them: from now on they are named by their hash.
    pub fn release(&mut self, most: usize) {
        if let Self::Inline(bytes) = self
            && bytes.len() > most
        {
            *self = Self::Blob { hash: BlobHash::of(bytes), len: bytes.len() as u64 };
        }
    }

    /// Whether the tool printed nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, as far as they were kept. Beyond the limit the first line says so, and a line stands where the middle was.
    pub fn bytes(&self, blobs: &dyn Blobs) -> Result<Bytes, BlobError> {
        match self {
            Self::Inline(bytes) => Ok(bytes.clone()),
            Self::Blob { hash, .. } => blobs.blob(hash),
            Self::Beyond(ends) => {
                let BothEnds { head, tail, len, hash } = &**ends;
                let missing = len.saturating_sub((head.len() + tail.len()) as u64);
                let first = format!("[of {len} bytes only both ends stand here; the whole has the hash {hash}]\n");
                let middle = format!("\n[{missing} bytes do not stand here]\n");
                Ok([first.as_bytes(), head.as_ref(), middle.as_bytes(), tail.as_ref()].concat().into())
            }
        }
    }
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        // It stays as long as its session: without the room that it grew in.
        Self::new(text.into_boxed_str().into_boxed_bytes())
    }
}

impl From<&str> for Output {
    fn from(text: &str) -> Self {
        Self::new(text.to_owned())
    }
}

/// The form on disk: text where it is text, so that a person can read a trace; base64 where it is not.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stored {
    Text(String),
    Base64(String),
    Blob { hash: BlobHash, len: u64 },
    Beyond { head: String, tail: String, len: u64, hash: BlobHash },
}

impl From<Output> for Stored {
    fn from(output: Output) -> Self {
        match output {
            Output::Inline(bytes) => match String::from_utf8(bytes.into()) {
                Ok(text) => Self::Text(text),
                Err(error) => Self::Base64(STANDARD.encode(error.as_bytes())),
            },
            Output::Blob { hash, len } => Self::Blob { hash, len },
            Output::Beyond(ends) => Self::Beyond {
                head: STANDARD.encode(&ends.head),
                tail: STANDARD.encode(&ends.tail),
                len: ends.len,
                hash: ends.hash,
            },
        }
    }
}

impl TryFrom<Stored> for Output {
    type Error = base64::DecodeError;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        Ok(match stored {
            // Files come from anywhere: the limit holds for them, too.
            Stored::Text(text) => Self::new(text),
            Stored::Base64(text) => Self::new(STANDARD.decode(text)?),
            Stored::Blob { hash, len } => Self::Blob { hash, len },
            Stored::Beyond { head, tail, len, hash } => Self::Beyond(Box::new(BothEnds {
                head: STANDARD.decode(head)?.into(),
                tail: STANDARD.decode(tail)?.into(),
                len,
                hash,
            })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_for_what_a_file_brings() {
        let largest = Output::try_from(Stored::Text("x".repeat(COMPLETE_LIMIT))).unwrap();
        assert!(matches!(largest, Output::Inline(_)));
        drop(largest);
        let larger = Output::try_from(Stored::Text("x".repeat(COMPLETE_LIMIT + 1))).unwrap();
        let Output::Beyond(ends) = larger else { panic!("kept whole") };
        assert_eq!((ends.head.len(), ends.tail.len(), ends.len), (BEYOND_EDGE, BEYOND_EDGE, COMPLETE_LIMIT as u64 + 1));
    }
}
