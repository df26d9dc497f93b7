//! A limit of the kernel's own on how many tasks there are, where its tree of control groups may be written.

use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::PathBuf,
};

use rustix::{
    fs::{AtFlags, unlinkat},
    process::geteuid,
};

/// Its files are opened in time: where the supervisor goes, the tree is read-only.
#[derive(Debug)]
pub(super) struct PidsCgroup {
    parent: File,
    /// Who writes 0 into it is in the parent again.
    way_back: File,
    name: String,
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
            let name = format!("lookback-{}", std::process::id());
            // Where only the powers of root would do, these are gone when it is to be taken away.
            let mode = fs::metadata(&parent).ok().filter(|it| it.uid() == geteuid().as_raw())?.mode();
            if mode & 0o200 == 0 {
                return None;
            }
            let open = |path: PathBuf| File::options().write(true).open(path);
            let way_back = open(parent.join("cgroup.procs")).ok()?;
            let own = parent.join(&name);
            fs::create_dir(&own).ok()?;
            // Dropped, it is taken away again.
            let group = Self { parent: File::open(parent).ok()?, way_back, name };
            let entered = || -> io::Result<()> {
                open(own.join("pids.max"))?.write_all(most_tasks.to_string().as_bytes())?;
                open(own.join("cgroup.procs"))?.write_all(b"0")
            };
            entered().ok().map(|()| group)
        })
    }
}

impl Drop for PidsCgroup {
    fn drop(&mut self) {
        // Both fail only where this process was never in it, or somebody else cleared up.
        let _ = self.way_back.write_all(b"0");
        let _ = unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR);
    }
}
