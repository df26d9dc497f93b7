//! Which files the session changed, and which it deleted: by its edits and writes, and by what its commands name.
//!
//! A command that failed, and one that puts other versions of files in place, counts for nothing. A file that is again what
//! it was is not changed.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    named::{Named, command_words, named},
    past::{Done, Past},
    undone::Edits,
};
use crate::{
    shell::{Script, named_files},
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
    /// They exist, and are no part of the work: scripts that commands wrote to run them, patches to apply, copies.
    pub scratch: Vec<String>,
}

pub(super) fn files(past: Past<'_>) -> Files {
    let mut known = Known::default();
    let root = past.history.start().root.trim_end_matches('/');
    let mut done: Vec<_> = past.done_from(TurnNo(0)).collect();
    done.reverse();
    for done in done {
        known.edited(&done);
        done.deleted().for_each(|path| known.gone(path));
        if let Some((_, run)) = done.run() {
            known.follow(run, root);
            shown_by_git(past, &done, run).into_iter().for_each(|path| known.put(path));
        }
    }
    let Known { fates, scratch, .. } = known;
    let of = |exists: bool| fates.iter().filter(move |(_, fate)| **fate == exists).map(|(path, _)| path.clone());
    let (scratch, changed): (Vec<String>, Vec<String>) = of(true).partition(|path| scratch.is(path));
    Files { changed, deleted: of(false).collect(), scratch }
}

/// What is known of files so far.
#[derive(Default)]
struct Known {
    /// Whether each exists. Those that are as they were are not in it.
    fates: BTreeMap<String, bool>,
    scratch: Scratch,
    edits: Edits,
    created: BTreeSet<String>,
    /// What a commit of the session may hold.
    committed: BTreeSet<String>,
}

/// What commands wrote for themselves.
#[derive(Default)]
struct Scratch {
    /// Written by a command where no file was known.
    made: BTreeSet<String>,
    used: BTreeSet<String>,
    aside: BTreeSet<String>,
    /// Edited, or put into a commit.
    kept: BTreeSet<String>,
}

impl Scratch {
    fn note(&mut self, named: &Named, fates: &BTreeMap<String, bool>) {
        self.made.extend(named.made.iter().filter(|path| !fates.contains_key(*path)).cloned());
        self.aside.extend(named.aside.iter().cloned());
        self.used.extend(named.used.iter().cloned());
        self.kept.extend(named.put.iter().cloned());
    }

    /// What lies in a folder of the project has its place there.
    fn is(&self, path: &str) -> bool {
        let is_patch = path.ends_with(".patch") || path.ends_with(".diff");
        let made_to_run = !path.contains('/') && self.made.contains(path) && (is_patch || self.used.contains(path));
        (made_to_run || self.aside.contains(path)) && !self.kept.contains(path)
    }
}

/// The files that git shows as changed and not yet committed.
fn shown_by_git(past: Past<'_>, done: &Done<'_>, run: &RunData) -> Vec<String> {
    if !run.command.contains("git diff") {
        return Vec::new();
    }
    let is_path = |name: &str| {
        !name.contains("..")
            && name
                .rsplit('.')
                .next()
                .is_some_and(|end| end.len() < name.len() && end.starts_with(|first: char| first.is_alphabetic()))
    };
    let of_now = |words: Vec<&str>| match words.as_slice() {
        // Between other versions others may have changed it.
        ["git", "diff", names @ ..] => {
            let mut before = names.iter().take_while(|name| **name != "--");
            before.all(|name| name.starts_with('-') || *name == "HEAD" || is_path(name))
        }
        _ => false,
    };
    if !Script::parse(&run.command).commands().filter_map(command_words).any(of_now) {
        return Vec::new();
    }
    let output = past.output(done.result).unwrap_or_default();
    let mut lines = output.lines().peekable();
    let mut shown = Vec::new();
    while let Some(line) = lines.next() {
        let named = line.strip_prefix("diff --git a/").and_then(|names| names.split_once(" b/"));
        let is_gone = lines.peek().is_some_and(|next| next.starts_with("deleted file"));
        shown.extend(named.filter(|(one, other)| one == other && !is_gone).map(|(path, _)| path.to_owned()));
    }
    shown
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

impl Known {
    fn edited(&mut self, done: &Done<'_>) {
        for path in done.changed() {
            self.scratch.kept.insert(path.to_owned());
            let data = &done.result.data;
            if data.creates(path) || matches!(data, ResultData::Write(write) if write.created) {
                self.created.insert(path.to_owned());
            }
            match self.edits.are_undone(path, data) {
                true => drop(self.fates.remove(path)),
                false => drop(self.fates.insert(path.to_owned(), true)),
            }
        }
    }

    /// Changed, by whomever.
    fn put(&mut self, path: String) {
        if !self.fates.contains_key(&path) {
            self.edits.lose(&path);
            self.fates.insert(path, true);
        }
    }

    /// What was made and taken away again, and what nobody keeps, is as if it had not been.
    fn gone(&mut self, path: &str) {
        let made_here = self.created.contains(path) || self.scratch.made.contains(path);
        if is_scratch(path) || (made_here && !self.committed.contains(path)) {
            self.fates.remove(path);
        } else {
            self.fates.insert(path.to_owned(), false);
        }
        self.edits.lose(path);
    }

    /// What a command did to files that it names.
    fn follow(&mut self, run: &RunData, root: &str) {
        // Most commands do neither.
        let may = |word: &&str| run.command.contains(*word);
        let writes =
            ["rm", "mv", "unlink", ">", "tee", "sed", "cp", "touch", "perl", "git add", "git c", "git restore"];
        let uses = || self.scratch.made.iter().any(|path| run.command.contains(path.as_str()));
        if !writes.iter().any(may) && !uses() {
            return;
        }
        let script = Script::parse(&run.command);
        let named = named(run, &script, root);
        self.scratch.note(&named, &self.fates);
        if run.exit_code.is_some_and(|code| code != 0) {
            return;
        }
        let Named { gone, put, replaces, restored, commits, .. } = named;
        // What is no file that was changed may be another version.
        if restored.iter().all(|path| self.fates.contains_key(path) && !self.committed.contains(path)) {
            for path in restored {
                self.fates.remove(&path);
                self.edits.forget(&path);
            }
        }
        put.into_iter().for_each(|path| self.put(path));
        if !replaces {
            let known = named_files(&script, &run.cwd, root);
            // `mv a b` may put a into a folder b: where b is named as a file, it is one.
            let in_a_file =
                |path: &str| path.rsplit_once('/').is_some_and(|(over, _)| known.iter().any(|other| other == over));
            let stays = |path: &&String| !gone.contains(path) && !in_a_file(path) && !is_scratch(path);
            for path in known.iter().filter(stays) {
                self.edits.lose(path);
                self.fates.insert(path.clone(), true);
            }
        }
        for path in gone.into_iter().filter(|path| !path.is_empty()) {
            let inside = format!("{path}/");
            let under: Vec<String> = self.fates.keys().filter(|known| known.starts_with(&inside)).cloned().collect();
            if under.is_empty() {
                self.gone(&path);
            }
            under.iter().for_each(|path| self.gone(path));
        }
        if commits {
            self.committed.extend(self.fates.keys().cloned());
        }
    }
}

pub(super) fn is_scratch(path: &str) -> bool {
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
    fn told(commands: &[(&str, i32, &str)]) -> Files {
        let mut story = Story::in_root("/srv/app");
        story.user("go on with it");
        for (command, exit, output) in commands {
            story.step("", "Bash", json!({}), run(command, *exit, output));
        }
        files(Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs))
    }

    #[test]
    fn a_file_has_one_name_wherever_it_was_named_from() {
        let files = told(&[
            ("for f in a b; do echo x >> \"/srv/app/src/$f.ts\"; done", 0, ""),
            ("cat > ~/.tool/theme.json <<'E'\n{}\nE\ncat > /elsewhere/theme.json <<'E'\n{}\nE", 0, ""),
            ("sed -i '' 's/a/b/' src/c.ts && cd /srv/app/web && sed -i 's/a/b/' d.ts", 0, ""),
            ("cd $OTHER && sed -i 's/a/b/' e.ts", 0, ""),
        ]);
        assert_eq!(files.changed, ["src/a.ts", "src/b.ts", "src/c.ts", "web/d.ts"]);
    }

    #[test]
    fn what_is_as_it_was_is_not_changed() {
        let mut story = Story::new();
        story.user("go on with it");
        for (line, removed, added) in [(3, ["a"], ["b"]), (3, ["b"], ["a"])] {
            story.step("", "Edit", json!({}), edit("back.rs", line, &removed, &added));
            for path in ["put_back.rs", "committed.rs", "other.rs", "~/theme.json"] {
                story.step("", "Edit", json!({}), edit(path, line, &["x"], &["y"]));
            }
        }
        for command in [
            "git checkout -- put_back.rs",
            "git checkout main -- other.rs",
            "rm ~/theme.json",
            "git commit -am x",
            "git checkout committed.rs",
            "cat > try.py <<'E'\nx\nE",
            "rm -f try.py",
        ] {
            story.step("", "Bash", json!({}), run(command, 0, ""));
        }
        let files = files(Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs));
        assert_eq!((files.changed, files.deleted), (vec!["committed.rs".into(), "other.rs".into()], vec![]));
    }

    #[test]
    fn what_commands_write_to_run_it_is_no_part_of_the_work() {
        let files = told(&[
            ("cat > repro.py <<'E'\nx\nE", 0, ""),
            ("python3 repro.py 2>&1 | tail -3", 1, "x"),
            ("cat > fix.patch <<'E'\nx\nE\ngit apply fix.patch", 0, ""),
            ("cp src/a.py src/a.py.bak", 0, ""),
            ("cat > tools/gen.py <<'E'\nx\nE\npython tools/gen.py", 0, ""),
            ("cat > main.py <<'E'\nx\nE\npython main.py && git add main.py", 0, ""),
            ("cat > other.patch <<'E'\nx\nE", 0, ""),
            ("cat > notes.md <<'E'\nx\nE", 0, ""),
            ("git diff > all.diff && cat all.diff", 0, "diff --git a/src/b.py b/src/b.py\n--- a/src/b.py"),
            ("git diff v1 v2", 0, "diff --git a/src/old.py b/src/old.py"),
        ]);
        assert_eq!(files.changed, ["main.py", "notes.md", "src/b.py", "tools/gen.py"]);
        assert_eq!(files.scratch, ["all.diff", "fix.patch", "other.patch", "repro.py", "src/a.py.bak"]);
    }
}
