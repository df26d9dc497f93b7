//! Patches inside of arguments: which files they name, and which lines they need to find there.

/// What a patch needs: the paths in its headers, its removed lines and its context.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) paths: Vec<String>,
    /// Untrimmed, without their sign.
    pub(super) lines: Vec<String>,
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The patch in a text: `*** Begin Patch` up to `*** End Patch`, or a unified diff. Inside of a string literal of code,
/// where line feeds stand as `\n`, it is decoded first.
pub(super) fn parse_patch(text: &str) -> Option<Patch> {
    if let Some(start) = text.find(BEGIN) {
        let body = &text[start + BEGIN.len()..];
        let body = body.find(END).map_or(body, |end| &body[..end]);
        return Some(if body.starts_with("\\n") { parse_marked(&decode(body)) } else { parse_marked(body) });
    }
    let is_unified = text.starts_with("--- ") || text.contains("\n--- ");
    (is_unified && text.contains("\n+++ ") && text.contains("\n@@ ")).then(|| parse_unified(text))
}

/// `*** Update File: p`, then lines with a sign; `@@ text` names a line of the file before them.
/// Lines that stand under no file's name are needed all the same: recorded models write such patches, too.
fn parse_marked(body: &str) -> Patch {
    let mut patch = Patch::default();
    for line in body.lines() {
        if let Some(header) = line.strip_prefix("*** ") {
            patch.paths.extend(header.split_once(": ").map(|(_, path)| path.trim().to_owned()));
        } else if let Some(place) = line.strip_prefix("@@") {
            patch.lines.push(place.trim_start().to_owned());
        } else if let Some(needed) = line.strip_prefix(['-', ' ']) {
            patch.lines.push(needed.to_owned());
        }
    }
    patch
}

fn parse_unified(text: &str) -> Patch {
    let mut patch = Patch::default();
    let mut in_hunk = false;
    for line in text.lines() {
        if let Some(path) =
            line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")).filter(|_| !is_hunk_line(in_hunk, line))
        {
            in_hunk = false;
            let path = path.split('\t').next().unwrap_or(path).trim();
            let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
            if path != "/dev/null" {
                patch.paths.push(path.to_owned());
            }
        } else if line.starts_with("@@ ") {
            in_hunk = true;
        } else if line.starts_with("diff ") {
            in_hunk = false;
        } else if in_hunk && let Some(needed) = line.strip_prefix(['-', ' ']) {
            patch.lines.push(needed.to_owned());
        }
    }
    patch
}

/// `--- x` inside of a hunk is a removed `-- x`, but headers always name a path behind `a/` or `b/` or an absolute one.
fn is_hunk_line(in_hunk: bool, line: &str) -> bool {
    in_hunk && !line[4..].starts_with(['a', 'b', '/'])
}

/// Escapes of string literals, as far as patches have them.
pub(super) fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('n') => decoded.push('\n'),
                Some('t') => decoded.push('\t'),
                Some('r') => {}
                Some(other) => decoded.push(other),
                None => {}
            },
            c => decoded.push(c),
        }
    }
    decoded
}
