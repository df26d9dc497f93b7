//! Daily work goes on inside: commits, builds and tests.

use std::{fs, io::Write as _, path::Path};

use lookback_tools::{Shell, ShellSetup, sandbox::Policy};
use serde_json::json;

use crate::place::{KEY, Place, code, run, text};

/// With the tools of whoever runs the tests: their real home directory.
fn real_home(place: &Place) -> Shell {
    let policy = Policy::of_project(&place.path("project"), ".lookback.toml", &|name| std::env::var_os(name));
    Shell::new(ShellSetup { policy, ..place.setup() })
}

fn assert_works(shell: &Shell, command: &str) -> String {
    let result = shell.run(&json!({ "command": command, "timeout": 300_000 }), &|| false);
    assert_eq!(code(&result), Some(0), "{command}\n{}", text(&result));
    text(&result)
}

/// Whether a program is there at all; CI has all of them.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).exists());
    if !found {
        say_missing(program);
    }
    found
}

/// Past libtest's capture: whoever runs the tests must see what was not tried.
fn say_missing(program: &str) {
    assert!(std::env::var_os("CI").is_none(), "CI has {program}");
    std::io::stderr().write_all(format!("\nNOT TRIED: {program} is not installed\n").as_bytes()).unwrap();
}

#[test]
fn git_commit() {
    let place = Place::new();
    let shell = place.shell();
    assert_works(&shell, "git init -q");
    let commit = "echo x > file; git add -A; git commit -qm first; git checkout -qb other; git status --short; git log --oneline";
    assert!(assert_works(&shell, commit).contains("first"));
    assert_works(
        &shell,
        "git tag v1; git stash list; echo y > file; git commit -qam second; git rebase -q HEAD~1; git gc -q",
    );
    // A worktree's commits go to the repository it belongs to.
    let policy = {
        assert_works(&shell, "git worktree add -q tree");
        let home = place.path("home").into_os_string();
        Policy::of_project(&place.path("project/tree"), ".lookback.toml", &move |name| {
            (name == "HOME").then(|| home.clone())
        })
    };
    let worktree = Shell::new(ShellSetup { policy, ..place.setup() });
    assert_works(&worktree, "echo z > z; git add -A; git commit -qm third");
    run(&worktree, "echo evil > ../.git/hooks/pre-commit; echo x > ../outside-of-it; echo evil >> ../.git/config");
    assert!(!place.path("project/.git/hooks/pre-commit").exists() && !place.path("project/outside-of-it").exists());
    assert!(!fs::read_to_string(place.path("project/.git/config")).unwrap().contains("evil"));
}

#[test]
fn a_project_in_the_home_directory_or_in_temp() {
    let place = Place::new();
    let temp = tempfile::tempdir().unwrap();
    for root in [place.path("home/work/project"), temp.path().canonicalize().unwrap().join("project")] {
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("there"), "there").unwrap();
        let home = place.path("home").into_os_string();
        let policy = Policy::of_project(&root, ".lookback.toml", &move |name| (name == "HOME").then(|| home.clone()));
        let shell = Shell::new(ShellSetup { policy, ..place.setup() });
        let said = assert_works(&shell, "cat there; echo new > new; cat ~/.gitconfig; ls ~/.ssh 2>&1 || mktemp");
        assert!(said.starts_with("there") && said.contains("a@example.org") && said.contains("/tmp/tmp."), "{said}");
        assert_eq!(fs::read_to_string(root.join("new")).unwrap(), "new\n");
    }
}

#[test]
fn a_project_that_is_the_home_directory_keeps_its_keys() {
    let place = Place::new();
    fs::create_dir_all(place.path("home/.local/share/lookback")).unwrap();
    fs::write(place.path("home/.local/share/lookback/lookback.db"), "sessions").unwrap();
    let home = place.path("home").into_os_string();
    let environment = move |name: &str| (name == "HOME").then(|| home.clone());
    let look =
        "cat .ssh/id_ed25519 ~/.cargo/credentials.toml .local/share/lookback/lookback.db; cat .gitconfig; echo x > new";
    let mut around = Policy::of_project(&place.path("home"), ".lookback.toml", &environment);
    // As a folder that a person adds it is the same.
    let mut added = Policy::of_project(&place.path("project"), ".lookback.toml", &environment);
    added.allow(&place.path("home"), ".lookback.toml");
    for (policy, look) in [(&mut around, look.to_owned()), (&mut added, format!("cd ../home; {look}"))] {
        policy.hidden.push(place.path("home/.local/share/lookback"));
        let shell = Shell::new(ShellSetup { policy: policy.clone(), ..place.setup() });
        let said = assert_works(&shell, &look);
        assert!(said.contains("a@example.org") && !said.contains(KEY) && !said.contains("sessions"), "{said}");
        fs::remove_file(place.path("home/new")).unwrap();
    }
}

#[test]
fn cargo_build_with_cached_dependencies() {
    let place = Place::new();
    let write = |name: &str, text: &str| {
        let path = place.path("project").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // A dependency of this workspace, so its download is there wherever these tests were built.
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock")).unwrap();
    let version = lock.split("name = \"memchr\"\nversion = \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\nmemchr = \"={version}\"\n"
        ),
    );
    write(
        "src/lib.rs",
        "pub fn find(text: &[u8]) -> Option<usize> { memchr::memchr(b'x', text) }\n#[test]\nfn finds() { assert_eq!(find(b\"abx\"), Some(2)); }\n",
    );
    let said = assert_works(&real_home(&place), "unset CARGO_TARGET_DIR; cargo test --offline 2>&1");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn python_tests() {
    if !is_installed("python3") {
        return;
    }
    let place = Place::new();
    let test = "import tempfile, unittest, multiprocessing\nclass Test(unittest.TestCase):\n    def test_it(self):\n        with tempfile.NamedTemporaryFile() as f: f.write(b'x')\n        multiprocessing.Lock()\n        self.assertEqual(1 + 1, 2)\n";
    fs::write(place.path("project/test_it.py"), test).unwrap();
    let shell = real_home(&place);
    assert!(assert_works(&shell, "python3 -m unittest 2>&1").contains("OK"));
    match code(&run(&shell, "python3 -c 'import pytest'")) {
        Some(0) => assert!(assert_works(&shell, "python3 -m pytest -q 2>&1").contains("1 passed")),
        _ => say_missing("pytest"),
    }
}

#[test]
fn npm_test() {
    if !is_installed("npm") {
        return;
    }
    let place = Place::new();
    fs::write(
        place.path("project/package.json"),
        r#"{"name":"small","version":"1.0.0","scripts":{"test":"node --test"}}"#,
    )
    .unwrap();
    fs::write(place.path("project/it.test.js"), "const t = require('node:test'); const http = require('node:http');\nt('serves', done => { const s = http.createServer((_, r) => r.end('hi')).listen(0, '127.0.0.1', () => http.get({port: s.address().port}, r => { r.resume(); r.on('end', () => s.close()); })); });\n").unwrap();
    let said = assert_works(&real_home(&place), "npm test 2>&1");
    assert!(said.contains("pass 1"), "{said}");
}
