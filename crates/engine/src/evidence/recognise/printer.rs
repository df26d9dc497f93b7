//! Commands that only print what is there already: whatever their output says about tests, no test ran.
//!
//! A program that is not listed here may run tests (`make`, `./run.sh`, `npm t`), so a command line is a printer only
//! where all of its programs are known. A function or a link with the name of one of them would deceive this module.

use super::commands::parse_commands;

/// They print files, texts and facts, or what comes in; or do something else that runs no tests, like `cd`.
const PRINTERS: &str = " \
    echo printf cat tac nl head tail less more bat batcat zcat bzcat xzcat zless strings xxd hexdump od base64 \
    grep egrep fgrep zgrep rg ag ack sed cut tr sort uniq wc column paste join comm fold fmt rev expand tee \
    jq yq diff cmp colordiff ls tree stat file du df pwd date seq basename dirname realpath readlink which type \
    whoami id hostname uname printenv ps \
    cd pushd popd true false : test [ export unset set local readonly read sleep exit return break continue wait \
    mkdir rmdir rm cp mv ln touch chmod for done fi } ";

const GIT_PRINTERS: &str = " \
    show log diff grep blame annotate cat-file status branch tag reflog shortlog whatchanged rev-parse rev-list \
    describe ls-files ls-tree diff-tree show-ref range-diff ";

/// They stand before a command, with options that take no word.
const BEFORE: &str = " if then elif else while until do { ! time command builtin sudo nohup env xargs -0 -r -0r -r0 ";

const SHELLS: &str = " sh bash zsh dash ksh ";

/// Whether every simple command is a printer; false for a command line that is empty or cannot be read.
pub(super) fn only_prints(command: &str) -> bool {
    let commands = parse_commands(command).unwrap_or_default();
    !commands.is_empty() && commands.iter().all(|words| is_printer(words))
}

fn is_printer(words: &[String]) -> bool {
    let before = |word: &&String| lists(BEFORE, word) || is_assignment(word);
    let words = &words[words.iter().take_while(before).count()..];
    // `X=1`, `else`; `env` and `xargs`, which print.
    let Some((program, arguments)) = words.split_first() else { return true };
    let program = ["/bin/", "/usr/bin/"].iter().find_map(|bin| program.strip_prefix(bin)).unwrap_or(program);
    match program {
        "git" => is_git_printer(arguments),
        "find" | "fd" | "fdfind" => !arguments.iter().any(|argument| runs_what_it_finds(argument)),
        "awk" | "gawk" | "mawk" => !arguments.iter().any(|argument| runs_in_awk(argument)),
        shell if lists(SHELLS, shell) => match arguments {
            // Never deep: quotes within quotes double the text each time.
            [option, script, ..] if is_script_option(option) => only_prints(script),
            _ => false,
        },
        program => lists(PRINTERS, program),
    }
}

fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// `-c`, `-lc`.
fn is_script_option(option: &str) -> bool {
    option
        .strip_prefix('-')
        .is_some_and(|letters| letters.ends_with('c') && letters.bytes().all(|letter| letter.is_ascii_lowercase()))
}

/// By its subcommand: others run hooks, and hooks run tests.
fn is_git_printer(arguments: &[String]) -> bool {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-C" => {
                arguments.next();
            }
            "--no-pager" | "-P" => {}
            command => return lists(GIT_PRINTERS, command),
        }
    }
    true
}

fn runs_what_it_finds(argument: &str) -> bool {
    matches!(argument, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
}

/// A script in a file may run anything, too.
fn runs_in_awk(argument: &str) -> bool {
    let runs = ["system", "getline", "| \"", "|\"", "|&"].iter().any(|how| argument.contains(how));
    runs || argument.starts_with("-f") || argument.starts_with("--file")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn printers() {
        for command in [
            "echo '=== 1 failed in 0.1s ==='",
            "cd web && cat test.log | tail -n 40",
            "LANG=C /usr/bin/grep -rn 'a\\|b' . 2>/dev/null | head; ls *.py",
            "git -C web --no-pager log -p -1 -- $F | less",
            "sed -n '1,20p' a.py; awk -F: '/a|b/ || $1 > 3 {print $2}' b.txt",
            "if [ -f log ]; then cat log; else echo none; fi",
            "for f in a b; do echo \"$f\"; jq . $f; done",
            "{ cat a; ! grep b c; } > d; (tail d)",
            "find . -name '*.log' -print0 | xargs -0 cat",
            "bash -lc \"cat log | tail -5\"",
            "cat <<'EOF'\n2 passed in 0.1s\nEOF",
            "env",
            "X=1",
        ] {
            assert!(only_prints(command), "{command}");
        }
    }

    #[test]
    fn others() {
        for command in [
            "",
            "# pytest",
            "pytest",
            "make test",
            "./run.sh > log 2>&1; tail log",
            "npm t",
            "bash -lc \"pytest\"",
            "bash run.sh",
            "bash <<EOF\npytest\nEOF",
            "cd x && pytest | tail -5",
            "X=1 env Y=2 pytest",
            "echo start && (cd web; npx jest)",
            "echo \"$(pytest)\"",
            "cat <(pytest)",
            "cat log | sh",
            "echo pytest | xargs -I{} sh -c {}",
            "echo a | xargs -r pytest",
            "find . -name 'test_*' -exec python {} ;",
            "awk 'BEGIN { system(\"pytest\") }'",
            "awk -f run.awk",
            "git commit -m x",
            "git bisect run pytest",
            "git -c alias.log=!pytest log",
            "for f in a b; do pytest $f; done",
            "cat() { pytest; }; cat",
            "./cat log",
            "$RUN",
            "echo 'unbalanced",
            "timeout 60 pytest",
        ] {
            assert!(!only_prints(command), "{command}");
        }
    }

    proptest! {
        #[test]
        fn a_command_between_printers_is_found(
            before in "((cat a|echo 'b'|X=1 ls|cd c|git log -1) ?(;|&&|\\||\\|\\||\n|&) ?){0,4}",
            after in "( ?(;|&&|\\||\\|\\||\n|&) ?(tail -5|grep \"x\"|true)){0,3}",
        ) {
            let command = format!("{before}pytest -q{after}");
            prop_assert!(!only_prints(&command));
            let command = format!("{before}cat d{after}");
            prop_assert!(only_prints(&command));
        }

        #[test]
        fn nothing_panics(text in "(cat|bash -c|git|<<|[a<>'\"\\\\$(){};|&# \n\té-]){0,30}") {
            only_prints(&text);
        }
    }
}
