//! What the program writes is its owner's alone, whatever the umask, and no link leads it elsewhere.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    process::Command,
};

use crate::{
    foreign::sessions::CLAUDE_CODE,
    person::{Person, Said},
};

/// Open to all, usual, and one that takes rights even from the owner.
const UMASKS: [&str; 3] = ["0000", "0022", "0377"];

fn run(person: &Person, umask: &str, arguments: &[&str]) -> Said {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_lookback")]);
    command.args(arguments).env("LOOKBACK_HOME", person.home.path().join("home")).env("HOME", person.home.path());
    Person::said(command.env("XDG_CONFIG_HOME", person.home.path()).output())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").mode() & 0o777
}

#[test]
fn stores_scripts_and_reports_are_private_whatever_the_umask() {
    for umask in UMASKS {
        let person = Person::new();
        let path = |name: &str| person.home.path().join(name);
        let text = |name: &str| path(name).to_str().expect("text").to_owned();
        fs::write(path("session.jsonl"), CLAUDE_CODE).expect("a file");
        let id = run(&person, umask, &["import", &text("session.jsonl")]).shown();
        let id = id.split_whitespace().nth(4).expect("an id");
        for (name, expected) in [("home", 0o700), ("home/locks", 0o700), ("home/lookback.db", 0o600)] {
            assert_eq!(mode(&path(name)), expected, "umask {umask}: {name}");
        }
        // A page that lies there already is replaced, by a file that is private; a script is never written over.
        for _ in 0..2 {
            let _ = fs::remove_file(path("script.toml"));
            run(&person, umask, &["record", id, "--out", &text("script.toml")]).shown();
            let replay = ["replay", &text("session.jsonl"), "--strategies", "append", "--report", &text("page.html")];
            run(&person, umask, &replay).shown();
            for name in ["script.toml", "page.html"] {
                assert_eq!(mode(&path(name)), 0o600, "umask {umask}: {name}");
                assert!(fs::metadata(path(name)).expect("written").len() > 100, "umask {umask}: {name}");
            }
            fs::set_permissions(path("page.html"), fs::Permissions::from_mode(0o644)).expect("a mode");
        }
    }
}

#[test]
fn a_lock_that_is_a_link_is_said_and_what_it_leads_to_stays() {
    let person = Person::with_sample();
    let victim = person.home.path().join("victim");
    fs::write(&victim, "of somebody").expect("a file");
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o644)).expect("a mode");
    symlink(&victim, person.home.path().join("locks/sample000000.lock")).expect("a link");
    let complaint = person.run(&["sessions", "rm", "sample"]).complaint();
    assert!(complaint.contains("sample000000.lock is a link") && complaint.contains("move it away"), "{complaint}");
    assert_eq!(fs::read_to_string(&victim).expect("it is there"), "of somebody");
    assert_eq!(mode(&victim), 0o644);
}

/// What is not the store's: each a link to a file or a folder of somebody else's.
#[test]
fn nothing_else_under_the_home_is_reached_by_a_link() {
    for (name, command) in [
        ("walls", &["run", "--model", "script:nowhere.toml", "x"][..]),
        ("shadow", &["run", "--model", "script:nowhere.toml", "x"]),
        ("decided", &["run", "--model", "script:nowhere.toml", "x"]),
        ("runs", &["run", "--model", "script:nowhere.toml", "x"]),
        ("gateway.token", &["gateway", "--listen", "127.0.0.1:0"]),
        ("gateway.log", &["gateway", "--listen", "127.0.0.1:0"]),
    ] {
        let person = Person::new();
        let elsewhere = tempfile::tempdir().expect("a folder");
        let victim = elsewhere.path().join("victim");
        let is_folder = ["shadow", "decided", "runs"].contains(&name);
        if is_folder {
            fs::create_dir(&victim).expect("a folder");
        } else {
            fs::write(&victim, "of somebody, and long enough for a token of the gateway").expect("a file");
        }
        symlink(&victim, person.home.path().join(name)).expect("a link");
        fs::write(elsewhere.path().join("nowhere.toml"), "[[step]]\ntext = \"Done.\"\n").expect("a script");
        let mut asked = person.command(command);
        let said = Person::said(asked.current_dir(elsewhere.path()).stdin(std::process::Stdio::null()).output());
        assert!(said.err.contains(&format!("{name} is a link")), "{name}: {}", said.err);
        // Without a shadow changes cannot be taken back, which is said; the rest is not begun.
        assert_eq!(said.code, Some(i32::from(name != "shadow")), "{name}: {}", said.err);
        match is_folder {
            true => assert_eq!(fs::read_dir(&victim).expect("a folder").count(), 0, "{name}"),
            false => assert!(fs::read_to_string(&victim).expect("a file").starts_with("of somebody"), "{name}"),
        }
    }
}

/// As a report into `/dev/null` would have made a file of it.
#[test]
fn what_is_no_file_is_written_to_and_not_replaced() {
    let person = Person::with_sample();
    let pipe = person.home.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let mut reader = Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().expect("cat runs");
    person.run(&["record", "sample", "--out", pipe.to_str().expect("text")]).shown();
    let still = fs::symlink_metadata(&pipe).expect("it is there").file_type();
    if still.is_file() {
        reader.kill().expect("it waits");
    }
    assert!(!still.is_file(), "it was replaced");
    let read = reader.wait_with_output().expect("it ends").stdout;
    assert!(String::from_utf8_lossy(&read).contains("[[step]]"));
}
