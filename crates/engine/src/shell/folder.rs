//! The folder that a command runs in, as its record and the `cd` before it say.
//!
//! The disk and variables are not known here: what cannot be told keeps its name.

use super::script::Script;

/// From the root, empty for the root itself; outside of it the whole path. `way` is what leads to the command.
pub(crate) fn folder(cwd: &str, way: &str, root: &str) -> String {
    let mut place = entered("", cwd, root);
    for command in Script::parse(way).commands() {
        let words: Vec<String> = command.words.iter().map(super::Word::text).collect();
        if let [cd, .., to] = words.as_slice()
            && ["cd", "pushd"].contains(&cd.as_str())
        {
            place = entered(&place, to, root);
        }
    }
    place
}

/// Before the folder of a key: no command has a tab once its words are joined.
const IN: &str = " \t";

/// The key of a command with the folder that it runs in.
pub(crate) fn keyed(command: String, folder: &str) -> String {
    if folder.is_empty() || command.is_empty() { command } else { format!("{command}{IN}{folder}") }
}

/// The folder of a key; empty for the root.
pub(crate) fn folder_of(key: &str) -> &str {
    key.rsplit_once(IN).map_or("", |(_, folder)| folder)
}

fn entered(place: &str, to: &str, root: &str) -> String {
    let root = root.trim_end_matches('/');
    let below = to.strip_prefix(root).filter(|rest| !root.is_empty() && (rest.is_empty() || rest.starts_with('/')));
    let (mut parts, to, outside) = match below {
        Some(rest) => (Vec::new(), rest, false),
        None if to.starts_with('/') => (Vec::new(), to, true),
        None => (place.split('/').filter(|part| !part.is_empty()).collect(), to, place.starts_with('/')),
    };
    for part in to.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("{}{}", if outside { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_from_the_root() {
        for (cwd, way, expected) in [
            ("", "", ""),
            (".", "", ""),
            ("", "cd a && ", "a"),
            ("a", "cd ../b;", "b"),
            ("", "cd /repo && ", ""),
            ("web", "cd /repo/a/./b/ && export X=1 && ", "a/b"),
            ("", "cd /repository && ", "/repository"),
            ("", "cd $HOME && ", "$HOME"),
        ] {
            assert_eq!(folder(cwd, way, "/repo/"), expected, "{cwd} {way}");
        }
    }
}
