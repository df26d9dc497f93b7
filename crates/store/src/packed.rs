//! Bytes as they lie in a column: zstd-compressed where that is smaller, as they are where it is not.

use std::{borrow::Cow, cell::RefCell, io};

use zstd::{bulk::Decompressor, zstd_safe};

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

impl<'a> Packed<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        if bytes.len() > WORTH_PACKING
            && let Ok(smaller) = zstd::bulk::compress(bytes, LEVEL)
            && smaller.len() < bytes.len()
        {
            return Self { bytes: smaller.into(), unpacked: Some(bytes.len()) };
        }
        Self { bytes: bytes.into(), unpacked: None }
    }

    pub(crate) fn unpack(&self) -> io::Result<Cow<'_, [u8]>> {
        let Some(length) = self.unpacked else { return Ok(Cow::Borrowed(&self.bytes)) };
        // Before as much memory is taken as a damaged number says.
        if !matches!(zstd_safe::get_frame_content_size(&self.bytes), Ok(Some(size)) if size == length as u64) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its length is another"));
        }
        DECOMPRESSOR.with_borrow_mut(|kept| {
            let decompressor = match kept {
                Some(decompressor) => decompressor,
                None => kept.insert(Decompressor::new()?),
            };
            decompressor.decompress(&self.bytes, length).map(Cow::Owned)
        })
    }
}
