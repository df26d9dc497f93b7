//! A script as TOML text, for people: short texts on one line, long ones as they are, nothing that says the default.

use std::fmt::Write;

use super::{CallEnd, Script, Section, Step, StepStop};

impl Script {
    /// The file. `notes` gives the comments that stand before a step, or before an answer of a section, by its place.
    pub fn render(&self, notes: impl Fn(Option<Section>, usize) -> Vec<String>) -> String {
        let mut out = String::new();
        if let Some(model) = &self.model {
            line(&mut out, "model", &quote(model));
        }
        for (index, step) in self.steps.iter().enumerate() {
            table(&mut out, "step", &notes(None, index), step);
        }
        for section in Section::ALL {
            for (index, answer) in self.section(section).iter().enumerate() {
                table(&mut out, section.name(), &notes(Some(section), index), answer);
            }
        }
        out
    }
}

/// A line that does not belong to the script, however many lines its text has.
pub fn comment(text: &str) -> String {
    let words: Vec<String> = text.lines().map(|line| line.chars().filter(|c| !c.is_control()).collect()).collect();
    format!("# {}\n", words.join(" "))
}

fn table(out: &mut String, name: &str, notes: &[String], step: &Step) {
    if !out.is_empty() {
        out.push('\n');
    }
    notes.iter().for_each(|note| out.push_str(&comment(note)));
    let _ = writeln!(out, "[[{name}]]");
    if let Some(after) = step.after {
        line(out, "after", &after.to_string());
    }
    for (name, text) in [("thinking", &step.thinking), ("text", &step.text)] {
        if !text.is_empty() {
            line(out, name, &quote(text));
        }
    }
    if !step.calls.is_empty() {
        let calls = step.calls.iter().map(|call| {
            let end = if call.end == CallEnd::Unfinished { ", unfinished = true" } else { "" };
            format!("{{ name = {}, arguments = {}{end} }}", quote(&call.name), one_line(&call.arguments))
        });
        let calls: Vec<String> = calls.collect();
        match calls.as_slice() {
            [call] => line(out, "calls", &format!("[{call}]")),
            calls => line(out, "calls", &format!("[\n  {},\n]", calls.join(",\n  "))),
        }
    }
    if step.stop != StepStop::End {
        line(out, "stop", &quote(step.stop.name()));
    }
    for (name, time) in [("first_byte_ms", step.first_byte), ("piece_ms", step.piece)] {
        if !time.is_zero() {
            line(out, name, &time.as_millis().to_string());
        }
    }
    if step.repeat != 1 {
        line(out, "repeat", &step.repeat.to_string());
    }
    if let Some(usage) = &step.usage {
        let [uncached, cached, written, output] = [usage.uncached, usage.cached, usage.written, usage.output];
        let usage = format!("{{ uncached = {uncached}, cached = {cached}, written = {written}, output = {output} }}");
        line(out, "usage", &usage);
    }
    if !step.faults.is_empty() {
        let faults: Vec<String> = step.faults.iter().map(|fault| quote(&fault.to_string())).collect();
        line(out, "faults", &format!("[{}]", faults.join(", ")));
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

/// Several lines stand as they are where TOML can hold them so.
fn quote(text: &str) -> String {
    let plain = text.chars().all(|c| c == '\n' || is_plain(c));
    if text.contains('\n') && plain && !text.contains("'''") && !text.ends_with('\'') {
        format!("'''\n{text}'''")
    } else if text.contains('\n') && text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()) {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"\"\"\n{escaped}\"\"\"")
    } else {
        one_line(text)
    }
}

/// JSON stands as it is, between single quotes; everything else with escapes.
fn one_line(text: &str) -> String {
    if text.contains(['"', '\\']) && !text.contains('\'') && text.chars().all(is_plain) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if is_plain(c) => quoted.push(c),
            c => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
        }
    }
    quoted.push('"');
    quoted
}

/// What stands for itself in every kind of quotes.
fn is_plain(c: char) -> bool {
    c == '\t' || !c.is_control()
}
