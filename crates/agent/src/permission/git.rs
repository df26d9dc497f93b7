//! What git cannot take back: changes that were never committed, and commits that nothing leads to any more.

use super::argument::{Argument, Held, is_long, is_short};

/// What is known of a command of git.
pub(super) enum Judged<'a> {
    Held(Held),
    /// One of these words may be a program that it runs.
    Runs(&'a [Argument]),
}

/// What stands behind `git`. `is_there` says whether a word is the name of a file.
pub(super) fn judged<'a>(words: &'a [Argument], is_there: &dyn Fn(&str) -> bool) -> Option<Judged<'a>> {
    let mut at = 0;
    let verb = loop {
        let word = words.get(at)?;
        at += 1;
        match word.text.as_str() {
            // They make a verb of something else, or name a program that is run.
            "-c" | "--config-env" => {
                let setting = words.get(at).map(|word| word.text.to_ascii_lowercase()).unwrap_or_default();
                if runs_something(&setting) {
                    return Some(Judged::Held(Held::Lost(format!("git -c {setting}"))));
                }
                at += 1;
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => at += 1,
            option if option.starts_with('-') && !word.may_be_option => {}
            _ => break word.program(),
        }
    };
    let Some(verb) = verb else { return Some(Judged::Held(Held::Composed)) };
    let rest = &words[at.min(words.len())..];
    let given = Given(rest);
    if runs_others(verb, &given) {
        return Some(Judged::Runs(rest));
    }
    let held = match loses(verb, &given, is_there)? {
        true => Held::Lost(format!("git {verb}{}", given.option())),
        false if deciding(verb, rest).iter().any(|word| word.may_be_option) => Held::Composed,
        false => return None,
    };
    Some(Judged::Held(held))
}

/// Of a configuration: it makes a verb of something else, or names a program that is run.
fn runs_something(setting: &str) -> bool {
    ["alias.", "core.", "$"].iter().any(|start| setting.to_ascii_lowercase().starts_with(start))
}

/// Whether a variable gives git such a configuration, or a file that may hold one.
pub(super) fn is_setting(name: &str, value: &str) -> bool {
    match name {
        "GIT_CONFIG_COUNT" | "GIT_CONFIG_NOSYSTEM" => false,
        "GIT_CONFIG" | "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => value != "/dev/null",
        "GIT_CONFIG_PARAMETERS" => true,
        _ => name.starts_with("GIT_CONFIG_KEY_") && runs_something(value),
    }
}

/// The words that may be options: of a value that is set none is.
fn deciding<'a>(verb: &str, rest: &'a [Argument]) -> &'a [Argument] {
    let key = rest.iter().position(|word| !word.text.starts_with('-')).filter(|_| verb == "config");
    &rest[..key.map_or(rest.len(), |key| key + 1)]
}

fn runs_others(verb: &str, given: &Given<'_>) -> bool {
    match verb {
        "submodule" => given.operand() == Some("foreach"),
        "bisect" => given.operand() == Some("run"),
        "rebase" => given.short(&['x']) || given.long("--exec"),
        _ => false,
    }
}

/// Nothing for a verb that never does.
fn loses(verb: &str, given: &Given<'_>, is_there: &dyn Fn(&str) -> bool) -> Option<bool> {
    let is_forced = given.short(&['f']) || given.long("--force");
    Some(match verb {
        "reset" => given.long("--hard") || given.long("--merge"),
        "clean" => !given.is_tried(),
        "push" => {
            let loses = |word: &str| {
                ["--mirror", "--delete", "--prune"].iter().any(|name| is_long(word, name))
                    || word.starts_with("--force")
                    || word.starts_with(['+', ':'])
            };
            is_forced || given.short(&['d']) || given.any(loses)
        }
        "checkout" => is_forced || given.checks_out_files(is_there),
        "restore" => {
            let is_staged = given.short(&['S']) || given.any(|word| word == "--staged");
            !is_staged || given.short(&['W']) || given.long("--worktree")
        }
        "switch" => is_forced || given.long("--discard-changes"),
        "rm" => !given.any(|word| word == "--cached") && (is_forced || given.short(&['r'])),
        "branch" => is_forced || given.short(&['D']),
        "stash" => matches!(given.operand(), Some("drop" | "clear")),
        "reflog" => matches!(given.operand(), Some("expire" | "delete")),
        "gc" => given.long("--prune"),
        "update-ref" => given.short(&['d']) || given.any(|word| word == "--stdin"),
        "worktree" => given.operand() == Some("remove") && is_forced,
        "submodule" => given.operand() == Some("deinit") && is_forced,
        "read-tree" => given.long("--reset"),
        "checkout-index" => is_forced,
        "config" => given.any(|word| word.to_ascii_lowercase().starts_with("alias.")) && given.0.len() > 1,
        "prune" | "filter-branch" | "filter-repo" => true,
        _ => return None,
    })
}

struct Given<'a>(&'a [Argument]);

impl Given<'_> {
    fn options(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--")
    }

    fn any(&self, is_sought: impl Fn(&str) -> bool) -> bool {
        self.options().any(is_sought)
    }

    fn short(&self, letters: &[char]) -> bool {
        self.any(|word| is_short(word, letters))
    }

    fn long(&self, name: &str) -> bool {
        self.any(|word| is_long(word, name))
    }

    /// The first word that is no option.
    fn operand(&self) -> Option<&str> {
        self.options().find(|word| !word.starts_with('-'))
    }

    /// For the name of what is held.
    fn option(&self) -> String {
        self.options().find(|word| word.starts_with('-')).map(|option| format!(" {option}")).unwrap_or_default()
    }

    /// Whether `git clean` only says what it would do. Behind `-e` stands a pattern, whatever it looks like.
    fn is_tried(&self) -> bool {
        let mut words = self.options();
        while let Some(word) = words.next() {
            if is_long(word, "--dry-run") {
                return true;
            }
            if word == "--exclude" {
                words.next();
            }
            if is_short(word, &['n', 'e']) {
                let (letters, pattern) = word.split_once('e').unwrap_or((word, "-"));
                if letters.contains('n') {
                    return true;
                }
                if pattern.is_empty() {
                    words.next();
                }
            }
        }
        false
    }

    /// One name may be a branch or a file: what ends as files do is taken for one, and what is there.
    fn checks_out_files(&self, is_there: &dyn Fn(&str) -> bool) -> bool {
        let behind = self.0.iter().skip_while(|word| word.text != "--").nth(1);
        let makes = self.short(&['b', 'B']) || self.long("--orphan");
        let operands: Vec<&str> = self.options().filter(|word| *word == "-" || !word.starts_with('-')).collect();
        let is_file = |name: &str| {
            let ending = name.rsplit('/').next().and_then(|last| last.rsplit_once('.')).map(|(_, ending)| ending);
            let is_ending =
                |ending: &str| ending.len() <= 5 && ending.starts_with(|first: char| first.is_ascii_alphabetic());
            name.starts_with(['.', ':', '*'])
                || name.ends_with('/')
                || name.contains('*')
                || ending.is_some_and(is_ending)
        };
        let takes_files = ["--pathspec-from-file", "--ours", "--theirs", "--patch"].iter().any(|name| self.long(name));
        behind.is_some()
            || takes_files
            || (!makes && (operands.len() > 1 || operands.first().is_some_and(|name| is_file(name) || is_there(name))))
    }
}
