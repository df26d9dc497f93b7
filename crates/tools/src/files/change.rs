//! Changing a file that was read: what it holds now, if that is still what was read, and putting new text in its place.

use std::{
    fs::Metadata,
    io::Read,
    os::{fd::AsFd, unix::fs::MetadataExt},
};

use lookback_engine::trace::BlobHash;

use super::{
    replace::{Before, NotReplaced, replace},
    text::{Form, HEAD, Kind},
};
use crate::{
    envelope::{Code, Failure},
    project::{Place, failure},
    seen::{Fingerprint, Seen},
};

/// Ours: up to here a file is read whole, so that its lines are counted, its bytes compared, and it can be changed.
pub(super) const WHOLE: u64 = 64 << 20;

/// A file as it is.
#[derive(Debug)]
pub(super) struct Current {
    pub about: Metadata,
    pub form: Form,
    /// As UTF-8, without a byte order mark.
    pub text: Vec<u8>,
}

impl Current {
    /// Refuses what was not read, or is no longer what was read.
    pub(super) fn load(place: &Place<'_>, seen: &Seen) -> Result<Self, Failure> {
        let name = &place.name;
        let refuse = |code, what: &str| Err(Failure::new(code, format!("{name} {what}")));
        let (file, about) = place.open_file()?;
        if about.mode() & 0o222 == 0 {
            return refuse(Code::AccessDenied, "is read-only");
        }
        let Some(known) = seen.get(name) else {
            return refuse(Code::Conflict, "was not read yet: Read it first, so that nothing unseen is lost");
        };
        if about.len() > WHOLE {
            return refuse(Code::InvalidParam, "is larger than 64 MB: change it with a command");
        }
        let mut bytes = Vec::new();
        file.take(WHOLE + 1).read_to_end(&mut bytes).map_err(|error| failure(&error, name))?;
        if !known.same_content(&Fingerprint::new(&about, Some(BlobHash::of(&bytes)))) {
            return refuse(Code::Conflict, "was changed since it was read: Read it again");
        }
        let Kind::Text(form) = Kind::of(&bytes[..bytes.len().min(HEAD)]) else {
            return refuse(Code::BinaryFile, "is not text");
        };
        match form.decode(bytes) {
            Some(text) => Ok(Self { about, form, text }),
            None => refuse(Code::BinaryFile, "cannot be written back without loss: change it with a command"),
        }
    }
}

/// Writes the whole file, and knows it from then on. `text` is UTF-8.
pub(super) fn store(
    place: &Place<'_>,
    seen: &Seen,
    form: Form,
    text: &[u8],
    before: Before<'_>,
) -> Result<Fingerprint, Failure> {
    let Some(bytes) = form.encode(text) else {
        let encoding = form.encoding.name();
        return Err(Failure::new(
            Code::InvalidParam,
            format!("{} is {encoding}, which has no place for a character of the new text", place.name),
        ));
    };
    let (folder, name) = place.parent()?;
    let about = replace(folder.as_fd(), name, &bytes, before).map_err(|refused| match refused {
        NotReplaced::Changed => {
            let what = format!("{} was changed by somebody else just now: Read it again", place.name);
            Failure::new(Code::Conflict, what)
        }
        NotReplaced::Failed(error) => failure(&error, &place.name),
    })?;
    let fingerprint = Fingerprint::new(&about, Some(BlobHash::of(&bytes)));
    seen.set(&place.name, fingerprint);
    Ok(fingerprint)
}
