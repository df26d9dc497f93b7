//! Where this person's sessions are.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use lookback_store::Store;

/// `LOOKBACK_HOME`, else the data directory of the platform's convention.
pub(crate) fn open_store() -> Result<Store> {
    let home = locate()?;
    Ok(Store::open(&home)?)
}

/// The same where there is one: who only looks makes none.
pub(crate) fn find_store() -> Result<Option<Store>> {
    let home = locate()?;
    Store::is_in(&home).then(|| Ok(Store::open(&home)?)).transpose()
}

/// The folder itself.
pub(crate) fn locate() -> Result<PathBuf> {
    if let Some(home) = set("LOOKBACK_HOME") {
        // A relative one would mean another store in every directory.
        ensure!(home.is_absolute(), "LOOKBACK_HOME is {}: give the whole path, from the root", home.display());
        return Ok(home);
    }
    if let Some(data) = set("XDG_DATA_HOME").filter(|path| path.is_absolute()) {
        return Ok(data.join("lookback"));
    }
    let home = set("HOME").context("HOME is not set: set LOOKBACK_HOME to a directory for the sessions")?;
    Ok(home.join(".local/share/lookback"))
}

/// The place of something of ours in the folder, for whoever opens it next. Neither it nor a folder on the way to it may be a
/// link: whoever can put one there would have us read or write what it leads to. The store looks after its own files.
pub(crate) fn own(home: &Path, name: impl AsRef<Path>) -> Result<PathBuf> {
    let mut path = home.to_owned();
    for part in name.as_ref() {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_file() || found.is_dir() => {}
            Ok(_) => bail!("{} is a link, or no file: move it away", path.display()),
            // What is not there is made; what cannot be looked at cannot be opened either, and says why then.
            Err(_) => {}
        }
    }
    Ok(path)
}

/// The root of the project that a folder is in: git's top level, else the folder itself.
pub(crate) fn project_root(here: &Path) -> PathBuf {
    here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(here).to_owned()
}

/// The path that a variable names, where it says anything.
pub(crate) fn set(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A path in a project by its parts from the root on; none for one that goes up or leads elsewhere.
pub(crate) fn relative(root: &Path, path: &str) -> Option<String> {
    let path = Path::new(path);
    let parts = path.strip_prefix(root).unwrap_or(path).components().filter(|part| *part != Component::CurDir);
    let named = parts.map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    Some(named.collect::<Option<Vec<_>>>()?.join("/"))
}
