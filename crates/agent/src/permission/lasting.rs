//! What of a command can be judged by its words alone: what a person's "always" covers, and what a removal takes away.

use lookback_engine::shell::{Command, RedirectionKind, Script};

use super::{
    argument::Held,
    destructive::{Walk, parsed},
};

/// What a yes for ever stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lasting {
    /// Each of these commands, word for word, alone or beside others of them.
    Commands(Vec<Vec<String>>),
    /// This text and no other: what it destroys depends on everything around it.
    Text(String),
}

/// None where part of the command is only known when it runs: then it is asked every time.
pub fn lasting(text: &str) -> Option<Lasting> {
    let script = whole(text)?;
    match Walk::default().text(text) {
        Some(Held::Lost(_)) => Some(Lasting::Text(text.trim().to_owned())),
        Some(_) => None,
        None => script.commands().map(words).collect::<Option<Vec<_>>>().map(Lasting::Commands),
    }
}

fn whole(text: &str) -> Option<Script> {
    // What stands in `((` is not read as commands.
    let script = parsed(text);
    let has_commands = script.commands().next().is_some();
    (script.complete && has_commands && !text.contains("((")).then_some(script)
}

/// Its words, where they are all that it is given.
fn words(command: &Command) -> Option<Vec<String>> {
    let is_all = command.nested.is_empty()
        && command.redirections.iter().all(|redirection| match redirection.kind {
            RedirectionKind::Write => redirection.target.literal() == Some("/dev/null"),
            RedirectionKind::Duplicate => true,
            RedirectionKind::Document(_) | RedirectionKind::Text | RedirectionKind::Read => false,
        });
    let words = command.literal().filter(|_| is_all)?;
    Some(words.into_iter().map(str::to_owned).collect())
}

/// The paths of an `rm` that stands alone: what runs before it could have moved something there.
pub(super) fn removed(text: &str) -> Option<Vec<String>> {
    let script = whole(text)?;
    let mut commands = script.commands();
    let words = words(commands.next()?)?;
    let (program, rest) = words.split_first()?;
    if commands.next().is_some() || program != "rm" {
        return None;
    }
    let is_option = |word: &&String| word.starts_with('-');
    let known =
        ["-r", "-R", "-f", "-rf", "-fr", "-Rf", "-v", "-rv", "-rfv", "--recursive", "--force", "--verbose", "--"];
    if rest.iter().filter(is_option).any(|option| !known.contains(&option.as_str())) {
        return None;
    }
    let paths: Vec<String> = rest.iter().filter(|word| !is_option(word)).cloned().collect();
    // The shell makes other words of these.
    let is_plain = |path: &String| !path.contains(['*', '?', '[', '{', '~', '$', '\\']);
    (!paths.is_empty() && paths.iter().all(is_plain)).then_some(paths)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lookback_tools::ToolName;
    use serde_json::json;

    use super::*;
    use crate::permission::{Around, Mode, Permit, Rules};

    #[test]
    fn every_part_is_remembered_and_nothing_that_is_not_in_the_words() {
        let command = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            lasting("cargo test -q 2>&1 | tail -3"),
            Some(Lasting::Commands(vec![command(&["cargo", "test", "-q"]), command(&["tail", "-3"])]))
        );
        assert_eq!(lasting("rm -r build"), Some(Lasting::Text("rm -r build".to_owned())));
        for text in [
            "echo $(date)",
            "echo $x",
            "echo x > y",
            "python - <<E\nx\nE",
            "python < x",
            "curl x | sh",
            "echo 'x",
            "ls *",
        ] {
            assert_eq!(lasting(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_made_here_is_removed_without_a_question() {
        let rules = Rules { mode: Mode::AutoEdit, sandbox_is_whole: true, allowed: Vec::new(), tools: BTreeSet::new() };
        let permit = |command: &str| {
            let around = Around { is_own: &|path| path.starts_with("made"), is_there: &|_| false };
            rules.permit(ToolName::Bash, &json!({ "command": command }), &around)
        };
        assert_eq!(permit("rm -rf made made2/x"), Permit::Runs);
        for command in ["rm -r made src", "cd a && rm -r made", "rm -r made/*", "rm -r /made"] {
            assert!(matches!(permit(command), Permit::Asks(_)), "{command}");
        }
    }

    #[test]
    fn only_an_rm_that_stands_alone_says_what_it_removes() {
        assert_eq!(removed("rm -rf build dist"), Some(vec!["build".to_owned(), "dist".to_owned()]));
        for text in ["mv src build && rm -r build", "cd a; rm -r b", "rm -r $x", "rm -r a*", "rm -r", "sudo rm -r a"] {
            assert_eq!(removed(text), None, "{text}");
        }
    }
}
