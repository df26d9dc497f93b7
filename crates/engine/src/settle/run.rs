//! The history form of a command: how it ended, its tests in one line, the end of standard error (docs/seeds.md A3).
//!
//! Which programs print what is not known here: a recogniser read the tests when the result was recorded.

use super::{SettleLimits, object::Object, shorten};
use crate::{
    evidence::{
        lines::{lossy, split_lines},
        places::named_files,
    },
    trace::{
        Output,
        result::{RunData, TestReport},
    },
};

pub(super) fn settle_run(run: &RunData, output: &Output, text: &[u8], limits: &SettleLimits) -> String {
    let mut data = Object::new();
    data.field("command", shorten::shorten(&run.command, limits.characters));
    if !run.cwd.is_empty() {
        data.field("cwd", shorten::shorten(&run.cwd, limits.characters));
    }
    data.field("exit_code", run.exit_code);
    data.mark("timed_out", run.timed_out);
    if let Some(tests) = &run.tests {
        data.field("tests", render_tests(tests, limits));
    }
    data.field("output", render_size(output, text));
    let stderr = last_lines(run.stderr_tail.as_bytes(), limits);
    if !stderr.is_empty() {
        data.field("stderr_tail", stderr);
    } else if run.exit_code == Some(0) && run.tests.is_none() {
        add_edges(&mut data, text, limits);
    } else if run.exit_code != Some(0) {
        // The rule keeps standard error because it says what went wrong. Where the streams were not captured apart and
        // the command is not known to have succeeded, the end of the output says it.
        let tail = last_lines(text, limits);
        if !tail.is_empty() {
            data.field("output_tail", tail);
        }
    }
    data.end()
}

/// Of a command that went well: how its output begins and ends, and the files that it names.
fn add_edges(data: &mut Object, text: &[u8], limits: &SettleLimits) {
    let lines = split_lines(text).count();
    let head = limits.output_lines.min(lines);
    let tail = limits.output_lines.min(lines - head);
    for (key, from, count) in [("output_head", 0, head), ("output_tail", lines - tail, tail)] {
        if count > 0 {
            data.field(key, shorten::render_plain(split_lines(text).skip(from).take(count), limits.characters));
        }
    }
    let printed = lossy(text);
    let files = named_files(&printed);
    let named = limits.entries.of(files.len());
    if named > 0 && lines > head + tail {
        data.field(
            "files",
            files[..named].iter().map(|path| shorten::shorten(path, limits.characters)).collect::<Vec<_>>(),
        );
        data.left_out("files_left_out", files.len() - named);
    }
}

fn last_lines(text: &[u8], limits: &SettleLimits) -> String {
    let dropped = split_lines(text).count().saturating_sub(limits.stderr_lines);
    shorten::render_plain(split_lines(text).skip(dropped), limits.characters)
}

/// Lines are counted where the whole output was kept.
fn render_size(output: &Output, text: &[u8]) -> String {
    match output {
        Output::Beyond(ends) => format!("{} bytes", ends.len),
        Output::Inline(_) | Output::Blob { .. } => {
            format!("{} lines, {} bytes", split_lines(text).count(), text.len())
        }
    }
}

/// `pytest: 12 passed, 2 failed, 0 skipped; failed: test_a, test_b`
fn render_tests(tests: &TestReport, limits: &SettleLimits) -> String {
    let TestReport { framework, passed, failed, skipped, failures } = tests;
    let framework = shorten::shorten(framework, limits.characters);
    let mut line = format!("{framework}: {passed} passed, {failed} failed, {skipped} skipped");
    let named = limits.entries.of(failures.len());
    if named > 0 {
        let names: Vec<_> = failures[..named].iter().map(|name| shorten::shorten(name, limits.characters)).collect();
        line.push_str("; failed: ");
        line.push_str(&names.join(", "));
    }
    if failures.len() > named {
        line.push_str(&format!(" (and {} more)", failures.len() - named));
    }
    line
}
