//! Several readers in one command: whose lines are whose, where the borders between their outputs can be told.
//!
//! By a text that `echo` or `printf` puts between them; by line numbers that begin anew; or because all together printed
//! as many lines as they can at most. Anything else may have printed anything: nothing is said of what runs into it.

use super::{
    Attributed, Pipeline, Shown, enter, is_silent, join_path, parse_stage, plain_words, refuse_complaints, slice,
};
use crate::{
    evidence::{lines::parse_numbered, pointer::LineRange},
    shell::{Item, Joint, Script},
    trace::result::LineForm,
};

/// What one of the commands prints.
enum Segment {
    /// This text.
    Text(Vec<u8>),
    Reads(Pipeline),
    Anything,
}

pub(super) fn attribute(script: &Script, cwd: &str, output: &[u8]) -> Option<Vec<Attributed>> {
    let segments = parse_segments(script, cwd)?;
    let mut attributed = Vec::new();
    let mut start = 0;
    let mut group: Vec<Pipeline> = Vec::new();
    let mut is_known = true;
    let mut rest = segments.into_iter().collect::<std::collections::VecDeque<_>>();
    while let Some(segment) = rest.pop_front() {
        match segment {
            Segment::Reads(pipeline) => group.push(pipeline),
            Segment::Anything => is_known = false,
            Segment::Text(text) => {
                let again = rest.iter().filter(|other| matches!(other, Segment::Text(other) if *other == text)).count();
                let end = border(output, start, &text, again + 1)?;
                let readers = std::mem::take(&mut group);
                attributed.extend(shared(readers, is_known, output, start..end));
                (start, is_known) = (end + text.len(), true);
            }
        }
    }
    attributed.extend(shared(group, is_known, output, start..output.len()));
    Some(attributed)
}

/// Where the text stands that comes next; none where it stands more often than it was printed.
fn border(output: &[u8], start: usize, text: &[u8], times: usize) -> Option<usize> {
    let begins_line = |at: usize| at == start || text.starts_with(b"\n") || output[at - 1] == b'\n';
    let found: Vec<usize> = memchr::memmem::find_iter(&output[start..], text)
        .map(|at| start + at)
        .filter(|at| begins_line(*at))
        .take(times + 1)
        .collect();
    (found.len() == times).then(|| found[0])
}

/// What the readers of one stretch of the output show of their files.
fn shared(readers: Vec<Pipeline>, is_known: bool, output: &[u8], part: std::ops::Range<usize>) -> Vec<Attributed> {
    let text = &output[part.clone()];
    if !is_known || text.is_empty() {
        return Vec::new();
    }
    let mut readers = readers;
    let found = match readers.len() {
        1 => readers.pop().and_then(|pipeline| pipeline.attribute(text)),
        _ => one_after_another(readers, text),
    };
    found.unwrap_or_default().into_iter().map(|found| moved(found, &part)).collect()
}

/// Readers of known lines without a text between them.
fn one_after_another(readers: Vec<Pipeline>, text: &[u8]) -> Option<Vec<Attributed>> {
    let mut known = Vec::new();
    for pipeline in readers {
        let directory = pipeline.directory.clone();
        let Shown::Lines { path, ranges, numbered } = pipeline.shown(text)? else { return None };
        known.push((refuse_complaints(text, join_path(&directory, &path)?)?, ranges, numbered));
    }
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let length = |ranges: &[LineRange]| -> usize {
        ranges
            .iter()
            .map(|range| ((range.last - range.first) as usize).saturating_add(1))
            .fold(0, usize::saturating_add)
    };
    let all_whole = known.iter().map(|(_, ranges, _)| length(ranges)).fold(0, usize::saturating_add) == lines.len();
    let all_numbered = known.iter().all(|(_, _, numbered)| *numbered);
    let (mut at, mut byte) = (0, 0);
    let mut attributed = Vec::new();
    for (index, (path, ranges, numbered)) in known.iter().enumerate() {
        let count = match all_numbered {
            true => {
                let next = known.get(index + 1).and_then(|(_, ranges, _)| ranges.first()).map(|range| range.first);
                numbered_lines(&lines[at..], ranges, next)?
            }
            false if all_whole => length(ranges),
            false => return None,
        };
        let end = byte + lines[at..at + count].iter().map(|line| line.len()).sum::<usize>();
        let part = byte..end;
        let found = match numbered {
            true => super::number_slices(path.clone(), ranges, &text[part.clone()])?,
            false => slice(path, ranges, &text[part.clone()])?,
        };
        attributed.extend(found.into_iter().map(|found| moved(found, &part)));
        (at, byte) = (at + count, end);
    }
    (at == lines.len()).then_some(attributed)
}

/// How many lines carry the numbers that are expected. None where those of the next reader would go on the same way.
fn numbered_lines(lines: &[&[u8]], ranges: &[LineRange], next: Option<u32>) -> Option<usize> {
    let mut expected = ranges.iter().flat_map(|range| range.first..=range.last);
    let mut count = 0;
    loop {
        let wanted = expected.next();
        let number = lines.get(count).and_then(|line| parse_numbered(line, b"\t")).map(|(number, _)| number);
        match (wanted, number) {
            (Some(wanted), Some(number)) if wanted == number && next != Some(number) => count += 1,
            (Some(wanted), Some(number)) if wanted == number => return None,
            _ => return Some(count),
        }
    }
}

/// From places in a part of the output to places in all of it.
fn moved(found: Attributed, part: &std::ops::Range<usize>) -> Attributed {
    let (start, end) = (part.start as u64, part.end as u64);
    let form = match found.form {
        LineForm::Plain { start: from, end: to } => LineForm::Plain { start: start + from, end: start + to },
        LineForm::Numbered { separator } => LineForm::NumberedIn { separator, start, end },
        LineForm::NumberedIn { separator, start: from, end: to } => {
            LineForm::NumberedIn { separator, start: start + from, end: start + to }
        }
        form @ LineForm::PathNumbered { .. } => form,
    };
    Attributed { form, ..found }
}

/// None where something else than ends of commands and pipes joins them.
fn parse_segments(script: &Script, cwd: &str) -> Option<Vec<Segment>> {
    if !script.complete {
        return None;
    }
    let mut directory = join_path("", cwd)?;
    let mut segments = Vec::new();
    let mut stages: Vec<Option<Vec<&str>>> = Vec::new();
    let mut end = |stages: &mut Vec<Option<Vec<&str>>>| -> Option<()> {
        let words: Option<Vec<Vec<&str>>> = std::mem::take(stages).into_iter().collect();
        let segment = match words.as_deref() {
            Some([]) => return Some(()),
            Some([words]) if words[0] == "cd" => {
                directory = enter(&directory, words)?;
                return Some(());
            }
            Some([words]) if is_silent(words) => return Some(()),
            Some([words]) if matches!(words[0], "echo" | "printf") => {
                printed(words).map_or(Segment::Anything, Segment::Text)
            }
            Some(words) => words
                .iter()
                .map(|words| parse_stage(words))
                .collect::<Option<_>>()
                .map_or(Segment::Anything, |stages| Segment::Reads(Pipeline { directory: directory.clone(), stages })),
            None => Segment::Anything,
        };
        segments.push(segment);
        Some(())
    };
    let mut items = script.items.iter().peekable();
    while let Some(item) = items.next() {
        match item {
            Item::Command(command) => stages.push(plain_words(command)),
            // A pipe that nothing comes from or goes to joins nothing.
            Item::Joint(Joint::Pipe, _) if !stages.is_empty() && matches!(items.peek(), Some(Item::Command(_))) => {}
            Item::Joint(Joint::Pipe, _) => return None,
            Item::Joint(Joint::And | Joint::Semicolon | Joint::Line, _) => end(&mut stages)?,
            Item::Joint(Joint::Or | Joint::Background | Joint::Open | Joint::Close, _) => return None,
        }
    }
    end(&mut stages)?;
    Some(segments)
}

/// What `echo` or `printf` prints, where it is plain text of whole lines that nobody takes for an empty one.
fn printed(words: &[&str]) -> Option<Vec<u8>> {
    let text = match words {
        ["echo", "-n" | "-e" | "-E" | "-ne" | "-en", ..] => return None,
        ["echo", words @ ..] => format!("{}\n", words.join(" ")),
        ["printf", "%s\\n", texts @ ..] => texts.iter().map(|text| format!("{text}\n")).collect(),
        ["printf", format] if !format.contains('%') => format.replace("\\n", "\n"),
        _ => return None,
    };
    (text.ends_with('\n') && !text.contains('\\') && !text.trim().is_empty()).then(|| text.into_bytes())
}
