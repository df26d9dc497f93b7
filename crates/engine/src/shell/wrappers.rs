//! Programs and words of the shell that stand before another program, which is the one that counts.

use super::{arguments::behind_options, pattern::Pattern, programs::programs};

/// The program that counts, and what stands behind it.
pub(super) struct Named<'a> {
    /// As it is named.
    pub(super) path: &'a str,
    pub(super) arguments: &'a [Pattern],
    /// Behind `poetry run` it may be a script of the project, whatever it is called.
    pub(super) launched: bool,
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
    let mut launched = false;
    while let Some((path, arguments)) = words.split_first() {
        let Some(path) = path.literal() else { return Unwrapped::Unknown };
        let named = Named { path, arguments, launched };
        if let Some(rest) = behind_wrapper(named.name(), arguments) {
            words = rest;
        } else if let Some(rest) = behind_launcher(named.name(), arguments) {
            words = rest;
            launched = true;
        } else {
            return Unwrapped::Program(named);
        }
    }
    Unwrapped::Nothing
}

fn behind_wrapper<'a>(name: &str, rest: &'a [Pattern]) -> Option<&'a [Pattern]> {
    let wrapper = programs().wrappers.get(name)?;
    let rest = behind_options(rest, &wrapper.values);
    let is_setting = |word: &Pattern| word.prefix().split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    let settings = if name == "env" { rest.iter().take_while(|word| is_setting(word)).count() } else { 0 };
    Some(rest.get(wrapper.words + settings..).unwrap_or_default())
}

fn behind_launcher<'a>(name: &str, rest: &'a [Pattern]) -> Option<&'a [Pattern]> {
    let (first, rest) = rest.split_first()?;
    let launches = first.literal().is_some_and(|first| programs().launchers.of(name).has(first));
    launches.then(|| behind_options(rest, programs().values.of("launcher")))
}
