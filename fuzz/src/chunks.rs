//! Cutting an input into pieces, as a network would; how is up to the fuzzer.

/// How to cut, and what: the first byte says how many bytes after it are sizes of chunks.
#[derive(Debug, Clone, Copy)]
pub struct Cut<'a> {
    sizes: &'a [u8],
    pub bytes: &'a [u8],
}

impl<'a> Cut<'a> {
    pub fn new(input: &'a [u8]) -> Self {
        let Some((count, rest)) = input.split_first() else { return Self { sizes: &[], bytes: &[] } };
        let (sizes, bytes) = rest.split_at((usize::from(*count) % 8).min(rest.len()));
        Self { sizes, bytes }
    }

    /// The pieces, some of them empty; one whole where no sizes are given.
    pub fn chunks(self) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = self.bytes;
        let mut sizes = self.sizes.iter().cycle();
        // A size of zero gives an empty chunk, but not zeroes alone, or it would never end.
        let endless = self.sizes.iter().all(|size| *size == 0);
        std::iter::from_fn(move || {
            let size = if endless { rest.len() } else { sizes.next().map_or(rest.len(), |size| usize::from(*size)) };
            let (chunk, later) = rest.split_at(size.min(rest.len()));
            let ended = rest.is_empty();
            rest = later;
            (!ended).then_some(chunk)
        })
    }
}
