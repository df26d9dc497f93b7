//! Whether there are colours. They only support what the text says: pipes, dumb terminals and `NO_COLOR` get the same
//! text, and `CLICOLOR_FORCE` asks for colours in a pipe.

use std::{env, ffi::OsString};

/// Bold and green.
pub(super) const MARKED: &str = "\u{1b}[1;32m";
pub(super) const PLAIN: &str = "\u{1b}[0m";

pub(super) fn is_on() -> bool {
    wanted(&|name| env::var_os(name), super::is_terminal())
}

fn wanted(variable: &dyn Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is_forced = is_set("CLICOLOR_FORCE") && variable("CLICOLOR_FORCE").is_none_or(|value| value != "0");
    !is_set("NO_COLOR") && (is_forced || is_terminal && variable("TERM").is_none_or(|terminal| terminal != "dumb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_have_them_and_people_who_want_them() {
        let with = |set: &'static [(&str, &str)], is_terminal| {
            wanted(&|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()), is_terminal)
        };
        assert!(with(&[("TERM", "xterm")], true));
        assert!(with(&[("NO_COLOR", "")], true));
        assert!(with(&[("CLICOLOR_FORCE", "1")], false));
        assert!(!with(&[], false));
        assert!(!with(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!with(&[("TERM", "dumb")], true));
        assert!(!with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true));
    }
}
