//! Programs and words of the shell that stand before another program, which is the one that counts.

use super::pattern::Pattern;

/// Programs that stand before another program: how many words they take, and which of their options take one more.
const BEFORE: &[(&str, usize, &[&str])] = &[
    ("if", 0, &[]),
    ("then", 0, &[]),
    ("elif", 0, &[]),
    ("else", 0, &[]),
    ("while", 0, &[]),
    ("until", 0, &[]),
    ("do", 0, &[]),
    ("done", 0, &[]),
    ("fi", 0, &[]),
    ("!", 0, &[]),
    ("{", 0, &[]),
    ("}", 0, &[]),
    ("function", 1, &[]),
    ("time", 0, &["-f", "-o"]),
    ("command", 0, &[]),
    ("builtin", 0, &[]),
    ("exec", 0, &["-a"]),
    ("nohup", 0, &[]),
    ("setsid", 0, &[]),
    ("unbuffer", 0, &[]),
    ("nice", 0, &["-n"]),
    ("ionice", 0, &["-c", "-n"]),
    ("stdbuf", 0, &["-i", "-o", "-e"]),
    ("sudo", 0, &["-u", "-g", "-p", "-C", "-D"]),
    ("doas", 0, &["-u"]),
    ("timeout", 1, &["-s", "-k", "--signal", "--kill-after"]),
    ("npx", 0, &["-p", "--package"]),
    ("bunx", 0, &[]),
    ("uvx", 0, &["--from", "--with", "-p", "--python"]),
];

/// The same for those that do so under a name of their own.
const RUNNERS: &[(&str, &[&str])] = &[
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
    ("pipx", &["run"]),
    ("yarn", &["exec", "run", "dlx"]),
    ("pnpm", &["exec", "dlx"]),
    ("npm", &["exec", "x"]),
    ("bun", &["x"]),
    ("bundle", &["exec"]),
];

/// The program that stands behind this one.
pub(super) fn before<'a>(name: &str, rest: &'a [Pattern]) -> Option<&'a [Pattern]> {
    if name == "env" {
        let rest = skip_options(rest, &["-u", "-C", "--unset", "--chdir"]);
        let is_setting = |word: &Pattern| word.prefix().split_once('=').is_some_and(|(name, _)| !name.contains('/'));
        return Some(&rest[rest.iter().take_while(|word| is_setting(word)).count()..]);
    }
    if let Some((_, names)) = RUNNERS.iter().find(|(runner, _)| *runner == name) {
        let (first, rest) = rest.split_first()?;
        let runs = first.literal().is_some_and(|first| names.contains(&first));
        return runs.then(|| skip_options(rest, &["--with", "-p", "--python", "--group", "--extra", "--package"]));
    }
    let (_, words, options) = BEFORE.iter().find(|(program, ..)| *program == name)?;
    let rest = skip_options(rest, options);
    Some(rest.get(*words..).unwrap_or_default())
}

fn skip_options<'a>(mut rest: &'a [Pattern], with_value: &[&str]) -> &'a [Pattern] {
    while let Some(option) = rest.first().and_then(Pattern::literal).filter(|word| word.starts_with('-')) {
        let words = 1 + usize::from(with_value.contains(&option));
        rest = rest.get(words..).unwrap_or_default();
        if option == "--" {
            break;
        }
    }
    rest
}
