//! The patches of `apply_patch`: which files they name, what they do to each, and what a result says of them.
//!
//! Such a patch carries no line numbers: its places are found by their text when it is applied.

use lookback_engine::trace::{
    ResultData,
    result::{EditData, FileFate, Hunk, PatchData, PatchedFile, RunData},
};

use super::{change::UNKNOWN_LINE, results::written};

/// One file of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePatch {
    pub path: String,
    pub change: PatchChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatchChange {
    /// A new file with these lines.
    Add(Vec<String>),
    Delete,
    Update {
        moved_to: Option<String>,
        places: Vec<Place>,
    },
}

/// Lines that follow one another, before and after the change: context stands in both. A place that changes nothing only
/// says behind what the next one is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

/// The files of a patch, in its order; empty where the text holds none. Lines outside of `*** Begin Patch` and
/// `*** End Patch` are passed over, so that a patch may stand in a command.
pub(crate) fn parse_patch(text: &str) -> Vec<FilePatch> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.trim_end() {
            "*** Begin Patch" => inside = true,
            "*** End Patch" if inside => break,
            // The first line of a heredoc may stand behind the quote that opens it.
            other if !inside && other.ends_with("*** Begin Patch") => inside = true,
            _ if inside => add_line(&mut files, line),
            _ => {}
        }
    }
    for file in &mut files {
        if let PatchChange::Update { places, .. } = &mut file.change {
            places.retain(|place| !place.removed.is_empty() || !place.added.is_empty());
        }
    }
    files
}

/// What a patch did: of one file an edit or a write, of several each of them. `file` makes a path relative to the root,
/// `placed` gives the places of an update where the client kept them.
pub(crate) fn patch_data(
    patch: &str,
    went_well: bool,
    file: &dyn Fn(&str) -> String,
    placed: &dyn Fn(&str) -> Option<Vec<Hunk>>,
) -> ResultData {
    let files = parse_patch(patch);
    if files.is_empty() {
        // Whatever it is, the engine takes it for a command that may have changed anything.
        let command = format!("apply_patch <<'PATCH'\n{}\nPATCH", patch.trim_end());
        let exit_code = Some(i32::from(!went_well));
        return ResultData::Run(RunData { command, exit_code, ..RunData::default() });
    }
    if let [FilePatch { path, change: PatchChange::Add(lines) }] = files.as_slice() {
        let mut content = lines.join("\n");
        content.push('\n');
        return written(file(path), went_well, &content);
    }
    let mut patched: Vec<PatchedFile> = Vec::new();
    for FilePatch { path, change } in &files {
        let (hunks, moved_to) = match change {
            PatchChange::Add(lines) => (vec![Hunk { first_line: 1, removed: Vec::new(), added: lines.clone() }], None),
            PatchChange::Delete => (Vec::new(), None),
            PatchChange::Update { moved_to, places } => {
                (placed(path).unwrap_or_else(|| places.iter().map(unplaced_hunk).collect()), moved_to.as_deref())
            }
        };
        let fate = match change {
            PatchChange::Add(_) => FileFate::Created,
            PatchChange::Delete => FileFate::Deleted,
            PatchChange::Update { .. } => FileFate::Edited,
        };
        if moved_to.is_some() {
            let gone = EditData { path: file(path), hunks: Vec::new() };
            patched.push(PatchedFile { edit: gone, fate: FileFate::Deleted });
        }
        let edit = EditData { path: file(moved_to.unwrap_or(path)), hunks: if went_well { hunks } else { Vec::new() } };
        match patched.iter_mut().find(|known| known.edit.path == edit.path && known.fate == fate) {
            Some(known) => known.edit.hunks.extend(edit.hunks),
            None => patched.push(PatchedFile { edit, fate }),
        }
    }
    match patched.as_slice() {
        [PatchedFile { edit, fate: FileFate::Edited }] => ResultData::Edit(edit.clone()),
        _ => ResultData::Patch(PatchData { files: patched }),
    }
}

fn unplaced_hunk(place: &Place) -> Hunk {
    Hunk { first_line: UNKNOWN_LINE, removed: place.removed.clone(), added: place.added.clone() }
}

fn add_line(files: &mut Vec<FilePatch>, line: &str) {
    let named = |mark| line.strip_prefix(mark).map(|path: &str| path.trim().to_owned());
    if let Some(path) = named("*** Add File: ") {
        return files.push(FilePatch { path, change: PatchChange::Add(Vec::new()) });
    }
    if let Some(path) = named("*** Delete File: ") {
        return files.push(FilePatch { path, change: PatchChange::Delete });
    }
    if let Some(path) = named("*** Update File: ") {
        let change = PatchChange::Update { moved_to: None, places: Vec::new() };
        return files.push(FilePatch { path, change });
    }
    let Some(file) = files.last_mut() else { return };
    match &mut file.change {
        PatchChange::Add(lines) => lines.extend(line.strip_prefix('+').map(str::to_owned)),
        PatchChange::Delete => {}
        PatchChange::Update { moved_to, places } => match named("*** Move to: ") {
            Some(path) => *moved_to = Some(path),
            None => add_to_places(places, line),
        },
    }
}

fn add_to_places(places: &mut Vec<Place>, line: &str) {
    if let Some(header) = line.strip_prefix("@@") {
        let header = header.strip_prefix(' ').unwrap_or(header).trim_end();
        if !header.trim().is_empty() {
            places.push(Place { removed: vec![header.to_owned()], added: vec![header.to_owned()] });
        }
        return places.push(Place::default());
    }
    if line.starts_with("*** ") {
        return places.push(Place::default());
    }
    if places.is_empty() {
        places.push(Place::default());
    }
    let Some(place) = places.last_mut() else { return };
    // Editors trim the blank of an empty context line.
    let (mark, text) = line.split_at_checked(1).unwrap_or((" ", ""));
    if mark != "+" {
        place.removed.push(text.to_owned());
    }
    if mark != "-" {
        place.added.push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn every_kind_of_change_is_read() {
        let text = "*** Begin Patch\n*** Update File: src/a.py\n@@ def total():\n context\n-    return 1\n+    return 2\n\
                    +    # done\n more\n@@\n-gone\n*** Add File: b.txt\n+one\n+\n*** Delete File: c.txt\n\
                    *** Update File: d.py\n*** Move to: e.py\n@@\n-x\n+y\n*** End of File\n*** End Patch\nignored";
        let place = |removed, added| Place { removed: owned(removed), added: owned(added) };
        let update =
            |moved_to: Option<&str>, places| PatchChange::Update { moved_to: moved_to.map(str::to_owned), places };
        let file = |path: &str, change| FilePatch { path: path.to_owned(), change };
        assert_eq!(
            parse_patch(text),
            [
                file(
                    "src/a.py",
                    update(
                        None,
                        vec![
                            place(&["def total():"], &["def total():"]),
                            place(
                                &["context", "    return 1", "more"],
                                &["context", "    return 2", "    # done", "more"]
                            ),
                            place(&["gone"], &[]),
                        ]
                    )
                ),
                file("b.txt", PatchChange::Add(owned(&["one", ""]))),
                file("c.txt", PatchChange::Delete),
                file("d.py", update(Some("e.py"), vec![place(&["x"], &["y"])])),
            ]
        );
    }

    #[test]
    fn a_patch_may_stand_in_a_command() {
        let text = "cd src && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n";
        assert_eq!(parse_patch(text), [FilePatch { path: "a".to_owned(), change: PatchChange::Delete }]);
        assert_eq!(parse_patch("apply_patch \"*** Begin Patch\n*** Delete File: a\n*** End Patch\"").len(), 1);
        assert_eq!(parse_patch("no patch\n*** Delete File: a\n"), []);
    }
}
