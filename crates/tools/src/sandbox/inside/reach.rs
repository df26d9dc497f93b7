//! What files a command reaches, by Landlock: reading but for the home directory, writing below the project and temp.

use std::{
    fs,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

use super::mounts;
use crate::sandbox::policy::Policy;

/// The newest that has anything for us: 6 keeps signals and abstract sockets inside.
const NEWEST: ABI = ABI::V6;
/// The oldest that is enough: 3 has truncation, 2 had links. What came later a namespace does as well.
const OLDEST: ABI = ABI::V3;

const DEVICES: [&str; 8] = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"];

/// Whether all of it holds that must.
pub(super) fn restrict(policy: &Policy, has_own_mounts: bool) -> Result<bool, RulesetError> {
    let needed = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let is_enough = needed.handle_access(AccessFs::from_all(OLDEST)).and_then(Ruleset::create).is_ok();
    let mut writable: Vec<PathBuf> = policy.written().cloned().collect();
    let mut listed = vec![PathBuf::from("/dev")];
    if has_own_mounts {
        writable.extend(mounts::covers(policy).into_iter().map(|(path, _)| path));
        // What is hidden is covered, so that names of folders tell nothing.
        listed.push(PathBuf::from("/"));
    } else {
        writable.push(std::env::temp_dir());
    }
    let devices = DEVICES.map(|name| Path::new("/dev").join(name));
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(readable(policy), AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(listed, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(writable, AccessFs::from_all(NEWEST)))?
        .add_rules(path_beneath_rules(devices, AccessFs::from_file(NEWEST)))?
        .restrict_self()?;
    Ok(is_enough && status.ruleset != RulesetStatus::NotEnforced)
}

/// Everything but devices and what lies on the way to the home directory; beside it stand the homes of others.
fn readable(policy: &Policy) -> Vec<PathBuf> {
    let home = policy.home.as_deref().unwrap_or(Path::new("/dev"));
    let parent = home.parent().filter(|parent| parent.parent().is_some());
    let mut readable = policy.readable.clone();
    for above in home.ancestors().skip(1).filter(|above| Some(*above) != parent) {
        let entries = fs::read_dir(above).into_iter().flatten().flatten().map(|entry| entry.path());
        readable.extend(entries.filter(|path| !home.starts_with(path) && path != Path::new("/dev")));
    }
    readable
}
