//! What this machine can enforce: tried, not guessed.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::Path,
    process::Stdio,
};

use lookback_engine::trace::BlobHash;

use super::{Demand, Limits, Missing, Policy, Private, Said, Spec, Stage, Started};

/// What of the walls stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enforced {
    missing: Vec<Missing>,
}

impl Enforced {
    /// Nothing is missing.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    /// For one line at the start; none where the walls are whole.
    pub fn missing(&self) -> Option<String> {
        let named: Vec<String> = self.missing.iter().map(Missing::to_string).collect();
        (!named.is_empty()).then(|| named.join("; "))
    }
}

/// As [`probe`], which takes as long as all else before a first request: whole walls are remembered in the file `known`
/// for as long as nothing has changed that they hang on. Each command demands them anew all the same. What is missing is
/// never remembered, so that who mends it is believed at once.
pub fn probe_unless_known(program: &Path, known: &Path) -> Enforced {
    let now = circumstances(program);
    if now.is_some() && fs::read_to_string(known).ok() == now {
        return Enforced { missing: Vec::new() };
    }
    let found = probe(program);
    if let Some(now) = now.filter(|_| found.is_whole()) {
        // Where it cannot be written, the next start tries again.
        let file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(known);
        let _ = file.and_then(|mut file| file.write_all(now.as_bytes()));
    }
    found
}

/// One word for all that decides whether walls can be put up: this start of the machine, the namespaces, rights and
/// filters of this process, the switches for namespaces, and our own program. None where the system does not say.
fn circumstances(program: &Path) -> Option<String> {
    let about = fs::metadata(program).ok()?;
    let mut text = format!("{program:?} {} {} {} ", about.ino(), about.size(), about.mtime_nsec());
    text.push_str(&fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?);
    for kind in ["user", "mnt"] {
        text.push_str(&fs::read_link(format!("/proc/self/ns/{kind}")).ok()?.to_string_lossy());
    }
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let decides =
        |line: &&str| ["Uid", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp"].iter().any(|name| line.starts_with(name));
    text.extend(status.lines().filter(decides));
    for switch in [
        "user/max_user_namespaces",
        "user/max_net_namespaces",
        "kernel/unprivileged_userns_clone",
        "kernel/apparmor_restrict_unprivileged_userns",
    ] {
        text.push_str(&fs::read_to_string(format!("/proc/sys/{switch}")).unwrap_or_default());
    }
    Some(BlobHash::of(text.as_bytes()).to_string())
}

/// Runs a command that does nothing inside of all walls. `program` is our own executable.
pub fn probe(program: &Path) -> Enforced {
    let tried = || -> std::io::Result<Said> {
        let private = Private::new()?;
        let root = private.path().join("empty");
        // Without a home, whose tools would each be a mount to be made and taken away again.
        let environment = |name: &str| std::env::var_os(name).filter(|_| name != "HOME");
        let spec = Spec {
            stage: Stage::Supervisor,
            command: ":".to_owned(),
            policy: Policy::of_project(&root, "none", &environment),
            limits: Limits { free_space: 0, ..Limits::default() },
            demand: Demand::Whole,
            private: private.path(),
            priority: 0,
            missing: Vec::new(),
        };
        Started::new(program, &spec, std::env::vars_os(), (Stdio::null(), Stdio::null()))?.outcome()
    };
    let missing = match tried() {
        _ if !cfg!(target_os = "linux") => vec![Missing::System],
        Ok(Said::Ended { code: Some(0), .. }) => Vec::new(),
        Ok(Said::Refused(missing)) => missing,
        Ok(Said::Failed(why)) => vec![Missing::Namespaces(why)],
        Ok(Said::Ended { code, .. }) => vec![Missing::Namespaces(format!("an empty command ended with {code:?}"))],
        Err(error) => vec![Missing::Namespaces(error.to_string())],
    };
    Enforced { missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nothing_has_changed_since_is_known() {
        let temp = tempfile::tempdir().unwrap();
        let (program, known) = (temp.path().join("program"), temp.path().join("known"));
        fs::write(&program, "#!/bin/false").unwrap();
        let now = circumstances(&program).unwrap();
        fs::write(&known, &now).unwrap();
        assert!(probe_unless_known(&program, &known).is_whole(), "not tried: it would have failed");
        fs::write(&program, "#!/bin/false # of another version").unwrap();
        assert!(!probe_unless_known(&program, &known).is_whole());
        assert_eq!(fs::read_to_string(&known).unwrap(), now, "what is missing is not remembered");
    }
}
