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
    if let Some(missing) = asked.as_deref().and_then(missing) {
        return super::remark(&format!("there is no pager {missing} (PAGER): shown without one"));
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

/// The program that a pager's command line begins with, where there is none by that name: the shell would say so only
/// after it had swallowed everything. What stands before it may set variables.
fn missing(pager: &str) -> Option<&str> {
    let program = pager.split_whitespace().find(|word| !word.contains('='))?;
    let is_plain = program.chars().all(|letter| letter.is_alphanumeric() || "/._-".contains(letter));
    let mut look = Command::new("sh");
    look.args(["-c", "command -v \"$1\" >/dev/null", "sh", program]);
    let is_there = !is_plain || look.status().is_ok_and(|status| status.success());
    (!is_there).then_some(program)
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

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_pager_that_is_not_there_is_known_before_anything_is_given_to_it() {
        assert_eq!(missing("nonesuch-pager -R"), Some("nonesuch-pager"));
        assert_eq!(missing("LESS=R /nowhere/less"), Some("/nowhere/less"));
        assert_eq!([missing("sh -c cat"), missing("A=b cat"), missing("'odd one'")], [None; 3]);
    }
}
