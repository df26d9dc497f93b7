//! Looks at what one command makes of git's files, in a process of its own: the command decides how much there is to look
//! at, and whoever ends it must not wait for that. Where the supervisor was killed, or the program, it does what is left.

use std::{
    ffi::OsString,
    io::{self, BufReader},
    os::unix::net::UnixStream,
    path::PathBuf,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, pidfd_open, setsid},
};

use super::refused::Refused;
use crate::sandbox::spec::{Demand, Spec, hear, names, tell};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(100);
/// A supervisor whose program has died ends the command at once.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Says what there is to protect, hears the number of the supervisor, then that everything is over, and says what was
/// set aside. Hearing no more means that the program died.
pub(super) fn run(mut spec: Spec, control: &UnixStream) -> io::Result<i32> {
    // A terminal's interruption is for the program, which tells us.
    let _ = setsid();
    let mut heard = BufReader::new(control);
    spec.policy.protect = hear::<Vec<OsString>>(&mut heard)?.into_iter().map(PathBuf::from).collect();
    let nested = spec.policy.nested();
    let protecting = spec.policy.protecting(&nested);
    let mut refused = Refused::new(&spec.policy, &protecting, &nested, spec.demand == Demand::Whole);
    tell(control, &names(&protecting.protect[spec.policy.protect.len()..]))?;
    let supervisor = Pid::from_raw(hear(&mut heard)?).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
    let look = Timespec { tv_sec: 0, tv_nsec: LOOK.as_nanos() as i64 };
    while heard.buffer().is_empty() && poll(&mut [PollFd::new(control, PollFlags::IN)], Some(&look)) == Ok(0) {
        refused.rename();
    }
    if let (Err(_), Some(Ok(supervisor))) = (hear::<String>(&mut heard), supervisor) {
        let _ = poll(&mut [PollFd::new(&supervisor, PollFlags::IN)], Some(&PATIENCE));
    }
    // Nobody hears it where the program is dead.
    let _ = tell(control, &refused.rename_all());
    Ok(0)
}
