//! What goes wrong around an import: other imports, full disks, folders that may not be read, files that are no sessions,
//! pipes that close, Ctrl-C.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::{
    foreign::sessions::{CLAUDE_CODE, claude_code},
    machine::{run, write},
    person::Person,
};

#[test]
fn two_imports_wait_for_each_other() {
    let person = Person::new();
    let mut first =
        person.command(&["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("runs");
    let mut pipe = first.stdin.take().expect("piped");
    pipe.write_all(CLAUDE_CODE.as_bytes()).expect("it reads");
    // It has its turn when its number stands in the file.
    let turn = person.home.path().join("locks/import");
    let pid = first.id().to_string();
    wait_for(|| fs::read_to_string(&turn).is_ok_and(|text| text == pid));
    let file = write(&person, "other.jsonl", &claude_code("other"));
    let mut second =
        person.command(&["import", &file]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    let mut said = String::new();
    BufReader::new(second.stderr.as_mut().expect("piped")).read_line(&mut said).expect("a line");
    assert_eq!(said, format!("waiting for another import (pid {pid})\n"));
    assert!(second.try_wait().expect("it lives").is_none());
    drop(pipe);
    assert!(first.wait_with_output().expect("it ends").status.success());
    assert!(second.wait_with_output().expect("it ends").status.success());
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(2));
}

fn wait_for(done: impl Fn() -> bool) {
    for _ in 0..600 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("it never came");
}

#[test]
fn a_full_disk_is_not_a_file_that_cannot_be_read() {
    let person = Person::new();
    let disk = person.home.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "this machine does not let tests mount a file system");
        eprintln!("SKIPPED: this machine does not let tests mount a file system");
        return;
    }
    let noise = |part: usize| {
        let mut state = part as u64;
        let mut letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + ((state >> 33) % 26) as u8)
        };
        (0..60_000).map(|_| letter()).collect::<String>()
    };
    for session in 0..4 {
        let steps: String =
            (0..10).map(|part| crate::foreign::sessions::step(part, &noise(session * 10 + part))).collect();
        write(&person, &format!("many/{session}.jsonl"), &steps.replace("\"long\"", &format!("\"s{session}\"")));
    }
    let folder = person.home.path().join("many");
    let said = Person::said(
        person.command(&["import", folder.to_str().expect("text")]).env("LOOKBACK_HOME", disk.join("home")).output(),
    );
    let _ = Command::new("umount").arg("-l").arg(&disk).status();
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("could not be stored") && !said.out.contains("could not be read"), "{}", said.out);
    let ended = "is full: the import ended before all of the 4 files were stored, what was imported before stays";
    assert!(said.err.contains(ended) && !said.err.contains("nothing was changed"), "{}", said.err);
    assert_eq!(said.err.matches("is full").count(), 1, "{}", said.err);
}

#[test]
fn a_folder_that_may_not_be_read_is_said_and_keeps_no_other_out() {
    use std::os::unix::fs::PermissionsExt;
    let person = Person::new();
    write(&person, "all/open/one.jsonl", &claude_code("one"));
    write(&person, "all/shut/two.jsonl", &claude_code("two"));
    let shut = person.home.path().join("all/shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).expect("ours");
    if fs::read_dir(&shut).is_ok() {
        // Whoever may read everything cannot be kept out.
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).expect("ours");
        eprintln!("SKIPPED: this user may read every folder");
        return;
    }
    let said = person.run(&["import", person.home.path().join("all").to_str().expect("text")]);
    assert!(
        said.shown().contains("1 session imported") && said.err.contains("shut: Permission denied"),
        "{}",
        said.err
    );
    let complaint = person.run(&["import", shut.to_str().expect("text")]).complaint();
    assert!(complaint.contains("cannot read") && complaint.contains("Permission denied"), "{complaint}");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).expect("ours");
}

#[test]
fn empty_and_binary_files_and_unknown_ids_are_said() {
    let person = Person::new();
    write(&person, "many/empty.jsonl", "");
    write(&person, "many/blank.jsonl", "\n \n");
    fs::write(person.home.path().join("many/binary.json"), [0, 159, 146, 150, 255]).expect("a file");
    write(&person, "many/one.jsonl", CLAUDE_CODE);
    let said = person.run(&["import", person.home.path().join("many").to_str().expect("text")]);
    assert!(said.shown().contains("1 session imported · 3 other files in the folders are no sessions"), "{}", said.out);
    for file in ["empty", "blank"] {
        let complaint = person
            .run(&["import", person.home.path().join(format!("many/{file}.jsonl")).to_str().expect("text")])
            .complaint();
        assert!(complaint.contains("is empty") || complaint.contains("not a whole trace"), "{complaint}");
    }
    for command in ["show", "fold", "record"] {
        assert!(person.run(&[command, "nothing-like-it"]).complaint().contains("there is no session nothing-like-it"));
    }
    for command in ["pin", "unpin"] {
        assert!(person.run(&[command, "nothing-like-it", "turn#1"]).complaint().contains("there is no session"));
    }
    assert!(person.run(&["unfold", "nothing-like-it", "1"]).complaint().contains("there is no session"));
    assert!(
        person.run(&["recall", "turn#1", "--session", "nothing-like-it"]).complaint().contains("there is no session")
    );
    assert!(person.run(&["sessions", "rm", "nothing-like-it"]).complaint().contains("there is no session"));
}

#[test]
fn a_closed_pipe_ends_no_import() {
    let person = Person::new();
    for number in 0..20 {
        write(&person, &format!("many/{number}.jsonl"), &claude_code(&format!("s{number}")));
    }
    let folder = person.home.path().join("many");
    let mut import =
        person.command(&["import", "-v", folder.to_str().expect("text")]).stdout(Stdio::piped()).spawn().expect("runs");
    drop(import.stdout.take());
    assert!(import.wait().expect("it ends").success());
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(20));
}

#[test]
fn ctrl_c_keeps_what_was_imported_and_says_so() {
    let person = Person::new();
    person.import(CLAUDE_CODE).shown();
    let mut import = person
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut pipe = import.stdin.take().expect("piped");
    pipe.write_all(claude_code("half").as_bytes()).expect("it reads");
    let (turn, pid) = (person.home.path().join("locks/import"), import.id().to_string());
    wait_for(|| fs::read_to_string(&turn).is_ok_and(|text| text == pid));
    thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    let said = Person::said(import.wait_with_output());
    assert_eq!((said.code, said.err.as_str()), (Some(130), "interrupted: what was imported before stays\n"));
    drop(pipe);
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(1));
}

#[test]
fn a_broken_line_of_an_own_trace_is_refused_by_import_and_by_replay() {
    let person = Person::with_sample();
    let lines = person.run(&["show", "sample", "--trace", "--json"]).out;
    let mut lines: Vec<&str> = lines.lines().collect();
    let cut = lines[4][..20].to_owned();
    lines[4] = &cut;
    let broken = write(&person, "broken.jsonl", &lines.join("\n"));
    lines.remove(4);
    let lacking = write(&person, "lacking.jsonl", &lines.join("\n"));
    for file in [&broken, &lacking] {
        assert_eq!(person.run(&["import", file]).code, Some(1));
        let said = run(&person, &["replay", file, "--json"]);
        assert_eq!(said.code, Some(1));
        assert!(said.err.contains("line 5 is not an event of a whole trace"), "{}", said.err);
    }
}
