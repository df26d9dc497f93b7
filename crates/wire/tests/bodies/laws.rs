//! The laws, each over one body.

use std::ops::Range;

use lookback_wire::{
    Body, Provider,
    body::{Edit, Entry, Section, SectionKind, SectionValue, Span},
};
use proptest::sample::Index;

use crate::replace;

const NEW: &[u8] = br#"{"role":"user","content":"new"},{"role":"assistant","content":"\u006eew"}"#;

pub(crate) fn parse(provider: Provider, json: &str) -> Body {
    Body::parse(provider, json.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

pub(crate) fn all(body: &Body) {
    identity(body);
    spans_tile(body);
    crate::witness::agrees(body);
    let count = body.messages().len();
    for range in [0..count, 0..count.min(1), count / 3..count / 2, count.saturating_sub(1)..count] {
        range_is_replaced(body, range.clone());
        range_is_removed(body, range);
    }
}

pub(crate) fn range(body: &Body, (a, b): (Index, Index)) -> Range<usize> {
    let count = body.messages().len();
    let (a, b) = (a.index(count + 1), b.index(count + 1));
    a.min(b)..a.max(b)
}

pub(crate) fn identity(body: &Body) {
    assert_eq!(&body.splice(&[]).expect("nothing fits everything"), body.bytes());
}

fn list(body: &Body) -> Option<&Section> {
    body.section(SectionKind::Messages).filter(|section| section.value == SectionValue::List)
}

pub(crate) fn range_is_replaced(body: &Body, range: Range<usize>) {
    if list(body).is_none() || range.is_empty() {
        return;
    }
    let (first, last) = (body.messages()[range.start].span, body.messages()[range.end - 1].span);
    let old = body.slice(Span { start: first.start, end: last.end });
    let spliced = body.splice(&[replace(range.clone(), NEW)]).expect("the range exists");
    let expected = [&body.bytes()[..first.start], NEW, &body.bytes()[last.end..]].concat();
    assert_eq!(spliced, expected, "{range:?}");
    assert_eq!(&body.splice(&[replace(range.clone(), old)]).expect("the range exists"), body.bytes());

    let changed = Body::parse(body.provider(), spliced).expect("messages for messages is JSON for JSON");
    let back = changed.splice(&[replace(range.start..range.start + 2, old)]).expect("the new ones exist");
    assert_eq!(&back, body.bytes(), "{range:?}");
}

pub(crate) fn range_is_removed(body: &Body, range: Range<usize>) {
    let Some(section) = list(body) else { return };
    let spliced = body.splice(&[replace(range.clone(), b"")]).expect("the range exists");
    let left = Body::parse(body.provider(), spliced).expect("commas stay right");
    let kept = [&body.messages()[..range.start], &body.messages()[range.end..]].concat();
    assert_eq!(messages(&left), slices(body, &kept), "{range:?}");
    let span = list(&left).expect("the list stays").span;
    assert_eq!(left.bytes()[..=span.start], body.bytes()[..=section.span.start]);
    assert_eq!(left.bytes()[span.end - 1..], body.bytes()[section.span.end - 1..]);
}

/// Cuts the list at the given places and replaces every second piece: by new messages, by none, or by an insertion.
pub(crate) fn edits_act_as_on_a_list(body: &Body, cuts: Vec<(Index, Option<u8>)>) {
    if list(body).is_none() {
        return;
    }
    let count = body.messages().len();
    let mut places: Vec<_> = cuts.into_iter().map(|(at, with)| (at.index(count + 1), with)).collect();
    places.sort_by_key(|(at, _)| *at);
    let mut edits: Vec<Edit<'_>> = Vec::new();
    let (mut expected, mut next) = (Vec::new(), 0);
    for pair in places.chunks_exact(2) {
        let ((start, with), (end, _)) = (pair[0], pair[1]);
        let with: &[u8] = with.map_or(b"", |_| NEW);
        edits.push(replace(start..end, with));
        expected.extend(slices(body, &body.messages()[next..start]));
        expected.extend(with.split_inclusive(|byte| *byte == b'}').map(|new| new.strip_prefix(b",").unwrap_or(new)));
        next = end;
    }
    expected.extend(slices(body, &body.messages()[next..]));
    let spliced = body.splice(&edits).expect("sorted and apart");
    let spliced = Body::parse(body.provider(), spliced).expect("commas stay right");
    assert_eq!(messages(&spliced), expected);
}

fn messages(body: &Body) -> Vec<&[u8]> {
    slices(body, body.messages())
}

fn slices<'b>(body: &'b Body, entries: &[Entry]) -> Vec<&'b [u8]> {
    entries.iter().map(|entry| body.slice(entry.span)).collect()
}

/// Everything lies in what is around it, in order, with nothing but a comma and white space between two.
pub(crate) fn spans_tile(body: &Body) {
    let whole = Span { start: 0, end: body.bytes().len() };
    tiles(body, whole, body.members().iter().map(|member| member.span()));
    for section in body.sections() {
        assert!(body.members().iter().any(|member| member.value == section.span));
        if section.value == SectionValue::List {
            tiles(body, section.span, section.entries().iter().map(|entry| entry.span));
        }
        for (at, entry) in section.entries().iter().enumerate() {
            let blocks = section.blocks(entry);
            if let (Some(first), Some(last)) = (blocks.first(), blocks.last()) {
                inside(entry.span, Span { start: first.span.start, end: last.span.end });
                blocks.windows(2).for_each(|pair| comma(body, pair[0].span.end, pair[1].span.start));
            }
            for mark in section.marks().iter().filter(|mark| mark.entry == at) {
                inside(mark.block.map_or(entry.span, |block| blocks[block].span), mark.member.span());
            }
        }
    }
}

fn tiles(body: &Body, around: Span, spans: impl Iterator<Item = Span>) {
    let spans: Vec<_> = spans.collect();
    if let (Some(first), Some(last)) = (spans.first(), spans.last()) {
        inside(around, Span { start: first.start, end: last.end });
        assert_eq!(blanks(body, around.start, first.start).trim_ascii().len(), 1, "an opening bracket alone");
        assert_eq!(blanks(body, last.end, around.end).trim_ascii().len(), 1, "a closing bracket alone");
    }
    spans.windows(2).for_each(|pair| comma(body, pair[0].end, pair[1].start));
}

fn comma(body: &Body, start: usize, end: usize) {
    assert_eq!(blanks(body, start, end).trim_ascii(), b",");
}

fn blanks(body: &Body, start: usize, end: usize) -> &[u8] {
    &body.bytes()[start..end]
}

fn inside(around: Span, inner: Span) {
    assert!(around.start < inner.start && inner.end < around.end, "{inner:?} in {around:?}");
}
