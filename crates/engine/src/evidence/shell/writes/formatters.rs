//! Programs that rewrite source files where they lie: formatters, and linters that repair.
//!
//! Their settings files, which may name or spare files, are not known: all that has the right ending counts.

use super::{arguments::Given, pattern::Pattern};

/// What a formatter rewrites.
#[derive(Debug)]
pub(super) struct Reach {
    /// Files, and directories with all below them.
    pub(super) names: Vec<Pattern>,
    /// Of the files in directories; none: all.
    pub(super) endings: &'static [&'static str],
    /// The project at large, whatever the directory.
    pub(super) everywhere: bool,
}

struct Formatter {
    /// With its first operand, where that decides.
    name: &'static str,
    writes: Writes,
    /// Options with which it only reports.
    reports: &'static [&'static str],
    endings: &'static [&'static str],
    without_names: WithoutNames,
}

enum Writes {
    Always,
    /// With one of these options.
    With(&'static [&'static str]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WithoutNames {
    /// Standard input, or nothing at all.
    Nothing,
    Here,
    Everywhere,
}

const fn formatter(
    name: &'static str,
    writes: Writes,
    endings: &'static [&'static str],
    without_names: WithoutNames,
) -> Formatter {
    Formatter { name, writes, reports: REPORTS, endings, without_names }
}

const REPORTS: &[&str] =
    &["--check", "--diff", "--check-only", "-c", "-check", "--dry-run", "-d", "--version", "--help"];
const PYTHON: &[&str] = &[".py", ".pyi", ".ipynb"];
const GO: &[&str] = &[".go"];
const RUST: &[&str] = &[".rs"];
const JAVASCRIPT: &[&str] = &[".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte", ".json"];
const ANY: &[&str] = &[];
const IN_PLACE: Writes = Writes::With(&["-i", "--in-place", "--inplace"]);
const FIX: Writes = Writes::With(&["--fix", "--fix-only", "--unsafe-fixes"]);
const WRITE: Writes = Writes::With(&["--write", "-w", "--apply", "--apply-unsafe", "--fix"]);

const FORMATTERS: &[Formatter] = &[
    formatter("black", Writes::Always, PYTHON, WithoutNames::Nothing),
    formatter("isort", Writes::Always, PYTHON, WithoutNames::Nothing),
    formatter("ruff format", Writes::Always, PYTHON, WithoutNames::Here),
    formatter("ruff check", FIX, PYTHON, WithoutNames::Here),
    formatter("autopep8", IN_PLACE, PYTHON, WithoutNames::Nothing),
    formatter("yapf", IN_PLACE, PYTHON, WithoutNames::Nothing),
    formatter("autoflake", IN_PLACE, PYTHON, WithoutNames::Nothing),
    formatter("docformatter", IN_PLACE, PYTHON, WithoutNames::Nothing),
    formatter("pyupgrade", Writes::Always, PYTHON, WithoutNames::Nothing),
    formatter("prettier", WRITE, ANY, WithoutNames::Nothing),
    formatter("eslint", FIX, JAVASCRIPT, WithoutNames::Here),
    formatter("standard", FIX, JAVASCRIPT, WithoutNames::Here),
    formatter("tslint", FIX, JAVASCRIPT, WithoutNames::Here),
    formatter("stylelint", FIX, ANY, WithoutNames::Here),
    formatter("biome format", WRITE, ANY, WithoutNames::Here),
    formatter("biome check", WRITE, ANY, WithoutNames::Here),
    formatter("biome lint", WRITE, ANY, WithoutNames::Here),
    formatter("dprint fmt", Writes::Always, ANY, WithoutNames::Everywhere),
    formatter("deno fmt", Writes::Always, ANY, WithoutNames::Here),
    formatter("rustfmt", Writes::Always, RUST, WithoutNames::Nothing),
    formatter("cargo fmt", Writes::Always, RUST, WithoutNames::Everywhere),
    formatter("cargo fix", Writes::Always, RUST, WithoutNames::Everywhere),
    formatter("cargo clippy", FIX, RUST, WithoutNames::Everywhere),
    formatter("gofmt", Writes::With(&["-w"]), GO, WithoutNames::Nothing),
    formatter("goimports", Writes::With(&["-w"]), GO, WithoutNames::Nothing),
    formatter("gofumpt", Writes::With(&["-w"]), GO, WithoutNames::Nothing),
    formatter("go fmt", Writes::Always, GO, WithoutNames::Everywhere),
    formatter("go fix", Writes::Always, GO, WithoutNames::Everywhere),
    formatter("clang-format", IN_PLACE, ANY, WithoutNames::Nothing),
    formatter("shfmt", Writes::With(&["-w", "--write"]), ANY, WithoutNames::Nothing),
    formatter("terraform fmt", Writes::Always, &[".tf", ".tfvars"], WithoutNames::Here),
    formatter("stylua", Writes::Always, &[".lua"], WithoutNames::Nothing),
    formatter("swiftformat", Writes::Always, &[".swift"], WithoutNames::Here),
    formatter("ktlint", Writes::With(&["-F", "--format"]), &[".kt", ".kts"], WithoutNames::Here),
    formatter("google-java-format", Writes::With(&["-i", "-r", "--replace"]), &[".java"], WithoutNames::Nothing),
    formatter(
        "rubocop",
        Writes::With(&["-a", "-A", "--autocorrect", "--autocorrect-all", "--auto-correct"]),
        &[".rb"],
        WithoutNames::Here,
    ),
    formatter("php-cs-fixer fix", Writes::Always, &[".php"], WithoutNames::Here),
    formatter("phpcbf", Writes::Always, &[".php"], WithoutNames::Here),
    formatter("mix format", Writes::Always, &[".ex", ".exs"], WithoutNames::Everywhere),
    formatter("dart format", Writes::Always, &[".dart"], WithoutNames::Here),
    formatter("zig fmt", Writes::Always, &[".zig"], WithoutNames::Nothing),
    formatter("taplo fmt", Writes::Always, &[".toml"], WithoutNames::Here),
    formatter("taplo format", Writes::Always, &[".toml"], WithoutNames::Here),
    formatter("ocamlformat", IN_PLACE, &[".ml", ".mli"], WithoutNames::Nothing),
    formatter("mdformat", Writes::Always, &[".md"], WithoutNames::Nothing),
    formatter("pre-commit run", Writes::Always, ANY, WithoutNames::Everywhere),
];

const WITH_VALUE: &[&str] = &[
    "-l",
    "--line-length",
    "-t",
    "--target-version",
    "--config",
    "--profile",
    "--select",
    "--ignore",
    "--style",
    "--parser",
    "--edition",
    "-p",
    "--package",
    "--manifest-path",
    "--ext",
    "--max-line-length",
];

/// None: no formatter.
pub(super) fn reach(name: &str, arguments: &[Pattern]) -> Option<Reach> {
    let given = Given::new(arguments, WITH_VALUE);
    // `cargo +nightly fmt`.
    let is_toolchain = |word: &&Pattern| word.prefix().starts_with('+');
    let mut operands: Vec<&Pattern> = given.operands.iter().copied().filter(|word| !is_toolchain(word)).collect();
    let first = operands.first().and_then(|word| word.literal());
    let formatter = FORMATTERS.iter().find(|formatter| match formatter.name.split_once(' ') {
        Some((program, what)) => program == name && first == Some(what),
        None => formatter.name == name,
    })?;
    if formatter.name.contains(' ') {
        operands.remove(0);
    }
    let mut reach = Reach { names: Vec::new(), endings: formatter.endings, everywhere: false };
    let writes = match formatter.writes {
        Writes::Always => true,
        Writes::With(options) => given.options.iter().any(|(option, _)| {
            options
                .iter()
                .any(|with| option == with || option.strip_prefix(with).is_some_and(|rest| rest.starts_with('=')))
        }),
    };
    // Behind `--` stand arguments for the program that a program runs.
    let reports = given.has_any(formatter.reports)
        || operands.iter().any(|word| word.literal().is_some_and(|word| formatter.reports.contains(&word)));
    if !writes || reports {
        return Some(reach);
    }
    // What a formatter globs itself, it globs across directories.
    reach.names = operands.into_iter().map(Pattern::globbed).collect();
    match formatter.without_names {
        WithoutNames::Here if reach.names.is_empty() => reach.names.push(Pattern::text(".")),
        WithoutNames::Everywhere => {
            reach.everywhere = true;
            if reach.endings.is_empty() {
                reach.endings = &[""];
            }
        }
        _ => {}
    }
    Some(reach)
}
