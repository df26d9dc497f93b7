//! `Grep`: a regular expression over the project's files, by the crates that ripgrep is made of.
//!
//! Files are searched side by side and answered in the order of their paths, so that the same tree gives the same answer.

mod hits;

use std::{
    fs::File,
    io::{self, Read},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState, types::TypesBuilder};
use serde::Deserialize;

use self::hits::{FileHits, Kept};
use super::{
    Stop,
    walk::{Hidden, Pattern, walk},
};
use crate::{
    envelope::{Code, Done, Failure},
    project::{Place, Project},
};

/// Ours: lines or files that one answer shows unless told otherwise, and at most.
const USUAL: usize = 200;
const MOST: usize = 2_000;
/// Lines around a match, at most: beyond that, Read shows the file.
const WIDEST: usize = 50;
/// What one search may hold of a file: its longest line, or with `multiline` all of it.
const HEAP: usize = 64 << 20;
/// How often somebody is asked whether to stop.
const OFTEN: Duration = Duration::from_millis(20);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    r#type: Option<String>,
    #[serde(default)]
    context: usize,
    #[serde(default)]
    multiline: bool,
    #[serde(default)]
    output_mode: Mode,
    head_limit: Option<usize>,
    #[serde(default, rename = "-i")]
    ignore_case: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Content,
    FilesWithMatches,
    Count,
}

pub(super) fn search(project: &Project, arguments: &Arguments, stop: Stop<'_>) -> Result<Done, Failure> {
    let place = project.place(arguments.path.as_deref().unwrap_or("."))?;
    if !place.exists() {
        return Err(Failure::new(Code::NotFound, format!("{} does not exist", place.name)));
    }
    let matcher = matcher(arguments)?;
    let glob = arguments.glob.as_deref().map(|glob| Pattern::parse(glob, &place.real)).transpose()?;
    let walk = walker(project, arguments, &place, glob.as_ref().map_or(Hidden::LeftOut, |glob| glob.hidden))?;
    let most = arguments.head_limit.unwrap_or(USUAL).clamp(1, MOST);
    let kept = Mutex::new(Kept::new(most));

    let stopped = AtomicBool::new(false);
    let search_all = || {
        walk.build_parallel().run(|| {
            let (matcher, mut searcher) = (matcher.clone(), searcher(arguments));
            let (kept, glob, place, stopped) = (&kept, &glob, &place, &stopped);
            Box::new(move |entry| {
                if stopped.load(Ordering::Relaxed) {
                    return WalkState::Quit;
                }
                let is_wanted = |entry: &DirEntry| {
                    entry.file_type().is_some_and(|kind| kind.is_file())
                        && glob.as_ref().is_none_or(|glob| glob.fits(entry.path(), &place.real))
                };
                let Some(entry) = entry.ok().filter(is_wanted) else { return WalkState::Continue };
                let mut hits = FileHits::new(most, arguments.output_mode);
                let file = place.open_inside(entry.path());
                let searched =
                    file.and_then(|file| searcher.search_reader(&matcher, Watched { file, stopped }, &mut hits));
                if searched.is_err() || hits.count > 0 {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.unread += u32::from(searched.is_err());
                    kept.add(|| project.name_of(entry.path()), hits);
                }
                WalkState::Continue
            })
        });
    };
    watched_by(stop, &stopped, search_all);
    if stopped.into_inner() {
        return Err(Failure::new(Code::ExecutionError, "stopped before all files were searched"));
    }
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(kept.answer(&arguments.pattern, arguments.output_mode, place.name))
}

fn matcher(arguments: &Arguments) -> Result<RegexMatcher, Failure> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).case_insensitive(arguments.ignore_case).dot_matches_new_line(arguments.multiline);
    if !arguments.multiline {
        // Also makes it faster: no match can run over the end of a line.
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&arguments.pattern).map_err(|error| {
        let hint = if arguments.multiline { "" } else { " (multiline: true lets a pattern run over line ends)" };
        Failure::new(Code::InvalidParam, format!("the pattern is no regular expression: {error}{hint}"))
    })
}

fn searcher(arguments: &Arguments) -> Searcher {
    let context = if arguments.output_mode == Mode::Content { arguments.context.min(WIDEST) } else { 0 };
    SearcherBuilder::new()
        .line_number(arguments.output_mode == Mode::Content)
        .multi_line(arguments.multiline)
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP))
        .build()
}

fn walker(project: &Project, arguments: &Arguments, place: &Place<'_>, hidden: Hidden) -> Result<WalkBuilder, Failure> {
    let mut walk = walk(project, &place.real, hidden);
    if let Some(wanted) = &arguments.r#type {
        let mut types = TypesBuilder::new();
        types.add_defaults().select(wanted);
        let types = types.build().map_err(|_| {
            let what =
                format!("\"{wanted}\" is no file type; the names are ripgrep's (rust, py, ts, go, …), else use glob");
            Failure::new(Code::InvalidParam, what)
        })?;
        walk.types(types);
    }
    Ok(walk)
}

/// Works on threads of its own, while this one asks whether to stop.
fn watched_by(stop: Stop<'_>, stopped: &AtomicBool, work: impl FnOnce() + Send) {
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let _done = done;
            work();
        });
        while is_done.recv_timeout(OFTEN) == Err(RecvTimeoutError::Timeout) {
            if stop() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    });
}

/// A file that ends early when somebody wants to stop.
struct Watched<'a> {
    file: File,
    stopped: &'a AtomicBool,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stopped.load(Ordering::Relaxed) { Ok(0) } else { self.file.read(buffer) }
    }
}
