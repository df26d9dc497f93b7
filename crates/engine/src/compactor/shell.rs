//! Commands by their text: what of it is the command, which two are the same, which only look around.
//!
//! Read by shape and by the names of common programs; nothing is parsed to the last quote. What a command printed is not
//! known here.

/// Programs that look and change nothing.
const LOOKS: [&str; 39] = [
    "ls", "cat", "cd", "echo", "pwd", "head", "tail", "grep", "rg", "egrep", "find", "fd", "wc", "which", "tree", "nl",
    "awk", "sort", "uniq", "less", "file", "stat", "true", "ps", "jq", "env", "printf", "date", "sleep", "diff",
    "type", "whoami", "uname", "du", "df", "cut", "tr", "xxd", "sed",
];
const GIT_LOOKS: [&str; 19] = [
    "status",
    "log",
    "diff",
    "show",
    "branch",
    "remote",
    "blame",
    "rev-parse",
    "ls-files",
    "ls-tree",
    "cat-file",
    "rev-list",
    "reflog",
    "describe",
    "fetch",
    "grep",
    "ls-remote",
    "merge-base",
    "for-each-ref",
];
const HUB_LOOKS: [&str; 5] = ["list", "view", "status", "diff", "checks"];

/// The command without what leads to its place: `cd web && npm test` is `npm test`.
pub(super) fn claimed(command: &str) -> &str {
    let mut rest = command.trim();
    loop {
        let leads = ["cd ", "export ", "source ", ". ", "set ", "pushd "].iter().any(|start| rest.starts_with(start));
        let after = rest.find("&&").map(|at| at + 2).into_iter().chain(rest.find(';').map(|at| at + 1)).min();
        match after.map(|at| rest[at..].trim()).filter(|after| leads && !after.is_empty()) {
            // A mark inside quotes or before the line's end is no end of the way.
            Some(after) if !rest[..rest.len() - after.len()].contains(['"', '\'', '\n']) => rest = after,
            _ => return rest,
        }
    }
}

/// Two runs are of the same command when they differ only in how much of the output is shown.
pub(super) fn key(command: &str) -> String {
    let command = claimed(command);
    let shown = command.split(" | ").take_while(|part| {
        let program = part.split_whitespace().next().unwrap_or_default();
        !["head", "tail", "grep", "cat", "less"].contains(&program)
    });
    let shown = shown.collect::<Vec<_>>().join(" | ");
    let words = shown.split_whitespace().filter(|word| *word != "2>&1");
    words.collect::<Vec<_>>().join(" ")
}

/// Every part of it only looks around. What writes a file through a redirection does more.
pub(super) fn only_looks(command: &str) -> bool {
    let first_line = command.lines().next().unwrap_or_default();
    let redirections = ["2>&1", "2>/dev/null", ">/dev/null", "> /dev/null", "2> /dev/null", "&>/dev/null"];
    let first_line = &redirections.iter().fold(without_quotes(first_line), |line, silent| line.replace(silent, " "));
    let writes = first_line.contains('>');
    if writes || first_line.contains("<<") {
        return false;
    }
    first_line.split(['&', ';', '|']).filter(|part| !part.trim().is_empty()).all(|part| {
        let mut words = part.split_whitespace().skip_while(|word| word.contains('=') || *word == "xargs");
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        match (program, words.next()) {
            ("git", Some(verb)) => GIT_LOOKS.contains(&verb),
            ("gh" | "glab", Some(_)) => words.next().is_some_and(|verb| HUB_LOOKS.contains(&verb)),
            ("sed", Some(option)) => option != "-i" && !option.starts_with("-i"),
            ("export" | "source" | "set", _) => true,
            (program, _) => LOOKS.contains(&program),
        }
    })
}

/// Looks at something else than files: at the history, or at what another service says. Such questions are long and asked
/// again in variations.
pub(super) fn asks(command: &str) -> bool {
    let first_line = without_quotes(command.lines().next().unwrap_or_default());
    first_line.split(['&', ';', '|']).any(|part| {
        let program = part.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
        ["git", "gh", "glab"].contains(&program)
    })
}

/// What stands in quotes is for the program; `\;` ends no command.
fn without_quotes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut open = None;
    let mut escaped = false;
    for character in line.chars() {
        match (open, character) {
            _ if std::mem::take(&mut escaped) => {}
            (_, '\\') => escaped = true,
            (None, '"' | '\'') => open = Some(character),
            (Some(quote), _) if quote == character => open = None,
            (Some(_), _) => {}
            (None, _) => plain.push(character),
        }
    }
    plain
}

pub(super) fn builds(command: &str) -> bool {
    let words = command.split(|character: char| !character.is_ascii_alphabetic());
    words.into_iter().any(|word| {
        ["build", "compile", "check", "tsc", "make", "clippy", "lint", "vet", "mypy", "commit", "push"].contains(&word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_look_are_known_from_those_that_do() {
        for command in [
            "ls -la src",
            "cat a | head -3",
            "git log --oneline",
            "grep -rn 'a|b>c' . 2>/dev/null",
            "sed -n 1,9p a",
            "find . -exec grep x {} \\; | xargs cat 2>&1",
        ] {
            assert!(only_looks(command), "{command}");
        }
        for command in [
            "git commit -m x",
            "cat > a.py <<'EOF'\nx\nEOF",
            "sed -i s/a/b/ x",
            "rm -r build",
            "go test ./...",
            "echo x > y",
        ] {
            assert!(!only_looks(command), "{command}");
        }
    }

    #[test]
    fn the_way_to_a_directory_is_no_part_of_a_command() {
        assert_eq!(claimed("cd /repo/web && npm test"), "npm test");
        assert_eq!(claimed("cd a; export X=1 && cargo build 2>&1"), "cargo build 2>&1");
        assert_eq!(claimed("cd a"), "cd a");
        assert_eq!(claimed("python -c 'a; b'"), "python -c 'a; b'");
    }

    #[test]
    fn how_much_is_shown_makes_no_other_command() {
        assert_eq!(key("cd x && pytest -q 2>&1 | tail -20"), key("pytest  -q"));
        assert_ne!(key("pytest -q a.py"), key("pytest -q"));
    }
}
