//! What changed between two texts, by lines: for the engine as hunks, for the model as a unified diff.

use std::time::{Duration, Instant};

use lookback_engine::{evidence::split_lines, trace::result::Hunk};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};

/// Ours: a model that made the change needs to see where it landed, not all of it again.
const MOST_LINES: usize = 200;
const LONGEST_LINE: usize = 500;
const AROUND: usize = 3;
/// A worse diff after this is better than a better one later.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Diff<'a> {
    old: Vec<&'a [u8]>,
    new: Vec<&'a [u8]>,
    ops: Vec<DiffOp>,
}

impl<'a> Diff<'a> {
    pub(super) fn new(old: &'a [u8], new: &'a [u8]) -> Self {
        let (old, new): (Vec<_>, Vec<_>) = (split_lines(old).collect(), split_lines(new).collect());
        let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(Instant::now() + PATIENCE));
        Self { old, new, ops }
    }

    pub(super) fn hunks(&self) -> Vec<Hunk> {
        let lines = |lines: &[&[u8]]| lines.iter().map(|line| lossy(line)).collect();
        let changes = self.ops.iter().filter(|op| op.tag() != DiffTag::Equal);
        changes
            .map(|op| Hunk {
                first_line: op.new_range().start as u32 + 1,
                removed: lines(&self.old[if op.tag() == DiffTag::Insert { 0..0 } else { op.old_range() }]),
                added: lines(&self.new[if op.tag() == DiffTag::Delete { 0..0 } else { op.new_range() }]),
            })
            .collect()
    }

    /// Without the names of the files.
    pub(super) fn render(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for group in group_diff_ops(self.ops.clone(), AROUND) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let old = first.old_range().start..last.old_range().end;
            let new = first.new_range().start..last.new_range().end;
            lines.push(format!("@@ -{},{} +{},{} @@", old.start + 1, old.len(), new.start + 1, new.len()));
            for op in &group {
                let side = |sign, lines: &[&[u8]]| lines.iter().map(|line| signed(sign, line)).collect::<Vec<_>>();
                match op.tag() {
                    DiffTag::Equal => lines.extend(side(' ', &self.new[op.new_range()])),
                    _ => {
                        lines.extend(side('-', &self.old[op.old_range()]));
                        lines.extend(side('+', &self.new[op.new_range()]));
                    }
                }
            }
            if lines.len() > MOST_LINES {
                let left_out = lines.len() - MOST_LINES;
                lines.truncate(MOST_LINES);
                lines.push(format!("(at least {left_out} more lines of the diff are not shown; Read shows the file)"));
                break;
            }
        }
        if lines.is_empty() { "(no line changed, only line endings)".to_owned() } else { lines.join("\n") }
    }
}

fn signed(sign: char, line: &[u8]) -> String {
    let line = lossy(line);
    match line.char_indices().nth(LONGEST_LINE) {
        None => format!("{sign}{line}"),
        Some((end, _)) => format!("{sign}{}…", &line[..end]),
    }
}

fn lossy(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}
