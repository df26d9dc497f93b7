//! The patches of `apply_patch`: which files they name and what they do to each.
//!
//! Such a patch carries no line numbers: its places are found by their text when it is applied. Whether it was applied is
//! not known here.

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
