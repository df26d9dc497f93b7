//! Which commands cannot be taken back, however they are written.
//!
//! Every simple command is looked at, also those of substitutions, documents and texts that a shell is given. What stands
//! before a program is taken away until the program is found; one whose name is made when it runs may be any, so it is
//! held. Scripts in files and programs in other languages are not read.

use lookback_engine::shell::{Command, Item, Joint, RedirectionKind, Script, is_shell, own_words};

use super::{
    argument::{Argument, Held, is_long, is_short},
    git::{self, Judged},
};

/// Of texts inside of texts. Ours: nobody writes more by hand.
const DEEPEST: u32 = 8;
/// In bytes, of all texts that are read for one command: a text may be made to be read again and again.
const MOST_READ: usize = 4 << 20;
/// So many words behind a wrapper are tried as programs.
const MOST_TRIED: usize = 64;

/// How far a reading has come.
#[derive(Default)]
pub(super) struct Walk<'f> {
    depth: u32,
    read: usize,
    /// Whether there is a file. None: nobody knows.
    is_there: Option<&'f dyn Fn(&str) -> bool>,
    /// Where else a file may lie, as far as the command names folders.
    folders: Vec<String>,
}

impl<'f> Walk<'f> {
    /// One that looks where the files of `text` are.
    pub(super) fn among(text: &str, is_there: &'f dyn Fn(&str) -> bool) -> Self {
        let words = text.split(|next: char| next.is_whitespace() || ";&|()'\"=".contains(next));
        let mut folders: Vec<String> = words.take(MOST_TRIED).map(str::to_owned).collect();
        folders.push(String::new());
        Self { is_there: Some(is_there), folders, ..Self::default() }
    }

    /// Whether a word that could be a branch names a file.
    fn is_file(&self, name: &str) -> bool {
        let join = |folder: &String| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        self.is_there.is_some_and(|is_there| self.folders.iter().any(|folder| is_there(&join(folder))))
    }

    /// `whole` is the text in which the words have their places.
    fn script(&mut self, script: &Script, whole: &str) -> Option<Held> {
        let mut open = 0_u32;
        for (place, item) in script.items.iter().enumerate() {
            let command = match item {
                Item::Command(command) => command,
                Item::Joint(Joint::Open, _) => {
                    open += 1;
                    continue;
                }
                Item::Joint(joint, _) => {
                    open = open.saturating_sub(u32::from(*joint == Joint::Close));
                    continue;
                }
            };
            let held = self.command(command, script, whole);
            if held.is_some() && !(held == Some(Held::Composed) && is_data(&script.items, place, open)) {
                return held;
            }
        }
        (!script.complete).then_some(Held::Unreadable)
    }

    /// A text that something runs.
    pub(super) fn text(&mut self, text: &str) -> Option<Held> {
        self.deeper(text.len(), |walk| walk.script(&parsed(text), text).or_else(|| walk.hidden(text)))
    }

    /// What the reading passes over: substitutions in `${…}` and `((…))`, and `((…) …)`, which is a shell in a shell.
    fn hidden(&mut self, text: &str) -> Option<Held> {
        ["${", "(("].into_iter().flat_map(|open| text.match_indices(open)).find_map(|(at, open)| {
            let (opens, closes) = if open == "${" { ('{', '}') } else { ('(', ')') };
            let behind = &text[at + 1..];
            let mut depth = 0_usize;
            let end = behind.char_indices().find(|(_, next)| {
                depth = (depth + usize::from(*next == opens)).saturating_sub(usize::from(*next == closes));
                depth == 0
            });
            let inside = &behind[..end.map_or(behind.len(), |(end, _)| end + 1)];
            self.read += inside.len();
            let is_shell = open == "((" && !behind[inside.len()..].starts_with(')');
            let held = if is_shell { self.text(inside) } else { self.substitutions(inside) };
            // It may as well be a line of another language in a document: what is not understood there is no reason.
            held.filter(|held| matches!(held, Held::Lost(_)) || self.read >= MOST_READ)
        })
    }

    /// What is in something else. Once it was too much, everything is.
    fn deeper(&mut self, size: usize, look: impl FnOnce(&mut Self) -> Option<Held>) -> Option<Held> {
        self.read += size;
        if self.depth >= DEEPEST || self.read >= MOST_READ {
            self.read = MOST_READ;
            return Some(Held::Unreadable);
        }
        self.depth += 1;
        let held = look(self);
        self.depth -= 1;
        held
    }

    /// One command of a script, with what runs while its words and documents are made.
    pub(super) fn command(&mut self, command: &Command, script: &Script, whole: &str) -> Option<Held> {
        if let Some(held) = command.nested.iter().find_map(|nested| self.script(nested, whole)) {
            return Some(held);
        }
        let mut input = Vec::new();
        let mut is_fed = false;
        for redirection in &command.redirections {
            match redirection.kind {
                RedirectionKind::Document(place) => {
                    let text = script.documents[place].0.as_str();
                    let is_quoted =
                        whole.get(redirection.target.start..).is_some_and(|raw| raw.starts_with(['\'', '"', '\\']));
                    if let Some(held) = (!is_quoted).then(|| self.substitutions(text)).flatten() {
                        return Some(held);
                    }
                    input.push(text.to_owned());
                }
                RedirectionKind::Text => input.push(redirection.target.text()),
                RedirectionKind::Read => is_fed = true,
                RedirectionKind::Write | RedirectionKind::Duplicate => {}
            }
        }
        let words: Vec<Argument> = command.words.iter().map(|word| Argument::new(word, whole)).collect();
        self.words(&words, &input, is_fed)
    }

    /// Those of a document, which the shell runs before anybody reads it.
    fn substitutions(&mut self, document: &str) -> Option<Held> {
        let in_backquotes = document.split('`').skip(1).step_by(2).find_map(|text| self.text(text));
        in_backquotes.or_else(|| {
            document.match_indices("$(").filter(|(at, _)| !document[..*at].ends_with('\\')).find_map(|(at, _)| {
                let text = format!(": {}", &document[at..]);
                self.deeper(text.len(), |walk| {
                    let script = parsed(&text);
                    walk.script(script.commands().next()?.nested.first()?, &text)
                })
            })
        })
    }

    /// The words of a command, or those that another program runs.
    pub(super) fn words(&mut self, words: &[Argument], input: &[String], is_fed: bool) -> Option<Held> {
        if let Some(held) = words.iter().find_map(|word| self.set_for_git(word)) {
            return Some(held);
        }
        let mut words = words.to_vec();
        let (mut at, mut is_wrapped, mut gets_more) = (0, false, false);
        loop {
            at += words[at..].iter().take_while(|word| word.is_assignment()).count();
            let Some(first) = words.get(at) else { break };
            let Some(program) = first.program() else { return Some(Held::Composed) };
            let rest = &words[at + 1..];
            let splits = |word: &Argument| word.text.starts_with("-S") || word.text.starts_with("--split");
            let asks = |word: &Argument| ["-v", "-V"].contains(&word.text.as_str());
            if program == "command" && rest.first().is_some_and(asks) {
                return None;
            }
            // What stands behind the end of a loop is what it reads.
            if ["done", "fi", "}"].contains(&program) {
                break;
            }
            let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            let Some(own) = own_words(program, &texts) else { break };
            // Some are given a text instead of words.
            if ["parallel", "watch", "flock"].contains(&program) || (program == "env" && rest.iter().any(splits)) {
                let texts = rest.iter().filter(|word| word.text.contains(char::is_whitespace));
                let texts = texts.map(|word| word.text.trim_start_matches("--split-string=").trim_start_matches("-S"));
                if let Some(held) = texts.filter(|text| !text.is_empty()).find_map(|text| self.text(text)) {
                    return Some(held);
                }
            }
            is_wrapped = true;
            gets_more |= ["xargs", "parallel"].contains(&program);
            at += 1 + own;
        }
        let end = words.len();
        words.extend(gets_more.then(Argument::input));
        if at < end && gets_more && words[at].program().is_some_and(|name| is_shell(name) || name == "rm") {
            return Some(Held::Lost(format!("{} with what it is given", words[at].text)));
        }
        let first = words.get(at..).filter(|_| at < end);
        if let Some(held) = first.and_then(|words| self.program(words, input, is_fed)) {
            return Some(held);
        }
        // An option of a wrapper that is not known here may have hidden the program: any word may be it.
        let tried = if is_wrapped { end.min(MOST_TRIED) } else { 0 };
        (1..tried).find_map(|from| match self.program(&words[from..], input, true) {
            Some(Held::Lost(what)) => Some(Held::Lost(what)),
            _ => (self.read >= MOST_READ).then_some(Held::Unreadable),
        })
    }

    /// What git is told by a variable, whether it stands before it or is exported to it.
    fn set_for_git(&mut self, word: &Argument) -> Option<Held> {
        let (name, value) = word.text.split_once('=').filter(|(name, _)| name.starts_with("GIT_"))?;
        if git::is_setting(name, value) {
            return Some(Held::Lost(word.text.clone()));
        }
        // `GIT_EDITOR='rm -r src'`: git runs it.
        let held = value.contains(' ').then(|| self.text(value)).flatten();
        held.filter(|held| matches!(held, Held::Lost(_)) || self.read >= MOST_READ)
    }

    fn program(&mut self, words: &[Argument], input: &[String], is_fed: bool) -> Option<Held> {
        let (program, rest) = words.split_first()?;
        match program.program()? {
            "git" => match git::judged(rest, &|name| self.is_file(name))? {
                Judged::Held(held) => Some(held),
                Judged::Runs(words) => {
                    (0..words.len().min(MOST_TRIED)).find_map(|from| match words[from].text.contains(' ') {
                        true => self.text(&words[from].text),
                        false => self.deeper(words.len() * 64, |walk| walk.program(&words[from..], &[], true)),
                    })
                }
            },
            "rm" => removes(rest),
            "find" | "fd" | "fdfind" => self.found(rest),
            "eval" => self.text(&joined(rest)),
            "trap" => rest.first().and_then(|text| self.text(&text.text)),
            // What `-C` names runs for each line.
            "mapfile" | "readarray" => {
                rest.iter().filter(|word| word.text.contains(' ')).find_map(|word| self.text(&word.text))
            }
            "alias" => rest.iter().filter_map(|word| word.text.split_once('=')).find_map(|(_, text)| self.text(text)),
            "su" | "runuser" | "script" => {
                rest.iter().filter(|word| word.text.contains(' ')).find_map(|word| self.text(&word.text))
            }
            "source" | "." => rest.first().filter(|file| file.is_input()).map(|_| Held::Composed),
            shell if is_shell(shell) => self.shell(rest, input, is_fed),
            _ => None,
        }
    }

    fn found(&mut self, rest: &[Argument]) -> Option<Held> {
        let runs = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
        rest.iter().enumerate().find_map(|(place, word)| match word.text.as_str() {
            "-delete" => Some(Held::Lost("find -delete".to_owned())),
            option if runs.contains(&option) => {
                let command = &rest[place + 1..];
                let end = command.iter().position(|word| [";", "+"].contains(&word.text.as_str()));
                let command = &command[..end.unwrap_or(command.len())];
                if command.first().and_then(Argument::program) == Some("rm") {
                    return Some(Held::Lost("rm of what is found".to_owned()));
                }
                self.deeper(command.len() * 64, |walk| walk.words(command, &[], false))
            }
            _ => None,
        })
    }

    /// What a shell is given: a text behind `-c`, a file, or what it reads.
    fn shell(&mut self, rest: &[Argument], input: &[String], is_fed: bool) -> Option<Held> {
        let (mut is_text, mut reads) = (false, false);
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            match word.text.as_str() {
                "--version" | "--help" => return None,
                "--rcfile" | "--init-file" => drop(words.next()),
                "--" => {}
                option if option.len() > 1 && option.starts_with(['-', '+']) => {
                    let letters = if option.starts_with("--") { "" } else { &option[1..] };
                    is_text |= letters.contains('c');
                    reads |= letters.contains('s');
                    if letters.ends_with(['o', 'O']) {
                        words.next();
                    }
                }
                text if is_text => return self.text(text),
                _ if word.is_substituted_file => return Some(Held::Composed),
                _ if reads || word.is_input() => break,
                // The options may be in the variable, and the text behind it.
                _ => return words.filter(|_| word.may_be_option).find_map(|word| self.text(&word.text)),
            }
        }
        match input.is_empty() && !is_fed {
            true => Some(Held::Composed),
            false => input.iter().find_map(|text| self.text(text)),
        }
    }
}

/// `done < <(…)` is read as `done <(…)`: every word keeps its place.
pub(super) fn parsed(text: &str) -> Script {
    Script::parse(&text.replace("< <(", "  <("))
}

/// What looks like a command and is none: the pattern of a `case`, the values of an array.
fn is_data(items: &[Item], place: usize, open: u32) -> bool {
    let is_joint = |place: Option<usize>, sought: Joint| {
        place
            .and_then(|place| items.get(place))
            .is_some_and(|item| matches!(item, Item::Joint(joint, _) if *joint == sought))
    };
    let is_pattern = open == 0
        && items[place + 1..]
            .iter()
            .find_map(|item| match item {
                Item::Joint(Joint::Pipe, _) | Item::Command(_) => None,
                Item::Joint(joint, _) => Some(*joint == Joint::Close),
            })
            .unwrap_or(false);
    let is_array = is_joint(place.checked_sub(1), Joint::Open)
        && place.checked_sub(2).is_some_and(|before| {
            matches!(&items[before], Item::Command(command)
                if command.words.last().is_some_and(|word| word.text().ends_with('=')))
        });
    is_pattern || is_array
}

fn joined(words: &[Argument]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn removes(rest: &[Argument]) -> Option<Held> {
    let options = rest.iter().take_while(|word| word.text != "--");
    let is_history = |word: &Argument| word.text.split('/').any(|part| part == ".git");
    if options.clone().any(|word| is_short(&word.text, &['r', 'R']) || is_long(&word.text, "--recursive")) {
        return Some(Held::Lost("rm -r".to_owned()));
    }
    if rest.iter().any(is_history) {
        return Some(Held::Lost("rm of .git".to_owned()));
    }
    options.clone().any(|word| word.may_be_option).then_some(Held::Composed)
}
