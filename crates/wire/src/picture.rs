//! How large a picture is, by the first bytes of its file. Knows nothing of what it shows.

/// Width and height in pixels of a PNG, GIF, WebP or JPEG; none where the bytes do not say.
pub fn picture_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let size = match bytes {
        [0x89, b'P', b'N', b'G', ..] => (number(bytes, 16, 4)?.swap_bytes(), number(bytes, 20, 4)?.swap_bytes()),
        [b'G', b'I', b'F', b'8', ..] => (number(bytes, 6, 2)?, number(bytes, 8, 2)?),
        [b'R', b'I', b'F', b'F', ..] => webp(bytes)?,
        [0xFF, 0xD8, rest @ ..] => jpeg(rest)?,
        _ => return None,
    };
    (size.0 > 0 && size.1 > 0).then_some(size)
}

/// Little-endian.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = bytes.get(at..at.checked_add(length)?)?;
    Some(digits.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((number(bytes, 24, 3)? + 1, number(bytes, 27, 3)? + 1)),
        b"VP8 " => Some((number(bytes, 26, 2)? & 0x3FFF, number(bytes, 28, 2)? & 0x3FFF)),
        b"VP8L" => {
            let both = number(bytes, 21, 4)?;
            Some(((both & 0x3FFF) + 1, (both >> 14 & 0x3FFF) + 1))
        }
        _ => None,
    }
}

/// The first frame header behind the segments that say other things.
fn jpeg(mut rest: &[u8]) -> Option<(u32, u32)> {
    while let [0xFF, kind, after @ ..] = rest {
        rest = match kind {
            0xFF => &rest[1..],
            0xC0..=0xCF if !matches!(kind, 0xC4 | 0xC8 | 0xCC) => {
                let both = [after.get(5..7)?, after.get(3..5)?];
                let [width, height] = both.map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
                return Some((width, height));
            }
            _ => after.get(usize::from(u16::from_be_bytes([*after.first()?, *after.get(1)?]))..)?,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::picture_size;

    #[test]
    fn every_format() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";
        let gif = b"GIF89a\x80\x02\xe0\x01\xf7\0\0";
        let jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xff\xc0\0\x11\x08\x01\xe0\x02\x80\x03";
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01";
        let extended = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0";
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x7f\xc2\x77\0";
        for bytes in [&png[..], gif, jpeg, lossy, extended, lossless] {
            assert_eq!(picture_size(bytes), Some((640, 480)), "{bytes:?}");
            for end in 0..20.min(bytes.len()) {
                picture_size(&bytes[..end]);
            }
        }
    }

    #[test]
    fn what_says_no_size() {
        for bytes in [
            &b""[..],
            b"%PDF",
            b"\x89PNG\r\n\x1a\n",
            b"\xff\xd8\xff\xe0\0\0",
            b"\xff\xd8\xff\xda\xff\xff",
            b"GIF89a\0\0\0\0",
        ] {
            assert_eq!(picture_size(bytes), None, "{bytes:?}");
        }
    }
}
