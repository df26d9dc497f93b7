//! Files as a person names them: a path, a folder or `-`, plain or compressed. What stands in them is known elsewhere.

mod database;
mod document;
mod lines;
mod opencode;
mod places;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Chain, Cursor, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::{Context, Result, anyhow, bail};
use lookback_engine::trace::BlobHash;
use lookback_replay::recording::Skipped;

use document::Document;
pub(crate) use lines::{LONGEST_LINE, Line, Lines};
pub(crate) use places::{Found, find_sessions, holds_many, named_sessions, nothing_under, once, sub_agents_beside};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// How much of a file's beginning is looked at to tell what it is.
const HEAD: u64 = 1 << 20;

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    File(PathBuf),
    StandardInput,
    /// The file that begins a session in opencode's folders.
    InFolders(PathBuf),
    /// A session in opencode's database, by its id.
    InDatabase(PathBuf, String),
}

impl Source {
    pub(crate) fn new(path: &Path) -> Self {
        match path {
            _ if path.as_os_str() == "-" => Self::StandardInput,
            _ if opencode::is_session(path) => Self::InFolders(path.to_owned()),
            _ => Self::File(path.to_owned()),
        }
    }

    /// The same, whichever way it was named.
    fn as_it_lies(&self) -> Self {
        match self {
            Self::File(path) => Self::File(places::as_it_lies(path)),
            Self::InFolders(path) => Self::InFolders(places::as_it_lies(path)),
            Self::InDatabase(path, id) => Self::InDatabase(places::as_it_lies(path), id.clone()),
            Self::StandardInput => Self::StandardInput,
        }
    }

    /// For people.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) | Self::InFolders(path) => path.display().to_string(),
            Self::InDatabase(path, id) => format!("{} ({id})", path.display()),
            Self::StandardInput => "standard input".to_owned(),
        }
    }
}

/// An open file, decompressed where it was compressed, with a look at its beginning.
pub(crate) struct Input {
    /// The first bytes, as far as they were looked at; they come again when it is read.
    pub(crate) head: Vec<u8>,
    /// Whether that is all of it.
    pub(crate) head_is_whole: bool,
    reader: Chain<Cursor<Vec<u8>>, Box<dyn Read>>,
    /// Bytes taken from the file, before decompression, and how many it has.
    pub(crate) position: Arc<AtomicU64>,
    pub(crate) size: Option<u64>,
    /// What could not be put together with the rest.
    pub(crate) skipped: Vec<Skipped>,
}

impl Input {
    pub(crate) fn open(source: &Source) -> Result<Self> {
        let unreadable = || format!("cannot read {}", source.name());
        let position = Arc::new(AtomicU64::new(0));
        let (file, size): (Box<dyn Read>, _) = match source {
            Source::File(path) if database::is_database(path) => bail!(match database::sessions(path) {
                Ok(_) => anyhow!("{} holds many sessions: name it as a file", path.display()),
                Err(error) => error,
            }),
            Source::InFolders(path) => return Ok(Self::of_document(opencode::assemble(path)?)),
            Source::InDatabase(path, id) => return Ok(Self::of_document(database::assemble(path, id)?)),
            Source::File(path) => {
                let file = File::open(path).with_context(unreadable)?;
                let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
                (Box::new(file), size)
            }
            Source::StandardInput => (Box::new(io::stdin().lock()), None),
        };
        let counted = BufReader::with_capacity(1 << 16, Counted { reader: file, position: position.clone() });
        let mut reader = decompressed(counted).with_context(unreadable)?;
        let mut head = Vec::new();
        reader.by_ref().take(HEAD).read_to_end(&mut head).with_context(unreadable)?;
        let head_is_whole = (head.len() as u64) < HEAD;
        let reader = Cursor::new(head.clone()).chain(reader);
        Ok(Self { head, head_is_whole, reader, position, size, skipped: Vec::new() })
    }

    /// One that was put together in memory.
    fn of_document(Document { bytes: mut document, skipped, .. }: Document) -> Self {
        let size = document.len() as u64;
        let rest = document.split_off((document.len()).min(HEAD as usize));
        let reader: Box<dyn Read> = Box::new(Cursor::new(rest));
        let (head_is_whole, reader) = (size < HEAD, Cursor::new(document.clone()).chain(reader));
        Self { head: document, head_is_whole, reader, position: Arc::default(), size: Some(size), skipped }
    }

    /// Names a session whose file does not: a copy of it has the same beginning and length.
    pub(crate) fn fingerprint(&self) -> BlobHash {
        let size = self.size.unwrap_or_default().to_string();
        BlobHash::of(&[&self.head, size.as_bytes()].concat())
    }

    pub(crate) fn lines(self) -> Lines<impl BufRead> {
        Lines::new(BufReader::with_capacity(1 << 16, self.reader))
    }

    /// All bytes; none where there are more than `limit`.
    pub(crate) fn whole(self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        self.reader.take(limit + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= limit).then_some(bytes))
    }
}

/// What the first bytes say, not the name: files are renamed.
fn decompressed(mut file: impl BufRead + 'static) -> io::Result<Box<dyn Read>> {
    // A pipe may give fewer bytes than the mark is long; the rest stands behind what was taken.
    let mut mark = Vec::new();
    file.by_ref().take(ZSTD.len() as u64).read_to_end(&mut mark)?;
    let is_gzip = mark.starts_with(GZIP);
    let is_zstd = mark == ZSTD;
    let file = Cursor::new(mark).chain(file);
    Ok(match (is_gzip, is_zstd) {
        (true, _) => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        (_, true) => Box::new(zstd::Decoder::with_buffer(file)?),
        _ => Box::new(file),
    })
}

struct Counted<R> {
    reader: R,
    position: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.position.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<u8> {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(bytes).expect("it writes");
        let input = Input::open(&Source::File(file.path().to_owned())).expect("it opens");
        assert!(input.head_is_whole);
        let size = input.size;
        let position = input.position.clone();
        let whole = input.whole(100).expect("it reads").expect("not too long");
        assert_eq!(Some(position.load(Ordering::Relaxed)), size);
        whole
    }

    #[test]
    fn compressed_files_are_known_by_their_first_bytes() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"hello\n").expect("memory");
        // Files are appended to: two members are one file.
        let gzip = packed.finish().expect("memory").repeat(2);
        assert_eq!(read(&gzip), b"hello\nhello\n");
        assert_eq!(read(&zstd::encode_all(&b"hello\n"[..], 3).expect("memory")), b"hello\n");
        for plain in [&b""[..], b"{", b"hello\n"] {
            assert_eq!(read(plain), plain);
        }
    }

    #[test]
    fn what_is_too_long_is_not_read() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(&[b'x'; 11]).expect("it writes");
        let open = || Input::open(&Source::File(file.path().to_owned())).expect("it opens");
        assert_eq!(open().whole(10).expect("it reads"), None);
        assert_eq!(open().whole(11).expect("it reads").map(|bytes| bytes.len()), Some(11));
    }
}
