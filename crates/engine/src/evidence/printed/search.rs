//! The options of `grep` and `rg` that leave their output in a known shape.

use std::slice::Iter;

use crate::shell::{SearchOptions, programs};

/// A search that prints line numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Search {
    /// Lines around the matches are printed, too.
    pub(super) context: bool,
    pub(super) names: Names,
}

/// Whether file names are printed before the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Where there is more than one file to search.
    IfSeveral,
    /// A single operand may be a file or a directory, so the output alone tells.
    IfDirectory,
    Always,
}

#[derive(Default)]
struct Given {
    numbers: bool,
    recursive: bool,
    names: bool,
    context: bool,
    pattern: bool,
}

impl Search {
    /// The search and its operands (without the pattern). None where an option is not understood, or no line numbers
    /// are printed.
    pub(super) fn parse<'a>(program: &str, arguments: &[&'a str]) -> Option<(Self, Vec<&'a str>)> {
        let options = programs().search.get(program)?;
        let mut given = Given::default();
        let mut operands = Vec::new();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if *argument == "--" {
                operands.extend(arguments.by_ref());
            } else if let Some(long) = argument.strip_prefix("--") {
                given.take_long(options, long, &mut arguments)?;
            } else if let Some(cluster) = argument.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
                given.take_cluster(options, cluster, &mut arguments)?;
            } else {
                operands.push(*argument);
            }
        }
        if !given.pattern {
            (!operands.is_empty()).then(|| operands.remove(0))?;
        }
        let names = match (given.names, program == "rg" || given.recursive) {
            (true, _) => Names::Always,
            (false, true) => Names::IfDirectory,
            (false, false) => Names::IfSeveral,
        };
        given.numbers.then_some((Self { context: given.context, names }, operands))
    }
}

impl Given {
    fn take_cluster(&mut self, options: &SearchOptions, cluster: &str, rest: &mut Iter<'_, &str>) -> Option<()> {
        for (at, option) in cluster.char_indices() {
            if options.short_with_value.contains(option) {
                let value = &cluster[at + option.len_utf8()..];
                if value.is_empty() {
                    rest.next()?;
                }
                self.context |= matches!(option, 'A' | 'B' | 'C');
                self.pattern |= option == 'e';
                return Some(());
            }
            if !options.short.contains(option) {
                return None;
            }
            self.numbers |= option == 'n';
            self.recursive |= matches!(option, 'r' | 'R');
            self.names |= option == 'H';
            self.context |= option.is_ascii_digit();
        }
        Some(())
    }

    fn take_long(&mut self, options: &SearchOptions, option: &str, rest: &mut Iter<'_, &str>) -> Option<()> {
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        if options.long_with_value.has(name) {
            let value = value.or_else(|| rest.next().copied())?;
            self.context |= name.ends_with("context");
            self.pattern |= name == "regexp";
            // Colours would stand between the separators.
            return (name != "color" || matches!(value, "never" | "auto")).then_some(());
        }
        if value.is_some() || !options.long.has(name) {
            return None;
        }
        self.numbers |= name == "line-number";
        self.recursive |= name == "recursive";
        self.names |= name == "with-filename";
        Some(())
    }
}
