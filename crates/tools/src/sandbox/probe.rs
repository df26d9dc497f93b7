//! What this machine can enforce: tried, not guessed.

use std::{path::Path, process::Stdio};

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

/// Runs a command that does nothing inside of all walls. `program` is our own executable.
pub fn probe(program: &Path) -> Enforced {
    let tried = || -> std::io::Result<Said> {
        let private = Private::new()?;
        let root = private.path().join("empty");
        let environment = |name: &str| std::env::var_os(name);
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
