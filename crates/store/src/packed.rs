//! Bytes as they lie in a column: zstd-compressed where that is smaller, as they are where it is not.

use std::{borrow::Cow, cell::RefCell, io};

use zstd::bulk::Decompressor;

/// Below this, compressing saves too little to pay for itself.
const WORTH_PACKING: usize = 1024;

/// zstd's own default: most of the gain at several hundred MB a second.
const LEVEL: i32 = 3;

thread_local! {
    /// Kept, because a search unpacks hundreds of small bodies and a new one allocates 100 kB each time.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

pub(crate) struct Packed<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    /// The length before compression; none where there was no compression.
    pub(crate) unpacked: Option<usize>,
}

pub(crate) fn pack(bytes: &[u8]) -> Packed<'_> {
    if bytes.len() > WORTH_PACKING
        && let Ok(smaller) = zstd::bulk::compress(bytes, LEVEL)
        && smaller.len() < bytes.len()
    {
        return Packed { bytes: smaller.into(), unpacked: Some(bytes.len()) };
    }
    Packed { bytes: bytes.into(), unpacked: None }
}

pub(crate) fn unpack(bytes: Vec<u8>, unpacked: Option<usize>) -> io::Result<Vec<u8>> {
    let Some(length) = unpacked else { return Ok(bytes) };
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new()?),
        };
        decompressor.decompress(&bytes, length)
    })
}
