//! The rules of the one-text prompt: as many results as actions, right after them. There are no ids, so it cannot tell
//! whose result is whose; calls are named by their tool.

#[cfg(test)]
mod tests;

use super::{Rule, Violation};

enum Entry<'a> {
    User,
    Assistant { lines: Vec<&'a str> },
    Tool,
}

pub(super) fn check(body: &[u8]) -> Result<Vec<Violation>, Violation> {
    let text = std::str::from_utf8(body).map_err(|_| Violation::new(0, Rule::NotText))?;
    let entries = parse_entries(text);
    let mut violations = Vec::new();
    // The actions that wait for their results, the first of them in front.
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Tool if open.is_empty() => {
                violations.push(Violation::new(at, Rule::ResultWithoutCall { id: "[tool]".to_owned() }));
            }
            Entry::Tool => {
                open.remove(0);
            }
            Entry::User => report_open(&mut open, &mut violations),
            Entry::Assistant { lines } => {
                report_open(&mut open, &mut violations);
                for line in lines {
                    match parse_action(line) {
                        Some(Ok("Finish")) | None => {}
                        Some(Ok(name)) if line.ends_with(']') => open.push((at, name)),
                        Some(_) => violations.push(Violation::new(at, Rule::BadAction)),
                    }
                }
            }
        }
    }
    report_open(&mut open, &mut violations);
    match entries.last() {
        None => violations.push(Violation::new(0, Rule::NoMessages)),
        Some(Entry::Assistant { .. }) => violations.push(Violation::new(entries.len() - 1, Rule::LastNotUser)),
        Some(_) => {}
    }
    Ok(violations)
}

fn report_open(open: &mut Vec<(usize, &str)>, violations: &mut Vec<Violation>) {
    violations
        .extend(open.drain(..).map(|(at, name)| Violation::new(at, Rule::CallWithoutResult { id: name.to_owned() })));
}

/// Everything before the first marker is the head.
fn parse_entries(text: &str) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    for line in text.split(['\n', '\r']) {
        if line.starts_with("[user]") {
            entries.push(Entry::User);
        } else if line.starts_with("[tool]") {
            entries.push(Entry::Tool);
        } else if let Some(first) = line.strip_prefix("[assistant]") {
            entries.push(Entry::Assistant { lines: vec![first.trim_start()] });
        } else if let Some(Entry::Assistant { lines }) = entries.last_mut() {
            lines.push(line);
        }
    }
    entries
}

/// The tool's name, if the line is an action; an error if it has none.
fn parse_action(line: &str) -> Option<Result<&str, ()>> {
    let action = line.strip_prefix("Action:")?.trim_start();
    Some(match action.split_once('[') {
        Some((name, _)) if !name.is_empty() => Ok(name),
        _ => Err(()),
    })
}
