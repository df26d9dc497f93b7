//! What a search found: lines of one file as they come, the best of all files, and the answer made of them.

use std::{collections::BTreeMap, io};

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use lookback_engine::{
    evidence::split_lines,
    trace::{
        ResultData,
        result::{SearchData, SearchMatch},
    },
};

use super::Mode;
use crate::envelope::Done;

/// Ours: longer lines are seldom written by people. They are cut, and say so where their number stands.
const LONGEST_LINE: usize = 500;

/// The hits of one file.
#[derive(Debug)]
pub(super) struct FileHits {
    mode: Mode,
    /// How many matching lines are kept.
    most: usize,
    pub count: u32,
    shown: u32,
    lines: Vec<Line>,
}

#[derive(Debug)]
enum Line {
    Match(u32, Text),
    Context(u32, Text),
    /// Lines were left out here.
    Gap,
}

/// A line, or its beginning and how many characters it has.
#[derive(Debug)]
struct Text {
    text: String,
    cut_from: Option<usize>,
}

impl Text {
    fn new(line: &[u8]) -> Self {
        let line = String::from_utf8_lossy(line);
        match line.char_indices().nth(LONGEST_LINE) {
            None => Self { text: line.into_owned(), cut_from: None },
            Some((end, _)) => Self { text: line[..end].to_owned(), cut_from: Some(line.chars().count()) },
        }
    }

    /// Behind its separator. A cut one in a form that nobody takes for the line.
    fn behind(&self, separator: char) -> String {
        let Self { text, cut_from } = self;
        match cut_from {
            None => format!("{separator}{text}"),
            Some(all) => format!(" (first {LONGEST_LINE} of {all} characters){separator}{text}"),
        }
    }
}

impl FileHits {
    pub(super) fn new(most: usize, mode: Mode) -> Self {
        Self { mode, most, count: 0, shown: 0, lines: Vec::new() }
    }

    fn is_full(&self) -> bool {
        self.shown as usize >= self.most
    }
}

impl Sink for &mut FileHits {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let first = found.line_number().unwrap_or(1) as u32;
        for (number, line) in (first..).zip(split_lines(found.bytes())) {
            self.count = self.count.saturating_add(1);
            if self.mode == Mode::Content && !self.is_full() {
                self.shown += 1;
                self.lines.push(Line::Match(number, Text::new(line)));
            }
        }
        Ok(self.mode != Mode::FilesWithMatches)
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        if !self.is_full() {
            let number = around.line_number().unwrap_or(1) as u32;
            let text = split_lines(around.bytes()).next().unwrap_or_default();
            self.lines.push(Line::Context(number, Text::new(text)));
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        if !self.is_full() {
            self.lines.push(Line::Gap);
        }
        Ok(true)
    }
}

/// The hits of all files, as many as an answer shows: the first in the order of paths.
#[derive(Debug)]
pub(super) struct Kept {
    most: usize,
    files: BTreeMap<String, FileHits>,
    /// What `files` would show.
    shown: usize,
    line_count: u64,
    file_count: u32,
    /// Files that could not be read, or whose lines are too long.
    pub unread: u32,
}

impl Kept {
    pub(super) fn new(most: usize) -> Self {
        Self { most, files: BTreeMap::new(), shown: 0, line_count: 0, file_count: 0, unread: 0 }
    }

    pub(super) fn add(&mut self, name: impl FnOnce() -> String, hits: FileHits) {
        if hits.count == 0 {
            return;
        }
        self.line_count += u64::from(hits.count);
        self.file_count += 1;
        self.shown += weight(&hits);
        self.files.insert(name(), hits);
        // Whatever comes, the last file is never shown if those before it fill the answer.
        while let Some(last) = self.files.last_entry()
            && self.shown - weight(last.get()) >= self.most
        {
            self.shown -= weight(&last.remove());
        }
    }

    pub(super) fn answer(mut self, pattern: &str, mode: Mode, place: String) -> Done {
        let line_count = u32::try_from(self.line_count).unwrap_or(u32::MAX);
        let total = if mode == Mode::FilesWithMatches { self.file_count } else { line_count };
        let mut text = match (total, mode) {
            (0, _) => format!("no match for {pattern} in {place}"),
            (_, Mode::FilesWithMatches) => format!("{} files match", self.file_count),
            _ => format!("{line_count} matching lines in {} files", self.file_count),
        };
        let mut matches = Vec::new();
        let mut shown = 0_usize;
        let files = std::mem::take(&mut self.files);
        for (path, hits) in files {
            match mode {
                Mode::FilesWithMatches => text.extend(["\n", &path]),
                Mode::Count => text.push_str(&format!("\n{path}:{}", hits.count)),
                Mode::Content => {
                    shown += show(&path, hits.lines, self.most - shown, &mut text, &mut matches);
                    continue;
                }
            }
            shown += 1;
        }
        let present = if mode == Mode::Content { line_count as usize } else { self.file_count as usize };
        let truncated = present > shown;
        if truncated {
            text.push_str(&format!("\n(the first {shown} of {present}; head_limit, path, glob or type shows others)"));
        }
        if self.unread > 0 {
            text.push_str(&format!("\n({} files could not be searched: unreadable, or too long a line)", self.unread));
        }
        let data = SearchData { pattern: pattern.to_owned(), match_count: total, matches, truncated };
        Done { text: text.into(), data: ResultData::Search(data), is_partial: truncated, path: Some(place) }
    }
}

/// How much of the answer's limit a file takes.
fn weight(hits: &FileHits) -> usize {
    if hits.mode == Mode::Content { hits.shown as usize } else { 1 }
}

/// How many matching lines it showed.
fn show(path: &str, lines: Vec<Line>, room: usize, text: &mut String, matches: &mut Vec<SearchMatch>) -> usize {
    let mut shown = 0;
    for line in lines {
        match line {
            Line::Gap => text.push_str("\n--"),
            Line::Context(number, line) => text.push_str(&format!("\n{path}-{number}{}", line.behind('-'))),
            Line::Match(..) if shown == room => return shown,
            Line::Match(number, line) => {
                shown += 1;
                text.push_str(&format!("\n{path}:{number}{}", line.behind(':')));
                // What is recorded as a line of a file is the whole line.
                if line.cut_from.is_none() {
                    matches.push(SearchMatch { path: path.to_owned(), line: number, text: line.text });
                }
            }
        }
    }
    shown
}
