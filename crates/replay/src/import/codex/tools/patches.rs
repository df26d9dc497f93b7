//! What `apply_patch` did, called by itself or inside a command.
//!
//! A patch carries no line numbers; the client's own copy of what was changed does.

use lookback_engine::{
    shell::{Command, Script},
    trace::{ToolResult, result::Hunk},
};
use serde_json::Value;

use super::{command::Asked, finish, output::Printed};
use crate::import::{change::unified, patch::patch_data, paths::Root};

pub(super) struct Applied<'a> {
    pub(super) patch: &'a str,
    /// Relative to the root.
    pub(super) directory: &'a str,
    pub(super) changes: Option<&'a Value>,
    pub(super) root: &'a Root,
}

impl Applied<'_> {
    pub(super) fn result(&self, printed: Printed) -> ToolResult {
        let failed = printed.failed || printed.exit_code.is_some_and(|code| code != 0);
        let file = |path: &str| self.root.file(self.directory, path);
        let data = patch_data(self.patch, !failed, &file, &|path| self.placed(path));
        finish(Printed { failed, ..printed }, data)
    }

    /// From the client's copy: `{path: {type: "update", unified_diff}}`, or `{path: {update: {…}}}` in older clients.
    fn placed(&self, path: &str) -> Option<Vec<Hunk>> {
        let wanted = self.root.file(self.directory, path);
        let changes = self.changes?.as_object()?;
        let (_, change) = changes.iter().find(|(path, _)| self.root.file(self.directory, path) == wanted)?;
        let change = change.get("update").unwrap_or(change);
        Some(unified(change.get("unified_diff")?.as_str()?))
    }
}

/// The patch of a command that does nothing else: `apply_patch <<'EOF' …`, after `cd` perhaps. And where it is applied.
pub(super) fn patch_in_command(asked: &Asked, root: &Root) -> Option<(String, String)> {
    if let Some(patch) = &asked.patch {
        return Some((patch.clone(), asked.directory.clone()));
    }
    let script = Script::parse(&asked.command);
    let mut commands: Vec<&Command> = script.commands().collect();
    let command = commands.pop()?;
    let directory = match commands.as_slice() {
        [] => asked.directory.clone(),
        [cd] => match cd.literal()?.as_slice() {
            ["cd", to] if to.starts_with('/') => root.directory(to),
            ["cd", to] => root.file(&asked.directory, to),
            _ => return None,
        },
        _ => return None,
    };
    let patch = match command.literal()?.as_slice() {
        ["apply_patch" | "applypatch"] => script.documents_of(command).next()?.to_owned(),
        ["apply_patch" | "applypatch", patch] => (*patch).to_owned(),
        _ => return None,
    };
    patch.contains("*** End Patch").then_some((patch, directory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::patch::{FilePatch, PatchChange, parse_patch};

    fn found(command: &str) -> Option<String> {
        let asked = Asked { command: command.to_owned(), patch: None, directory: String::new() };
        patch_in_command(&asked, &Root::new("/shop")).map(|(_, directory)| directory)
    }

    #[test]
    fn a_patch_alone_in_a_command_is_found() {
        let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
        assert_eq!(found(&format!("apply_patch <<'EOF'\n{patch}\nEOF\n")).as_deref(), Some(""));
        assert_eq!(found(&format!("cd /shop/web && apply_patch <<EOF\n{patch}\nEOF")).as_deref(), Some("web"));
        assert_eq!(found(&format!("apply_patch '{patch}'")).as_deref(), Some(""));
        assert_eq!(found(&format!("apply_patch <<'EOF'\n{patch}\nEOF\ncargo test --all")), None);
        assert_eq!(found("cat a"), None);
    }

    #[test]
    fn quotes_of_the_shell_are_taken_off() {
        let lines = |command: &str| {
            let asked = Asked { command: command.to_owned(), patch: None, directory: String::new() };
            patch_in_command(&asked, &Root::new("/shop")).map(|(patch, _)| parse_patch(&patch))
        };
        let added = |line: &str| {
            let change = PatchChange::Add(vec![line.to_owned()]);
            Some(vec![FilePatch { path: "a".to_owned(), change }])
        };
        let patch = |line: &str| format!("*** Begin Patch\n*** Add File: a\n+{line}\n*** End Patch");
        assert_eq!(lines(&format!("apply_patch '{}'", patch(r"it'\''s"))), added("it's"));
        assert_eq!(lines(&format!("apply_patch \"{}\"", patch(r#"\"a\" \$b \n"#))), added(r#""a" $b \n"#));
        assert_eq!(lines(&format!("apply_patch <<'EOF'\n{}\nEOF", patch(r#"'\'' \""#))), added(r#"'\'' \""#));
    }

    #[test]
    fn the_clients_copy_places_a_change() {
        let hunk = |first_line, removed: &[&str], added: &[&str]| {
            let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
            Hunk { first_line, removed: owned(removed), added: owned(added) }
        };
        let diff = "@@ -45,3 +45,2 @@\n a\n-b\n c\n@@ -60,2 +59,3 @@\n d\n+e\n f\n";
        let parse_unified = |diff| Some(unified(diff));
        assert_eq!(parse_unified(diff), Some(vec![hunk(46, &["b"], &[]), hunk(60, &[], &["e"])]));
        assert_eq!(parse_unified("@@ -3,1 +2,0 @@\n-gone\n"), Some(vec![hunk(3, &["gone"], &[])]));
    }
}
