//! Anchors: lines of a file, exactly as they were observed.
//!
//! Where a snippet is claimed, it is compared and never corrected; where only lines are named, they are copied from the
//! trace. What the file holds on disk now is not known here.

use super::{Refusal, RefusalKind, resolve::Resolver};
use crate::{
    evidence::{
        lines::split_lines,
        observed::ObservedLine,
        pointer::{LineRange, Place, Pointer},
    },
    proposal::{AnchorPlace, AnchorProposal},
    trace::claim::Anchor,
};

pub(super) fn admit(proposal: AnchorProposal, resolver: &mut Resolver<'_>) -> Result<Anchor, Refusal> {
    let claim = match &proposal.place {
        AnchorPlace::Lines { path, lines } => format!("{path}:{lines}"),
        AnchorPlace::Pointer { pointer, .. } => pointer.clone(),
    };
    check(proposal, resolver).map_err(|kind| Refusal::new(claim, kind))
}

fn check(proposal: AnchorProposal, resolver: &mut Resolver<'_>) -> Result<Anchor, RefusalKind> {
    let (path, lines) = place_of(&proposal.place, resolver)?;
    let pointer = render_pointer(&path, lines);
    let resolved = resolver.resolve(&pointer);
    let Some(snippet) = proposal.snippet else {
        let text = resolved?.text.clone();
        return anchor(path, lines, text, false, resolver);
    };
    let claimed: Vec<&[u8]> = split_lines(snippet.as_bytes()).collect();
    if claimed.iter().all(|line| line.trim_ascii().is_empty()) {
        return Err(RefusalKind::Blank);
    }
    if matches!(&resolved, Ok(resolved) if resolved.text == snippet) {
        return anchor(path, lines, snippet, false, resolver);
    }
    let text = claimed.iter().map(|line| String::from_utf8_lossy(line)).collect::<Vec<_>>().join("\n");
    if matches!(&resolved, Ok(resolved) if resolved.text == text) {
        return anchor(path, lines, text, false, resolver);
    }
    let known = resolver.known_lines(&path);
    if known.is_empty() {
        return Err(resolved.err().unwrap_or(RefusalKind::AnchorChanged { pointer, places: 0 }));
    }
    match places_of(&claimed, &known)[..] {
        [first] => {
            let lines = LineRange { first, last: first + claimed.len() as u32 - 1 };
            anchor(path, lines, text, true, resolver)
        }
        ref places => Err(RefusalKind::AnchorChanged { pointer, places: places.len() }),
    }
}

fn anchor(
    path: String,
    lines: LineRange,
    snippet: String,
    moved: bool,
    resolver: &mut Resolver<'_>,
) -> Result<Anchor, RefusalKind> {
    if snippet.trim().is_empty() {
        return Err(RefusalKind::Blank);
    }
    let as_of = resolver.resolve(&render_pointer(&path, lines))?.turn.ok_or(RefusalKind::NoEvidence)?;
    Ok(Anchor { path, first_line: lines.first, last_line: lines.last, snippet, as_of, moved })
}

fn place_of(place: &AnchorPlace, resolver: &Resolver<'_>) -> Result<(String, LineRange), RefusalKind> {
    match place {
        AnchorPlace::Lines { path, lines } => {
            let root = resolver.history.start().root.trim_end_matches('/');
            let inside = path.strip_prefix(root).filter(|_| !root.is_empty()).and_then(|rest| rest.strip_prefix('/'));
            let path = inside.unwrap_or(path);
            Ok((path.strip_prefix("./").unwrap_or(path).to_owned(), *lines))
        }
        AnchorPlace::Pointer { pointer, lines: chosen } => {
            let unresolved =
                |why: &str| RefusalKind::UnresolvedPointer { pointer: pointer.clone(), why: why.to_owned() };
            let parsed: Pointer = pointer.parse().map_err(|_| unresolved("it is not a pointer"))?;
            let Place::File { path, lines, at: None } = parsed.place else {
                return Err(unresolved("an anchor needs file:PATH:L1-L2"));
            };
            let within =
                |chosen: &LineRange| lines.is_none_or(|all| all.first <= chosen.first && chosen.last <= all.last);
            match (*chosen, lines) {
                (Some(chosen), _) if within(&chosen) => Ok((path, chosen)),
                (Some(_), _) => Err(unresolved("the lines lie outside it")),
                (None, Some(lines)) => Ok((path, lines)),
                (None, None) => Err(unresolved("it names no lines")),
            }
        }
    }
}

fn render_pointer(path: &str, lines: LineRange) -> String {
    Place::File { path: path.to_owned(), lines: Some(lines), at: None }.to_string()
}

/// Where the claimed lines stand among those known, one after another; no more than two places.
fn places_of(claimed: &[&[u8]], known: &[ObservedLine]) -> Vec<u32> {
    let is_here = |window: &&[ObservedLine]| {
        let (first, last) = (window[0].number, window[window.len() - 1].number);
        (last - first) as usize + 1 == window.len()
            && window.iter().zip(claimed).all(|(line, claimed)| line.text.as_bytes() == *claimed)
    };
    known.windows(claimed.len().max(1)).filter(is_here).map(|window| window[0].number).take(2).collect()
}
