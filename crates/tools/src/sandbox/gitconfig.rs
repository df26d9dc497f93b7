//! What git's configuration names beside itself: folders of hooks, and files with more configuration. Read as git does,
//! and conditions are taken as met. Git is not asked: what it would read may have been made by a command, and it waits for
//! pipes.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::ordinary::{Links, read};

/// As git itself does not go further.
const DEEPEST: usize = 10;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Named {
    /// For names that begin with `~`.
    home: Option<PathBuf>,
    pub(super) hooks: Vec<PathBuf>,
    pub(super) files: Vec<PathBuf>,
}

impl Named {
    /// By what stands outside of all repositories: the machine's, the person's, and variables.
    pub(super) fn outside(environment: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let home = environment("HOME").map(PathBuf::from);
        let xdg = environment("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
        let xdg = xdg.or_else(|| Some(home.as_ref()?.join(".config")));
        let files = [
            Some(environment("GIT_CONFIG_SYSTEM").map_or_else(|| "/etc/gitconfig".into(), PathBuf::from)),
            Some("/usr/local/etc/gitconfig".into()),
            xdg.map(|folder| folder.join("git/config")),
            home.as_ref().map(|home| home.join(".gitconfig")),
            environment("GIT_CONFIG_GLOBAL").map(PathBuf::from),
        ];
        let mut named = Self { home, ..Self::default() };
        files.into_iter().flatten().for_each(|file| named.read(&file));
        let text = |name: String| Some(environment(&name)?.to_string_lossy().into_owned());
        let count = text("GIT_CONFIG_COUNT".into()).and_then(|count| count.parse().ok()).unwrap_or(0_usize);
        for number in 0..count.min(1000) {
            let pair = text(format!("GIT_CONFIG_KEY_{number}")).zip(text(format!("GIT_CONFIG_VALUE_{number}")));
            if let Some((_, value)) = pair.filter(|(key, _)| key.eq_ignore_ascii_case("core.hooksPath")) {
                named.hooks.push(value.into());
            }
        }
        named
    }

    /// By a file, and those that it includes.
    pub(super) fn read(&mut self, file: &Path) {
        let mut level = vec![file.to_owned()];
        for _ in 0..=DEEPEST {
            let mut next = Vec::new();
            for file in level {
                let text = read(&file, Links::Followed).unwrap_or_default();
                for (key, value) in entries(&String::from_utf8_lossy(&text)) {
                    let below_home = value.strip_prefix("~/").zip(self.home.as_ref());
                    let path = below_home.map_or_else(|| value.clone().into(), |(below, home)| home.join(below));
                    match key.as_str() {
                        "core.hookspath" => self.hooks.push(path),
                        "include.path" | "includeif.path" => {
                            next.push(file.parent().unwrap_or(Path::new("")).join(path));
                        }
                        _ => {}
                    }
                }
            }
            next.retain(|file| !self.files.contains(file));
            self.files.extend(next.iter().cloned());
            level = next;
        }
    }
}

/// Keys as `section.key` in small letters, without the names of subsections, and their values.
fn entries(text: &str) -> Vec<(String, String)> {
    let (mut found, mut section) = (Vec::new(), String::new());
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '#' | ';' => while letters.next().is_some_and(|letter| letter != '\n') {},
            '[' => {
                section.clear();
                let mut is_quoted = false;
                while let Some(letter) =
                    letters.next().filter(|letter| *letter != '\n' && (is_quoted || *letter != ']'))
                {
                    match letter {
                        '"' => is_quoted = !is_quoted,
                        '\\' => drop(letters.next()),
                        letter => section.push(letter),
                    }
                }
                let name = section.split([' ', '\t', '.']).next().unwrap_or_default();
                section = name.to_ascii_lowercase();
            }
            letter if letter.is_ascii_alphabetic() => {
                let mut key = format!("{section}.{}", letter.to_ascii_lowercase());
                while let Some(letter) = letters.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '-') {
                    key.push(letter.to_ascii_lowercase());
                }
                while letters.next_if(|letter| [' ', '\t'].contains(letter)).is_some() {}
                if letters.next_if_eq(&'=').is_some() {
                    found.push((key, value(&mut letters)));
                }
            }
            _ => {}
        }
    }
    found
}

/// To the end of its line, or of a later one.
fn value(letters: &mut impl Iterator<Item = char>) -> String {
    let (mut value, mut is_quoted, mut is_comment, mut kept) = (String::new(), false, false, 0);
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => break,
            _ if is_comment => {}
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => is_comment = true,
            '\\' => {
                match letters.next() {
                    Some('\n') | None => continue,
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(letter) => value.push(letter),
                }
                kept = value.len();
            }
            letter if letter.is_whitespace() && !is_quoted && value.is_empty() => {}
            letter => {
                value.push(letter);
                if is_quoted || !letter.is_whitespace() {
                    kept = value.len();
                }
            }
        }
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_git_reads() {
        for (text, expected) in [
            ("[core]\n\thooksPath = .githooks # team\n", ".githooks"),
            ("[core]\nhooksPath = .git\\\nhooks;x", ".githooks"),
            ("[Core] HOOKSPATH=\"a # b\" c ", "a # b c"),
            ("[core]\r\nbare\r\nhooksPath = a\\\\b\r\n[x]", "a\\b"),
            ("# hooksPath = no\n[a \"]#\"]\n[core]\nx = \"\n\"\n hooksPath\t=\ty", "y"),
        ] {
            let found = entries(text).into_iter().find(|(key, _)| key == "core.hookspath");
            assert_eq!(found.map(|(_, value)| value).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_included_is_read_once_whatever_the_condition() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::write(at("config"), "[includeIf \"gitdir:/no/\"]\n path = more\n[include]\npath = ~/own\n").unwrap();
        std::fs::write(at("more"), "[include]\npath = config\n[core]\nhooksPath = one\n").unwrap();
        std::fs::write(at("own"), "[core]\nhooksPath = ~/two\n").unwrap();
        let mut named = Named { home: Some(temp.path().to_owned()), ..Named::default() };
        named.read(&at("config"));
        assert_eq!(named.hooks, [PathBuf::from("one"), at("two")]);
        assert_eq!(named.files, [at("more"), at("own"), at("config")]);
    }
}
