//! File names as the engine compares them: relative to the root, which is where the session began.
//!
//! Agents name the same file absolutely in one call and relatively in the next, and shell commands name it from wherever
//! they stand. Names outside the root stay as they are. Links are not known here.

use lookback_engine::{
    shell::{Item, Joint, Script},
    trace::result::RunData,
};

/// The directory in which a session began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Root(Option<String>);

impl Root {
    pub(super) fn new(directory: &str) -> Self {
        let directory = directory.trim_end_matches(['/', '\\']);
        // `/srv/app`, or `C:\app`.
        let is_absolute = directory.starts_with('/') || directory.get(1..).is_some_and(|rest| rest.starts_with(":\\"));
        Self((is_absolute && directory.len() > 1).then(|| directory.to_owned()))
    }

    /// A file named in `directory`, which is relative to the root (or absolute, where it lies outside).
    pub(super) fn file(&self, directory: &str, path: &str) -> String {
        if let Some(below) = self.below(path) {
            return normal(below);
        }
        if path.starts_with(['/', '~']) || path.is_empty() {
            return path.to_owned();
        }
        let joined = format!("{directory}/{path}");
        match directory.starts_with('/') {
            true => joined,
            // A name that leaves the root and comes back is kept: `../` may lead anywhere.
            false if leaves(&joined) => path.to_owned(),
            false => normal(&joined),
        }
    }

    /// A directory: empty for the root itself.
    pub(super) fn directory(&self, path: &str) -> String {
        let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
        if Some(path) == self.0.as_deref() || path == "." {
            return String::new();
        }
        self.file("", path)
    }

    /// A file or a directory, for tools that take either: `.` for the root itself.
    pub(super) fn name(&self, path: &str) -> String {
        let name = self.directory(path.trim());
        if name.is_empty() { ".".to_owned() } else { name }
    }

    /// A command with names below the root made relative to the directory in which it is run, so that it names a file as
    /// other tools do.
    pub(super) fn command(&self, directory: &str, command: &str) -> String {
        let Some(root) = self.0.as_deref().filter(|_| !directory.starts_with('/')) else { return command.to_owned() };
        let up = "../".repeat(directory.split('/').filter(|part| !part.is_empty()).count());
        let mut made = String::with_capacity(command.len());
        let mut rest = command;
        while let Some(at) = rest.find(root) {
            let (before, found) = rest.split_at(at);
            let after = &found[root.len()..];
            made.push_str(before);
            let begins =
                !made.ends_with(|end: char| end.is_alphanumeric() || matches!(end, '/' | '.' | '-' | '_' | '~' | '}'));
            let next = after.chars().next();
            let ends = next
                .is_none_or(|next| next.is_whitespace() || matches!(next, ';' | '&' | '|' | ')' | '"' | '\'' | '>'));
            match next {
                Some('/') if begins => {
                    let below = after.trim_start_matches('/');
                    let stands_alone = below.chars().next().is_none_or(|next| !is_name(next));
                    made.push_str(if up.is_empty() && stands_alone { "./" } else { &up });
                    rest = below;
                }
                _ if begins && ends => {
                    made.push_str(if up.is_empty() { "." } else { up.trim_end_matches('/') });
                    rest = after;
                }
                _ => {
                    made.push_str(root);
                    rest = after;
                }
            }
        }
        made.push_str(rest);
        made
    }

    fn below<'a>(&self, path: &'a str) -> Option<&'a str> {
        let rest = path.strip_prefix(self.0.as_deref()?)?;
        rest.strip_prefix(['/', '\\']).filter(|rest| !leaves(rest))
    }

    /// A command that begins by going somewhere under the root runs there: `cd /srv/app/web && npm test` in `/srv/app` is
    /// `npm test` in `web`. Of a command of one line in the root itself, words that name something under it do so relative
    /// to it: the engine knows which lines `sed -n 1,9p src/a.rs` shows, but not where `/srv/app` is.
    pub(super) fn run(&self, command: &str) -> RunData {
        let script = Script::parse(command);
        let moved = match script.items.as_slice() {
            [Item::Command(first), Item::Joint(Joint::And, span), ..] => match first.literal().as_deref() {
                Some(["cd", to]) if to.starts_with('/') => Some((self.directory(to), span.end)),
                _ => None,
            },
            _ => None,
        };
        let (cwd, begins) = moved.filter(|(inside, _)| !inside.starts_with('/')).unwrap_or_default();
        let command =
            if cwd.is_empty() { self.relative_words(command, &script, begins) } else { command[begins..].to_owned() };
        let command = if begins > 0 { command.trim_start().to_owned() } else { command };
        RunData { command, cwd, ..RunData::default() }
    }

    /// The same for a tool that may name the directory, and then the command says nothing of it.
    pub(super) fn run_in(&self, directory: Option<&str>, command: &str) -> RunData {
        match directory.map(|directory| self.directory(directory.trim())).filter(|directory| !directory.is_empty()) {
            Some(cwd) => RunData { command: command.to_owned(), cwd, ..RunData::default() },
            None => self.run(command),
        }
    }

    /// What stands from `begins` on. Words outside quotes only. Commands of several lines hold scripts and whole files: they
    /// stay as they are.
    fn relative_words(&self, command: &str, script: &Script, begins: usize) -> String {
        let mut words = script.words();
        words.retain(|word| word.start >= begins);
        // Behind another `cd` the same words would name other files.
        let goes_elsewhere = || words.iter().any(|word| matches!(word.literal(), Some("cd" | "pushd" | "popd")));
        let Some(root) = self.0.as_deref().filter(|_| !command.contains('\n') && !goes_elsewhere()) else {
            return command[begins..].to_owned();
        };
        let is_path = |rest: &str| {
            let first = rest.chars().next();
            first.is_some_and(|first| first.is_alphanumeric() || "._".contains(first)) && !rest.starts_with("..")
        };
        let prefix = format!("{root}/");
        let mut named: Vec<usize> = words.iter().map(|word| word.start).collect();
        named.retain(|start| command[*start..].strip_prefix(&prefix).is_some_and(is_path));
        named.sort_unstable();
        let (mut made, mut from) = (String::with_capacity(command.len()), begins);
        for start in named {
            made.push_str(&command[from..start]);
            from = start + prefix.len();
        }
        made + &command[from..]
    }
}

fn is_name(next: char) -> bool {
    next.is_alphanumeric() || matches!(next, '_' | '.' | '$' | '*' | '{' | '[' | '@')
}

fn leaves(path: &str) -> bool {
    let mut depth = 0_i32;
    path.split('/').any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_the_root_are_relative_to_it() {
        let root = Root::new("/home/eva/shop/");
        assert_eq!(root.file("", "/home/eva/shop/src/a.py"), "src/a.py");
        assert_eq!(root.file("", "./src//a.py"), "src/a.py");
        assert_eq!(root.file("web", "../src/a.py"), "src/a.py");
        assert_eq!(root.file("", "/home/eva/shopping/a.py"), "/home/eva/shopping/a.py");
        assert_eq!(root.file("", "../other/a.py"), "../other/a.py");
        assert_eq!(root.file("/tmp", "a.py"), "/tmp/a.py");
        assert_eq!(root.file("", "~/a.py"), "~/a.py");
        assert_eq!(root.directory("/home/eva/shop"), "");
        assert_eq!(root.directory("/home/eva/shop/web"), "web");
        assert_eq!(root.directory("/tmp"), "/tmp");
        assert_eq!(Root::new("").file("", "/home/eva/shop/a"), "/home/eva/shop/a");
    }

    #[test]
    fn commands_name_files_as_other_tools_do() {
        let root = Root::new("/home/eva/shop");
        let command = |directory, text| root.command(directory, text);
        assert_eq!(command("", "cat /home/eva/shop/src/a.py"), "cat src/a.py");
        assert_eq!(command("", "cd /home/eva/shop && ls \"/home/eva/shop/src\""), "cd . && ls \"src\"");
        assert_eq!(command("", "ls /home/eva/shop/ /home/eva/shop"), "ls ./ .");
        assert_eq!(command("web/app", "cat /home/eva/shop/a.py; ls /home/eva/shop"), "cat ../../a.py; ls ../..");
        assert_eq!(
            command("", "ls /home/eva/shopping /mnt/home/eva/shop/a"),
            "ls /home/eva/shopping /mnt/home/eva/shop/a"
        );
        assert_eq!(command("/tmp", "cat /home/eva/shop/a"), "cat /home/eva/shop/a");
    }

    #[test]
    fn a_command_runs_where_it_goes_first() {
        let run = |command: &str| {
            let RunData { command, cwd, .. } = Root::new("/testbed").run(command);
            (cwd, command)
        };
        let pair = |cwd: &str, command: &str| (cwd.to_owned(), command.to_owned());
        assert_eq!(run("cd /testbed && cat a.py"), pair("", "cat a.py"));
        assert_eq!(run("cd \"/testbed/web/app/\" && cat a && b"), pair("web/app", "cat a && b"));
        for other in
            ["cd /tmp && ls", "cd web && ls", "cd /testbed; ls", "cd /testbed/$X && ls", "cd /testbed/.. && ls"]
        {
            assert_eq!(run(other), pair("", other));
        }
    }

    #[test]
    fn only_what_lies_under_the_directory_becomes_relative() {
        let relative = |path: &str, cwd: Option<&str>| Root::new(cwd.unwrap_or_default()).name(path);
        let cwd = Some("/srv/app/");
        assert_eq!(relative("/srv/app/src/a.rs", cwd), "src/a.rs");
        assert_eq!(relative("/srv/app", cwd), ".");
        assert_eq!(relative("/srv/apple/a.rs", cwd), "/srv/apple/a.rs");
        assert_eq!(relative("./src/a.rs", cwd), "src/a.rs");
        assert_eq!(relative("src/a.rs", None), "src/a.rs");
        assert_eq!(relative("/etc/hosts", Some("/")), "/etc/hosts");
        assert_eq!(relative("./", cwd), ".");
        assert_eq!(relative(r"C:\app\src\a.rs", Some(r"C:\app")), r"src\a.rs");
    }
}
