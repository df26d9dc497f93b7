//! Windows beside one another: joined where they touch, cut where they overlap, written out as anchors.

use crate::{
    compactor::files::KnownFile,
    configuration::rules::{APART, LONGEST_WINDOW, WIDEST_LINE},
    evidence::observed::ObservedLine,
    trace::{TurnNo, claim::Anchor},
};

/// Lines `first..=last` of a file, by their number.
pub(super) struct Window {
    pub(super) file: usize,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) value: i32,
    pub(super) turn: TurnNo,
}

/// Puts a window beside those that are worth more: joined with one that it touches, or cut to what they leave of it.
pub(super) fn place(mut window: Window, taken: &mut Vec<Window>) {
    while let Some(at) = taken.iter().position(|other| {
        other.file == window.file && window.first <= other.last + APART && other.first <= window.last + APART
    }) {
        let other = &mut taken[at];
        let (first, last) = (other.first.min(window.first), other.last.max(window.last));
        if last - first < LONGEST_WINDOW {
            // The joined window may now touch a third one.
            window = Window { first, last, ..taken.remove(at) };
            continue;
        }
        if window.first < other.first && other.first.saturating_sub(window.first) > APART {
            window.last = other.first - APART - 1;
        } else if window.last > other.last && window.last - other.last > APART + APART {
            window.first = other.last + APART + 1;
        } else {
            return;
        }
        if window.first > window.last {
            return;
        }
    }
    taken.push(window);
}

pub(super) fn anchor(window: &Window, file: &KnownFile<'_>) -> Option<Anchor> {
    let start = file.lines.partition_point(|line| line.number < window.first);
    let end = file.lines.partition_point(|line| line.number <= window.last);
    let inside = &file.lines[start..end];
    // The stretch without a gap that is longest: edges may never have been seen.
    let run = inside.chunk_by(|one, next| one.number + 1 == next.number).max_by_key(|run| run.len())?;
    // What a file imports stands beside what it does, and says little of it.
    let empty = |line: &&ObservedLine| line.text.trim().is_empty() || imports(&line.text);
    let mut leading = run.iter().take_while(empty).count();
    if run[..leading].iter().any(|line| imports(&line.text)) && run.get(leading).is_some_and(|line| line.text == ")") {
        leading += 1 + run[leading + 1..].iter().take_while(empty).count();
    }
    let trailing = run.iter().rev().take_while(empty).count();
    let run = run.get(leading..run.len().checked_sub(trailing)?)?;
    if run.iter().any(|line| line.text.len() > WIDEST_LINE || line.text.contains('\n')) {
        return None;
    }
    Some(Anchor {
        path: file.path.to_owned(),
        first_line: run.first()?.number,
        last_line: run.last()?.number,
        snippet: run.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"),
        as_of: run.iter().map(|line| line.turn).max()?,
        moved: false,
    })
}

fn imports(line: &str) -> bool {
    let line = line.trim();
    let python = line.starts_with("from ") && line.contains(" import ");
    let rust = (line.starts_with("use ") || line.starts_with("pub use ")) && line.ends_with([';', '{', ',']);
    // Go lists what it imports as bare strings.
    let go = line.len() > 1 && line.starts_with('"') && line.ends_with('"');
    python || rust || go || ["import ", "#include "].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_imported_is_no_anchor() {
        let shown = |text: &str| {
            let lines = (1..).zip(text.lines());
            let lines = lines.map(|(number, text)| ObservedLine { number, text: text.into(), turn: TurnNo(1) });
            let file = KnownFile { path: "a", touched: TurnNo(1), changed: None, lines: Arc::new(lines.collect()) };
            anchor(&Window { file: 0, first: 1, last: 9, value: 1, turn: TurnNo(1) }, &file)
                .map(|anchor| anchor.snippet)
        };
        assert_eq!(shown("import (\n\t\"fmt\"\n)\n\nfunc x() {").as_deref(), Some("func x() {"));
        assert_eq!(shown("use a::b;\nuse c;\n"), None);
        assert_eq!(shown(")\n// counts\nfn x() {}\nuse a;").as_deref(), Some(")\n// counts\nfn x() {}"));
    }
}
