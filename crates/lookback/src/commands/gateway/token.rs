//! The token that a gateway's own pages ask for, and the secret that credentials are hashed with: made once, for this
//! person alone.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use anyhow::{Context, Result, ensure};

use crate::home;

/// Both, from `gateway.token`.
pub(super) struct Keys {
    pub(super) token: String,
    pub(super) secret: [u8; 32],
}

/// Reads the token, or makes one. The secret follows from it.
pub(super) fn read(home: &Path) -> Result<Keys> {
    let path = home::own(home, "gateway.token")?;
    let said = || format!("cannot read or make {}", path.display());
    fs::create_dir_all(home).with_context(said)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    match options.open(&path) {
        Ok(mut file) => {
            let mut random = [0; 32];
            getrandom::fill(&mut random).context("the system gives no random numbers")?;
            let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(file, "{token}").with_context(said)?;
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(said),
    }
    let token = fs::read_to_string(&path).with_context(said)?.trim().to_owned();
    ensure!(token.len() >= 32, "{} holds no token: remove it, and one is made", path.display());
    let secret = blake3::derive_key("lookback gateway: credentials", token.as_bytes());
    Ok(Keys { token, secret })
}
