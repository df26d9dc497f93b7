//! What the tools of an agent print about a project: numbered lines, matches, hunks, test runs, logs.

use std::fmt::Write as _;

use lookback_engine::trace::{
    ResultData, ToolResult,
    result::{EditData, Hunk, LineForm, ReadData, RunData, SearchData, SearchMatch},
};

use super::{
    names,
    project::{Project, SourceFile, statement},
};
use crate::random::Random;

/// A tool's name, its arguments and what came of it.
pub(super) type Used = (&'static str, String, ToolResult);

/// Grep shows no more.
const MOST_MATCHES: usize = 40;

pub(super) fn read(file: &SourceFile, first: usize, lines: usize) -> Used {
    let first = first.min(file.lines.len().saturating_sub(lines));
    let shown: Vec<&String> = file.lines.iter().skip(first).take(lines).collect();
    let numbered = |(place, line): (usize, &&String)| format!("{:>6}→{line}\n", first + place + 1);
    let text: String = shown.iter().enumerate().map(numbered).collect();
    let data = ReadData {
        path: file.path.clone(),
        first_line: first as u32 + 1,
        line_count: shown.len() as u32,
        total_lines: Some(file.lines.len() as u32),
        form: LineForm::Numbered { separator: "→".into() },
        mtime: Some(1_763_100_000_000),
        truncated: false,
    };
    let arguments = format!(r#"{{"path":"{}","offset":{},"limit":{lines}}}"#, file.path, first + 1);
    ("Read", arguments, ToolResult::success(text, ResultData::Read(data)))
}

pub(super) fn search(project: &Project, pattern: &str) -> Used {
    let found = project.search(pattern);
    let mut text = String::new();
    let mut matches = Vec::new();
    for (path, line, shown) in found.iter().take(MOST_MATCHES) {
        let _ = writeln!(text, "{path}:{line}:{shown}");
        matches.push(SearchMatch { path: (*path).to_owned(), line: *line, text: (*shown).to_owned() });
    }
    let truncated = found.len() > matches.len();
    let data = SearchData { pattern: pattern.to_owned(), match_count: found.len() as u32, matches, truncated };
    ("Grep", format!(r#"{{"pattern":"{pattern}"}}"#), ToolResult::success(text, ResultData::Search(data)))
}

/// Puts two to six new lines in the place of one to three.
pub(super) fn edit(file: &mut SourceFile, at: usize, random: &mut Random) -> Used {
    let end = (at + random.between(1, 4)).min(file.lines.len());
    let given = names::variable(random);
    let added: Vec<String> = (0..random.between(1, 3))
        .flat_map(|_| statement(&given, random.between(2, 900), random))
        .map(|line| format!("        {line}"))
        .collect();
    let removed: Vec<String> = file.lines.splice(at..end, added.iter().cloned()).collect();
    let mut text = format!("edited {}: 1 place\n", file.path);
    removed.iter().for_each(|line| text += &format!("-{line}\n"));
    added.iter().for_each(|line| text += &format!("+{line}\n"));
    let (old, new) = (quoted(&removed), quoted(&added));
    let arguments = format!(r#"{{"path":"{}","old":{old},"new":{new}}}"#, file.path);
    let data = EditData { path: file.path.clone(), hunks: vec![Hunk { first_line: at as u32 + 1, removed, added }] };
    ("Edit", arguments, ToolResult::success(text, ResultData::Edit(data)))
}

/// `cargo test` of a file's package: the named tests fail, at lines of the file.
pub(super) fn test(file: &SourceFile, failing: &[String], random: &mut Random) -> Used {
    let command = format!("cargo test -p {}", file.package);
    let mut text = String::new();
    for _ in 0..random.between(3, 9) {
        let _ = writeln!(
            text,
            "   Compiling {}-{} v0.{}.{}",
            names::noun(random),
            names::noun(random),
            random.below(9),
            random.below(30)
        );
    }
    let _ = writeln!(
        text,
        "    Finished `test` profile [unoptimized + debuginfo] target(s) in {}.{:02}s",
        random.below(40),
        random.below(100)
    );
    let passed = random.between(24, 48);
    let _ = writeln!(text, "\nrunning {} tests", passed + failing.len());
    for _ in 0..passed {
        let _ = writeln!(text, "test {}::tests::{} ... ok", names::noun(random), names::function(random));
    }
    for name in failing {
        let _ = writeln!(text, "test {name} ... FAILED");
    }
    if !failing.is_empty() {
        text.push_str("\nfailures:\n");
        for name in failing {
            let (line, column) = (random.between(1, file.lines.len()), random.between(9, 40));
            let (left, right) = (random.below(5_000), random.below(5_000));
            let _ = write!(
                text,
                "\n---- {name} stdout ----\n\nthread '{name}' panicked at {}:{line}:{column}:\nassertion `left == right` failed: {}\n  left: {left}\n right: {right}\n",
                file.path,
                file.lines[line - 1].trim()
            );
        }
        text.push_str("\nfailures:\n");
        failing.iter().for_each(|name| text += &format!("    {name}\n"));
    }
    let verdict = if failing.is_empty() { "ok" } else { "FAILED" };
    let seconds = random.below(100);
    let _ = writeln!(
        text,
        "\ntest result: {verdict}. {passed} passed; {} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.{seconds:02}s",
        failing.len()
    );
    let exit = if failing.is_empty() { 0 } else { 101 };
    run(command, exit, text)
}

/// The end of a service's log.
pub(super) fn log(file: &SourceFile, random: &mut Random) -> Used {
    let command = format!("journalctl -u {} --since -{}min | tail -n 60", file.package, random.between(5, 90));
    let mut text = String::new();
    for second in 0..random.between(20, 60) {
        let level = *random.pick(&["INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"]);
        let _ = writeln!(
            text,
            "2026-11-14T09:{:02}:{:02}.{:03}Z {level} {}::{}: {} {}={:x} took={}ms",
            second / 60,
            second % 60,
            random.below(1_000),
            file.package,
            names::noun(random),
            names::function(random).replace('_', " "),
            names::variable(random),
            random.next() >> 24,
            random.below(4_000)
        );
    }
    run(command, 0, text)
}

fn run(command: String, exit: i32, text: String) -> Used {
    let arguments = format!(r#"{{"command":"{command}"}}"#);
    let data = RunData { command, exit_code: Some(exit), ..RunData::default() };
    ("Bash", arguments, ToolResult::success(text, ResultData::Run(data)))
}

/// A JSON string of these lines.
fn quoted(lines: &[String]) -> String {
    let escaped = lines.join("\n").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
