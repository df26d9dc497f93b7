//! How the bytes of a file are text: encoding, byte order mark and line endings, and back again without a loss.
//!
//! UTF-8 stays bytes: what is not valid in it is shown as U+FFFD and written back as it was.

use std::io::Read;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use memchr::{memchr, memmem};

/// How much of a file its encoding is told by.
pub(super) const HEAD: usize = 64 << 10;

/// What the head of a file shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text(Form),
    /// With its media type.
    Image(&'static str),
    Pdf,
    Binary,
}

/// How text is written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    pub encoding: &'static Encoding,
    /// The byte order mark, if there is one.
    mark: &'static [u8],
}

impl Kind {
    pub(super) fn of(head: &[u8]) -> Self {
        let form = |encoding, mark| Self::Text(Form { encoding, mark });
        if let Some(media_type) = image_type(head) {
            return Self::Image(media_type);
        }
        match head {
            [b'%', b'P', b'D', b'F', b'-', ..] => Self::Pdf,
            [0xEF, 0xBB, 0xBF, ..] => form(UTF_8, b"\xEF\xBB\xBF"),
            [0xFF, 0xFE, ..] if head.get(2..4) != Some(&[0, 0]) => form(UTF_16LE, b"\xFF\xFE"),
            [0xFE, 0xFF, ..] => form(UTF_16BE, b"\xFE\xFF"),
            _ if memchr(0, head).is_some() => Self::Binary,
            _ if is_mostly_utf8(head) => form(UTF_8, b""),
            _ => {
                let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
                detector.feed(head, head.len() < HEAD);
                form(detector.guess(None, Utf8Detection::Deny), b"")
            }
        }
    }
}

fn image_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// A damaged character or two do not make it another encoding; in one, hardly a character is also valid here.
fn is_mostly_utf8(head: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    let mut chunks = head.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        // The head may end inside a character.
        invalid += usize::from(!chunk.invalid().is_empty() && (chunks.peek().is_some() || head.len() < HEAD));
    }
    invalid == 0 || valid > invalid
}

impl Form {
    /// What a new file gets.
    pub(super) const PLAIN: Self = Self { encoding: UTF_8, mark: b"" };

    pub(super) fn is_utf8(&self) -> bool {
        self.encoding == UTF_8
    }

    /// The text as UTF-8, piece by piece, without its mark.
    pub(super) fn reader<'r>(&self, bytes: impl Read + 'r) -> Box<dyn Read + 'r> {
        if !self.is_utf8() {
            let mut builder = DecodeReaderBytesBuilder::new();
            return Box::new(builder.encoding(Some(self.encoding)).strip_bom(true).build(bytes));
        }
        let mut bytes = bytes;
        let mut mark = [0; 3];
        // The mark was seen there; a file that shrank since then has nothing to show anyway.
        let _ = bytes.read_exact(&mut mark[..self.mark.len()]);
        Box::new(bytes)
    }

    /// The whole text as UTF-8 without its mark. None: writing it back would change what nobody asked to change.
    pub(super) fn decode(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        if self.is_utf8() {
            return Some(bytes[self.mark.len().min(bytes.len())..].to_vec());
        }
        let text = self.encoding.decode_without_bom_handling_and_without_replacement(&bytes[self.mark.len()..])?;
        let text = text.into_owned().into_bytes();
        (self.encode(&text).as_ref() == Some(&bytes)).then_some(text)
    }

    /// With its mark. None: the encoding has no place for a character of the text.
    pub(super) fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = self.mark.to_vec();
        if self.is_utf8() {
            bytes.extend_from_slice(text);
            return Some(bytes);
        }
        let text = str::from_utf8(text).ok()?;
        if self.encoding == UTF_16LE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        } else if self.encoding == UTF_16BE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        } else {
            let (encoded, _, has_lost) = self.encoding.encode(text);
            bytes.extend_from_slice((!has_lost).then_some(&*encoded)?);
        }
        Some(bytes)
    }
}

/// What ends most lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Lf,
    CrLf,
}

impl Ending {
    pub(super) fn of(text: &[u8]) -> Self {
        let both = memmem::find_iter(text, b"\r\n").count();
        let all = memchr::memchr_iter(b'\n', text).count();
        if both * 2 > all { Self::CrLf } else { Self::Lf }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Lf => Self::CrLf,
            Self::CrLf => Self::Lf,
        }
    }

    /// The same text with these endings.
    pub(super) fn put(self, text: &str) -> String {
        let text = text.replace("\r\n", "\n");
        match self {
            Self::Lf => text,
            Self::CrLf => text.replace('\n', "\r\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(bytes: &[u8]) -> Form {
        match Kind::of(bytes) {
            Kind::Text(form) => form,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn text_comes_back_byte_for_byte() {
        let (gbk, _, _) = encoding_rs::GBK.encode("这是一个中文文件，用于测试编码的识别。\r\n第二行也是中文。");
        for bytes in
            [&b"\xEF\xBB\xBFplain\n"[..], b"\xFF\xFEa\0\n\0", b"\xFE\xFF\0a\0\n", b"bad \xFF byte \xC3\xA4", &gbk]
        {
            let form = form(bytes);
            let text = form.decode(bytes.to_vec()).unwrap();
            assert_eq!(form.encode(&text).as_deref(), Some(bytes), "{}", form.encoding.name());
            let mut streamed = Vec::new();
            form.reader(bytes).read_to_end(&mut streamed).unwrap();
            assert_eq!(streamed, text);
        }
    }

    #[test]
    fn encodings_are_told_by_their_bytes() {
        let (gbk, _, _) = encoding_rs::GBK.encode("这是一个中文文件，用于测试编码的识别。");
        assert_eq!(form(&gbk).encoding, encoding_rs::GBK);
        assert!(form("ä ö ü \u{FFFD}".as_bytes()).is_utf8());
        assert!(form(b"\xC3\xA4 \xC3\xB6 and one bad \xFF").is_utf8());
        assert_eq!(Kind::of(b"\x7fELF\0\0"), Kind::Binary);
        assert_eq!(Kind::of(b"%PDF-1.7\n"), Kind::Pdf);
        assert_eq!(Kind::of(b"\x89PNG\r\n\x1a\n\0"), Kind::Image("image/png"));
        assert_eq!(Kind::of(b""), Kind::Text(Form::PLAIN));
    }

    #[test]
    fn a_character_that_the_encoding_lacks_is_refused() {
        let (gbk, _, _) = encoding_rs::SHIFT_JIS.encode("日本語の文章です。これはテストです。");
        let form = form(&gbk);
        assert_eq!(form.encoding, encoding_rs::SHIFT_JIS);
        assert_eq!(form.encode("😀".as_bytes()), None);
    }
}
