//! Long screens through the pager of whoever looks at them, as `git` does it: `PAGER`, else `less`, else none.

use std::{
    env,
    io::{self, IsTerminal, Write},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// The pager that runs.
static PAGER: Mutex<Option<Child>> = Mutex::new(None);

/// From now on the screen goes to the pager, where a person looks at a terminal. Without one it goes where it went.
pub(crate) fn begin_paging() {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return;
    }
    let asked = env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
    if asked.as_deref() == Some("cat") {
        return;
    }
    let mut command = match &asked {
        // It may have arguments.
        Some(pager) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", pager]);
            shell
        }
        None => Command::new("less"),
    };
    // One screen is shown and left; colours and lines are kept; the screen stays when it ends.
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let child = command.stdin(Stdio::piped()).spawn().ok();
    *PAGER.lock().unwrap_or_else(PoisonError::into_inner) = child;
}

/// Waits until the person has seen enough.
pub(crate) fn end_paging() {
    let child = PAGER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(mut child) = child {
        // Ctrl-C is the pager's while it runs: it stops a search there, and ends nothing here.
        let _ = ctrlc::set_handler(|| {});
        drop(child.stdin.take());
        let _ = child.wait();
    }
}

/// Where to write, while a pager runs.
pub(super) fn input() -> Option<Box<dyn Write>> {
    let runs = PAGER.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    runs.then(|| Box::new(Input) as Box<dyn Write>)
}

struct Input;

impl Write for Input {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        to_pager(|input| input.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        to_pager(|input| input.flush())
    }
}

fn to_pager<T>(write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let mut pager = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    match pager.as_mut().and_then(|child| child.stdin.as_mut()) {
        Some(input) => write(input),
        None => Err(io::ErrorKind::BrokenPipe.into()),
    }
}
