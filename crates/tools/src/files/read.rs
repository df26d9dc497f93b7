//! `Read`: lines of a file behind their numbers; a picture as a picture; other files by name.

mod lines;

use std::{
    fs::{File, Metadata},
    io::{self, Chain, Cursor, Read},
};

use lookback_engine::trace::{
    AsCame, BlobHash, Image, Output, Part, ResultData,
    result::{LineForm, ReadData},
};
use lookback_wire::picture_size;
use serde::Deserialize;
use serde_json::json;

use self::lines::{Lines, Range};
use super::{
    Outcome, Stop,
    change::WHOLE,
    text::{Form, HEAD, Kind},
};
use crate::{
    envelope::{Code, Done, Failure},
    project::{Place, Project, failure},
    seen::{Fingerprint, Seen, mtime_of},
};

/// What people know from other agents.
const USUAL_LINES: u32 = 2_000;
/// What Anthropic takes of one picture, the least of all: 5 MB in base64, and so many pixels on either side.
const LARGEST_IMAGE: u64 = (5 << 20) / 4 * 3;
const LONGEST_SIDE: u32 = 8_000;
/// As `cat -n` separates them.
const SEPARATOR: &str = "\t";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    #[serde(alias = "file_path")]
    path: String,
    offset: Option<u32>,
    limit: Option<u32>,
}

pub(super) fn read(project: &Project, seen: &Seen, arguments: &Arguments, stop: Stop<'_>) -> Result<Outcome, Failure> {
    let place = project.place(&arguments.path)?;
    let (mut file, about) = place.open_file()?;
    let mut head = Vec::new();
    (&mut file).take(HEAD as u64).read_to_end(&mut head).map_err(|error| failure(&error, &place.name))?;
    match Kind::of(&head) {
        Kind::Text(form) => {
            let hasher = (about.len() <= WHOLE).then(blake3::Hasher::new);
            let bytes = Hashed { inner: Cursor::new(head).chain(file), hasher, stop };
            text(&place, seen, arguments, form, bytes, &about)
        }
        Kind::Image(media_type) => image(&place, media_type, head, file, &about),
        Kind::Pdf => {
            let what = format!(
                "{}: a PDF of {} bytes, not shown as text; a command such as pdftotext can",
                place.name,
                about.len()
            );
            Ok(named(
                &place,
                what,
                json!({ "path": place.name, "media_type": "application/pdf", "bytes": about.len() }),
            )
            .into())
        }
        Kind::Binary => Err(Failure::new(
            Code::BinaryFile,
            format!(
                "{} is binary ({} bytes), not text; a command such as file or xxd tells more",
                place.name,
                about.len()
            ),
        )),
    }
}

fn text(
    place: &Place<'_>,
    seen: &Seen,
    arguments: &Arguments,
    form: Form,
    mut bytes: Hashed<'_>,
    about: &Metadata,
) -> Result<Outcome, Failure> {
    let name = &place.name;
    let first = arguments.offset.unwrap_or(1).max(1);
    let range = Range { first, most: arguments.limit.unwrap_or(USUAL_LINES).max(1) };
    let is_small = bytes.hasher.is_some();
    let lines = Lines::read(&mut form.reader(&mut bytes), range, is_small, SEPARATOR);
    let lines = lines.map_err(|error| failure(&error, name))?;
    if (bytes.stop)() {
        return Err(Failure::new(Code::ExecutionError, format!("stopped while {name} was read")));
    }
    if lines.count == 0 && first > 1 {
        let total = lines.passed;
        return Err(Failure::new(Code::InvalidParam, format!("{name} has {total} lines, so none at offset {first}")));
    }

    let hash = bytes.hasher.map(|hasher| BlobHash(*hasher.finalize().as_bytes()));
    let now = Fingerprint::new(about, hash);
    let before = seen.set(name, now);
    let is_changed = before.is_some_and(|before| !before.same_content(&now));

    let total = is_small.then_some(lines.passed);
    let more = lines.has_more;
    // A limit that was asked for is no shortening.
    let truncated = lines.is_cut || (more && (arguments.limit.is_none() || lines.count < range.most));
    let mut text = String::new();
    if is_changed {
        // docs/seeds.md A8.
        text.push_str(&format!("Note: {name} was modified externally.\n"));
    }
    text.push_str(if lines.count == 0 { "(the file is empty)\n" } else { &lines.text });
    if more {
        let last = first + lines.count - 1;
        let of = total.map_or(String::new(), |total| format!(" of {total}"));
        text.push_str(&format!("(lines {first} to {last}{of}; offset {} shows what follows)\n", last + 1));
    }
    if lines.is_cut {
        text.push_str("(long lines are cut; a command such as cut -c shows the rest of one)\n");
    }
    if lines.is_lossy {
        text.push_str("(bytes that are not UTF-8 are shown as \u{FFFD})\n");
    } else if !form.is_utf8() {
        text.push_str(&format!("(read as {})\n", form.encoding.name()));
    }
    let data = ReadData {
        path: name.clone(),
        first_line: first,
        line_count: lines.count,
        total_lines: total,
        form: LineForm::Numbered { separator: SEPARATOR.to_owned() },
        mtime: Some(mtime_of(about)),
        truncated,
    };
    let path = Some(name.clone());
    let done = Done { text: text.into(), data: ResultData::Read(data), is_partial: truncated, path };
    Ok(Outcome { done, file: Some(now), as_came: None })
}

/// The picture itself stands behind the sentence that names it.
fn image(
    place: &Place<'_>,
    media_type: &str,
    mut bytes: Vec<u8>,
    file: File,
    about: &Metadata,
) -> Result<Outcome, Failure> {
    let what = format!("{}: a picture ({media_type}, {} bytes)", place.name, about.len());
    let data = json!({ "path": place.name, "media_type": media_type, "bytes": about.len() });
    if about.len() > LARGEST_IMAGE {
        return Ok(named(place, format!("{what}, too large to be shown"), data).into());
    }
    file.take(LARGEST_IMAGE).read_to_end(&mut bytes).map_err(|error| failure(&error, &place.name))?;
    // A provider refuses the whole request for a picture that it cannot read.
    match picture_size(&bytes) {
        None => return Ok(named(place, format!("{what}, damaged: it says no size"), data).into()),
        Some((width, height)) if width.max(height) > LONGEST_SIDE => {
            let what = format!("{what}, {width} by {height} pixels: too large to be shown");
            return Ok(named(place, what, data).into());
        }
        Some(_) => {}
    }
    let picture = Image { media_type: media_type.to_owned(), bytes: Output::new(bytes) };
    let parts = vec![Part::Text { start: 0, end: what.len() as u64 }, Part::Image(picture)];
    Ok(Outcome { done: named(place, what, data), file: None, as_came: Some(AsCame { parts, raw: None }) })
}

fn named(place: &Place<'_>, what: String, data: serde_json::Value) -> Done {
    Done { text: what.into(), data: ResultData::Other(data), is_partial: false, path: Some(place.name.clone()) }
}

/// Knows the hash of all that was read through it, where somebody wants it, and ends early when somebody wants to stop.
struct Hashed<'a> {
    inner: Chain<Cursor<Vec<u8>>, File>,
    hasher: Option<blake3::Hasher>,
    stop: Stop<'a>,
}

impl Read for Hashed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.stop)() {
            return Ok(0);
        }
        let count = self.inner.read(buffer)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&buffer[..count]);
        }
        Ok(count)
    }
}
