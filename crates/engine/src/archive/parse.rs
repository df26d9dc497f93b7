//! From a model's answer to the parts of the template.
//!
//! Words before the template and a code fence around it are passed over; an answer that ends before its last heading is
//! refused, because what is missing may be what mattered. Whether the text is true is not known here.

use super::{Section, TITLE};
use crate::text::LINE_ENDS;

/// A summary that a model wrote: what stands under each heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WrittenSummary {
    sections: [String; 5],
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum SummaryRefused {
    #[error("the answer is empty: answer with the template, filled")]
    Empty,
    #[error("the answer does not begin with \"{TITLE}\": keep the template and its headings")]
    NoTitle,
    #[error("the heading \"{0}\" is missing: keep the template and all its headings, in their order")]
    MissingHeading(&'static str),
    #[error("the answer ends before \"{0}\": answer again, and shorter")]
    Truncated(&'static str),
    #[error("the answer's code fence is not closed: answer again, and shorter")]
    OpenFence,
    #[error("the answer says nothing under its headings")]
    SaysNothing,
}

impl WrittenSummary {
    pub(crate) fn section(&self, section: Section) -> &str {
        &self.sections[section as usize]
    }

    pub(super) fn section_mut(&mut self, section: Section) -> &mut String {
        &mut self.sections[section as usize]
    }
}

/// The answer to `prompts/*/archive_summary.txt`.
pub(crate) fn parse_summary(text: &str) -> Result<WrittenSummary, SummaryRefused> {
    if text.trim().is_empty() {
        return Err(SummaryRefused::Empty);
    }
    let lines = template_lines(text)?;
    let mut starts = Vec::new();
    for section in Section::ALL {
        let from = starts.last().map_or(0, |(at, _)| at + 1);
        if let Some(place) = lines[from..].iter().position(|line| is_heading(line, section.heading())) {
            starts.push((from + place, section));
        }
    }
    check_headings(&starts)?;
    let mut summary = WrittenSummary::default();
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([lines.len()]);
    for ((at, section), end) in starts.iter().zip(ends) {
        *summary.section_mut(*section) = content(&lines[at + 1..end]);
    }
    if summary.sections.iter().any(|content| content.lines().any(says_something)) {
        Ok(summary)
    } else {
        Err(SummaryRefused::SaysNothing)
    }
}

/// What follows the title, without the fence around it.
fn template_lines(text: &str) -> Result<Vec<&str>, SummaryRefused> {
    let mut lines: Vec<&str> = text.lines().collect();
    let title = lines.iter().position(|line| is_heading(line, TITLE)).ok_or(SummaryRefused::NoTitle)?;
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    let is_fenced = lines[..title].iter().filter(|line| is_fence(line)).count() % 2 == 1;
    if is_fenced {
        let close = lines[title..].iter().rposition(|line| line.trim() == "```").ok_or(SummaryRefused::OpenFence)?;
        lines.truncate(title + close);
    }
    Ok(lines.split_off(title + 1))
}

/// All of them, in order. Where only the last ones are missing, the answer was cut off.
fn check_headings(starts: &[(usize, Section)]) -> Result<(), SummaryRefused> {
    let found = |section: &Section| starts.iter().any(|(_, other)| other == section);
    let Some(missing) = Section::ALL.into_iter().find(|section| !found(section)) else { return Ok(()) };
    let is_end = starts.iter().all(|(_, section)| *section < missing);
    let heading = missing.heading();
    Err(if is_end { SummaryRefused::Truncated(heading) } else { SummaryRefused::MissingHeading(heading) })
}

/// By its words: models lose pictures, quotes and the case of letters, and mean the same heading.
fn is_heading(line: &str, heading: &str) -> bool {
    fn words(line: &str) -> impl Iterator<Item = char> {
        line.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase)
    }
    line.trim_start().starts_with('#') && words(line).eq(words(heading))
}

/// Lines that could pass for a turn of the user become items of the list that they stand in.
fn content(lines: &[&str]) -> String {
    let text: Vec<String> = lines
        .iter()
        .map(|line| line.replace(LINE_ENDS, " "))
        .map(|line| line.trim_end().to_owned())
        .map(|line| if poses_as_user(&line) { format!("* {}", line.trim_start()) } else { line })
        .collect();
    let text = text.join("\n");
    let text = text.trim_matches('\n');
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

fn poses_as_user(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('[');
    line.starts_with("user#") || line.starts_with("end of user#")
}

/// More than the template had: what stands in brackets there is what to fill in. Pointers stand in brackets, too.
fn says_something(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['*', '-', ' ']);
    if line.is_empty() || line.starts_with('(') {
        return false;
    }
    let value = match line.split_once(':') {
        Some((label, value)) if label.ends_with("**") || label.ends_with('`') => value,
        _ => line,
    };
    let mut depth = 0_u32;
    value.chars().any(|character| {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && character.is_alphanumeric()
    })
}
