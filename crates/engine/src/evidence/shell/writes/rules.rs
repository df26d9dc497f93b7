//! What each program changes, as told by its arguments.
//!
//! Options that take a value are listed where a value could be taken for a file; options of no weight here are skipped
//! unread. A program that is not listed may do anything.

use super::{
    arguments::Given,
    before::before,
    formatters,
    pattern::Pattern,
    walk::{Input, Walk},
};

/// Programs that read or report, or that change nothing that lines are seen of; `test`s among them.
const HARMLESS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "nl",
    "wc",
    "ls",
    "ll",
    "tree",
    "stat",
    "file",
    "du",
    "df",
    "pwd",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "fd",
    "which",
    "type",
    "whereis",
    "echo",
    "printf",
    "true",
    "false",
    ":",
    "test",
    "[",
    "[[",
    "((",
    "exit",
    "return",
    "break",
    "continue",
    "shift",
    "set",
    "unset",
    "trap",
    "wait",
    "sleep",
    "kill",
    "pkill",
    "jobs",
    "ps",
    "top",
    "date",
    "env",
    "printenv",
    "id",
    "whoami",
    "uname",
    "hostname",
    "history",
    "export",
    "local",
    "declare",
    "readonly",
    "typeset",
    "alias",
    "umask",
    "ulimit",
    "diff",
    "cmp",
    "comm",
    "cut",
    "tr",
    "uniq",
    "paste",
    "column",
    "fold",
    "rev",
    "tac",
    "seq",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "jq",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "mkdir",
    "touch",
    "chmod",
    "chown",
    "rmdir",
    "mktemp",
    "pytest",
    "py.test",
    "jest",
    "vitest",
    "mocha",
    "tox",
    "nox",
    "mypy",
    "pyright",
    "pylint",
    "flake8",
    "tsc",
    "ctest",
    "phpunit",
    "rspec",
    "man",
    "help",
    "tput",
    "clear",
    "case",
    "in",
    "esac",
    "fi",
    "done",
    "lsof",
    "nproc",
    "free",
    "uptime",
    "awk",
    "mawk",
];

/// Programs that write the file behind one of their options.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("curl", &["-o", "--output"]),
    ("wget", &["-O", "--output-document"]),
    ("sort", &["-o", "--output"]),
    ("gcc", &["-o"]),
    ("g++", &["-o"]),
    ("cc", &["-o"]),
    ("clang", &["-o"]),
    ("clang++", &["-o"]),
    ("rustc", &["-o"]),
    ("pandoc", &["-o", "--output"]),
    ("iconv", &["-o", "--output"]),
    ("protoc", &["-o"]),
    ("yq", &[]),
];

impl Walk {
    pub(super) fn program(&mut self, arguments: &[Pattern], input: &Input) {
        let mut arguments = arguments;
        while let Some((name, rest)) = arguments.split_first() {
            let Some(name) = name.literal() else { return self.unknown() };
            let name = name.rsplit('/').next().unwrap_or(name);
            match before(name, rest) {
                Some(program) => arguments = program,
                None => return self.named(name, rest, input),
            }
        }
    }

    fn named(&mut self, name: &str, arguments: &[Pattern], input: &Input) {
        let given = Given::new(arguments, values_of(name));
        match name {
            "cd" | "pushd" => match given.operands.first() {
                Some(to) if to.literal() != Some("-") => self.enter(Some(to)),
                _ => self.enter(None),
            },
            "popd" => self.enter(None),
            "for" | "select" => self.bind_loop(arguments),
            "read" => self.bind_read(&given, input),
            "eval" => self.eval(arguments),
            "bash" | "sh" | "zsh" | "dash" | "ksh" => self.shell(arguments, &given, input),
            "xargs" | "parallel" => self.xargs(arguments, input),
            "find" => self.find(arguments, input),
            "git" => self.git(arguments, input),
            "patch" => self.patch(&given, input),
            "apply_patch" | "applypatch" => self.apply_patch(arguments, input),
            "sed" | "gsed" => self.sed(&given),
            "perl" | "ruby" => self.perl(arguments),
            "gawk" | "awk" if given.value("-i").is_some_and(|value| value.literal() == Some("inplace")) => {
                given.operands.iter().skip(1).for_each(|name| self.edited(name));
            }
            "gawk" => {}
            "yq" if given.has_any(&["-i", "--inplace"]) => given.operands.iter().for_each(|name| self.edited(name)),
            "tee" | "sponge" => given.operands.iter().for_each(|name| self.file(name)),
            "truncate" | "unlink" | "shred" => given.operands.iter().for_each(|name| self.file(name)),
            "dos2unix" | "unix2dos" | "ed" | "ex" | "vi" | "vim" | "nvim" | "nano" | "emacs" => {
                given.operands.iter().for_each(|name| self.edited(name));
            }
            "rm" | "trash" | "rename" => given.operands.iter().for_each(|name| self.tree(name)),
            "mv" => self.copy(&given, Original::Goes),
            "cp" | "install" | "ln" | "rsync" | "scp" => self.copy(&given, Original::Stays),
            "dd" => {
                let output = |argument: &Pattern| Some(Pattern::text(argument.literal()?.strip_prefix("of=")?));
                arguments.iter().filter_map(output).for_each(|name| self.file(&name));
            }
            "python" | "python2" | "python3" | "py" => self.python(arguments, input),
            _ if self.format(name, arguments) => {}
            _ if HARMLESS.contains(&name) || is_test(name, &given) => {}
            _ => match OUTPUTS.iter().find(|(program, _)| *program == name) {
                Some((_, options)) => {
                    let outputs = options.iter().flat_map(|option| given.values_of(option));
                    outputs.for_each(|output| self.file(&output));
                    if given.options.iter().any(|(option, _)| matches!(*option, "-O" | "-J") && name == "curl") {
                        self.unknown();
                    }
                }
                None => self.unknown(),
            },
        }
    }

    /// `for NAME in …`.
    fn bind_loop(&mut self, arguments: &[Pattern]) {
        if let [name, of, values @ ..] = arguments
            && of.literal() == Some("in")
            && let Some(name) = name.literal()
        {
            self.bind(name, values.to_vec());
        }
    }

    /// `read NAME`: a line of what comes through the pipe.
    fn bind_read(&mut self, given: &Given<'_>, input: &Input) {
        let listed = self.listed(input);
        for name in given.operands.iter().filter_map(|name| name.literal()) {
            self.bind(name, listed.clone());
        }
    }

    fn eval(&mut self, arguments: &[Pattern]) {
        let words: Option<Vec<&str>> = arguments.iter().map(Pattern::literal).collect();
        match words {
            Some(words) => self.text(&words.join(" ")),
            None => self.unknown(),
        }
    }

    fn shell(&mut self, arguments: &[Pattern], given: &Given<'_>, input: &Input) {
        let is_text = |option: &Pattern| {
            option.literal().is_some_and(|text| text.starts_with('-') && !text.starts_with("--") && text.ends_with('c'))
        };
        let text = arguments.iter().position(is_text).and_then(|at| arguments.get(at + 1));
        match text {
            Some(text) => match text.literal() {
                Some(text) => self.text(text),
                None => self.unknown(),
            },
            None if given.operands.is_empty() && !input.bodies.is_empty() => {
                input.bodies.iter().for_each(|body| self.text(body));
            }
            None => self.unknown(),
        }
    }

    fn sed(&mut self, given: &Given<'_>) {
        let in_place = |option: &str| match option.strip_prefix("--") {
            Some(long) => long == "in-place" || long.starts_with("in-place="),
            // What follows `e`, `f` or `l` in one word is a value.
            None => option.split(['e', 'f', 'l']).next().is_some_and(|letters| letters.contains('i')),
        };
        if !given.options.iter().any(|(option, _)| in_place(option)) {
            return;
        }
        let is_script = |(option, _): &(&str, _)| match option.strip_prefix("--") {
            Some(long) => long.starts_with("expression") || long.starts_with("file"),
            None => option.split('i').next().is_some_and(|letters| letters.contains(['e', 'f'])),
        };
        let scripts = usize::from(!given.options.iter().any(is_script));
        let names = given.operands.iter().skip(scripts).filter(|name| name.literal() != Some(""));
        names.for_each(|name| self.edited(name));
    }

    /// `perl -pi -e`: without `i` it is an interpreter like others.
    fn perl(&mut self, arguments: &[Pattern]) {
        let mut in_place = false;
        let mut script = false;
        let mut operands = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.literal().and_then(|text| text.strip_prefix('-')) {
                Some(letters) if operands.is_empty() && !letters.is_empty() => {
                    let (switches, suffix) = letters.split_once('i').map_or((letters, None), |(a, b)| (a, Some(b)));
                    if switches.starts_with(['M', 'm', 'I', 'F', 'x']) {
                        continue;
                    }
                    in_place |= suffix.is_some() && !switches.contains(['e', 'E']);
                    let ends = if switches.contains(['e', 'E']) { switches } else { suffix.unwrap_or(switches) };
                    if ends.ends_with(['e', 'E']) {
                        script = true;
                        rest.next();
                    }
                }
                _ => operands.push(argument),
            }
        }
        match in_place {
            true => operands.into_iter().skip(usize::from(!script)).for_each(|name| self.edited(name)),
            false => self.unknown(),
        }
    }

    /// `cp A… B` and the like: B itself, or what lies in it under the names that are copied.
    fn copy(&mut self, given: &Given<'_>, original: Original) {
        if given.has_any(&["--dry-run"]) {
            return;
        }
        let target = given.value("-t").or_else(|| given.value("--target-directory"));
        let (target, names) = match (target, given.operands.split_last()) {
            (Some(target), _) => (target, given.operands.as_slice()),
            (None, Some((target, names))) => ((*target).clone(), names),
            (None, None) => return,
        };
        let whole = given.has_short(&['r', 'R', 'a']) || given.has_any(&["--recursive", "--archive"]);
        if whole {
            self.tree(&target)
        } else {
            self.file(&target)
        }
        for name in names {
            let inside = Pattern::join(&[target.clone(), name.last_name()]);
            if whole || original == Original::Goes {
                self.tree(&inside)
            } else {
                self.file(&inside)
            }
            if original == Original::Goes {
                self.tree(name);
            }
        }
    }

    fn python(&mut self, arguments: &[Pattern], input: &Input) {
        match arguments {
            [option, module @ ..] if option.literal() == Some("-m") && !module.is_empty() => {
                match module[0].literal() {
                    Some("unittest" | "venv" | "json.tool" | "compileall" | "http.server") => {}
                    _ => self.inner(module, input),
                }
            }
            [option] if matches!(option.literal(), Some("-V" | "--version")) => {}
            _ => self.unknown(),
        }
    }

    fn format(&mut self, name: &str, arguments: &[Pattern]) -> bool {
        let Some(reach) = formatters::reach(name, arguments) else { return false };
        for name in &reach.names {
            self.swept(name, reach.endings);
        }
        if reach.everywhere {
            reach.endings.iter().for_each(|ending| self.everything(ending));
        }
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Original {
    Stays,
    Goes,
}

/// Test runs and checks of programs that also do other things.
fn is_test(name: &str, given: &Given<'_>) -> bool {
    let what = given.operands.iter().find_map(|operand| operand.literal().filter(|word| !word.starts_with('+')));
    match (name, what) {
        ("cargo", Some(what)) => {
            matches!(what, "test" | "t" | "check" | "c" | "clippy" | "nextest" | "bench" | "doc" | "tree" | "metadata")
                && !given.has_any(&["--fix"])
        }
        ("go", Some(what)) => matches!(what, "test" | "vet" | "list" | "version" | "env" | "doc"),
        ("npm" | "yarn" | "pnpm" | "bun", Some(what)) => matches!(what, "test" | "t" | "ls" | "list" | "why" | "view"),
        ("mvn" | "gradle" | "gradlew" | "mvnw" | "dotnet" | "mix" | "swift" | "bazel" | "deno", Some(what)) => {
            what == "test"
        }
        ("ruff", Some(what)) => what == "check",
        ("pip" | "pip3", Some(what)) => matches!(what, "list" | "show" | "freeze" | "check"),
        ("docker" | "kubectl", Some(what)) => matches!(what, "ps" | "logs" | "images" | "inspect" | "get" | "describe"),
        _ => false,
    }
}

/// Options of a program that take the next word, where that could be taken for a file.
fn values_of(name: &str) -> &'static [&'static str] {
    match name {
        "sed" | "gsed" => &["-e", "-f", "-l", "--expression", "--file", "-ne", "-ie", "-Ee", "-re"],
        "gawk" | "awk" => &["-i", "-v", "-F", "-f"],
        "tee" | "sponge" => &[],
        "truncate" => &["-s", "-r", "--size", "--reference"],
        "shred" => &["-n", "-s"],
        "cp" | "mv" | "ln" | "install" => {
            &["-t", "--target-directory", "-S", "--suffix", "-m", "--mode", "-o", "-g", "--owner", "--group"]
        }
        "rsync" | "scp" => &["-e", "--exclude", "--include", "-f", "--filter", "-P", "-i", "-o", "--exclude-from"],
        "patch" => &["-p", "-i", "-d", "-o", "-r", "-F", "-B", "-z", "-V", "-D", "--input", "--directory", "--output"],
        "vi" | "vim" | "nvim" | "ex" => &["-c", "-S", "-u", "--cmd", "-i"],
        "emacs" => &["--eval", "-l", "--load", "-f"],
        "ed" => &["-p"],
        "read" => &["-p", "-d", "-n", "-N", "-t", "-u", "-i"],
        "curl" => &["-o", "--output", "-H", "-d", "-X", "-u", "-A", "-e", "--data", "--header"],
        "wget" => &["-O", "--output-document", "-P", "-o"],
        "sort" => &["-o", "--output", "-k", "-t", "-S", "-T"],
        "gcc" | "g++" | "cc" | "clang" | "clang++" | "rustc" | "pandoc" | "iconv" | "protoc" => &["-o", "--output"],
        "cargo" => &["--manifest-path", "-p", "--package", "--color", "--target-dir", "-C"],
        _ => &[],
    }
}
