//! Commands that leave something in git's folders for the user's next `git status`, outside of all walls.

use std::{fs, process::Command};

use crate::place::{Place, run, text};

/// A repository elsewhere whose configuration starts a program.
const PREPARE: &str = "git init -q evil; git -C evil config core.fsmonitor 'touch PROJECT/../outside/ran; false'; ";

fn git(place: &Place, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.env("GIT_CEILING_DIRECTORIES", place.path("")).args(arguments);
    let status = git.current_dir(place.path("project")).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

/// Runs the command, then what the user does; gives what the model was told.
fn after(place: &Place, command: &str) -> String {
    let project = place.path("project");
    let result = run(&place.shell(), &format!("{PREPARE}{command}").replace("PROJECT", project.to_str().unwrap()));
    for user in [&["status"][..], &["commit", "-q", "--allow-empty", "-m", "user's"]] {
        let name = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        // Where no repository is left, the one around the place is not meant.
        let mut git = Command::new("git");
        git.env("GIT_CEILING_DIRECTORIES", place.path("")).args(name).args(user);
        git.current_dir(&project).output().unwrap();
    }
    assert!(!place.path("outside/ran").exists(), "{command}: {}", text(&result));
    text(&result)
}

#[test]
fn a_repository_is_not_led_elsewhere() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    let said = after(&place, "echo PROJECT/evil/.git > .git/commondir");
    assert!(said.contains(".git/commondir.refused"), "{said}");
    let said = after(&place, "cp evil/.git/config .git/config.worktree");
    assert!(said.contains(".git/config.worktree.refused"), "{said}");
}

#[test]
fn a_new_worktree_is_not_led_elsewhere() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    git(&place, &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "one"]);
    let said = run(
        &place.shell(),
        "git worktree add -q wt -b wtb && cp -r .git evil && echo \"$PWD/evil\" > .git/worktrees/wt/commondir",
    );
    assert!(text(&said).contains(".git/worktrees/wt/commondir.refused"), "{}", text(&said));
    let said = run(&place.shell(), "git worktree add -q other -b another && git -C other status");
    assert!(!text(&said).contains("refused"), "{}", text(&said));
}

#[test]
fn a_repository_that_lies_elsewhere_stays_there() {
    for make in ["mv .git real && ln -s real .git", "mv .git real && echo 'gitdir: real' > .git"] {
        let place = Place::new();
        git(&place, &["init", "-q"]);
        let made = Command::new("sh").args(["-c", make]).current_dir(place.path("project")).status().unwrap();
        assert!(made.success());
        after(&place, "rm -f .git; ln -s evil/.git .git");
        after(&place, "rm -f .git; echo 'gitdir: evil/.git' > .git; echo 'gitdir: evil/.git' > e; mv -f e .git");
        after(&place, "cp evil/.git/config real/config; mv real gone; cp -r evil/.git real");
        git(&place, &["rev-parse", "-q", "HEAD"]);
    }
}

#[test]
fn a_new_repository_starts_nothing() {
    for (command, refused) in [
        ("git init -q; cp evil/.git/config .git/config", ".git/config.refused"),
        ("git init -q; git config alias.st '!evil'", ".git/config.refused"),
        ("git init -q; ln -sf ../evil/.git/config .git/config", ".git/config.refused"),
        ("echo 'gitdir: evil/.git' > .git", ".git.refused"),
        ("ln -s evil/.git .git", ".git.refused"),
        ("cp -r evil/.git/. .; git config -f config core.bare true", "HEAD.refused"),
        (
            "git init -q; (echo '#!/bin/sh'; echo touch PROJECT/../outside/ran) > .git/hooks/pre-commit; \
          chmod +x .git/hooks/pre-commit",
            ".git/hooks/pre-commit.refused",
        ),
    ] {
        let said = after(&Place::new(), command);
        assert!(said.contains(refused), "{command}: {said}");
    }
    let place = Place::new();
    let said = after(&place, "git init -q; git config user.name B; git remote add origin ../other");
    assert!(!said.contains("refused") && place.path("project/.git/config").exists(), "{said}");
}

#[test]
fn submodules_worktrees_and_named_folders_are_protected() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    git(&place, &["init", "-q", "--bare", ".git/modules/deep/er"]);
    git(&place, &["init", "-q", "--bare", ".git/modules/deep/er/modules/inner"]);
    git(&place, &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "one"]);
    git(&place, &["worktree", "add", "-q", "../outside/tree"]);
    git(&place, &["config", "core.hooksPath", ".husky/_"]);
    git(&place, &["config", "include.path", "../shared.gitconfig"]);
    fs::create_dir_all(place.path("project/.husky/_")).unwrap();
    let files = [
        ".git/modules/deep/er/config",
        ".git/modules/deep/er/modules/inner/config",
        ".git/worktrees/tree/commondir",
        ".husky/pre-commit",
        "shared.gitconfig",
    ];
    fs::write(place.path("project/.husky/pre-commit"), "npm test\n").unwrap();
    fs::write(place.path("project/shared.gitconfig"), "[user]\n\tname = A\n").unwrap();
    let read = |file: &str| fs::read_to_string(place.path("project").join(file)).unwrap();
    let before = files.map(read);
    for file in files {
        let tries = "echo evil >> FILE; rm -f FILE; echo evil > e; mv -f e FILE; mv .husky gone; mv .git/modules gone";
        run(&place.shell(), &tries.replace("FILE", file));
    }
    run(&place.shell(), "echo evil > .husky/_/pre-push; echo evil > .git/modules/deep/er/hooks/update");
    assert_eq!(files.map(read), before);
    assert!(!place.path("project/.husky/_/pre-push").exists());
    assert!(!place.path("project/.git/modules/deep/er/hooks/update").exists());
}

#[test]
fn a_repository_inside_starts_nothing_at_the_users_next_status() {
    let add = "git -C evil -c core.fsmonitor= commit -q --allow-empty -m x; git add evil; ";
    for (command, refused) in [
        (String::new(), "evil/.git/config.refused"),
        ("git update-index --index-version 4; ".to_owned(), "evil/.git/config.refused"),
        ("git update-index --split-index; ".to_owned(), "evil/.git/config.refused"),
        (
            "mv evil/.git .git/modules-of-mine; echo 'gitdir: ../.git/modules-of-mine' > evil/.git; ".to_owned(),
            "config.refused",
        ),
        (
            "git init -q outer; mv evil outer/evil; git -C outer add evil; git -C outer commit -qm y; git add outer; "
                .to_owned(),
            "outer/evil/.git/config.refused",
        ),
    ] {
        let place = Place::new();
        git(&place, &["init", "-q"]);
        fs::write(place.path("project/a"), "a").unwrap();
        let said = after(&place, &format!("git add a; {add}{command}"));
        assert!(said.contains(refused), "{command}: {said}");
    }
    // What the user set up there is theirs.
    let place = Place::new();
    git(&place, &["init", "-q"]);
    git(&place, &["init", "-q", "inner"]);
    let name = ["-C", "inner", "-c", "user.name=A", "-c", "user.email=a@example.org"];
    git(&place, &[&name[..], &["commit", "-q", "--allow-empty", "-m", "one"]].concat());
    git(&place, &["-C", "inner", "config", "alias.st", "status"]);
    git(&place, &["add", "inner"]);
    let work = "git status; git -C inner status; echo x > inner/x; git -C inner add x; git -C inner commit -qm two";
    let result =
        run(&place.shell(), &format!("{work}; git -C inner config alias.st evil; echo evil > inner/.git/hooks/x"));
    assert!(!text(&result).contains("refused"), "{}", text(&result));
    let config = fs::read_to_string(place.path("project/inner/.git/config")).unwrap();
    assert!(config.contains("st = status") && !place.path("project/inner/.git/hooks/x").exists(), "{config}");
}
