//! LS, Glob and Grep.

use std::{
    fs::File,
    os::unix::fs::symlink,
    time::{Duration, SystemTime},
};

use lookback_engine::trace::{Status, result::SearchMatch};
use serde_json::json;

use super::*;

fn project() -> Bench {
    let bench = Bench::new(&[
        (".gitignore", "target/\n*.log\n"),
        (".env", "KEY=1\n"),
        ("src/main.rs", "fn main() {\n    run();\n}\n"),
        ("src/lib.rs", "pub fn run() {\n    todo!()\n}\n"),
        ("src/deep/er.py", "def run():\n    pass\n"),
        ("target/debug/out.rs", "fn run() {}\n"),
        ("trace.log", "run\n"),
        ("README.md", "# Run\n"),
    ]);
    bench.put(".git/HEAD", "ref: run\n");
    bench
}

#[test]
fn ls_shows_folders_first_and_counts() {
    let bench = project();
    symlink("README.md", bench.at("link")).unwrap();
    fs::create_dir(bench.at("docs")).unwrap();
    let result = bench.run(ToolName::Ls, json!({}));
    // .git, .gitignore, .env; target, trace.log.
    let shown = ".: 2 folders, 2 files (5 hidden or ignored ones not shown)\ndocs/\nsrc/\nREADME.md\nlink -> README.md";
    assert_eq!(text(&result), shown);
    assert_eq!(data!(result, List).entries, ["docs/", "src/", "README.md", "link -> README.md"]);
    let hidden = bench.text(ToolName::Ls, json!({ "hidden": true }));
    assert!(hidden.contains("\n.env\n.gitignore\n") && !hidden.contains("target"), "{hidden}");
    assert_eq!(bench.text(ToolName::Ls, json!({ "path": "src" })), "src: 1 folders, 2 files\ndeep/\nlib.rs\nmain.rs");
    assert_eq!(bench.text(ToolName::Ls, json!({ "path": "target" })), "target: 1 folders, 0 files\ndebug/");
    assert_eq!(bench.error(ToolName::Ls, json!({ "path": "none" })), "NOT_FOUND: none does not exist");
    let file = bench.error(ToolName::Ls, json!({ "path": "README.md" }));
    assert_eq!(file, "INVALID_PARAM: README.md is a file, not a folder");
    assert_eq!(bench.error(ToolName::Ls, json!({ "path": ".." })), "ACCESS_DENIED: .. is outside the project");
}

#[test]
fn a_long_listing_says_how_to_see_the_rest() {
    let bench = Bench::new(&[]);
    (0..600).for_each(|number| bench.put(&format!("f{number:03}"), ""));
    for (tool, arguments) in [(ToolName::Ls, json!({})), (ToolName::Glob, json!({ "pattern": "f*" }))] {
        let result = bench.run(tool, arguments);
        assert_eq!(result.status, Status::Partial);
        let list = data!(result, List);
        assert_eq!((list.entry_count, list.entries.len(), list.truncated), (600, 500, true));
        assert!(text(&result).lines().last().unwrap().contains("500 of 600"));
    }
}

#[test]
fn glob_shows_the_newest_first() {
    let bench = project();
    let past = |name: &str, seconds| {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        File::options().write(true).open(bench.at(name)).unwrap().set_modified(time).unwrap();
    };
    past("src/lib.rs", 10);
    past("src/main.rs", 20);
    let result = bench.run(ToolName::Glob, json!({ "pattern": "**/*.rs" }));
    assert_eq!(text(&result), "2 files, newest first\nsrc/lib.rs\nsrc/main.rs");
    past("src/lib.rs", 30);
    let entries = |arguments| data!(bench.run(ToolName::Glob, arguments), List).entries;
    assert_eq!(entries(json!({ "pattern": "*.rs" })), ["src/main.rs", "src/lib.rs"], "names at any depth");
    assert_eq!(entries(json!({ "pattern": "src/*" })).len(), 2, "a star does not cross a slash");
    assert_eq!(entries(json!({ "pattern": "*.{py,md}", "path": "src" })), ["src/deep/er.py"]);
    assert_eq!(entries(json!({ "pattern": ".env" })), [".env"]);
    let full = bench.at("src/**/*.py").to_string_lossy().into_owned();
    assert_eq!(entries(json!({ "pattern": full })), ["src/deep/er.py"]);
    assert_eq!(bench.text(ToolName::Glob, json!({ "pattern": "*.go" })), "no file matches *.go in .");
    assert!(bench.error(ToolName::Glob, json!({ "pattern": "a[" })).starts_with("INVALID_PARAM: \"a[\" is not a glob"));
    let stopped = bench.tools.run(ToolName::Glob, &json!({ "pattern": "*" }), &|| true);
    assert_eq!(stopped.error.unwrap().code, "EXECUTION_ERROR");
}

#[test]
fn grep_finds_lines_in_the_order_of_paths() {
    let bench = project();
    let result = bench.run(ToolName::Grep, json!({ "pattern": r"\brun\(" }));
    let shown = "3 matching lines in 3 files\nsrc/deep/er.py:1:def run():\nsrc/lib.rs:1:pub fn run() {\nsrc/main.rs:2:    run();";
    assert_eq!(text(&result), shown);
    let search = data!(result, Search);
    assert_eq!((search.match_count, search.truncated), (3, false));
    let last = SearchMatch { path: "src/main.rs".to_owned(), line: 2, text: "    run();".to_owned() };
    assert_eq!(search.matches.last(), Some(&last));
    assert_eq!(result.status, Status::Success);
}

#[test]
fn grep_is_narrowed_by_path_glob_type_and_case() {
    let bench = project();
    let grep = |arguments| bench.text(ToolName::Grep, arguments);
    assert!(grep(json!({ "pattern": "run", "path": "src/deep" })).ends_with("\nsrc/deep/er.py:1:def run():"));
    assert!(grep(json!({ "pattern": "run", "glob": "*.py" })).starts_with("1 matching lines in 1 files"));
    assert!(grep(json!({ "pattern": "run", "glob": "!*.rs" })).starts_with("1 matching lines in 1 files"));
    assert!(grep(json!({ "pattern": "run", "glob": "src/*.rs" })).starts_with("2 matching lines in 2 files"));
    assert!(grep(json!({ "pattern": "run", "type": "rust" })).starts_with("2 matching lines in 2 files"));
    assert!(grep(json!({ "pattern": "RUN", "-i": true })).starts_with("4 matching lines in 4 files"));
    assert!(grep(json!({ "pattern": "KEY", "glob": ".env" })).ends_with("\n.env:1:KEY=1"));
    assert!(grep(json!({ "pattern": "run", "path": "trace.log" })).ends_with("\ntrace.log:1:run"), "named itself");
    assert_eq!(grep(json!({ "pattern": "nowhere" })), "no match for nowhere in .");
    let files = grep(json!({ "pattern": "run", "output_mode": "files_with_matches" }));
    assert_eq!(files, "3 files match\nsrc/deep/er.py\nsrc/lib.rs\nsrc/main.rs");
    let count = grep(json!({ "pattern": "[a-z]", "path": "src/lib.rs", "output_mode": "count" }));
    assert_eq!(count, "2 matching lines in 1 files\nsrc/lib.rs:2");
}

#[test]
fn grep_shows_lines_around_and_over_line_ends() {
    let bench = project();
    let around = bench.text(ToolName::Grep, json!({ "pattern": "todo", "context": 1 }));
    let shown = "1 matching lines in 1 files\nsrc/lib.rs-1-pub fn run() {\nsrc/lib.rs:2:    todo!()\nsrc/lib.rs-3-}";
    assert_eq!(around, shown);
    let over = bench.text(ToolName::Grep, json!({ "pattern": r"main\(\) \{.*?\}", "multiline": true }));
    assert!(over.ends_with("\nsrc/main.rs:1:fn main() {\nsrc/main.rs:2:    run();\nsrc/main.rs:3:}"), "{over}");
}

#[test]
fn grep_stops_at_its_limit_and_counts_on() {
    let bench = Bench::new(&[("b", &"x\n".repeat(150)), ("a", &"x\n".repeat(150)), ("c", &"x\n".repeat(150))]);
    let result = bench.run(ToolName::Grep, json!({ "pattern": "x" }));
    assert_eq!(result.status, Status::Partial);
    let search = data!(result, Search);
    assert_eq!((search.match_count, search.matches.len(), search.truncated), (450, 200, true));
    assert_eq!((search.matches[0].path.as_str(), search.matches[199].path.as_str()), ("a", "b"));
    assert!(text(&result).ends_with("\n(the first 200 of 450; head_limit, path, glob or type shows others)"));
    let few =
        bench.text(ToolName::Grep, json!({ "pattern": "x", "output_mode": "files_with_matches", "head_limit": 2 }));
    assert_eq!(few, "3 files match\na\nb\n(the first 2 of 3; head_limit, path, glob or type shows others)");
}

#[test]
fn grep_looks_at_text_alone() {
    let bench = Bench::new(&[("long", &format!("needle {}\n", "x".repeat(5_000)))]);
    bench.put("binary", b"needle\0needle");
    bench.put("utf16", b"\xFF\xFEn\0e\0e\0d\0l\0e\0\n\0");
    fs::write(bench.temp.path().join("outside"), "needle\n").unwrap();
    symlink("../outside", bench.at("link")).unwrap();
    let fifo = bench.at("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let result = bench.run(ToolName::Grep, json!({ "pattern": "needle" }));
    let shown = text(&result);
    assert!(
        shown.starts_with("2 matching lines in 2 files\nlong:1 (first 500 of 5007 characters):needle xxx"),
        "{shown}"
    );
    assert!(shown.ends_with("\nutf16:1:needle"));
    let whole: Vec<String> = data!(result, Search).matches.into_iter().map(|found| found.path).collect();
    assert_eq!(whole, ["utf16"], "half a line is recorded as no line");
}

#[test]
fn grep_refuses_what_it_cannot_understand() {
    let bench = project();
    let error = |arguments| bench.error(ToolName::Grep, arguments);
    assert!(error(json!({ "pattern": "(" })).starts_with("INVALID_PARAM: the pattern is no regular expression"));
    assert!(error(json!({ "pattern": r"a\nb" })).contains("multiline: true"));
    assert!(
        error(json!({ "pattern": "a", "type": "klingon" })).starts_with("INVALID_PARAM: \"klingon\" is no file type")
    );
    assert_eq!(error(json!({ "pattern": "a", "path": "none" })), "NOT_FOUND: none does not exist");
    assert_eq!(error(json!({ "pattern": "a", "path": "/etc" })), "ACCESS_DENIED: /etc is outside the project");
    let stopped = bench.tools.run(ToolName::Grep, &json!({ "pattern": "a" }), &|| true);
    // A search that ends before anybody asks is not stopped.
    assert!(stopped.error.is_none_or(|error| error.code == "EXECUTION_ERROR"));
}

#[test]
fn rules_that_are_no_ordinary_file_count_as_none_and_keep_nobody_waiting() {
    let bench = project();
    std::fs::remove_file(bench.at(".gitignore")).unwrap();
    symlink("/dev/zero", bench.at(".gitignore")).unwrap();
    fs::create_dir_all(bench.at(".git/info")).unwrap();
    for pipe in [".ignore", ".git/info/exclude", "src/.gitignore"] {
        let made = std::process::Command::new("mkfifo").arg(bench.at(pipe)).status().unwrap();
        assert!(made.success());
    }
    let listed = bench.text(ToolName::Ls, json!({}));
    assert!(listed.contains("trace.log") && listed.contains("target/"), "{listed}");
    assert!(bench.text(ToolName::Grep, json!({ "pattern": "run" })).contains("src/lib.rs"));
    assert!(bench.text(ToolName::Glob, json!({ "pattern": "**/*.rs" })).contains("src/lib.rs"));
}
