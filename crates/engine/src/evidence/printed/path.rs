//! Paths below the root, as a shell command names them.
//!
//! Links are not known here: `a/..` is taken to be where it seems to be.

/// A path as seen from a directory below the root: relative to the root, without `.`, `..` or double slashes, and empty
/// for the root itself. None where it is absolute, begins in somebody's home, or leaves the root.
pub(super) fn join_path(directory: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) || directory.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_root() {
        assert_eq!(join_path("", "./src//a.py").as_deref(), Some("src/a.py"));
        assert_eq!(join_path("web/app", "../b.ts").as_deref(), Some("web/b.ts"));
        assert_eq!(join_path("web", ".").as_deref(), Some("web"));
        assert_eq!(join_path("web", "..").as_deref(), Some(""));
        assert_eq!(join_path("web", "../../etc"), None);
        assert_eq!(join_path("", "/etc/passwd"), None);
        assert_eq!(join_path("/tmp", "a"), None);
    }
}
