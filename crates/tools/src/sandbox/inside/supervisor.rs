//! Watches over one command from outside of its namespaces, and ends all of it: when its time has come, when it uses up
//! too much, or when whoever started it is dead.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufReader, Read, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::PathBuf,
    process::{Child, Command},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{
        Pid, PidfdFlags, fchdir, getpid, getpriority_process, pidfd_open, set_child_subreaper, setpriority_process,
        setsid,
    },
};

use super::{mounts, namespaces, pids_cgroup::PidsCgroup, say, tree, watch::Watch};
use crate::sandbox::{
    SUBCOMMAND,
    spec::{Missing, Said, Spec, Stage, Stopped, TASKS_EACH, hear},
};

/// Between two looks at what a command uses. A disk takes about 2 GB a second: a tenth of that fits into what stays free.
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn run(mut spec: Spec, control: &UnixStream) -> io::Result<i32> {
    // Without a terminal, and where who lost its parent comes to. Both can only fail where they hold already.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))?;
    // Before everybody, where that is allowed: who is to stop a thousand processes must be heard among them.
    spec.priority = getpriority_process(None)?;
    let _ = setpriority_process(None, -15);
    let temp = spec.private.parent().map(File::open).transpose()?;
    let watch = Watch::new(&spec.policy, &spec.private, spec.limits);
    spec.policy.protect = hear::<Vec<OsString>>(BufReader::new(control))?.into_iter().map(PathBuf::from).collect();
    spec.policy.hidden.extend(mounts::sockets(&spec.policy));
    let group = PidsCgroup::enter(spec.limits.processes * TASKS_EACH);
    match namespaces::enter(spec.policy.network) {
        Ok(()) => {
            if let Err(error) = mounts::arrange(&spec.policy, &spec.private) {
                spec.missing.push(Missing::Mounts(error.to_string()));
            }
        }
        Err(error) => spec.missing.push(Missing::Namespaces(error.to_string())),
    }
    // By its name once more: what is mounted there now is another folder than before.
    std::env::set_current_dir(&spec.policy.root)?;
    spec.stage = Stage::Init;
    let mut init = Command::new("/proc/self/exe")
        .arg(SUBCOMMAND)
        .arg(serde_json::to_string(&spec)?)
        .stdin(OwnedFd::from(control.try_clone()?))
        .spawn()?;
    // For whoever must wait for its death because this process was killed. That nobody hears it is seen below.
    let mut line = control;
    let _ = writeln!(line, "{}", init.id());
    let stopped = watch_over(&mut init, control, &watch);
    let code = match stopped {
        Ok(None) => init.wait()?.code(),
        _ => None,
    };
    tree::end(&mut init);
    drop(group);
    let is_heard = say(control, &Said::Ended { code, stopped: stopped? });
    if let (false, Some(temp), Some(name)) = (is_heard, temp, spec.private.file_name()) {
        // Whoever would clear it away is dead. From a folder opened in time: by its path it is read-only here.
        mounts::uncover(&spec.policy);
        fchdir(temp)?;
        fs::remove_dir_all(name)?;
    }
    Ok(0)
}

/// Until it is over by itself, or must be ended.
fn watch_over(init: &mut Child, mut control: &UnixStream, watch: &Watch) -> io::Result<Option<Stopped>> {
    let pid = Pid::from_child(init);
    let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
    let look = Timespec { tv_sec: 0, tv_nsec: LOOK.as_nanos() as i64 };
    loop {
        let mut ready = [PollFd::new(&pidfd, PollFlags::IN), PollFd::new(control, PollFlags::IN)];
        match poll(&mut ready, Some(&look)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !ready[0].revents().is_empty() {
            return Ok(None);
        }
        // Nothing is ever written to it from there: readable means closed.
        if !ready[1].revents().is_empty() && control.read(&mut [0]).is_ok_and(|read| read == 0) {
            return Ok(Some(Stopped::Asked));
        }
        if let Some(stopped) = watch.exceeded() {
            return Ok(Some(stopped));
        }
    }
}
