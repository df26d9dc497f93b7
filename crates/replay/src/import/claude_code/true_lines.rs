//! The lines that an edit really wrote: the client's patch tells where, and is a copy for the eye in which tabs became
//! blanks. The text comes from the file before the edit and from what was asked for.

use lookback_engine::trace::result::Hunk;
use serde::Deserialize;
use serde_json::Value;

use crate::import::{
    change::hunks_of,
    fields::{list, text},
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PatchCopy {
    old_start: u32,
    new_start: u32,
    lines: Vec<String>,
}

/// The hunks of a patch with the lines of the file; where they cannot be told, with those that were asked for.
pub(super) fn true_hunks(patch: &[PatchCopy], original: Option<&str>, arguments: &Value) -> Vec<Hunk> {
    let asked = edits_of(arguments);
    let edited = original.and_then(|original| apply(original, &asked));
    let before: Vec<&str> = original.filter(|_| edited.is_some()).unwrap_or_default().lines().collect();
    let after: Vec<&str> = edited.as_deref().unwrap_or_default().lines().collect();
    let mut hunks = Vec::new();
    for stretch in patch {
        let (mut old, mut new) = (stretch.old_start.max(1) as usize, stretch.new_start.max(1) as usize);
        let lines: Vec<String> = stretch
            .lines
            .iter()
            .map(|line| {
                let (mark, shown) = line.split_at_checked(1).unwrap_or((" ", ""));
                let (file, at, sides) = match mark {
                    "-" => (&before, &mut old, [true, false]),
                    "+" => (&after, &mut new, [false, true]),
                    " " => {
                        old += 1;
                        new += 1;
                        return line.clone();
                    }
                    _ => return line.clone(),
                };
                let there = file.get(*at - 1).filter(|there| is_shown_as(there, shown));
                *at += 1;
                let wanted = || asked.iter().flat_map(|edit| [(edit.old, sides[0]), (edit.new, sides[1])]);
                let said = || {
                    wanted()
                        .filter(|(_, is_side)| *is_side)
                        .flat_map(|(text, _)| text.lines())
                        .find(|line| is_shown_as(line, shown))
                };
                format!("{mark}{}", there.copied().or_else(said).unwrap_or(shown))
            })
            .collect();
        hunks.extend(hunks_of(stretch.new_start, lines.iter().map(String::as_str)));
    }
    hunks
}

/// Whether a line is shown so: the same but for blanks at its beginning and between its words.
fn is_shown_as(line: &str, shown: &str) -> bool {
    line == shown || line.split_whitespace().eq(shown.split_whitespace())
}

struct Replaced<'a> {
    old: &'a str,
    new: &'a str,
    everywhere: bool,
}

fn edits_of(arguments: &Value) -> Vec<Replaced<'_>> {
    fn one(edit: &Value) -> Option<Replaced<'_>> {
        let (old, new) = (text(edit, "old_string")?, text(edit, "new_string")?);
        Some(Replaced { old, new, everywhere: edit["replace_all"] == true })
    }
    let edits = list(arguments, "edits");
    if edits.is_empty() { one(arguments).into_iter().collect() } else { edits.iter().filter_map(one).collect() }
}

/// The file as the edits leave it; None where one of them does not fit it.
fn apply(original: &str, edits: &[Replaced<'_>]) -> Option<String> {
    let mut file = original.to_owned();
    for edit in edits {
        file = match edit {
            Replaced { old: "", new, .. } if file.is_empty() => (*new).to_owned(),
            Replaced { old, .. } if old.is_empty() || !file.contains(old) => return None,
            Replaced { old, new, everywhere: true } => file.replace(old, new),
            Replaced { old, new, everywhere: false } => file.replacen(old, new, 1),
        };
    }
    (!edits.is_empty()).then_some(file)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tabs_come_from_the_file_and_places_from_the_patch() {
        let patch = [PatchCopy {
            old_start: 2,
            new_start: 2,
            lines: [" func a() {", "-  return 1", "+  return 2", " }"].map(str::to_owned).into(),
        }];
        let original = "package x\nfunc a() {\n\treturn 1\n}\n";
        let arguments = json!({"old_string": "return 1", "new_string": "return 2"});
        let expected = [Hunk { first_line: 3, removed: vec!["\treturn 1".into()], added: vec!["\treturn 2".into()] }];
        assert_eq!(true_hunks(&patch, Some(original), &arguments), expected);
        let whole = json!({"old_string": "\treturn 1", "new_string": "\treturn 2"});
        assert_eq!(true_hunks(&patch, None, &whole), expected, "without the file, what was asked for");
        assert_eq!(true_hunks(&patch, None, &json!({}))[0].added, ["  return 2"], "else as it is shown");
    }
}
