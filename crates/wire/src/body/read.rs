//! One pass over a body: sections, entries, blocks and marks, each with its place.
//!
//! It descends just far enough to find these; the scanner passes over whatever lies deeper. So its own recursion is a
//! few calls deep, whatever comes in.

use super::{
    Block, BodyError, Content, Entry, Mark, Member, Section, SectionKind, SectionValue, Span, Text, scan::Scanner,
};
use crate::{Provider, parse::CACHE_MARKS};

pub(super) fn parse(provider: Provider, bytes: &[u8]) -> Result<(Vec<Member>, Vec<Section>), BodyError> {
    if provider == Provider::React {
        return Err(BodyError::NoApi);
    }
    std::str::from_utf8(bytes).map_err(|error| BodyError::NotText { offset: error.valid_up_to() })?;
    let order = SectionKind::order(provider);
    let mut members = Vec::with_capacity(16);
    let mut sections: Vec<Section> = Vec::with_capacity(order.len());
    let mut scanner = Scanner::new(bytes);
    scanner.object(|scanner, name| {
        let kind = order.iter().find(|(_, named)| is(scanner, name, named)).map(|(kind, _)| *kind);
        let value = match kind {
            None => scanner.value()?,
            Some(kind) => {
                let section = parse_section(provider, kind, scanner)?;
                let span = section.span;
                sections.retain(|earlier| earlier.kind != kind);
                sections.push(section);
                span
            }
        };
        members.push(Member { name, value });
        Ok(())
    })?;
    scanner.end()?;
    sections.sort_by_key(|section| order.iter().position(|(kind, _)| *kind == section.kind));
    Ok((members, sections))
}

fn parse_section(provider: Provider, kind: SectionKind, scanner: &mut Scanner<'_>) -> Result<Section, BodyError> {
    let span = Span { start: scanner.at(), end: scanner.at() };
    let value = SectionValue::Other;
    let mut section = Section { kind, span, value, entries: Vec::new(), blocks: Vec::new(), marks: Vec::new() };
    match scanner.peek() {
        Some(b'[') => {
            section.value = SectionValue::List;
            scanner.list(|scanner| parse_entry(provider, &mut section, scanner))?;
        }
        _ => {
            if let Some(text) = scanner.text()? {
                section.value = SectionValue::Text(text);
            }
        }
    }
    section.span.end = scanner.at();
    Ok(section)
}

fn parse_entry(provider: Provider, section: &mut Section, scanner: &mut Scanner<'_>) -> Result<(), BodyError> {
    let at = section.entries.len();
    let mut entry = Entry {
        span: Span { start: scanner.at(), end: scanner.at() },
        role: None,
        kind: None,
        content: Content::Absent,
    };
    if scanner.peek() != Some(b'{') {
        entry.span = scanner.value()?;
        section.entries.push(entry);
        return Ok(());
    }
    entry.span = scanner.object(|scanner, name| {
        if is(scanner, name, "role") {
            entry.role = scanner.text()?;
        } else if is(scanner, name, "type") {
            entry.kind = scanner.text()?;
        } else if section.kind == SectionKind::Messages && is_content(provider, scanner, name) {
            entry.content = parse_content(section, at, scanner)?;
        } else {
            parse_other(section, (at, None), name, scanner)?;
        }
        Ok(())
    })?;
    section.entries.push(entry);
    Ok(())
}

fn parse_content(section: &mut Section, at: usize, scanner: &mut Scanner<'_>) -> Result<Content, BodyError> {
    // A repeated name replaces what came before.
    section.marks.retain(|mark| mark.entry != at || mark.block.is_none());
    if scanner.peek() != Some(b'[') {
        let start = scanner.at();
        let text = scanner.text()?;
        return Ok(text.map_or(Content::Other(Span { start, end: scanner.at() }), Content::Text));
    }
    let first = section.blocks.len();
    scanner.list(|scanner| {
        let place = (at, Some(section.blocks.len() - first));
        let block = parse_block(section, place, scanner)?;
        section.blocks.push(block);
        Ok(())
    })?;
    Ok(Content::Blocks(first..section.blocks.len()))
}

fn parse_block(
    section: &mut Section,
    place: (usize, Option<usize>),
    scanner: &mut Scanner<'_>,
) -> Result<Block, BodyError> {
    if scanner.peek() != Some(b'{') {
        return Ok(Block { span: scanner.value()?, kind: None });
    }
    let mut kind = None;
    let span = scanner.object(|scanner, name| {
        if is(scanner, name, "type") {
            kind = scanner.text()?;
        } else if scanner.peek() == Some(b'[') && is(scanner, name, "content") {
            // A tool's output is a list of blocks as well, and they take marks too.
            scanner.list(|scanner| parse_inner_block(section, place, scanner))?;
        } else {
            parse_other(section, place, name, scanner)?;
        }
        Ok(())
    })?;
    Ok(Block { span, kind })
}

fn parse_inner_block(
    section: &mut Section,
    place: (usize, Option<usize>),
    scanner: &mut Scanner<'_>,
) -> Result<(), BodyError> {
    if scanner.peek() != Some(b'{') {
        return scanner.value().map(|_| ());
    }
    scanner.object(|scanner, name| parse_other(section, place, name, scanner)).map(|_| ())
}

/// A mark, or something that is of no interest here.
fn parse_other(
    section: &mut Section,
    (entry, block): (usize, Option<usize>),
    name: Text,
    scanner: &mut Scanner<'_>,
) -> Result<(), BodyError> {
    let is_null = scanner.peek() == Some(b'n');
    let value = scanner.value()?;
    if !is_null && CACHE_MARKS.iter().any(|mark| is(scanner, name, mark)) {
        section.marks.push(Mark { section: section.kind, entry, block, member: Member { name, value } });
    }
    Ok(())
}

fn is_content(provider: Provider, scanner: &Scanner<'_>, name: Text) -> bool {
    is(scanner, name, "content") || (provider == Provider::Responses && is(scanner, name, "output"))
}

fn is(scanner: &Scanner<'_>, name: Text, expected: &str) -> bool {
    name.says(scanner.bytes(), expected)
}
