//! Bodies as clients pack them: read within bounds, and packed again in the same coding where one was changed.

use std::io::{self, Read, Write};

use bytes::Bytes;

/// How a body is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Gzip,
    Brotli,
    Zstd,
}

/// As large as a request may be when it is unpacked: twice the largest limit of a provider.
pub(crate) const LARGEST: usize = 64 << 20;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CodingError {
    #[error("the body is packed as \"{0}\", and only gzip, br and zstd are read: send it plain")]
    Unknown(String),
    #[error("the body is larger than {} MiB when it is unpacked: send less", LARGEST >> 20)]
    TooLarge,
    #[error("the body cannot be unpacked: {0}")]
    Broken(io::Error),
}

impl Coding {
    pub(crate) fn parse(named: Option<&str>) -> Result<Self, CodingError> {
        match named.map(|named| named.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Ok(Self::Plain),
            Some("gzip" | "x-gzip") => Ok(Self::Gzip),
            Some("br") => Ok(Self::Brotli),
            Some("zstd") => Ok(Self::Zstd),
            Some(other) => Err(CodingError::Unknown(other.to_owned())),
        }
    }

    /// Stops at the bound, however much more there would be.
    pub(crate) fn unpack(self, packed: &Bytes) -> Result<Bytes, CodingError> {
        match self {
            Self::Plain if packed.len() > LARGEST => Err(CodingError::TooLarge),
            Self::Plain => Ok(packed.clone()),
            Self::Gzip => read(flate2::read::MultiGzDecoder::new(&packed[..])),
            Self::Brotli => read(brotli_decompressor::Decompressor::new(&packed[..], 4096)),
            Self::Zstd => read(zstd::Decoder::new(&packed[..]).map_err(CodingError::Broken)?),
        }
    }

    pub(crate) fn pack(self, plain: Vec<u8>) -> Result<Vec<u8>, CodingError> {
        let packed = match self {
            Self::Plain => Ok(plain),
            Self::Gzip => {
                let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packed.write_all(&plain).and_then(|()| packed.finish())
            }
            Self::Brotli => Ok(store_in_brotli(&plain)),
            Self::Zstd => zstd::encode_all(&plain[..], 1),
        };
        packed.map_err(CodingError::Broken)
    }
}

/// A stream of stored pieces (RFC 7932, 9.1 and 9.2): every reader takes it, and it needs no compressor, whose tables alone would be
/// half a megabyte of the program for what hardly any client sends.
fn store_in_brotli(plain: &[u8]) -> Vec<u8> {
    const PIECE: usize = 1 << 16;
    let mut packed = Vec::with_capacity(plain.len() + 3 * plain.len().div_ceil(PIECE) + 1);
    // One bit stands before the first piece: a window of 64 KiB. Then of each: not the last, four nibbles, its length less
    // one, stored; and zeros up to the next byte.
    let mut before = 1;
    for piece in plain.chunks(PIECE) {
        let head = ((piece.len() as u32 - 1) << 3 | 1 << 19) << before;
        packed.extend(&head.to_le_bytes()[..3]);
        packed.extend(piece);
        before = 0;
    }
    // The last piece, which is empty.
    packed.push(0b11 << before);
    packed
}

fn read(unpacked: impl Read) -> Result<Bytes, CodingError> {
    let mut whole = Vec::new();
    let mut bounded = unpacked.take(LARGEST as u64 + 1);
    bounded.read_to_end(&mut whole).map_err(CodingError::Broken)?;
    if whole.len() > LARGEST { Err(CodingError::TooLarge) } else { Ok(whole.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        for times in [0, 1, 100, 10_000] {
            let body = b"{\"messages\":[]}".repeat(times);
            for coding in ["identity", "gzip", "br", "zstd"] {
                let coding = Coding::parse(Some(coding)).expect("a coding");
                let packed = coding.pack(body.clone()).expect("packed");
                assert_eq!(coding.unpack(&packed.into()).expect("unpacked"), body);
            }
        }
        assert!(Coding::parse(Some("deflate, gzip")).is_err());
        assert!(matches!(Coding::Gzip.unpack(&Bytes::from_static(b"no gzip")), Err(CodingError::Broken(_))));
    }

    #[test]
    fn a_bomb_is_stopped_at_the_bound() {
        let packed = zstd::encode_all(io::repeat(b' ').take(LARGEST as u64 * 4), 1).expect("packed");
        assert!(packed.len() < 100_000);
        assert!(matches!(Coding::Zstd.unpack(&packed.into()), Err(CodingError::TooLarge)));
    }
}
