//! What a command uses up, looked at again and again.

use std::{os::fd::OwnedFd, path::Path};

use rustix::fs::{CWD, Mode, OFlags, fstatvfs, openat};

use super::tree;
use crate::sandbox::{
    policy::Policy,
    spec::{Limits, Stopped},
};

#[derive(Debug)]
pub(super) struct Watch {
    limits: Limits,
    /// Each disk that may be written, and how much of it stays free.
    disks: Vec<(OwnedFd, u64)>,
}

impl Watch {
    /// Before anything is mounted.
    pub(super) fn new(policy: &Policy, private: &Path, limits: Limits) -> Self {
        let opened = |path: &Path| openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok();
        let disks = policy.written().map(|path| path.as_path()).chain([private]).filter_map(opened);
        let disks = disks.map(|disk| {
            // A disk that is nearly full already must not keep anybody from clearing it up.
            let free = free_space(&disk);
            let kept = if free > limits.free_space { limits.free_space } else { free / 2 };
            (disk, kept)
        });
        Self { limits, disks: disks.collect() }
    }

    pub(super) fn exceeded(&self) -> Option<Stopped> {
        let full = self.disks.iter().map(|(disk, kept)| (free_space(disk), kept)).find(|(free, kept)| free < kept);
        if let Some((free, _)) = full {
            return Some(Stopped::Disk(free));
        }
        let processes = tree::processes();
        if processes.len() as u64 > self.limits.processes {
            return Some(Stopped::Processes(processes.len() as u64));
        }
        let sum = |of: fn(i32) -> u64| processes.iter().map(|pid| of(*pid)).sum::<u64>();
        // What many share is counted once, but only where the quick look says that it may matter.
        if sum(tree::memory) <= self.limits.memory {
            return None;
        }
        let memory = sum(tree::share_of_memory);
        (memory > self.limits.memory).then_some(Stopped::Memory(memory))
    }
}

fn free_space(disk: &OwnedFd) -> u64 {
    // Who cannot be asked is not full.
    fstatvfs(disk).map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}
