//! What each program changes, as told by its arguments.
//!
//! Options that take a value are listed where a value could be taken for a file; options of no weight here are skipped
//! unread. A program that is not listed may do anything.

use super::{Input, Walk, formatters};
use crate::shell::{
    arguments::{Given, text_to_run},
    pattern::Pattern,
    programs::programs,
    wrappers::{Unwrapped, unwrapped},
};

impl Walk {
    pub(super) fn program(&mut self, words: &[Pattern], input: &Input) {
        match unwrapped(words) {
            Unwrapped::Nothing => {}
            Unwrapped::Unknown => self.unknown(),
            Unwrapped::Program(program) => self.named(program.name(), program.arguments, input),
        }
    }

    fn named(&mut self, name: &str, arguments: &[Pattern], input: &Input) {
        let programs = programs();
        let given = Given::new(arguments, programs.values.of(name));
        let what = given.operands.iter().find_map(|operand| operand.literal().filter(|word| !word.starts_with('+')));
        match name {
            "cd" | "pushd" => match given.operands.first() {
                Some(to) if to.literal() != Some("-") => self.enter(Some(to)),
                _ => self.enter(None),
            },
            "popd" => self.enter(None),
            "for" | "select" => self.bind_loop(arguments),
            "read" => self.bind_read(&given, input),
            "eval" => self.eval(arguments),
            _ if programs.shells.has(name) => self.shell(arguments, &given, input),
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
            "yq" if given.in_place() => given.operands.iter().for_each(|name| self.edited(name)),
            "tee" | "sponge" | "truncate" | "unlink" | "shred" => {
                given.operands.iter().for_each(|name| self.file(name));
            }
            _ if programs.editors.has(name) => given.operands.iter().for_each(|name| self.edited(name)),
            "rm" | "trash" | "rename" => given.operands.iter().for_each(|name| self.tree(name)),
            "mv" => self.copy(&given, Original::Goes),
            "cp" | "install" | "ln" | "rsync" | "scp" => self.copy(&given, Original::Stays),
            "dd" => {
                let output = |argument: &Pattern| Some(Pattern::text(argument.literal()?.strip_prefix("of=")?));
                arguments.iter().filter_map(output).for_each(|name| self.file(&name));
            }
            _ if programs.pythons.has(name) => self.python(arguments, input),
            _ if self.format(name, arguments) => {}
            _ if what.is_some_and(|what| programs.keeps_with.of(name).has(what)) => {}
            _ => {
                let outputs = programs.outputs.of(name);
                outputs.iter().flat_map(|option| given.values_of(option)).for_each(|output| self.file(&output));
                // The name comes from the address.
                let unnamed = name == "curl" && given.has_any(&["-O", "-J"]);
                if unnamed || (outputs.is_empty() && !programs.keeps_files(name)) {
                    self.unknown();
                }
            }
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
        match text_to_run(arguments) {
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
        if !given.in_place() {
            return;
        }
        let is_script = |(option, _): &(&str, _)| match option.strip_prefix("--") {
            Some(long) => long.starts_with("expression") || long.starts_with("file"),
            None => option.split('i').next().is_some_and(|letters| letters.contains(['e', 'f'])),
        };
        let scripts = usize::from(!given.options.iter().any(is_script));
        // Some want the ending of a copy behind `-i`, even if there is to be none: `sed -i '' s/a/b/ x`.
        let words = given.operands.iter().filter(|name| name.literal() != Some(""));
        words.skip(scripts).for_each(|name| self.edited(name));
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
        let goes = original == Original::Goes;
        let noted = |whole: bool| if whole { Self::tree } else { Self::file };
        noted(whole)(self, &target);
        for name in names {
            let inside = Pattern::join(&[target.clone(), name.last_name()]);
            noted(whole || goes)(self, &inside);
            if goes {
                self.tree(name);
            }
        }
    }

    fn python(&mut self, arguments: &[Pattern], input: &Input) {
        match arguments {
            [option, module @ ..] if option.literal() == Some("-m") && !module.is_empty() => {
                match module[0].literal() {
                    Some(module) if programs().keeps_with.of("python-m").has(module) => {}
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
            self.everything(reach.endings);
        }
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Original {
    Stays,
    Goes,
}
