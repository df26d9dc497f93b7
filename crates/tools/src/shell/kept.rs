//! What a command printed: on disk and not in memory, masked before that, the middle left out where it is too much.
//!
//! The two streams are put together as they come, in whole lines where they are whole: what is written to both within
//! microseconds may change places. What is not UTF-8 stays as it is.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt,
    path::Path,
};

use lookback_engine::trace::BlobHash;

/// A key is shorter: so much of a line without an end is held back, lest one be cut in two and missed.
const HELD_BACK: usize = 4 << 10;
/// Longer lines are written before they are whole.
const LONGEST_HELD: usize = 64 << 10;
/// Of standard error, for the short form: twenty lines fit.
const ERROR_TAIL: usize = 4 << 10;

/// Which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Out = 0,
    Error = 1,
}

impl Stream {
    fn other(self) -> Self {
        if self == Self::Out { Self::Error } else { Self::Out }
    }
}

pub(super) struct Kept {
    /// The first half of what is kept, and behind it the newest other half, over and over.
    file: File,
    half: u64,
    /// How much came, kept or not.
    total: u64,
    hasher: blake3::Hasher,
    pending: [Vec<u8>; 2],
    error_tail: Vec<u8>,
    /// Why the rest is not on disk, and from which byte on.
    broken: Option<(u64, String)>,
}

impl Kept {
    pub(super) fn new(folder: &Path, most: u64) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(folder)?,
            half: (most / 2).max(1),
            total: 0,
            hasher: blake3::Hasher::new(),
            pending: Default::default(),
            error_tail: Vec::new(),
            broken: None,
        })
    }

    /// What came on a stream.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8], mask: &dyn Fn(&[u8]) -> Vec<u8>) {
        let mut pending = std::mem::take(&mut self.pending[stream as usize]);
        pending.extend_from_slice(bytes);
        let whole = match pending.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if pending.len() > LONGEST_HELD => uncut(&pending, mask),
            None => 0,
        };
        self.pending[stream as usize] = pending.split_off(whole);
        if !pending.is_empty() {
            // What the other stream began came before.
            self.flush(stream.other(), mask);
            self.write(stream, &mask(&pending));
        }
    }

    /// Lines that have no end yet, too: for who looks now, and at the end.
    pub(super) fn flush_both(&mut self, mask: &dyn Fn(&[u8]) -> Vec<u8>) {
        self.flush(Stream::Out, mask);
        self.flush(Stream::Error, mask);
    }

    fn flush(&mut self, stream: Stream, mask: &dyn Fn(&[u8]) -> Vec<u8>) {
        let pending = std::mem::take(&mut self.pending[stream as usize]);
        self.write(stream, &mask(&pending));
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Error {
            self.error_tail.extend_from_slice(bytes);
            let too_much = self.error_tail.len().saturating_sub(ERROR_TAIL);
            self.error_tail.drain(..too_much);
        }
        self.hasher.update(bytes);
        let mut at = self.total;
        self.total += bytes.len() as u64;
        let mut rest = bytes;
        while !rest.is_empty() && self.broken.is_none() {
            let (part, later) = rest.split_at(rest.len().min(self.room(at)));
            if let Err(error) = self.file.write_all_at(part, self.place(at)) {
                self.broken = Some((at, error.to_string()));
            }
            at += part.len() as u64;
            rest = later;
        }
    }

    /// Where a byte stands in the file.
    fn place(&self, at: u64) -> u64 {
        if at < self.half { at } else { self.half + (at - self.half) % self.half }
    }

    /// How many from there on stand behind one another.
    fn room(&self, at: u64) -> usize {
        (self.half - self.place(at) % self.half) as usize
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Of all that came.
    pub(super) fn hash(&self) -> BlobHash {
        BlobHash(*self.hasher.finalize().as_bytes())
    }

    pub(super) fn broken(&self) -> Option<&str> {
        self.broken.as_ref().map(|(_, why)| why.as_str())
    }

    /// The last whole lines of standard error, as far as they are text.
    pub(super) fn error_tail(&self) -> String {
        String::from_utf8_lossy(&self.error_tail).trim_start_matches('\u{fffd}').to_owned()
    }

    /// Bytes that are not kept any more.
    pub(super) fn dropped(&self) -> std::ops::Range<u64> {
        match self.broken {
            Some((at, _)) => at.min(self.half)..self.total,
            None => self.half..(self.total.saturating_sub(self.half)).max(self.half),
        }
    }

    /// Those bytes of a range that are kept, in their order.
    pub(super) fn read(&self, range: std::ops::Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader(range).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The same, for who must not have them all at once.
    pub(super) fn reader(&self, range: std::ops::Range<u64>) -> KeptReader<'_> {
        KeptReader { kept: self, at: range.start, end: range.end.min(self.total) }
    }
}

pub(super) struct KeptReader<'a> {
    kept: &'a Kept,
    at: u64,
    end: u64,
}

impl Read for KeptReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let dropped = self.kept.dropped();
        if dropped.contains(&self.at) {
            self.at = dropped.end;
        }
        let until = if self.at < dropped.start { self.end.min(dropped.start) } else { self.end };
        let length = (until.saturating_sub(self.at)).min(buffer.len() as u64) as usize;
        let length = length.min(self.kept.room(self.at));
        let read = self.kept.file.read_at(&mut buffer[..length], self.kept.place(self.at))?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Where a line without an end can be cut: what is masked apart must be what is masked together.
fn uncut(bytes: &[u8], mask: &dyn Fn(&[u8]) -> Vec<u8>) -> usize {
    let together = mask(bytes);
    let is_uncut = |cut: &usize| [mask(&bytes[..*cut]), mask(&bytes[*cut..])].concat() == together;
    let places = (bytes.len() / 2..=bytes.len() - HELD_BACK).rev().step_by(HELD_BACK);
    places.take(4).find(is_uncut).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(most: u64) -> Kept {
        Kept::new(&std::env::temp_dir(), most).unwrap()
    }

    fn all(kept: &Kept) -> String {
        String::from_utf8(kept.read(0..kept.total()).unwrap()).unwrap()
    }

    #[test]
    fn the_middle_is_what_goes() {
        let mut kept = kept(12);
        for line in ["1234\n", "5678\n", "9abc\n", "defg\n", "hi\n"] {
            kept.push(Stream::Out, line.as_bytes(), &<[u8]>::to_vec);
        }
        assert_eq!((kept.total(), kept.dropped()), (23, 6..17));
        assert_eq!(all(&kept), "1234\n5fg\nhi\n");
        assert_eq!(kept.read(18..22).unwrap(), b"g\nhi");
        assert_eq!(kept.hash(), BlobHash::of(b"1234\n5678\n9abc\ndefg\nhi\n"));
    }

    #[test]
    fn lines_of_two_streams_stay_whole() {
        let mut kept = kept(100);
        let mask = |bytes: &[u8]| bytes.to_ascii_uppercase();
        kept.push(Stream::Out, b"one ", &mask);
        assert_eq!(kept.total(), 0, "half a line may be half a key");
        kept.push(Stream::Out, b"line\ntwo", &mask);
        kept.push(Stream::Error, b"wrong\n", &mask);
        kept.flush_both(&mask);
        assert_eq!((all(&kept).as_str(), kept.error_tail().as_str()), ("ONE LINE\nTWOWRONG\n", "WRONG\n"));
    }

    #[test]
    fn a_full_disk_ends_the_keeping_and_nothing_else() {
        let full = File::options().read(true).write(true).open("/dev/full").unwrap();
        let mut kept = Kept { file: full, ..kept(100) };
        kept.push(Stream::Out, b"lost\n", &<[u8]>::to_vec);
        assert_eq!((kept.total(), kept.dropped()), (5, 0..5));
        assert!(kept.broken().unwrap().contains("No space left"));
    }
}
