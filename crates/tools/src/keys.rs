//! Where people keep keys in their home directory. Commands mostly have a home of their own; where the project is the home
//! directory, or around it, these are what no tool, no command and no snapshot gets to see.

use std::path::{Path, PathBuf};

const PLACES: [&str; 14] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".config",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".cargo/credentials.toml",
    ".local/share",
    ".password-store",
];

/// Without links: who keeps them elsewhere and leads there does not show them either.
pub(crate) fn places(home: &Path) -> impl Iterator<Item = PathBuf> {
    PLACES.into_iter().map(|name| home.join(name)).map(|place| place.canonicalize().unwrap_or(place))
}
