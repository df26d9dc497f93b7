//! Which configuration of git's starts no program.

/// Keys that start nothing, by section. Whatever is not here may be a command (`core.fsmonitor`, `diff.*.textconv`,
/// `credential.helper`), name a file with more of them (`include.path`), or become one with the next version of git.
const HARMLESS: [(&str, &[&str]); 17] = [
    ("advice", &[]),
    ("branch", &["remote", "merge", "rebase", "description", "vscode-merge-base"]),
    ("color", &["ui", "branch", "diff", "status"]),
    ("commit", &["gpgsign", "verbose"]),
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "worktree",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
            "longpaths",
            "sparsecheckout",
            "sparsecheckoutcone",
        ],
    ),
    ("extensions", &["objectformat", "refstorage", "partialclone", "worktreeconfig"]),
    ("fetch", &["prune"]),
    ("gc", &["auto", "autodetach"]),
    ("index", &["version", "sparse"]),
    ("init", &["defaultbranch"]),
    ("merge", &["conflictstyle", "ff"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote"]),
    ("remote", &["url", "pushurl", "fetch", "tagopt", "prune", "promisor", "partialclonefilter"]),
    ("submodule", &["active", "url"]),
    ("tag", &["gpgsign"]),
    ("user", &["name", "email"]),
];

/// Whether git can read this and start nothing because of it. Stricter than git: what is not plain is not harmless.
pub(super) fn is_harmless(text: &str) -> bool {
    let mut allowed: Option<&[&str]> = None;
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])).all(|line| {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            allowed = keys_of(header);
            return allowed.is_some();
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let key = key.trim().to_ascii_lowercase();
        let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        // A backslash goes on in the next line; `ext::` and its like are programs instead of addresses.
        let is_plain = is_plain && !line.ends_with('\\') && !value.contains("::");
        is_plain && allowed.is_some_and(|keys| keys.is_empty() || keys.contains(&key.as_str()))
    })
}

fn keys_of(header: &str) -> Option<&'static [&'static str]> {
    let (section, name) = header.split_once(' ').unwrap_or((header, "\"\""));
    let name = name.trim().strip_prefix('"')?.strip_suffix('"')?;
    let section = section.to_ascii_lowercase();
    let known = HARMLESS.iter().find(|(known, _)| *known == section);
    known.filter(|_| !name.contains(['"', ']', '\\'])).map(|(_, keys)| *keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_itself_is_harmless() {
        let cloned = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = git@host:a/b\n\
                      \tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"a-b\"]\n\tmerge = refs/heads/a-b\n";
        assert!(is_harmless("") && is_harmless(cloned) && is_harmless("# none\n[user]\nname = A \"B\" C\n"));
    }

    #[test]
    fn what_starts_a_program_is_not() {
        for text in [
            "[core]\nfsmonitor = evil",
            "[CORE]\n FsMonitor=evil",
            "[core] fsmonitor = evil",
            "[core]fsmonitor=[x]",
            "[core \"a]\"]\nx",
            "[core]\nhooksPath = evil",
            "[core]\nsshCommand = evil",
            "[core]\npager = evil",
            "[core]\neditor = evil",
            "[alias]\nst = !evil",
            "[diff \"x\"]\ntextconv = evil",
            "[merge \"x\"]\ndriver = evil",
            "[filter \"x\"]\nclean = evil",
            "[include]\npath = evil",
            "[user]\nname = a\\\n[core]\n",
            "[remote \"x\"]\nurl = ext::evil",
            "fsmonitor = evil",
        ] {
            assert!(!is_harmless(text), "{text}");
        }
    }
}
