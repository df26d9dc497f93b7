//! The command of a shell tool: a string, or a program with its arguments.

use lookback_engine::shell::{is_shell, quoted};
use serde_json::Value;

use crate::import::paths::Root;

pub(super) struct Asked {
    pub(super) command: String,
    /// Of the words `apply_patch PATCH`, the patch: quoted as part of a command it would be another one.
    pub(super) patch: Option<String>,
    /// Relative to the root.
    pub(super) directory: String,
}

/// `directory` is where the client stands.
pub(super) fn parse_command(arguments: &Value, directory: &str, root: &Root) -> Asked {
    let command = ["cmd", "command", "script"].iter().find_map(|name| arguments.get(*name));
    let given = ["workdir", "working_directory", "cwd"].iter().find_map(|name| arguments.get(*name)?.as_str());
    let directory = match given.filter(|given| !given.is_empty()) {
        Some(given) if given.starts_with('/') => root.directory(given),
        Some(given) => root.file(directory, given),
        None => directory.to_owned(),
    };
    let patch = match command.and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::String(program), Value::String(patch)])
            if matches!(program.as_str(), "apply_patch" | "applypatch") =>
        {
            Some(patch.clone())
        }
        _ => None,
    };
    let command = match command {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => join_words(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>()),
        _ => String::new(),
    };
    Asked { command, patch, directory }
}

/// `bash -lc SCRIPT` is its script; other words are quoted so that they are read as the same words again.
fn join_words(words: &[&str]) -> String {
    match words {
        [shell, flag, script] if is_shell(shell) && flag.ends_with('c') => (*script).to_owned(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_patch_of_a_program_is_taken_as_it_is() {
        let patch = "*** Begin Patch\n*** Update File: a\n-it's\n*** End Patch";
        let asked = parse_command(&json!({"command": ["apply_patch", patch]}), "", &Root::new("/shop"));
        assert_eq!(asked.patch.as_deref(), Some(patch));
        assert_eq!(parse_command(&json!({"command": ["cat", "a"]}), "", &Root::new("/shop")).patch, None);
    }

    #[test]
    fn commands_are_strings_or_words() {
        let root = Root::new("/shop");
        let asked = |arguments: Value| {
            let asked = parse_command(&arguments, "web", &root);
            (asked.command, asked.directory)
        };
        let pair = |command: &str, directory: &str| (command.to_owned(), directory.to_owned());
        assert_eq!(asked(json!({"command": ["bash", "-lc", "ls -la | head"]})), pair("ls -la | head", "web"));
        assert_eq!(asked(json!({"command": ["rg", "-n", "a b", "it's"]})), pair(r"rg -n 'a b' 'it'\''s'", "web"));
        assert_eq!(asked(json!({"cmd": "pwd", "workdir": "/shop"})), pair("pwd", ""));
        assert_eq!(asked(json!({"cmd": "pwd", "workdir": "/tmp"})), pair("pwd", "/tmp"));
        assert_eq!(asked(json!({"command": "pwd", "workdir": "src"})), pair("pwd", "web/src"));
    }
}
