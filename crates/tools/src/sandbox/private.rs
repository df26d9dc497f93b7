//! The folder that stands in for home, temp, `/run` and `/dev/shm` of all commands of a session. It goes with the program;
//! what a killed one left goes with the next.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

const PREFIX: &str = "lookback-";
/// Locked as long as the program lives: the kernel lets go of it however that ends.
const OWNER: &str = "owner";

#[derive(Debug)]
pub(crate) struct Private {
    folder: tempfile::TempDir,
    _owner: File,
}

impl Private {
    pub(crate) fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    fn within(temp: &Path) -> io::Result<Self> {
        remove_left(temp);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(temp)?;
        // Its name comes last: nobody finds it before it is locked.
        let unnamed = folder.path().join("new");
        let owner = File::create(&unnamed)?;
        owner.lock()?;
        fs::rename(&unnamed, folder.path().join(OWNER))?;
        for name in ["home", "tmp", "run", "shm", "empty"] {
            fs::create_dir(folder.path().join(name))?;
        }
        File::create(folder.path().join("nothing"))?;
        Ok(Self { folder, _owner: owner })
    }

    /// Without links, as the kernel will see it.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap_or_else(|_| self.folder.path().to_owned())
    }
}

/// Those whose program is dead. One that cannot be removed is left: it is in nobody's way.
fn remove_left(temp: &Path) {
    let folders = fs::read_dir(temp).into_iter().flatten().flatten();
    for folder in folders.filter(|folder| folder.file_name().to_string_lossy().starts_with(PREFIX)) {
        // Somebody else's may hold anything under that name, a pipe that is never written say.
        let us = rustix::process::geteuid().as_raw();
        let is_ours = folder.metadata().is_ok_and(|folder| folder.is_dir() && folder.uid() == us);
        let owner = folder.path().join(OWNER);
        if !is_ours || !fs::symlink_metadata(&owner).is_ok_and(|owner| owner.is_file()) {
            continue;
        }
        let Ok(owner) = File::open(owner) else { continue };
        if owner.try_lock().is_ok() {
            drop(fs::remove_dir_all(folder.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_program_left_goes_with_the_next() {
        let temp = tempfile::tempdir().expect("a folder");
        let alive = Private::within(temp.path()).expect("a folder");
        let killed = temp.path().join("lookback-killed");
        fs::create_dir_all(killed.join("home/.cache")).expect("a folder");
        File::create(killed.join(OWNER)).expect("a file");
        let others = temp.path().join("lookback-others");
        fs::create_dir(&others).expect("a folder");
        let next = Private::within(temp.path()).expect("a folder");
        assert!(!killed.exists() && others.exists());
        assert!(alive.path().join("nothing").exists() && next.path().join("nothing").exists());
    }
}
