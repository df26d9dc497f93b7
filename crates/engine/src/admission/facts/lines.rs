//! Lines: what a file defines, what a line says, what a search found.

use super::{evidence_of, other_thing, quoted};
use crate::{
    admission::{RefusalKind, resolve::Resolver},
    configuration::written::LONGEST_LINE,
    configuration::written::{OUTLINE_NAMES, SEARCH_HITS},
    evidence::symbols::defined,
    history::LiveTurn,
    text::{one_line, shorten},
    trace::{ResultData, claim::Evidence},
};

/// What the lines of a pointer define.
pub(super) fn symbols(
    pointers: &[String],
    resolver: &mut Resolver<'_>,
) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let needs = "lines that define something (file:PATH:L1-L40)";
    let [pointer] = pointers else { return Err(other_thing(pointers, needs)) };
    let resolved = resolver.resolve(pointer)?;
    let lines = resolved.lines.ok_or_else(|| other_thing(pointers, needs))?;
    let numbered = resolved.text.split('\n').zip(lines.first..);
    let all: Vec<(&str, u32)> = numbered.filter_map(|(line, number)| Some((defined(line)?, number))).collect();
    if all.is_empty() {
        return Err(other_thing(pointers, needs));
    }
    // Of many, those spread over the whole.
    let step = all.len().div_ceil(OUTLINE_NAMES);
    let names: Vec<String> = all.iter().step_by(step).map(|(name, line)| format!("{name} L{line}")).collect();
    let more = if step > 1 { ", …" } else { "" };
    let defines = format!("defines {}{more}", names.join(", "));
    Ok((as_of(&resolved.evidence, &defines), vec![resolved.evidence.clone()]))
}

/// What an older state of a file shows may be gone.
fn as_of(evidence: &Evidence, text: &str) -> String {
    match evidence.pointer.rsplit_once("@turn#") {
        Some((_, turn)) => format!("as of turn#{turn}: {text}"),
        None => text.to_owned(),
    }
}

/// What one line says.
pub(super) fn text(
    pointers: &[String],
    claimed: Option<&str>,
    resolver: &mut Resolver<'_>,
) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let needs = "one line of a file (file:PATH:L12)";
    let [pointer] = pointers else { return Err(other_thing(pointers, needs)) };
    let resolved = resolver.resolve(pointer)?;
    let one = resolved.lines.filter(|lines| lines.first == lines.last);
    let line = one.ok_or_else(|| other_thing(pointers, needs))?.first;
    let says = shorten(resolved.text.trim(), LONGEST_LINE).into_owned();
    if let Some(claimed) = claimed.filter(|claimed| claimed.trim() != resolved.text.trim()) {
        let found = format!("{}: {}", resolved.evidence.pointer, quoted(&says));
        return Err(RefusalKind::Contradicted { claimed: one_line(claimed), found });
    }
    let says = format!("L{line} says {}", quoted(&says));
    Ok((as_of(&resolved.evidence, &says), vec![resolved.evidence.clone()]))
}

/// What the searches of a turn found.
pub(super) fn found(pointers: &[String], resolver: &mut Resolver<'_>) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let needs = "a search that found something (turn#N)";
    let evidence = evidence_of(pointers, resolver)?;
    let [pointer] = pointers else { return Err(other_thing(pointers, needs)) };
    let turn = resolver.resolve(pointer)?.turn.ok_or_else(|| other_thing(pointers, needs))?;
    let history = resolver.history;
    let Some(LiveTurn::Tool(step)) = history.live_turn(turn) else { return Err(other_thing(pointers, needs)) };
    let results = (0..step.calls.len()).filter_map(|index| history.result_at(step, index));
    let search = results.filter_map(|result| match &result.data {
        ResultData::Search(search) if !search.matches.is_empty() => Some(search),
        _ => None,
    });
    let search = search.into_iter().next().ok_or_else(|| other_thing(pointers, needs))?;
    let places = search.matches.iter().take(SEARCH_HITS).map(|found| format!("{}:{}", found.path, found.line));
    let more = search.matches.len().saturating_sub(SEARCH_HITS);
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    let pattern = quoted(&shorten(&search.pattern, LONGEST_LINE));
    Ok((format!("{pattern} found at {}{more}", places.collect::<Vec<_>>().join(", ")), evidence))
}
