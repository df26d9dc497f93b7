//! The arguments of a program: options, their values, and operands.

use super::{pattern::Pattern, programs::Words};

/// Arguments, told apart.
#[derive(Debug)]
pub(super) struct Given<'a> {
    /// With the values of those that take one.
    pub(super) options: Vec<(&'a str, Option<&'a Pattern>)>,
    pub(super) operands: Vec<&'a Pattern>,
    /// How many of the last ones stand behind `--`.
    pub(super) handed_on: usize,
}

impl<'a> Given<'a> {
    /// `with_value` are the options that take the next word.
    pub(super) fn new(arguments: &'a [Pattern], with_value: &Words) -> Self {
        let mut given = Self { options: Vec::new(), operands: Vec::new(), handed_on: 0 };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.prefix() {
                "--" if argument.literal().is_some() => {
                    given.handed_on = rest.len();
                    given.operands.extend(rest.by_ref());
                }
                option if option.len() > 1 && option.starts_with('-') => {
                    let value = if with_value.has(option) { rest.next() } else { None };
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

    /// `sed -i`, `yq --inplace`: the files are edited where they lie.
    pub(super) fn in_place(&self) -> bool {
        self.options.iter().any(|(option, _)| match option.strip_prefix("--") {
            Some(long) => ["in-place", "inplace"].contains(&long) || long.starts_with("in-place="),
            // What follows `e`, `f` or `l` in one word is a value.
            None => option.split(['e', 'f', 'l']).next().is_some_and(|letters| letters.contains('i')),
        })
    }
}

/// What lies behind the options at the beginning.
pub(super) fn behind_options<'a>(mut rest: &'a [Pattern], with_value: &Words) -> &'a [Pattern] {
    while let Some(option) = rest.first().map(Pattern::prefix).filter(|word| word.starts_with('-')) {
        let is_whole = rest[0].literal().is_some();
        rest = rest.get(1 + usize::from(is_whole && with_value.has(option))..).unwrap_or_default();
        if is_whole && option == "--" {
            break;
        }
    }
    rest
}

/// What `find` does with what it finds, in its order: the command behind an option that runs one; none: `-delete`.
pub(super) fn actions_of_find<'a>(mut rest: &'a [Pattern], runs: &[&str]) -> Vec<Option<&'a [Pattern]>> {
    let mut actions = Vec::new();
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match word.literal() {
            Some("-delete") => actions.push(None),
            Some(option) if runs.contains(&option) => {
                let end = after.iter().position(|word| matches!(word.literal(), Some(";" | "+")));
                let (command, after) = after.split_at(end.unwrap_or(after.len()));
                actions.push(Some(command));
                rest = after;
            }
            _ => {}
        }
    }
    actions
}

/// The text that a shell is given behind `-c`.
pub(super) fn text_to_run(arguments: &[Pattern]) -> Option<&Pattern> {
    let is_option = |option: &Pattern| {
        option.literal().is_some_and(|text| text.starts_with('-') && !text.starts_with("--") && text.ends_with('c'))
    };
    arguments.get(arguments.iter().position(is_option)? + 1)
}
