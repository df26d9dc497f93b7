//! Changes of files as hunks: from the old and the new text, or from a diff that a tool printed.
//!
//! A hunk names the line at which it begins. Where neither arguments nor result tell it, it is [`UNKNOWN_LINE`]: the
//! engine then looks for the replaced lines among those that it knows of the file.

use lookback_engine::trace::result::Hunk;
use serde_json::Value;

use super::fields::{count, list, text};

/// No line of a file has it.
pub(super) const UNKNOWN_LINE: u32 = 0;

pub(super) fn hunk(first_line: u32, old: &str, new: &str) -> Hunk {
    let mut added = owned(new);
    // Where a text goes without its line feed, an empty line is left.
    if new.is_empty() && !old.is_empty() && !old.ends_with('\n') {
        added.push(String::new());
    }
    Hunk { first_line, removed: owned(old), added }
}

/// One text in the place of another, wherever that stood. Nothing says at how many places, so none can be looked for.
pub(super) fn everywhere(new: &str) -> Hunk {
    hunk(UNKNOWN_LINE, "", new)
}

/// What arguments ask for, where nothing tells its place: one text in the place of another, or several such edits.
pub(super) fn asked_for(arguments: &Value) -> Vec<Hunk> {
    let one = |edit: &Value| {
        let side = |keys: [&str; 4]| keys.iter().find_map(|key| text(edit, key)).unwrap_or_default();
        let new = side(["new_string", "newString", "newText", "new_text"]);
        let several = edit["replaceAll"] == true || edit["allow_multiple"] == true;
        match several || count(edit, "expected_replacements") > Some(1) {
            true => everywhere(new),
            false => hunk(UNKNOWN_LINE, side(["old_string", "oldString", "oldText", "old_text"]), new),
        }
    };
    let edits = list(arguments, "edits");
    if edits.is_empty() { vec![one(arguments)] } else { edits.iter().map(one).collect() }
}

fn owned(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Collects removed and added lines that stand together.
#[derive(Default)]
struct Collector {
    hunks: Vec<Hunk>,
    open: Option<Hunk>,
}

impl Collector {
    fn at(&mut self, line: u32) -> &mut Hunk {
        self.open.get_or_insert_with(|| Hunk { first_line: line, removed: Vec::new(), added: Vec::new() })
    }

    fn close(&mut self) {
        self.hunks.extend(self.open.take());
    }

    fn finish(mut self) -> Vec<Hunk> {
        self.close();
        self.hunks
    }
}

/// The hunks of a unified diff of one file, numbered as in the new file. Texts without any are none.
pub(super) fn unified(diff: &str) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut lines = diff.lines();
    while let Some(line) = lines.next() {
        let Some((mut old_left, first, mut new_left)) = parse_head(line) else { continue };
        // How many lines follow stands in the head: only that decides what is another head.
        let stretch = std::iter::from_fn(|| {
            let line = (old_left > 0 || new_left > 0).then(|| lines.next()).flatten()?;
            let sign = line.as_bytes().first();
            if !matches!(sign, Some(b'+' | b'\\')) {
                old_left = old_left.saturating_sub(1);
            }
            if !matches!(sign, Some(b'-' | b'\\')) {
                new_left = new_left.saturating_sub(1);
            }
            Some(line)
        });
        hunks.extend(hunks_of(first, stretch));
    }
    hunks
}

/// One stretch of a unified diff: the changed lines without those around them, which the edit did not write.
pub(super) fn hunks_of<'a>(new_start: u32, lines: impl Iterator<Item = &'a str>) -> Vec<Hunk> {
    let mut collector = Collector::default();
    let mut line_number = new_start.max(1);
    for line in lines {
        match line.chars().next() {
            Some('+') => {
                collector.at(line_number).added.push(line[1..].to_owned());
                line_number += 1;
            }
            Some('-') => collector.at(line_number).removed.push(line[1..].to_owned()),
            // `\ No newline at end of file`.
            Some('\\') => {}
            _ => {
                collector.close();
                line_number += 1;
            }
        }
    }
    collector.finish()
}

/// `@@ -17,7 +17,8 @@`: how many old lines, the first new one, how many new lines.
fn parse_head(text: &str) -> Option<(u32, u32, u32)> {
    let (old, rest) = text.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let pair = |side: &str| -> Option<(u32, u32)> {
        let (first, length) = side.split_once(',').unwrap_or((side, "1"));
        Some((first.parse().ok()?, length.parse().ok()?))
    };
    let ((_, old_length), (first, new_length)) = (pair(old)?, pair(new)?);
    // Of a side without lines the head names the line before.
    Some((old_length, if new_length == 0 { first.saturating_add(1) } else { first }, new_length))
}

/// A diff whose lines carry their numbers: `-  4 old`, `+  4 new`, `   5 same`. Removed lines have the number of the old
/// file, added ones that of the new file.
pub(super) fn numbered(diff: &str) -> Vec<Hunk> {
    let mut collector = Collector::default();
    let mut shift = 0_i64;
    for text in diff.lines() {
        let Some((sign @ ("-" | "+"), rest)) = text.split_at_checked(1) else {
            collector.close();
            continue;
        };
        let rest = rest.trim_start_matches(' ');
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = rest[..digits].parse::<u32>() else { continue };
        let line = rest[digits..].strip_prefix(' ').unwrap_or(&rest[digits..]).to_owned();
        if sign == "-" {
            // Removed lines behind added ones begin another place.
            if collector.open.as_ref().is_some_and(|open| !open.added.is_empty()) {
                collector.close();
            }
            let first = u32::try_from(i64::from(number) + shift).unwrap_or(UNKNOWN_LINE);
            collector.at(first).removed.push(line);
            shift -= 1;
            // Further removed lines of this place stand at the same new line.
        } else {
            collector.at(number).added.push(line);
            shift += 1;
        }
    }
    collector.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unified_diffs_are_numbered_as_in_the_new_file() {
        let diff = "Index: a\n=====\n--- a\n+++ a\n@@ -3,4 +3,5 @@\n same\n-old\n+new\n+newer\n same\n--- minus\n+++ plus\n\\ No newline at end of file\n@@ -20,2 +21,1 @@\n-gone\n x\n@@ -0,0 +1 @@\n+first\n@@ -9 +8,0 @@\n-last\n";
        assert_eq!(
            unified(diff),
            [
                hunk(4, "old", "new\nnewer"),
                hunk(7, "-- minus", "++ plus"),
                hunk(21, "gone\n", ""),
                hunk(1, "", "first"),
                hunk(9, "last\n", ""),
            ]
        );
        assert_eq!(unified("nothing of the kind\n-x\n"), []);
    }

    #[test]
    fn numbered_diffs_say_where_lines_stood_and_stand() {
        let diff =
            "     ...\n   1 same\n-  2 old\n-  3 older\n+  2 new\n   4 same\n- 10 gone\n  11 x\n+ 12 added\n     ...";
        assert_eq!(numbered(diff), [hunk(2, "old\nolder", "new"), hunk(9, "gone\n", ""), hunk(12, "", "added")]);
        assert_eq!(numbered(" ... \n"), []);
    }

    #[test]
    fn what_goes_without_its_line_feed_leaves_an_empty_line() {
        let added = |old: &str| hunk(UNKNOWN_LINE, old, "").added;
        assert_eq!(added("x\ny"), [""]);
        assert_eq!(added("x\ny\n"), [""; 0]);
        assert_eq!(everywhere("z"), Hunk { first_line: UNKNOWN_LINE, removed: Vec::new(), added: vec!["z".into()] });
    }
}
