//! Recorded sessions out of files: told apart by their content, read in constant memory where they are lines.

use std::io::BufRead;

use anyhow::{Context, Result, bail};
use lookback_replay::{
    import::{DOCUMENT_LIMIT, ImportError, Shape, detect, importer, parse_document, shape},
    recording::{About, Format, Item, Recording, Skipped},
};

use crate::input::{Input, LONGEST_LINE, Line, Lines};

/// Who takes what is read, as it is read.
pub(crate) trait Taker {
    /// `about` is what is known of the session so far.
    fn take(&mut self, item: Item, about: &About) -> Result<()>;
    fn skipped(&mut self, skipped: Skipped);
}

/// What a file is, by its first bytes.
pub(crate) fn format_of(input: &Input) -> Result<Format, ImportError> {
    if input.head_is_whole && input.head.trim_ascii().is_empty() {
        return Err(ImportError::Empty);
    }
    detect(&input.head).ok_or(ImportError::Unknown)
}

/// Reads a file whose format is known.
pub(crate) fn read(input: Input, format: Format, taker: &mut dyn Taker) -> Result<About> {
    match shape(format) {
        Shape::Lines => read_lines(&mut input.lines(), format, taker),
        Shape::Document => {
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
    let mut batch = Recording::new(format);
    while let Some(line) = lines.next().context("the file cannot be read to its end")? {
        match line {
            Line::Text(number, text) => importer.line(number, text, &mut batch),
            Line::TooLong(line) => {
                let reason = format!("longer than {} MB", LONGEST_LINE >> 20);
                batch.skipped.push(Skipped { line, reason });
            }
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
    batch.items.drain(..).try_for_each(|item| taker.take(item, about))
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
}
