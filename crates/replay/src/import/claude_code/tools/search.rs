//! Tools that find files and lines.

use lookback_engine::trace::result::{ListData, SearchData};

use super::{Asked, Given};
use crate::import::results::parse_matches;

/// Three modes: lines with their content, the names of the files, counts by file.
pub(super) fn grep(asked: &Asked<'_>, given: &Given<'_>) -> SearchData {
    let pattern = asked.text("pattern").to_owned();
    let found = given.text.lines().filter(|line| !line.trim().is_empty() && !is_notice(line));
    let none = given.failed || given.text.starts_with("No matches found") || given.text.starts_with("No files found");
    let truncated =
        given.text.starts_with("<persisted-output>") || given.text.contains("[Showing results with pagination");
    if none {
        return SearchData { pattern, match_count: 0, matches: Vec::new(), truncated: false };
    }
    let (match_count, matches) = match asked.text("output_mode") {
        "content" => {
            let searched = Some(asked.text("path")).filter(|path| !path.is_empty());
            let matches = parse_matches(&given.text, searched, asked.root, asked.directory);
            // Without line numbers every line is a match that nobody can place.
            let count = if matches.is_empty() { found.count() } else { matches.len() };
            (count as u32, matches)
        }
        "count" => {
            let counts = found.filter_map(|line| line.rsplit_once(':')?.1.trim().parse::<u32>().ok());
            (counts.sum(), Vec::new())
        }
        _ => (found.count() as u32, Vec::new()),
    };
    SearchData { pattern, match_count, matches, truncated }
}

/// The client's own words around what was found.
fn is_notice(line: &str) -> bool {
    let counts = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    line.strip_prefix("Found ").is_some_and(counts)
        || line == "--"
        || line.starts_with("(Results are truncated")
        || line.starts_with("[Showing results with pagination")
}

pub(super) fn glob(asked: &Asked<'_>, given: &Given<'_>) -> ListData {
    let none = given.failed || given.text.starts_with("No files found");
    let names = given.text.lines().filter(|line| !none && !line.trim().is_empty() && !is_notice(line));
    let entries: Vec<String> = names.map(|name| asked.root.file(asked.directory, name)).collect();
    let truncated = given.text.contains("(Results are truncated");
    ListData { subject: asked.text("pattern").to_owned(), entry_count: entries.len() as u32, entries, truncated }
}

/// A tree with one `- name` a line; the first is the directory itself.
pub(super) fn list(asked: &Asked<'_>, given: &Given<'_>) -> ListData {
    let names = given.text.lines().filter(|_| !given.failed).filter_map(|line| line.trim_start().strip_prefix("- "));
    let entries: Vec<String> = names.skip(1).map(str::to_owned).collect();
    let subject = asked.root.directory(asked.text("path"));
    ListData { subject, entry_count: entries.len() as u32, entries, truncated: false }
}
