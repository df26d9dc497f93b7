//! The first process inside: takes everything away from itself, then starts the shell and buries what it leaves.

use std::{
    fs, io,
    os::unix::{net::UnixStream, process::CommandExt},
    process::{Command, Stdio},
};

use rustix::{
    mount::{MountFlags, mount},
    process::{
        Resource, Rlimit, Signal, WaitOptions, getuid, set_parent_process_death_signal, setpriority_process, setrlimit,
        wait,
    },
    system::uname,
    thread::{
        CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities,
        set_capabilities_secure_bits, set_no_new_privs,
    },
};

use super::{
    filter::{self, Sockets},
    reach, say,
};
use crate::sandbox::spec::{Demand, Limits, Missing, Said, Spec, TASKS_EACH};

pub(super) fn run(mut spec: Spec, control: &UnixStream) -> io::Result<i32> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The supervisor went before all others where it could; a command does not.
    let _ = setpriority_process(None, spec.priority);
    let is_walled = |missing: &Missing| matches!(missing, Missing::Namespaces(_) | Missing::Mounts(_));
    let has_namespaces = !spec.missing.iter().any(|missing| matches!(missing, Missing::Namespaces(_)));
    let has_own_mounts = !spec.missing.iter().any(is_walled);
    let mut missing = |missing| spec.missing.push(missing);
    if has_namespaces {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        if let Err(error) = mount("proc", "/proc", "proc", flags, None) {
            missing(Missing::Proc(error.to_string()));
        } else {
            limit_numbers(&spec.limits);
        }
        if let Err(error) = drop_privileges() {
            missing(Missing::Limits(error.to_string()));
        }
    }
    if let Err(error) = limit(&spec.limits, has_namespaces) {
        missing(Missing::Limits(error.to_string()));
    }
    set_no_new_privs(true)?;
    match reach::restrict(&spec.policy, has_own_mounts) {
        Ok(true) => {}
        Ok(false) => missing(Missing::Landlock("this kernel has none, or too little of it".to_owned())),
        Err(error) => missing(Missing::Landlock(error.to_string())),
    }
    let sockets = if spec.policy.network || has_namespaces { Sockets::Internet } else { Sockets::Local };
    if let Err(error) = filter::apply(sockets) {
        missing(Missing::Filter(error.to_string()));
    }
    if spec.demand == Demand::Whole && !spec.missing.is_empty() {
        say(control, &Said::Refused(spec.missing));
        return Ok(1);
    }
    let shell = Command::new("bash").arg("-c").arg(&spec.command).stdin(Stdio::null()).process_group(0).spawn();
    let shell = shell.map_err(|error| io::Error::other(format!("bash could not be started: {error}")))?;
    loop {
        let Some((ended, status)) = wait(WaitOptions::empty())? else { continue };
        if ended.as_raw_nonzero().get().cast_unsigned() == shell.id() {
            let by_signal = || status.terminating_signal().map(|signal| 128 + signal);
            return Ok(status.exit_status().or_else(by_signal).unwrap_or(1));
        }
    }
}

/// All of them, for good: who is root here would be given them again with every program it starts.
fn drop_privileges() -> rustix::io::Result<()> {
    use CapabilitiesSecureBits as Bits;
    let root_is_nobody = Bits::NO_ROOT | Bits::NO_ROOT_LOCKED | Bits::NO_SETUID_FIXUP | Bits::NO_SETUID_FIXUP_LOCKED;
    set_capabilities_secure_bits(root_is_nobody | Bits::NO_CAP_AMBIENT_RAISE | Bits::NO_CAP_AMBIENT_RAISE_LOCKED)?;
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Since Linux 6.14 each namespace has a highest process number of its own; before that there is one for the whole machine,
/// which is not ours. Up to 300 are given out only once, so they do not count. Root has no other limit that the kernel
/// keeps, and a supervisor alone comes too late on a busy machine.
fn limit_numbers(limits: &Limits) {
    let release = uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) >= (Some(6), Some(14)) {
        let _ = fs::write("/proc/sys/kernel/pid_max", (300 + limits.processes * TASKS_EACH).to_string());
    }
}

fn limit(limits: &Limits, has_namespaces: bool) -> rustix::io::Result<()> {
    let at_most = |resource, most: u64| {
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    };
    at_most(Resource::Core, 0)?;
    at_most(Resource::Fsize, limits.file_size)?;
    at_most(Resource::Data, limits.memory)?;
    if has_namespaces && !getuid().is_root() {
        // Counted per namespace, with threads: for a fork that is faster than its supervisor. Not for root.
        at_most(Resource::Nproc, limits.processes * TASKS_EACH)?;
    }
    Ok(())
}
