//! Where settings come from: the user's file, the environment, flags. The only part that looks at the machine.

use std::{
    collections::BTreeMap,
    env, fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::project::ProjectFile;

/// What a command was given.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    pub(crate) model: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) proxy: Option<String>,
    pub(crate) ca_file: Option<PathBuf>,
}

pub(crate) struct Sources {
    /// Where the user's file is, or would be. None: there is no home to look in.
    pub(crate) path: Option<PathBuf>,
    /// None: there is no file.
    pub(crate) text: Option<String>,
    /// Who may read it.
    pub(crate) mode: Option<u32>,
    /// The file of the project that a command works in.
    pub(crate) project: Option<ProjectFile>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) flags: Flags,
    /// How a file that the settings name is read.
    pub(crate) read: fn(&Path) -> io::Result<String>,
}

impl Sources {
    pub(crate) fn gather(flags: Flags, project: Option<ProjectFile>) -> Result<Self> {
        // A value that is not text cannot be a setting of ours.
        let environment: BTreeMap<String, String> = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let path = locate(&environment);
        let (mut text, mut mode) = (None, None);
        if let Some(path) = &path {
            match fs::read_to_string(path) {
                Ok(read) => {
                    text = Some(read);
                    mode = fs::metadata(path).ok().map(|about| about.permissions().mode());
                }
                // A missing file is fine, unless it was named.
                Err(error) if error.kind() == io::ErrorKind::NotFound && set(&environment, OVERRIDE).is_none() => {}
                Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
            }
        }
        Ok(Self { path, text, mode, project, environment, flags, read: |path| fs::read_to_string(path) })
    }
}

const OVERRIDE: &str = "LOOKBACK_CONFIG";

/// `LOOKBACK_CONFIG`, else the configuration directory of the platform's convention.
fn locate(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    let absolute = |variable| set(environment, variable).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(path) = set(environment, OVERRIDE) {
        return Some(path.into());
    }
    let directory = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(directory.join("lookback/config.toml"))
}

fn set<'a>(environment: &'a BTreeMap<String, String>, variable: &str) -> Option<&'a str> {
    environment.get(variable).map(String::as_str).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_where_the_platform_keeps_such_files() {
        let locate = |variables: &[(&str, &str)]| {
            locate(&variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
        };
        let home = ("HOME", "/home/ada");
        assert_eq!(locate(&[home]), Some("/home/ada/.config/lookback/config.toml".into()));
        assert_eq!(locate(&[home, ("XDG_CONFIG_HOME", "/etc/ada")]), Some("/etc/ada/lookback/config.toml".into()));
        assert_eq!(locate(&[home, ("XDG_CONFIG_HOME", "")]), Some("/home/ada/.config/lookback/config.toml".into()));
        assert_eq!(locate(&[home, ("LOOKBACK_CONFIG", "here.toml")]), Some("here.toml".into()));
        assert_eq!(locate(&[]), None);
    }
}
