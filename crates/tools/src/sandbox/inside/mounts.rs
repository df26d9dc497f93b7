//! The own view of files: everything is read-only but the project and what covers home, temp and the places where other
//! programs listen; tools are shown again; protected files are read-only, too. Landlock does not know changes of modes
//! and times, so neither is enough alone.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, Mode, OFlags, openat, statvfs},
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, mount_remount,
        unmount,
    },
};

use crate::sandbox::policy::Policy;

/// In `/run`: where names are looked up, and the programs of NixOS. All else there is sockets of services that do things
/// for whoever asks (docker, the user's systemd).
const RUN_SHOWN: [&str; 2] = ["/run/systemd/resolve", "/run/current-system"];

/// What comes to stand at a path.
struct Placed {
    target: PathBuf,
    /// Opened before anything was covered, and so still the same behind a cover.
    source: OwnedFd,
    is_folder: bool,
    is_writable: bool,
}

impl Placed {
    fn new(target: &Path, source: &Path, is_writable: bool) -> Option<Self> {
        let is_folder = source.is_dir();
        let source = openat(CWD, source, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
        Some(Self { target: target.to_owned(), source, is_folder, is_writable })
    }

    fn apply(&self) -> io::Result<()> {
        if !self.target.exists() {
            // Only ever below a cover: what is shown again was there before.
            if self.is_folder {
                fs::create_dir_all(&self.target)?;
            } else {
                self.target.parent().map_or(Ok(()), fs::create_dir_all)?;
                File::create(&self.target)?;
            }
        }
        bind(format!("/proc/self/fd/{}", self.source.as_raw_fd()), &self.target, self.is_writable)
    }
}

/// Which folders are covered, and by what part of the private one. What holds a folder that may be written is not.
pub(super) fn covers(policy: &Policy) -> Vec<(PathBuf, &'static str)> {
    let fixed = [("/tmp", "tmp"), ("/run", "run"), ("/dev/shm", "shm")].map(|(path, name)| (PathBuf::from(path), name));
    let all = policy.home.iter().map(|home| (home.clone(), "home")).chain(fixed);
    all.filter(|(path, _)| path.is_dir() && !policy.written().any(|written| path.starts_with(written))).collect()
}

/// Where other programs of this machine listen outside of the covers, as the network that this process is in knows them:
/// neither a read-only mount nor Landlock keeps anybody from connecting. What lies in the project is the project's.
pub(super) fn sockets(policy: &Policy) -> Vec<PathBuf> {
    let covers = covers(policy);
    let known = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let named = known.lines().filter_map(|line| line.find(" /").map(|at| PathBuf::from(&line[at + 1..])));
    let is_ours = |path: &Path| {
        let mut folders = policy.written().chain(covers.iter().map(|(cover, _)| cover));
        folders.any(|folder| path.starts_with(folder))
    };
    let real = named.filter_map(|path| path.canonicalize().ok());
    let mut found: Vec<PathBuf> = real.filter(|path| !is_ours(path)).collect();
    found.sort();
    found.dedup();
    found
}

pub(super) fn arrange(policy: &Policy, private: &Path) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let covers = covers(policy);
    let is_covered = |path: &&Path| covers.iter().any(|(cover, _)| path.starts_with(cover) && path != cover);
    let shown = policy.readable.iter().map(PathBuf::as_path).chain(RUN_SHOWN.map(Path::new));
    let shown = shown.filter(is_covered).filter_map(|path| Placed::new(path, path, false));
    let written = policy.written().filter_map(|path| Placed::new(path, path, true));
    let covering = covers.iter().filter_map(|(path, name)| Placed::new(path, &private.join(name), true));
    // What lies in something hidden is hidden with it.
    let is_inner = |path: &PathBuf| policy.hidden.iter().any(|outer| path.starts_with(outer) && path != outer);
    let nothing = policy.hidden.iter().filter(|path| path.exists() && !is_inner(path));
    let nothing = nothing
        .filter_map(|path| Placed::new(path, &private.join(if path.is_dir() { "empty" } else { "nothing" }), false));
    let mut placed: Vec<Placed> = covering.chain(shown).chain(written).chain(nothing).collect();
    // Outer ones first, or they would cover the inner ones.
    placed.sort_by_key(|placed| placed.target.components().count());
    for mounted in mount_points() {
        // What is covered by another mount already cannot be named, nor reached.
        let _ = set_flags(&mounted, MountFlags::RDONLY);
    }
    for one in &placed {
        one.apply()?;
    }
    let mut mounted = mount_points().into_iter().collect();
    for path in &policy.protect {
        protect(policy, path, &mut mounted)?;
    }
    // A terminal of the user's own is not there; programs that want one get a new one. Without it they have none.
    let _ =
        mount("devpts", "/dev/pts", "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, c"newinstance,ptmxmode=0666");
    Ok(())
}

/// Takes the covers off again, with all on them: what something is mounted on cannot be removed.
pub(super) fn uncover(policy: &Policy) {
    for (path, _) in covers(policy) {
        let _ = unmount(&path, UnmountFlags::DETACH);
    }
}

/// Read-only, and so are the names on the way to it: a folder can be renamed away with what is mounted below it, a mount
/// itself cannot.
fn protect(policy: &Policy, path: &Path, mounted: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let Some(base) = policy.written().find(|written| path.starts_with(written)) else { return Ok(()) };
    if path.file_name().is_some_and(|name| name == "hooks") && path.with_file_name("HEAD").exists() {
        // Git makes it by itself; without it there is nothing to mount on.
        let _ = fs::create_dir(path);
    }
    if !path.exists() {
        return Ok(());
    }
    let mut above: Vec<&Path> = path.ancestors().skip(1).take_while(|above| *above != base.as_path()).collect();
    above.reverse();
    for folder in above {
        // Behind a link lies what may not be written.
        if !folder.is_symlink() && mounted.insert(folder.to_owned()) {
            bind(folder, folder, true)?;
        }
    }
    bind(path, path, false)
}

/// Where mounts begin. Characters that would part the fields of the list are written as numbers in it.
fn mount_points() -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let named = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    let plain = |name: &str| name.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    named.map(|name| PathBuf::from(plain(name))).collect()
}

fn bind(source: impl AsRef<Path>, target: &Path, is_writable: bool) -> io::Result<()> {
    let named = |error: rustix::io::Errno| io::Error::other(format!("{}: {error}", target.display()));
    mount_bind_recursive(source.as_ref(), target).map_err(named)?;
    if is_writable {
        // Fails where the disk itself is read-only, and so it stays.
        let _ = set_flags(target, MountFlags::empty());
        return Ok(());
    }
    set_flags(target, MountFlags::RDONLY).map_err(named)
}

/// Flags that were set by somebody above us must stay set: no devices, no programs, no times of reading.
fn set_flags(target: &Path, flags: MountFlags) -> rustix::io::Result<()> {
    const KEPT: u32 = 0x0C0E;
    let kept = MountFlags::from_bits_retain(statvfs(target)?.f_flag.bits() as u32 & KEPT);
    mount_remount(target, kept | MountFlags::BIND | flags, c"")
}
