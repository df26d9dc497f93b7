//! A limit of the kernel's own on how many tasks there are, where its tree of control groups may be written.

use std::{fs, io, path::PathBuf};

#[derive(Debug)]
pub(super) struct PidsCgroup {
    parent: PathBuf,
    own: PathBuf,
}

impl PidsCgroup {
    /// Moves this process into a new one; none where that is not possible.
    pub(super) fn enter(most_tasks: u64) -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            let tree = match controllers {
                "" => "/sys/fs/cgroup",
                "pids" => "/sys/fs/cgroup/pids",
                _ => return None,
            };
            let parent = PathBuf::from(tree).join(path.trim_start_matches('/'));
            let own = parent.join(format!("lookback-{}", std::process::id()));
            fs::create_dir(&own).ok()?;
            let group = Self { parent, own };
            let entered = || -> io::Result<()> {
                fs::OpenOptions::new().write(true).open(group.own.join("pids.max"))?;
                fs::write(group.own.join("pids.max"), most_tasks.to_string())?;
                fs::write(group.own.join("cgroup.procs"), "0")
            };
            // Dropped, it is taken away again.
            entered().ok().map(|()| group)
        })
    }
}

impl Drop for PidsCgroup {
    fn drop(&mut self) {
        // Both fail only where this process was never in it, or somebody else cleared up.
        let _ = fs::write(self.parent.join("cgroup.procs"), "0");
        let _ = fs::remove_dir(&self.own);
    }
}
