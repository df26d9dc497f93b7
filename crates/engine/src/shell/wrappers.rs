//! Programs and words of the shell that stand before another program, which is the one that counts.

use super::{arguments::behind_options, pattern::Pattern, programs::programs};

/// The name of the program that counts and what stands behind it; as it is named, with its path.
pub(super) struct Named<'a> {
    pub(super) path: &'a str,
    pub(super) arguments: &'a [Pattern],
}

impl<'a> Named<'a> {
    /// The last part of the path.
    pub(super) fn name(&self) -> &'a str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// Nothing where no program is left, as in `else` and `env`.
pub(super) enum Unwrapped<'a> {
    Nothing,
    /// Nobody knows its name.
    Unknown,
    Program(Named<'a>),
}

pub(super) fn unwrapped(words: &[Pattern]) -> Unwrapped<'_> {
    let mut words = words;
    while let Some((path, arguments)) = words.split_first() {
        let Some(path) = path.literal() else { return Unwrapped::Unknown };
        let named = Named { path, arguments };
        match behind(named.name(), arguments) {
            Some(rest) => words = rest,
            None => return Unwrapped::Program(named),
        }
    }
    Unwrapped::Nothing
}

/// The words of the program that stands behind this one, if it is one to stand before others.
fn behind<'a>(name: &str, rest: &'a [Pattern]) -> Option<&'a [Pattern]> {
    let programs = programs();
    if let Some(wrapper) = programs.wrappers.get(name) {
        let rest = behind_options(rest, &wrapper.values);
        let is_setting = |word: &Pattern| word.prefix().split_once('=').is_some_and(|(name, _)| !name.contains('/'));
        let settings = if name == "env" { rest.iter().take_while(|word| is_setting(word)).count() } else { 0 };
        return Some(rest.get(wrapper.words + settings..).unwrap_or_default());
    }
    let (first, rest) = rest.split_first()?;
    let launches = first.literal().is_some_and(|first| programs.launchers.of(name).has(first));
    launches.then(|| behind_options(rest, programs.values.of("launcher")))
}
