//! What the commands of git do to the work tree.
//!
//! Which names are branches and which are files, git sees on disk; here only the look of a name tells. Hooks and aliases
//! are not known.

use super::{
    arguments::Given,
    pattern::Pattern,
    walk::{Input, Walk},
};

/// Commands that leave the files of the work tree as they are.
const HARMLESS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "annotate",
    "grep",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "branch",
    "tag",
    "remote",
    "fetch",
    "push",
    "config",
    "rev-parse",
    "rev-list",
    "describe",
    "shortlog",
    "reflog",
    "cat-file",
    "add",
    "commit",
    "notes",
    "bundle",
    "gc",
    "fsck",
    "count-objects",
    "merge-base",
    "cherry",
    "name-rev",
    "for-each-ref",
    "symbolic-ref",
    "hash-object",
    "write-tree",
    "commit-tree",
    "update-ref",
    "update-index",
    "diff-tree",
    "diff-index",
    "diff-files",
    "check-ignore",
    "check-attr",
    "version",
    "help",
    "var",
    "whatchanged",
    "range-diff",
    "init",
    "clone",
    "worktree",
    "format-patch",
    "archive",
    "credential",
    "show-ref",
    "verify-commit",
    "prune",
];

/// Commands that put other files in the place of those that are there.
const REPLACING: &[&str] = &[
    "merge",
    "rebase",
    "pull",
    "cherry-pick",
    "revert",
    "am",
    "bisect",
    "read-tree",
    "checkout-index",
    "sparse-checkout",
    "merge-file",
    "mergetool",
    "filter-branch",
];

/// Endings that files have and branches do not.
const FILES: &[&str] = &[
    "py", "pyi", "rs", "js", "jsx", "ts", "tsx", "mjs", "cjs", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs",
    "rb", "php", "swift", "scala", "ex", "exs", "erl", "hs", "ml", "lua", "sh", "sql", "json", "toml", "yaml", "yml",
    "md", "rst", "txt", "lock", "html", "css", "scss", "vue", "svelte", "xml", "cfg", "ini", "ipynb", "csv", "svg",
];

impl Walk {
    pub(super) fn git(&mut self, arguments: &[Pattern], input: &Input) {
        let mut rest = arguments;
        let mut directory = None;
        while let Some(option) = rest.first().filter(|word| word.prefix().starts_with('-')) {
            let takes_word =
                matches!(option.literal(), Some("-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace"));
            if option.literal() == Some("-C") {
                directory = rest.get(1);
            }
            rest = rest.get(1 + usize::from(takes_word)..).unwrap_or_default();
        }
        let Some((name, rest)) = rest.split_first() else { return };
        let Some(name) = name.literal() else { return self.unknown() };
        self.inside(directory, |walk| walk.git_command(name, rest, input));
    }

    fn git_command(&mut self, name: &str, arguments: &[Pattern], input: &Input) {
        const WITH_VALUE: &[&str] =
            &["-b", "-B", "-c", "-C", "--orphan", "-s", "--source", "-m", "--message", "--conflict", "--directory"];
        let given = Given::new(arguments, WITH_VALUE);
        let after_dashes = arguments.iter().position(|word| word.literal() == Some("--"));
        let paths = after_dashes.map(|at| &arguments[at + 1..]);
        match name {
            _ if HARMLESS.contains(&name) => {}
            "checkout" => self.checkout(&given, paths),
            "switch" if given.has_any(&["-c", "-C", "--create"]) && given.operands.is_empty() => {}
            "switch" => self.everything(""),
            "restore" => {
                let staged = given.has_any(&["--staged", "-S"]) && !given.has_any(&["--worktree", "-W", "-SW", "-WS"]);
                given.operands.iter().filter(|_| !staged).for_each(|path| self.pathspec(path));
            }
            "reset" if given.has_any(&["--hard", "--merge", "--keep"]) => self.everything(""),
            "reset" => {}
            "stash" => match given.operands.first().and_then(|word| word.literal()) {
                Some("list" | "show" | "drop" | "clear" | "create" | "store") => {}
                _ => match paths {
                    Some(paths) => paths.iter().for_each(|path| self.pathspec(path)),
                    None => self.everything(""),
                },
            },
            "rm" if given.has_any(&["--cached", "-n", "--dry-run"]) => {}
            "rm" => given.operands.iter().for_each(|path| self.pathspec(path)),
            "mv" => self.inner(&[&[Pattern::text("mv")], arguments].concat(), input),
            "clean" if given.has_short(&['n']) || given.has_any(&["--dry-run"]) => {}
            "clean" => match given.operands.as_slice() {
                [] => self.swept(&Pattern::text("."), &[]),
                paths => paths.iter().for_each(|path| self.pathspec(path)),
            },
            "apply" => self.git_apply(&given, input),
            _ if REPLACING.contains(&name) => self.everything(""),
            _ => self.unknown(),
        }
    }

    /// `git checkout -- F`, `git checkout REV F…`, `git checkout F`, `git checkout BRANCH`.
    fn checkout(&mut self, given: &Given<'_>, paths: Option<&[Pattern]>) {
        if let Some(paths) = paths.filter(|paths| !paths.is_empty()) {
            return paths.iter().for_each(|path| self.pathspec(path));
        }
        match given.operands.as_slice() {
            [] if given.has_any(&["-b", "-B", "--orphan"]) => {}
            [] => self.everything(""),
            [_] if given.has_any(&["-b", "-B", "--orphan"]) => self.everything(""),
            [name] if !looks_like_file(name) => self.everything(""),
            names => names.iter().for_each(|path| self.pathspec(path)),
        }
    }

    fn pathspec(&mut self, path: &Pattern) {
        match path.prefix() {
            spec if spec.starts_with(":!") || spec.starts_with(":^") || spec.starts_with(":(exclude") => {}
            spec if spec.starts_with(':') => self.everything(""),
            _ => self.swept(&path.globbed(), &[]),
        }
    }
}

fn looks_like_file(name: &Pattern) -> bool {
    let Some(text) = name.literal() else { return !name.is_unresolved() };
    let is_directory = matches!(text, "." | "..") || text.ends_with('/');
    let ending = text.rsplit_once('.').map(|(_, ending)| ending);
    is_directory
        || ["./", "../", "/"].iter().any(|start| text.starts_with(start))
        || text.contains('*')
        || ending.is_some_and(|ending| FILES.contains(&ending))
}
