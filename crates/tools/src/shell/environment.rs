//! The variables that commands get.

use std::ffi::{OsStr, OsString};

use super::ShellSetup;

/// Without those that are named like keys, unless they are listed. Home and temp are where the walls have them.
pub(super) fn given(setup: &ShellSetup) -> impl Iterator<Item = (OsString, OsString)> {
    let home = setup.policy.home.clone().map(|home| (OsString::from("HOME"), home.into_os_string()));
    std::env::vars_os()
        .filter(|(name, _)| is_given(name, &setup.withheld, &setup.listed_environment))
        .chain(home)
        .chain([(OsString::from("TMPDIR"), OsString::from("/tmp"))])
}

fn is_given(name: &OsStr, withheld: &[String], listed: &[String]) -> bool {
    let name = name.to_string_lossy();
    let upper = format!("_{}_", name.to_uppercase());
    listed.iter().any(|listed| *listed == name) || !withheld.iter().any(|part| upper.contains(&part.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_withheld_unless_listed() {
        let withheld = super::super::WITHHELD.map(str::to_owned);
        let listed = ["MY_API_KEY".to_owned()];
        let given = |name: &str| is_given(OsStr::new(name), &withheld, &listed);
        assert!(given("PATH") && given("MY_API_KEY") && given("PATTERN") && given("GIT_PATCH"));
        assert!(!["OPENAI_API_KEY", "github_token", "Client_Secret", "PGPASSWORD"].into_iter().any(given));
        assert!(!["DB_PASSWD", "AWS_CREDENTIALS_FILE", "PAT", "GITHUB_PAT", "PAT_GITHUB"].into_iter().any(given));
    }
}
