//! The walls around a command: what it may read, write, reach and use up.
//!
//! Nothing here is unsafe, so nothing can be done between fork and exec: the program starts itself again instead
//! (`lookback __inside SPEC`), as a supervisor that shuts itself in and starts the shell from there. Which commands may
//! run at all is decided elsewhere.

mod gitconfig;
mod gitlinks;
#[cfg(target_os = "linux")]
mod inside;
mod looking;
mod nested;
mod policy;
mod private;
mod probe;
mod spec;
mod start;

pub(crate) use looking::Looking;
pub(crate) use nested::is_repository;
pub use policy::Policy;
pub(crate) use private::Private;
pub use probe::{Enforced, probe, probe_unless_known};
pub use spec::{Demand, Limits, Missing};
pub(crate) use spec::{Said, Spec, Stage, Stopped};
pub(crate) use start::{Started, last_said};

use crate::envelope::{Code, Failure};

/// The hidden subcommand by which the program is started again.
pub const SUBCOMMAND: &str = "__inside";

/// What the hidden subcommand does: becomes what `spec` says. Comes back only where that failed; whoever called it ends
/// the process at once. No thread may run before.
pub fn enter_and_exec(spec: &str) -> Failure {
    match serde_json::from_str::<Spec>(spec) {
        #[cfg(target_os = "linux")]
        Ok(spec) => inside::enter(spec),
        #[cfg(not(target_os = "linux"))]
        Ok(_) => Failure::new(Code::PermissionDenied, "commands run on Linux only: other systems have no walls yet"),
        Err(error) => Failure::new(Code::InvalidParam, format!("this is started by the program itself: {error}")),
    }
}
