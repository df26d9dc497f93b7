//! Which files the session changed, and which it deleted: by its edits and writes, and by what its commands name.
//!
//! A command that failed, and one that puts other versions of files in place, counts for nothing.

use std::collections::BTreeMap;

use super::past::Past;
use crate::{
    shell::{Command, Item, Joint, Script, changed_files},
    trace::{ResultData, Status, ToolResult, TurnNo, result::RunData},
    words::lists,
};

/// Files of the session, by what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Files {
    /// They exist. Relative to the root, those outside of it by their whole paths.
    pub changed: Vec<String>,
    /// They do not.
    pub deleted: Vec<String>,
}

pub(super) fn files(past: Past<'_>) -> Files {
    let mut fates: BTreeMap<String, bool> = BTreeMap::new();
    let root = past.history.start().root.trim_end_matches('/');
    let mut done: Vec<_> = past.done_from(TurnNo(0)).collect();
    done.reverse();
    for done in done {
        fates.extend(done.changed().map(|path| (path.to_owned(), true)));
        fates.extend(done.deleted().map(|path| (path.to_owned(), false)));
        if let Some((_, run)) = done.run().filter(|(_, run)| run.exit_code.is_none_or(|code| code == 0)) {
            follow(run, root, &mut fates);
        }
    }
    let of = |exists: bool| fates.iter().filter(|(_, fate)| **fate == exists).map(|(path, _)| path.clone()).collect();
    Files { changed: of(true), deleted: of(false) }
}

/// The files that a call took away and, of those, the ones that have another name now; empty where it failed.
pub(crate) fn taken_away(result: &ToolResult, root: &str) -> (Vec<String>, Vec<(String, String)>) {
    if result.status != Status::Success {
        return Default::default();
    }
    match &result.data {
        ResultData::Run(run) if run.exit_code == Some(0) => {
            let named = named(run, &Script::parse(&run.command), root.trim_end_matches('/'));
            let ours = |path: &String| !is_scratch(path) && !path.is_empty();
            (named.gone.into_iter().filter(ours).collect(), named.moved)
        }
        data => (data.deleted_paths().map(str::to_owned).collect(), Vec::new()),
    }
}

/// What the words of a command say of files.
struct Named {
    /// Where its last part ran.
    place: String,
    gone: Vec<String>,
    /// Those of the ones that are gone that have another name.
    moved: Vec<(String, String)>,
    put: Vec<String>,
    /// Other versions of files were put in place, nobody knows of which.
    replaces: bool,
}

fn named(run: &RunData, script: &Script, root: &str) -> Named {
    let mut place = run.cwd.clone();
    let (mut gone, mut put): (Vec<String>, Vec<String>) = Default::default();
    let mut moved: Vec<(String, String)> = Vec::new();
    let mut replaces = false;
    for item in &script.items {
        match item {
            Item::Command(command) => {
                let Some(words) = command_words(command) else { continue };
                match words.as_slice() {
                    ["cd", to] => place = joined(&place, to, root),
                    ["git", "checkout" | "restore" | "stash" | "reset" | "clean" | "pull" | "merge" | "rebase", ..] => {
                        replaces = true
                    }
                    ["rm" | "unlink", names @ ..] | ["git", "rm", names @ ..] => {
                        gone.extend(operands(names).map(|name| joined(&place, name, root)));
                    }
                    // What is put into a commit was changed, by whomever.
                    ["git", "add", names @ ..] => {
                        let named = operands(names).filter(|name| name.contains('.') && *name != ".");
                        put.extend(named.map(|name| joined(&place, name, root)));
                    }
                    ["mv", names @ ..] | ["git", "mv", names @ ..] => {
                        let names: Vec<String> = operands(names).map(|name| joined(&place, name, root)).collect();
                        if let Some((to, from)) = names.split_last() {
                            if let [from] = from {
                                moved.push((from.clone(), to.clone()));
                            }
                            gone.extend_from_slice(from);
                        }
                    }
                    _ => {}
                }
            }
            Item::Joint(Joint::Close, _) => place = run.cwd.clone(),
            Item::Joint(..) => {}
        }
    }
    Named { place, gone, moved, put, replaces }
}

/// What a command did to files that it names.
fn follow(run: &RunData, root: &str, fates: &mut BTreeMap<String, bool>) {
    // Most commands do neither.
    let may = |word: &&str| run.command.contains(*word);
    if !["rm", "mv", "unlink", ">", "tee", "sed", "cp", "touch", "perl", "git add"].iter().any(may) {
        return;
    }
    let script = Script::parse(&run.command);
    let Named { place, gone, put, replaces, .. } = named(run, &script, root);
    for path in put {
        fates.entry(path).or_insert(true);
    }
    // Elsewhere is no file of this project.
    if !replaces && !place.starts_with(['/', '~', '$']) {
        let known = changed_files(&script, &run.cwd).paths;
        // `mv a b` may put a into a folder b: where b is named as a file, it is one.
        let in_a_file =
            |path: &str| path.rsplit_once('/').is_some_and(|(over, _)| known.iter().any(|other| other == over));
        let is_ours = |path: &&String| !is_scratch(path) && !lies_outside(path, &run.command, root);
        let stays = |path: &&String| !gone.contains(path) && !in_a_file(path);
        for path in known.iter().filter(is_ours).filter(stays) {
            fates.insert(path.clone(), true);
        }
    }
    for path in gone.into_iter().filter(|path| !is_scratch(path) && !path.is_empty()) {
        let inside = format!("{path}/");
        let under = fates.iter_mut().filter(|(known, _)| known.starts_with(&inside));
        let count = under.map(|(_, fate)| *fate = false).count();
        if count == 0 {
            fates.insert(path, false);
        }
    }
}

/// The words of a command, where each is plain text; settings before it do not count.
fn command_words(command: &Command) -> Option<Vec<&str>> {
    let words = command.literal()?;
    Some(words.into_iter().skip_while(|word| word.contains('=') && !word.starts_with('-')).collect())
}

fn operands<'a>(names: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    names.iter().copied().filter(|name| !name.starts_with('-') && !name.contains(['*', '?', '$']))
}

/// Relative to the root where it lies in it.
fn joined(place: &str, name: &str, root: &str) -> String {
    let whole = if name.starts_with('/') || place.is_empty() { name.to_owned() } else { format!("{place}/{name}") };
    let inside = whole.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).filter(|_| !root.is_empty());
    let mut parts: Vec<&str> = Vec::new();
    let path = inside.unwrap_or(if whole == root { "" } else { &whole });
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/").trim_end_matches('/').to_owned()
}

/// Whether the command names it by a whole path that is not in the root.
fn lies_outside(path: &str, command: &str, root: &str) -> bool {
    let inside = !root.is_empty() && command.contains(&format!("{root}/{path}"));
    let absolute =
        command.split([' ', '\n', '>', '"', '\'', '=']).any(|word| word.starts_with('/') && word.ends_with(path));
    absolute && !inside
}

fn is_scratch(path: &str) -> bool {
    lists().scratch.begin(path) || path.starts_with('~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        story::{Story, edit, run},
        trace::{NoBlobs, TurnNo},
    };
    use serde_json::json;

    #[test]
    fn files_are_changed_or_deleted_by_what_came_last() {
        let mut story = Story::new();
        story.user("go on with it");
        story.step("", "Edit", json!({}), edit("src/a.rs", 1, &["a"], &["b"]));
        story.step("", "Edit", json!({}), edit("old/b.rs", 1, &["a"], &["b"]));
        for command in [
            "cat > notes.md <<'EOF'\nx\nEOF",
            "cd docs && rm -f gone.md ../stale.md",
            "rm -rf old && rm /tmp/x *.log",
            "git mv c.rs d.rs",
            "git add by_another.rs . && git commit -m x",
            "git checkout -- src/e.rs",
            "CI=1 sed -i s/a/b/ src/f.rs",
            "echo x > /tmp/scratch.txt",
            "cd /tmp/elsewhere && echo x > other.txt && rm file.txt",
        ] {
            story.step("", "Bash", json!({}), run(command, 0, ""));
        }
        story.step("", "Bash", json!({}), run("rm kept.rs", 1, ""));
        let files = files(Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs));
        assert_eq!(files.changed, ["by_another.rs", "d.rs", "notes.md", "src/a.rs", "src/f.rs"]);
        assert_eq!(files.deleted, ["c.rs", "docs/gone.md", "old/b.rs", "stale.md"]);
    }
}
