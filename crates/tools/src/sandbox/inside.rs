//! The processes behind the hidden subcommand.
//!
//! The supervisor stays outside of the process namespace, where a command can neither see nor signal it. Its child is the
//! first process inside; when that one dies, the kernel ends all others of the namespace.

mod filter;
mod init;
mod mounts;
mod namespaces;
mod pids_cgroup;
mod reach;
mod refused;
mod supervisor;
mod tree;
mod watch;

use std::{io::Write, os::unix::net::UnixStream};

use super::spec::{Said, Spec, Stage};
use crate::envelope::{Code, Failure};

pub(super) fn enter(spec: Spec) -> Failure {
    // Standard input is the line to whoever started this.
    let Ok(control) = rustix::io::dup(rustix::stdio::stdin()).map(UnixStream::from) else {
        return Failure::new(Code::InternalError, "this is started by the program itself");
    };
    let outcome = match spec.stage {
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

/// Whether anybody can hear it: nobody does where the program is dead.
fn say(mut control: &UnixStream, said: &Said) -> bool {
    serde_json::to_string(said).is_ok_and(|line| control.write_all(format!("{line}\n").as_bytes()).is_ok())
}
