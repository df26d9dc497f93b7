//! Commands that leave something in git's folders for the user's next `git status`, outside of all walls.

use std::{
    fs,
    process::Command,
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::place::{Place, processes_with, run, text};

/// A repository elsewhere whose configuration starts a program.
const PREPARE: &str = "git init -q evil; git -C evil config core.fsmonitor 'touch PROJECT/../outside/ran; false'; ";

fn git(place: &Place, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.env("GIT_CEILING_DIRECTORIES", place.path("")).args(arguments);
    let status = git.current_dir(place.path("project")).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

/// Where the repository that starts a program is nothing that git shows, and so left to itself.
fn ignoring() -> Place {
    let place = Place::new();
    fs::write(place.path("project/.gitignore"), "evil\n").unwrap();
    place
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
    let place = ignoring();
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
        let place = ignoring();
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
        ("cp evil/.git/config evil/.git/HEAD .; echo evil/.git > commondir", "HEAD.refused"),
        (
            "git init -q; (echo '#!/bin/sh'; echo touch PROJECT/../outside/ran) > .git/hooks/pre-commit; \
          chmod +x .git/hooks/pre-commit",
            ".git/hooks/pre-commit.refused",
        ),
    ] {
        let said = after(&ignoring(), command);
        assert!(said.contains(refused), "{command}: {said}");
    }
    let place = ignoring();
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

#[test]
fn a_pipe_or_an_endless_file_where_git_is_looked_at_keeps_nobody_from_looking() {
    let nested = "git init -q sub && git -C sub commit -q --allow-empty -m x && git add sub; ";
    for odd in [
        "mkfifo .git/sharedindex.zz",
        "truncate -s 1500M .git/sharedindex.zz",
        "ln -s /dev/zero .git/sharedindex.zz",
        "mkdir -p .git/modules/x .git/worktrees/w; mkfifo .git/modules/x/config .git/worktrees/w/commondir",
    ] {
        let place = Place::new();
        git(&place, &["init", "-q"]);
        let command = format!("{PREPARE}{nested}{odd}; cp evil/.git/config sub/.git/config; sleep 987659")
            .replace("PROJECT", place.path("project").to_str().unwrap());
        let began = Instant::now();
        let result = place.shell().run(&json!({ "command": command, "timeout": 3000 }), &|| false);
        assert!(text(&result).contains("sub/.git/config.refused"), "{odd}: {}", text(&result));
        // Less than what a supervisor is killed after.
        assert!(began.elapsed() < Duration::from_secs(7), "{odd}: {:?}", began.elapsed());
        assert!(processes_with(&["sleep", "987659"]).is_empty(), "{odd}");
        assert!(!place.path("project/sub/.git/config").exists(), "{odd}");
        // And the next session starts.
        place.policy();
    }
}

#[test]
fn where_the_supervisor_was_killed_the_program_sets_aside() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    git(&place, &["init", "-q", "theirs"]);
    git(&place, &["-C", "theirs", "config", "alias.st", "status"]);
    let shell = place.shell();
    let command = "git init -q sub; git -C sub config core.fsmonitor evil; touch begun; sleep 987660";
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !place.path("project/begun").exists() {
                sleep(Duration::from_millis(10));
            }
            for supervisor in processes_with(&["__inside", "987660", "\"stage\":\"Supervisor\""]) {
                kill_process(Pid::from_raw(supervisor.cast_signed()).unwrap(), Signal::KILL).unwrap();
            }
        });
        run(&shell, command)
    });
    assert!(text(&result).contains("sub/.git/config.refused"), "{}", text(&result));
    assert!(place.path("project/theirs/.git/config").exists());
}

#[test]
fn a_repository_without_files_is_not_made_in_steps() {
    let parts = ["cp evil/.git/HEAD .", "cp -r evil/.git/objects .", "cp -r evil/.git/refs .; cp evil/.git/config ."];
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let place = Place::new();
        let said = order.map(|part| after(&place, parts[part]));
        let is_refused =
            |said: &str| ["HEAD", "objects", "refs"].iter().any(|name| said.contains(&format!("/{name}.refused")));
        assert!(!is_refused(&said[0]) && !is_refused(&said[1]) && is_refused(&said[2]), "{said:?}");
    }
}

#[test]
fn folders_of_hooks_are_protected_by_whatever_names_them() {
    let hooks = "[core]\n\thooksPath = .githooks\n";
    for (file, text, named) in [
        ("project/.git/config", "[core]\n\thooksPath = ./.githooks/ # team\n", ".githooks"),
        ("project/.git/config", "[core]\n\thooksPath = .git\\\nhooks\n", ".githooks"),
        ("project/.git/config", "[include]\n\tpath = ../shared\n", "shared"),
        ("project/.git/config", "[includeIf \"gitdir:**\"]\n\tpath = ../shared\n", ".githooks"),
        ("home/.gitconfig", hooks, ".githooks"),
        ("home/.config/git/config", hooks, ".githooks"),
        ("home/.gitconfig", hooks, "inner/.githooks"),
    ] {
        let place = Place::new();
        for folder in ["project/.githooks", "project/inner/.githooks", "home/.config/git"] {
            fs::create_dir_all(place.path(folder)).unwrap();
        }
        git(&place, &["init", "-q"]);
        git(&place, &["init", "-q", "inner"]);
        fs::write(place.path("project/shared"), hooks).unwrap();
        let before = fs::read_to_string(place.path(file)).unwrap_or_default();
        fs::write(place.path(file), format!("{before}{text}")).unwrap();
        let tries = "echo evil > NAMED/pre-commit; echo evil >> NAMED; mv NAMED gone; mkdir NAMED; rm NAMED";
        run(&place.shell(), &tries.replace("NAMED", named));
        let named = place.path("project").join(named);
        assert!(!named.join("pre-commit").exists(), "{file}: {text}");
        assert!(named.is_dir() || fs::read_to_string(&named).unwrap() == hooks, "{file}: {text}");
    }
}

#[test]
fn repositories_are_looked_into_however_deep() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    let deep = "top=$PWD; for level in $(seq 11); do git init -q s; cd s; done; cp $top/evil/.git/config .git/config; \
                for level in $(seq 11); do git -c core.fsmonitor= commit -q --allow-empty -m x; cd ..; git add s; done";
    let said = after(&place, deep);
    assert!(said.contains(&format!("{}.git/config.refused", "s/".repeat(11))), "{said}");
}

#[test]
fn a_repository_that_no_index_names_is_protected_too() {
    // Folders of clones, in no repository themselves.
    let place = Place::new();
    git(&place, &["init", "-q", "clone"]);
    git(&place, &["-C", "clone", "config", "alias.st", "status"]);
    git(&place, &["init", "-q", "--bare", "bare"]);
    let config = fs::read_to_string(place.path("project/clone/.git/config")).unwrap();
    let tries = "for r in clone/.git bare; do git config -f $r/config core.fsmonitor evil; echo x > $r/hooks/x; mv $r y; \
                 echo ../evil > $r/commondir; done; rm -rf clone; git -C clone status";
    let result = run(&place.shell(), tries);
    assert_eq!(fs::read_to_string(place.path("project/clone/.git/config")).unwrap(), config, "{}", text(&result));
    for made in ["clone/.git/hooks/x", "bare/hooks/x", "clone/.git/commondir", "bare/commondir"] {
        assert!(!place.path("project").join(made).exists(), "{made}: {}", text(&result));
    }
    // What a command makes starts nothing when the user goes there, or adds it.
    let place = Place::new();
    git(&place, &["init", "-q"]);
    fs::write(place.path("project/.gitignore"), "build\n").unwrap();
    git(&place, &["init", "-q", "build/kept"]);
    let made = "git init -q lib; echo 'gitdir: ../build/evil' > e; mkdir led; mv e led/.git; mkdir build/evil; \
                cp -r evil/.git/. build/evil; cp evil/.git/config lib/.git/config; cp -r evil/.git bare; \
                git -C build/kept config alias.st status; rm -rf build/kept";
    let said = after(&place, made);
    for refused in ["lib/.git/config.refused", "build/evil/config.refused", "bare/config.refused"] {
        assert!(said.contains(refused), "{refused}: {said}");
    }
    assert!(!place.path("project/build/kept").exists(), "what git ignores is for tools to take away");
}
