//! The arguments of a program: options, their values, and operands.

use super::pattern::Pattern;

/// Arguments, told apart.
#[derive(Debug)]
pub(super) struct Given<'a> {
    /// With the values of those that take one.
    pub(super) options: Vec<(&'a str, Option<&'a Pattern>)>,
    pub(super) operands: Vec<&'a Pattern>,
}

impl<'a> Given<'a> {
    pub(super) fn new(arguments: &'a [Pattern], with_value: &[&str]) -> Self {
        let mut given = Self { options: Vec::new(), operands: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.prefix() {
                "--" if argument.literal().is_some() => given.operands.extend(rest.by_ref()),
                option if option.len() > 1 && option.starts_with('-') => {
                    let value = if with_value.contains(&option) { rest.next() } else { None };
                    given.options.push((option, value));
                }
                _ => given.operands.push(argument),
            }
        }
        given
    }

    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(option, _)| names.contains(option))
    }

    /// Whether one of these letters stands among the short options.
    pub(super) fn has_short(&self, letters: &[char]) -> bool {
        self.options.iter().any(|(option, _)| !option.starts_with("--") && option.contains(letters))
    }

    /// `-o F`, `-oF` or `--output=F`.
    pub(super) fn value(&self, name: &str) -> Option<Pattern> {
        self.values_of(name).next()
    }

    pub(super) fn values_of<'b>(&'b self, name: &'b str) -> impl Iterator<Item = Pattern> + 'b {
        self.options.iter().filter_map(move |(option, value)| match (option.strip_prefix(name)?, value) {
            ("", Some(value)) => Some((*value).clone()),
            ("", None) => None,
            (attached, _) if name.starts_with("--") => attached.strip_prefix('=').map(Pattern::text),
            (attached, _) => Some(Pattern::text(attached)),
        })
    }
}
