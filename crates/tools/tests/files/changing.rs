//! Edit, MultiEdit and Write.

use std::{fs::Permissions, os::unix::fs::symlink};

use lookback_engine::trace::result::Hunk;
use serde_json::json;

use super::*;

impl Bench {
    fn read(&self, path: &str) {
        self.text(ToolName::Read, json!({ "path": path }));
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> ToolResult {
        self.run(ToolName::Edit, json!({ "path": path, "old_string": old, "new_string": new }))
    }

    fn edit_error(&self, path: &str, old: &str, new: &str) -> String {
        self.error(ToolName::Edit, json!({ "path": path, "old_string": old, "new_string": new }))
    }
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn an_edit_answers_with_a_diff() {
    let bench = Bench::new(&[("a.py", "def f():\n    return 1\n\nprint(f())\n")]);
    bench.read("a.py");
    let result = bench.edit("a.py", "    return 1\n", "    # two\n    return 2\n");
    assert_eq!(bench.bytes("a.py"), b"def f():\n    # two\n    return 2\n\nprint(f())\n");
    let shown =
        "changed a.py in 1 place\n@@ -1,4 +1,5 @@\n def f():\n-    return 1\n+    # two\n+    return 2\n \n print(f())";
    assert_eq!(text(&result), shown);
    let hunk = Hunk { first_line: 2, removed: lines(&["    return 1"]), added: lines(&["    # two", "    return 2"]) };
    assert_eq!(data!(result, Edit).hunks, [hunk]);
    assert_eq!(bench.names("."), ["a.py"], "no temporary file is left");
}

#[test]
fn only_what_was_read_and_is_unchanged_is_edited() {
    let bench = Bench::new(&[("a", "one\n")]);
    assert!(bench.edit_error("a", "one", "two").starts_with("CONFLICT: a was not read yet"));
    bench.read("a");
    bench.put("a", "one more\n");
    assert_eq!(bench.edit_error("a", "one", "two"), "CONFLICT: a was changed since it was read: Read it again");
    assert_eq!(bench.bytes("a"), b"one more\n");
    bench.read("a");
    bench.edit("a", "one", "two");
    bench.edit("a", "two", "three");
    assert_eq!(bench.bytes("a"), b"three more\n", "an edit of our own needs no new read");
    assert_eq!(bench.edit_error("none", "a", "b"), "NOT_FOUND: none does not exist");
}

#[test]
fn a_text_must_be_unique_or_all_of_it_is_meant() {
    let bench = Bench::new(&[("a", "x = 1\ny = 2\nx = 1\n")]);
    bench.read("a");
    let twice = bench.edit_error("a", "x = 1", "x = 3");
    assert!(twice.starts_with("INVALID_PARAM: old_string stands 2 times in the file (lines 1, 3)"), "{twice}");
    let null = json!({ "path": "a", "old_string": "x = 1", "new_string": "x = 3", "replace_all": null });
    assert_eq!(bench.error(ToolName::Edit, null), twice, "null is left out");
    let all = json!({ "path": "a", "old_string": "x = 1", "new_string": "x = 3", "replace_all": true });
    let result = bench.run(ToolName::Edit, all);
    assert!(text(&result).starts_with("changed a in 2 places\n"));
    assert_eq!(data!(result, Edit).hunks.iter().map(|hunk| hunk.first_line).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(bench.bytes("a"), b"x = 3\ny = 2\nx = 3\n");
}

#[test]
fn a_text_that_is_not_there_gets_a_hint() {
    let bench = Bench::new(&[("a", "fn f() {\n\tg();\n}\n")]);
    bench.read("a");
    let error = |old: &str| bench.edit_error("a", old, "new");
    assert!(error("    g();").ends_with("line 2 is like its first line, but blanks or what follows differ"));
    assert!(error("2\t\tg();").ends_with("it begins with a line number, which is not part of the file"));
    assert_eq!(error("h()"), "NOT_FOUND: old_string is not in the file: it must match exactly, blanks included");
    assert!(error("").starts_with("INVALID_PARAM: old_string is empty"));
    assert!(bench.edit_error("a", "g", "g").starts_with("INVALID_PARAM: old_string and new_string are the same"));
}

#[test]
fn several_edits_are_all_or_nothing() {
    let bench = Bench::new(&[("a", "one\ntwo\nthree\n")]);
    bench.read("a");
    let edits = |edits: serde_json::Value| json!({ "path": "a", "edits": edits });
    let first = json!({ "old_string": "one", "new_string": "1" });
    let failing = edits(json!([first, { "old_string": "four", "new_string": "4" }]));
    let error = bench.error(ToolName::MultiEdit, failing);
    assert!(error.starts_with("NOT_FOUND: edit 2 of 2, nothing was changed: old_string is not"), "{error}");
    assert_eq!(bench.bytes("a"), b"one\ntwo\nthree\n");
    // The second sees what the first has made.
    let result = bench.run(ToolName::MultiEdit, edits(json!([first, { "old_string": "1\ntwo\n", "new_string": "" }])));
    assert_eq!(bench.bytes("a"), b"three\n");
    let hunk = Hunk { first_line: 1, removed: lines(&["one", "two"]), added: Vec::new() };
    assert_eq!(data!(result, Edit).hunks, [hunk]);
    assert_eq!(bench.error(ToolName::MultiEdit, edits(json!([]))), "INVALID_PARAM: edits is empty");
}

#[test]
fn endings_mark_mode_and_encoding_stay() {
    let bench = Bench::new(&[]);
    bench.put("crlf", b"\xEF\xBB\xBFone\r\ntwo\r\nthree\r\n");
    fs::set_permissions(bench.at("crlf"), Permissions::from_mode(0o750)).unwrap();
    bench.read("crlf");
    let result = bench.edit("crlf", "one\ntwo", "1\n2\n2.5");
    assert_eq!(bench.bytes("crlf"), b"\xEF\xBB\xBF1\r\n2\r\n2.5\r\nthree\r\n");
    assert_eq!(data!(result, Edit).hunks[0].added, lines(&["1", "2", "2.5"]));
    assert_eq!(bench.mode("crlf"), 0o750);
    bench.text(ToolName::Write, json!({ "path": "crlf", "content": "new\nfile\n" }));
    assert_eq!(bench.bytes("crlf"), b"\xEF\xBB\xBFnew\r\nfile\r\n");
    assert_eq!(bench.mode("crlf"), 0o750);

    bench.put("mixed", b"a\nb\nc\r\nd\r\ne\n");
    bench.read("mixed");
    bench.edit("mixed", "c\nd", "C\nD");
    assert_eq!(bench.bytes("mixed"), b"a\nb\nC\r\nD\r\ne\n");

    bench.put("utf16", b"\xFF\xFEh\0i\0\n\0");
    bench.read("utf16");
    bench.edit("utf16", "hi", "ho");
    assert_eq!(bench.bytes("utf16"), b"\xFF\xFEh\0o\0\n\0");

    bench.put("broken", b"\xC3\xA4 \xFF keep\nold\n");
    bench.read("broken");
    bench.edit("broken", "old", "new");
    assert_eq!(bench.bytes("broken"), b"\xC3\xA4 \xFF keep\nnew\n", "bytes that are no text stay");
}

#[test]
fn a_link_stays_a_link() {
    let bench = Bench::new(&[("real/a", "one\n")]);
    symlink("real/a", bench.at("link")).unwrap();
    bench.read("link");
    bench.edit("link", "one", "two");
    assert!(bench.at("link").is_symlink());
    assert_eq!(bench.bytes("real/a"), b"two\n");
    symlink("../outside", bench.at("out")).unwrap();
    assert!(bench.error(ToolName::Write, json!({ "path": "out", "content": "x" })).contains("link"));
    fs::create_dir(bench.temp.path().join("outside")).unwrap();
    let out = bench.error(ToolName::Write, json!({ "path": "out/new", "content": "x" }));
    assert_eq!(out, "ACCESS_DENIED: out/new is outside the project");
}

#[test]
fn write_makes_folders_and_overwrites_only_what_was_read() {
    let bench = Bench::new(&[("old", "precious\n")]);
    let result = bench.run(ToolName::Write, json!({ "path": "a/b/new.txt", "content": "x\ny\n" }));
    assert_eq!(text(&result), "created a/b/new.txt: 2 lines");
    assert!(data!(result, Write).created);
    assert_eq!(bench.bytes("a/b/new.txt"), b"x\ny\n");
    assert_eq!(bench.names("a/b"), ["new.txt"]);

    let over = json!({ "path": "old", "content": "x" });
    assert!(bench.error(ToolName::Write, over.clone()).starts_with("CONFLICT: old was not read yet"));
    bench.read("old");
    assert_eq!(bench.text(ToolName::Write, over), "overwrote old: 1 lines");
    assert_eq!(
        bench.text(ToolName::Write, json!({ "path": "a/b/new.txt", "content": "" })),
        "overwrote a/b/new.txt: 0 lines"
    );
    assert_eq!(
        bench.error(ToolName::Write, json!({ "path": "a", "content": "" })),
        "IS_DIRECTORY: a is a folder: LS lists it"
    );
}

#[test]
fn what_may_not_be_changed_says_so() {
    let bench = Bench::new(&[("locked", "x\n"), (".git/config", "[core]\n")]);
    fs::set_permissions(bench.at("locked"), Permissions::from_mode(0o444)).unwrap();
    bench.read("locked");
    assert_eq!(bench.edit_error("locked", "x", "y"), "ACCESS_DENIED: locked is read-only");
    bench.read(".git/config");
    assert!(
        bench
            .edit_error(".git/config", "core", "evil")
            .starts_with("ACCESS_DENIED: .git/config is read-only for tools")
    );
    for kept in [".git/hooks/pre-commit", ".lookback.toml"] {
        let error = bench.error(ToolName::Write, json!({ "path": kept, "content": "evil" }));
        assert!(error.starts_with("ACCESS_DENIED"), "{error}");
    }
    assert_eq!(bench.names(".git"), ["config"]);
}

#[test]
fn a_read_only_folder_is_left_as_it_is() {
    let bench = Bench::new(&[("shut/a", "one\n")]);
    bench.read("shut/a");
    fs::set_permissions(bench.at("shut"), Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere, so there is nothing to see then.
    if fs::write(bench.at("shut/probe"), "").is_ok() {
        return;
    }
    assert!(bench.edit_error("shut/a", "one", "two").starts_with("ACCESS_DENIED: shut/a cannot be opened or changed"));
    assert_eq!(bench.bytes("shut/a"), b"one\n");
    fs::set_permissions(bench.at("shut"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_resumed_session_knows_what_was_read() {
    let bench = Bench::new(&[("a", "one\n"), ("b", "two\n")]);
    let read = bench.run(ToolName::Read, json!({ "path": "a" }));
    let edited = bench.edit("a", "one", "1");
    let stored: ToolResult = serde_json::from_str(&serde_json::to_string(&edited).unwrap()).unwrap();

    let resumed = tools(&bench.at("."));
    let edit = |tools: &FileTools| {
        let arguments = json!({ "path": "a", "old_string": "1", "new_string": "2" });
        tools.run(ToolName::Edit, &arguments, &|| false).error.map(|error| error.code)
    };
    assert_eq!(edit(&resumed).as_deref(), Some("CONFLICT"));
    resumed.restore(&read);
    assert_eq!(edit(&resumed).as_deref(), Some("CONFLICT"), "it was read before it was changed");
    resumed.restore(&stored);
    assert_eq!(edit(&resumed), None);
    let known = resumed.seen("a").unwrap();
    resumed.forget("a");
    assert_eq!(resumed.seen("a"), None);
    resumed.remember("a", known);
    assert_eq!(resumed.seen("a"), Some(known));
}
