//! The history forms of a search and of a listing: what was asked, how much there was, the first few (docs/seeds.md
//! A3).
//!
//! A directory and a glob pattern are one kind here, as in the trace: both name a subject and list entries.

use std::collections::BTreeSet;

use super::{SettleLimits, object::Object, shorten::shorten};
use crate::trace::result::{ListData, SearchData};

pub(super) fn settle_search(search: &SearchData, limits: &SettleLimits) -> String {
    let kept = search.matches.len().min(limits.matches);
    let present = (search.match_count as usize).max(search.matches.len());

    let mut data = Object::new();
    data.field("pattern", shorten(&search.pattern, limits.characters));
    data.field("match_count", search.match_count);
    // For a search that was cut short, the number of files is unknown.
    if present == search.matches.len() && !search.truncated {
        let files: BTreeSet<&str> = search.matches.iter().map(|found| found.path.as_str()).collect();
        data.field("file_count", files.len());
    }
    data.mark("truncated", search.truncated);
    let matches: Vec<String> = search.matches[..kept]
        .iter()
        .map(|found| {
            let path = shorten(&found.path, limits.characters);
            format!("{path}:{}: {}", found.line, shorten(&found.text, limits.characters))
        })
        .collect();
    data.field("matches", matches);
    data.left_out("matches_left_out", present - kept);
    data.end()
}

pub(super) fn settle_list(list: &ListData, limits: &SettleLimits) -> String {
    let kept = limits.entries.of(list.entries.len());
    let present = (list.entry_count as usize).max(list.entries.len());

    let mut data = Object::new();
    data.field("subject", shorten(&list.subject, limits.characters));
    data.field("entry_count", list.entry_count);
    let directories = list.entries.iter().filter(|entry| entry.ends_with('/')).count();
    if present == list.entries.len() && directories > 0 {
        data.field("directory_count", directories);
    }
    data.mark("truncated", list.truncated);
    let entries: Vec<String> =
        list.entries[..kept].iter().map(|entry| shorten(entry, limits.characters).into_owned()).collect();
    data.field("entries", entries);
    data.left_out("entries_left_out", present - kept);
    data.end()
}
