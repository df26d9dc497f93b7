//! Recorded sessions out of files: told apart by their content, read in constant memory where they are lines.

use std::io::BufRead;

use anyhow::{Context, Result, bail};
use lookback_engine::trace::{BlobHash, SessionId};
use lookback_replay::{
    import::{
        DOCUMENT_LIMIT, Held, ImportError, OPEN_WEIGHT, Shape, check_values, detect, frame_of, importer,
        leave_out_arguments, parse_document, shape, weight,
    },
    recording::{About, Format, Item, Recording, Skipped},
};
use lookback_store::derived_session_id;

use crate::input::{Input, LONGEST_LINE, Line, Lines};

/// What a line may leave behind beside its text: why it was skipped, where it stands.
const LINE: u64 = 256;

/// Who takes what is read, as it is read.
pub(crate) trait Taker {
    /// `about` is what is known of the session so far.
    fn take(&mut self, item: Item, about: &About) -> Result<()>;
    fn skipped(&mut self, skipped: Skipped);
    /// Whether all of it stays in memory.
    fn holds_all(&self) -> bool {
        false
    }
}

/// What a file is, by its first bytes.
pub(crate) fn format_of(input: &Input) -> Result<Format, ImportError> {
    if input.head_is_whole && input.head.trim_ascii().is_empty() {
        return Err(ImportError::Empty);
    }
    detect(&input.head).ok_or(ImportError::Unknown)
}

/// Whether a file is none of anybody's sessions: folders hold other files, too.
pub(crate) fn is_no_session(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref(), Some(ImportError::Unknown | ImportError::Empty)))
}

/// The id under which a session is stored, and by which it is known again: its own, else one that follows from its agent's.
/// `otherwise` names it where its file does not.
pub(crate) fn id_of(format: Format, about: &About, otherwise: BlobHash) -> SessionId {
    let session = about.session.clone().unwrap_or_else(|| otherwise.to_string());
    match format {
        Format::Lookback => SessionId(session),
        format => derived_session_id(&format!("{} {session}", format.name())),
    }
}

/// Reads a file whose format is known.
pub(crate) fn read(input: Input, format: Format, taker: &mut dyn Taker) -> Result<About> {
    match shape(format) {
        Shape::Lines => read_lines(&mut input.lines(), format, taker),
        Shape::Document => {
            input.skipped.iter().cloned().for_each(|skipped| taker.skipped(skipped));
            let Some(bytes) = input.whole(DOCUMENT_LIMIT).context("the file cannot be read to its end")? else {
                bail!(
                    "a session of {} is one document, and this one is larger than {} MB: only formats of lines are \
                     read in any size",
                    format.label(),
                    DOCUMENT_LIMIT >> 20
                );
            };
            let mut batch = Recording::new(format);
            let about = parse_document(format, &bytes, &mut batch)?;
            drop(bytes);
            give(&mut batch, taker, &about)?;
            Ok(about)
        }
    }
}

/// The same from lines that stand in no file.
pub(crate) fn read_lines(lines: &mut Lines<impl BufRead>, format: Format, taker: &mut dyn Taker) -> Result<About> {
    let Some(mut importer) = importer(format) else { bail!("{} does not write lines", format.label()) };
    let (mut batch, mut held, mut open) = (Recording::new(format), Held::default(), 0);
    while let Some(line) = lines.next().context("the file cannot be read to its end")? {
        match line {
            Line::Text(line, text) => {
                let more = if check_values(text).is_ok() { weight(text) } else { 0 };
                importer.line(line, text, &mut batch);
                open = if batch.items.is_empty() { open + more } else { more };
                if open > OPEN_WEIGHT {
                    // No response is that long: what is open is given out as far as it came.
                    importer.flush(&mut batch);
                    let reason = "a response that is too long to be held in memory ends here".to_owned();
                    batch.skipped.push(Skipped { line, reason });
                    open = 0;
                }
                if taker.holds_all() {
                    let frames: u64 = batch.items.iter().map(frame_of).sum();
                    held.add(text.len() as u64 + LINE + frames).with_context(|| format!("line {line}"))?;
                }
            }
            Line::TooLong(line) => {
                let reason = format!("longer than {} MB", LONGEST_LINE >> 20);
                batch.skipped.push(Skipped { line, reason });
            }
        }
        if let Some(Skipped { line, reason }) = batch.skipped.first().filter(|_| format == Format::Lookback) {
            // Events follow from one another: with one missing, what comes behind it means something else.
            bail!("line {line} is not an event of a whole trace: {reason}");
        }
        give(&mut batch, taker, importer.about())?;
    }
    importer.finish(&mut batch);
    give(&mut batch, taker, importer.about())?;
    Ok(importer.about().clone())
}

/// Gives on what one line or a document gave.
fn give(batch: &mut Recording, taker: &mut dyn Taker, about: &About) -> Result<()> {
    batch.skipped.drain(..).for_each(|skipped| taker.skipped(skipped));
    // One by one: each may be large, and the taker is done with it before it takes the next.
    batch.items.drain(..).try_for_each(|mut item| {
        if let Some(reason) = leave_out_arguments(&mut item) {
            taker.skipped(Skipped { line: 0, reason });
        }
        taker.take(item, about)
    })
}

/// Takes all of it.
impl Taker for Recording {
    fn take(&mut self, item: Item, _about: &About) -> Result<()> {
        self.items.push(item);
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }

    fn holds_all(&self) -> bool {
        true
    }
}
