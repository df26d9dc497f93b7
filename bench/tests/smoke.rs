//! The program runs through with small sizes and prints all its tables. No figure is checked: machines are noisy.

use std::process::Command;

#[test]
fn a_quick_run_prints_every_table() {
    let output = Command::new(env!("CARGO_BIN_EXE_lookback-bench")).arg("--quick").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let titles: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let expected = [
        "Append one step",
        "View after reopening",
        "The store that recall works on",
        "Recall by pointer",
        "Recall by words",
        "Fold by rules",
        "Evidence check",
        "A question to the planner",
        "Tidy where it holds",
        "One more step after folds",
        "Reading recorded sessions",
        "One call of `lookback` in replay",
        "One call of every strategy in replay",
        "Bodies from outside",
        "Server-sent events",
        "Counting tokens",
        "First byte",
        "The input of a call, expected and billed",
        "Memory",
    ];
    assert_eq!(titles, expected, "{printed}");
    assert!(printed.contains("100 turns, `file:path:Lx-Ly`"), "{printed}");
    assert!(printed.contains("| the sample | ") && printed.contains("| head-summary | "), "{printed}");
    assert!(!printed.contains("NaN"), "{printed}");
}

#[test]
fn as_many_sessions_are_written_as_were_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let mut bench = Command::new(env!("CARGO_BIN_EXE_lookback-bench"));
    let output = bench.arg("--directory").arg(directory.path()).args(["many", "--sessions", "20"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = std::fs::read_dir(directory.path().join("project-0")).unwrap();
    let calls = files.map(|file| {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        text.lines().filter(|line| line.contains("\"type\":\"assistant\"")).count()
    });
    assert_eq!(calls.collect::<Vec<_>>(), [2; 20]);
}

#[test]
fn grep_finds_as_many_lines_as_rg() {
    let output = Command::new(env!("CARGO_BIN_EXE_lookback-bench")).args(["--quick", "grep"]).output().unwrap();
    let (printed, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{said}");
    assert!(said.contains("SKIPPED") || printed.contains("| a frequent word | "), "{printed}{said}");
}
