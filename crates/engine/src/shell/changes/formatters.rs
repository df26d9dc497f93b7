//! Programs that rewrite source files where they lie: formatters, and linters that repair.
//!
//! Their settings files, which may name or spare files, are not known: all that has the right ending counts.

use crate::shell::{
    arguments::Given,
    pattern::Pattern,
    programs::{WithoutNames, Words, programs},
};

/// What a formatter rewrites.
#[derive(Debug)]
pub(super) struct Reach {
    /// Files, and directories with all below them.
    pub(super) names: Vec<Pattern>,
    /// Of the files in directories; none: all.
    pub(super) endings: &'static Words,
    /// The project at large, whatever the directory.
    pub(super) everywhere: bool,
}

/// None: no formatter.
pub(super) fn reach(name: &str, arguments: &[Pattern]) -> Option<Reach> {
    let given = Given::new(arguments, programs().values.of("formatter"));
    // `cargo +nightly fmt`.
    let is_toolchain = |word: &&Pattern| word.prefix().starts_with('+');
    let mut operands: Vec<&Pattern> = given.operands.iter().copied().filter(|word| !is_toolchain(word)).collect();
    let first = operands.first().and_then(|word| word.literal());
    let is_named = |listed: &str| match listed.split_once(' ') {
        Some((program, what)) => program == name && first == Some(what),
        None => listed == name,
    };
    let (formatter, listed) = programs()
        .formatter
        .iter()
        .find_map(|formatter| Some((formatter, formatter.names.iter().find(|listed| is_named(listed))?)))?;
    if listed.contains(' ') {
        operands.remove(0);
    }
    let mut reach = Reach { names: Vec::new(), endings: &formatter.endings, everywhere: false };
    let is_with = |option: &str| formatter.with.has(option.split('=').next().unwrap_or(option));
    let writes = formatter.with.is_empty() || given.options.iter().any(|(option, _)| is_with(option));
    // Behind `--` stand arguments for the program that a program runs.
    let reports = &programs().formatter_reports;
    let reports = given.options.iter().any(|(option, _)| reports.has(option))
        || operands.iter().any(|word| word.literal().is_some_and(|word| reports.has(word)));
    if !writes || reports {
        return Some(reach);
    }
    // What a formatter globs itself, it globs across directories.
    reach.names = operands.into_iter().map(Pattern::globbed).collect();
    match formatter.without_names {
        WithoutNames::Here if reach.names.is_empty() => reach.names.push(Pattern::text(".")),
        WithoutNames::Everywhere => reach.everywhere = true,
        _ => {}
    }
    Some(reach)
}
