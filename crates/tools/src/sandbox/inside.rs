//! The processes behind the hidden subcommand.
//!
//! The supervisor stays outside of the process namespace, where a command can neither see nor signal it. Its child is the
//! first process inside; when that one dies, the kernel ends all others of the namespace.

mod filter;
mod harmless;
mod init;
mod looker;
mod mounts;
mod namespaces;
mod pids_cgroup;
mod reach;
mod refused;
mod supervisor;
mod tree;
mod watch;

use std::{
    fs,
    io::{self, Write},
    os::unix::net::UnixStream,
};

use super::spec::{Said, Spec, Stage};
use crate::envelope::{Code, Failure};

pub(super) fn enter(spec: Spec) -> Failure {
    // The second stage is started by the first, which has no others by then, and it may see no `/proc` yet.
    if spec.stage != Stage::Init
        && let Err(error) = close_inherited()
    {
        return Failure::new(Code::InternalError, format!("open files of others could not be closed: {error}"));
    }
    // Standard input is the line to whoever started this: not for the command, which could speak in our name.
    let Ok(control) = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).map(UnixStream::from) else {
        return Failure::new(Code::InternalError, "this is started by the program itself");
    };
    let outcome = match spec.stage {
        Stage::Looker => looker::run(spec, &control),
        Stage::Supervisor => supervisor::run(spec, &control),
        Stage::Init => init::run(spec, &control),
    };
    match outcome {
        Ok(code) => std::process::exit(code),
        Err(error) => {
            say(&control, &Said::Failed(error.to_string()));
            Failure::new(Code::InternalError, error.to_string())
        }
    }
}

/// What whoever started the program had open would be open in the command too. What is opened from here on closes by
/// itself where another program starts.
fn close_inherited() -> io::Result<()> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in open {
        // Fails for the listing itself, which is closed by now.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

/// Whether anybody can hear it: nobody does where the program is dead.
fn say(mut control: &UnixStream, said: &Said) -> bool {
    serde_json::to_string(said).is_ok_and(|line| control.write_all(format!("{line}\n").as_bytes()).is_ok())
}
