//! A command that runs: a thread takes what it prints, until all of it is over.

use std::{
    io::{self, PipeReader, Read},
    os::{fd::AsFd, unix::net::UnixStream},
    panic::{AssertUnwindSafe, catch_unwind},
    process::Stdio,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
    process::{Pid, Signal, kill_process},
};

use super::{
    ShellSetup, environment,
    kept::{Kept, Stream},
};
use crate::sandbox::{Looking, Missing, Said, Spec, Started, Stopped, last_said};

/// How often whoever waits asks whether to go on.
const ASK: Duration = Duration::from_millis(25);
/// A supervisor that was told to end everything and has not is killed; its namespace dies with it.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, or by its supervisor.
    Over { code: Option<i32>, stopped: Option<Stopped>, refused: Vec<String> },
    /// After so long.
    TimedOut { refused: Vec<String> },
    /// Whoever waits did not want to any more.
    Cancelled { refused: Vec<String> },
    /// The walls are not whole.
    Refused(Vec<Missing>),
    /// It never began.
    Failed(String),
}

impl End {
    pub(super) fn code(&self) -> Option<i32> {
        if let Self::Over { code, .. } = self { *code } else { None }
    }

    /// Files that nobody may make, by their new names.
    pub(super) fn refused(&self) -> &[String] {
        match self {
            Self::Over { refused, .. } | Self::TimedOut { refused } | Self::Cancelled { refused } => refused,
            Self::Refused(_) | Self::Failed(_) => &[],
        }
    }
}

struct Shared {
    kept: Mutex<Kept>,
    over: Mutex<Option<End>>,
    changed: Condvar,
}

pub(super) struct Running {
    control: UnixStream,
    /// Not buried before `over` is set, so its number is nobody else's.
    supervisor: Pid,
    /// Since when all of it is to end.
    ending: Mutex<Option<Instant>>,
    shared: Arc<Shared>,
}

impl Running {
    pub(super) fn start(setup: &Arc<ShellSetup>, mut spec: Spec, kept: Kept) -> io::Result<Self> {
        let looking = Looking::start(&setup.program, &mut spec, environment::given(setup))?;
        let (out, out_theirs) = io::pipe()?;
        let (error, error_theirs) = io::pipe()?;
        for stream in [&out, &error] {
            fcntl_setfl(stream, fcntl_getfl(stream)? | OFlags::NONBLOCK)?;
        }
        let streams = (Stdio::from(out_theirs), Stdio::from(error_theirs));
        let started = Started::new(&setup.program, &spec, environment::given(setup), streams)?;
        looking.watch(started.child.id())?;
        let control = started.control.try_clone()?;
        let supervisor = Pid::from_child(&started.child);
        let shared = Arc::new(Shared { kept: Mutex::new(kept), over: Mutex::default(), changed: Condvar::new() });
        let (theirs, setup, line) = (Arc::clone(&shared), Arc::clone(setup), control.try_clone()?);
        thread::Builder::new().name("command".to_owned()).spawn(move || {
            // A mask is not ours: were it to panic, whoever waits would wait for ever.
            let said = catch_unwind(AssertUnwindSafe(|| take_in((started, looking), [out, error], &theirs, &setup)));
            let end = match said {
                Ok(Ok(end)) => end,
                Ok(Err(error)) => End::Failed(error.to_string()),
                Err(_) => End::Failed("what it printed could not be taken in".to_owned()),
            };
            Started::end(&line);
            *lock(&theirs.over) = Some(end);
            theirs.changed.notify_all();
        })?;
        Ok(Self { control, supervisor, ending: Mutex::default(), shared })
    }

    /// Until it is over. The first reason for that counts.
    pub(super) fn wait(&self, time: Option<Duration>, stop: &dyn Fn() -> bool) -> End {
        let began = Instant::now();
        let mut reason: Option<fn(Vec<String>) -> End> = None;
        let mut over = lock(&self.shared.over);
        loop {
            if let Some(end) = over.as_ref() {
                return match (end, reason) {
                    (End::Over { code: Some(_), .. }, _) | (_, None) => end.clone(),
                    (end, Some(reason)) => reason(end.refused().to_vec()),
                };
            }
            if reason.is_none() {
                reason = if stop() {
                    Some(|refused| End::Cancelled { refused })
                } else if time.is_some_and(|time| began.elapsed() >= time) {
                    Some(|refused| End::TimedOut { refused })
                } else {
                    None
                };
                if reason.is_some() {
                    self.end();
                }
            }
            if lock(&self.ending).is_some_and(|since| since.elapsed() > PATIENCE) {
                let _ = kill_process(self.supervisor, Signal::KILL);
            }
            over = self.shared.changed.wait_timeout(over, ASK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Has all of it ended.
    pub(super) fn end(&self) {
        lock(&self.ending).get_or_insert_with(Instant::now);
        Started::end(&self.control);
    }

    /// None while it runs.
    pub(super) fn over(&self) -> Option<End> {
        lock(&self.shared.over).clone()
    }

    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        lock(&self.shared.kept)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is left half-done where somebody panics with it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads both streams and the line of control until the last is closed, which means that all are dead.
fn take_in(
    (mut started, looking): (Started, Looking),
    mut streams: [PipeReader; 2],
    shared: &Shared,
    setup: &ShellSetup,
) -> io::Result<End> {
    let mut said = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    let mut open = [true, true];
    let mut is_over = false;
    while !is_over {
        let mut ready = vec![PollFd::new(&started.control, PollFlags::IN)];
        ready.extend(
            streams
                .iter()
                .zip(open)
                .filter(|(_, open)| *open)
                .map(|(stream, _)| PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::IN)),
        );
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has_news = !ready[0].revents().is_empty();
        if has_news {
            let read = started.control.read(&mut buffer)?;
            said.extend_from_slice(&buffer[..read]);
            is_over = read == 0;
        }
        for (index, stream) in [Stream::Out, Stream::Error].into_iter().enumerate() {
            // Once all are dead what they left is read to its end.
            while open[index] {
                match streams[index].read(&mut buffer) {
                    Ok(0) => open[index] = false,
                    Ok(read) => lock(&shared.kept).push(stream, &buffer[..read], &*setup.mask),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
                if !is_over {
                    break;
                }
            }
        }
    }
    lock(&shared.kept).flush_both(&*setup.mask);
    let text = String::from_utf8_lossy(&said);
    let said = last_said(&text);
    #[cfg(target_os = "linux")]
    if !matches!(said, Said::Ended { .. }) {
        wait_for_first(&text);
    }
    let looked = looking.end();
    started.child.wait()?;
    let refused = looked.map_err(|error| {
        let what = "what it made of git's files could not be looked at, so look before you run git";
        io::Error::other(format!("{what}: {error}"))
    })?;
    Ok(match said {
        Said::Ended { code, stopped } => End::Over { code, stopped, refused },
        Said::Refused(missing) => End::Refused(missing),
        Said::Failed(why) => End::Failed(
            [why].into_iter().chain(refused.iter().map(|path| protected(path))).collect::<Vec<_>>().join("; "),
        ),
    })
}

/// For the model.
pub(super) fn protected(path: &str) -> String {
    format!("protected: what was written there is now {path}")
}

/// A supervisor that was killed has waited for nobody. The first process inside, whose number it said, dies after all
/// others there.
#[cfg(target_os = "linux")]
fn wait_for_first(said: &str) {
    use rustix::{
        event::Timespec,
        process::{PidfdFlags, pidfd_open},
    };
    let first = said.lines().find_map(|line| Pid::from_raw(line.parse().ok()?));
    // Not there any more: it is dead already.
    if let Some(Ok(first)) = first.map(|first| pidfd_open(first, PidfdFlags::empty())) {
        let patience = Timespec { tv_sec: PATIENCE.as_secs().cast_signed(), tv_nsec: 0 };
        let _ = poll(&mut [PollFd::new(&first, PollFlags::IN)], Some(&patience));
    }
}
