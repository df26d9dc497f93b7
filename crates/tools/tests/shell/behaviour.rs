//! What Bash and Job do for whoever calls them rightly.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    time::{Duration, Instant},
};

use lookback_engine::trace::{ResultData, Status};
use lookback_tools::{
    Shell, ShellSetup,
    sandbox::{Demand, probe},
};
use serde_json::{Value, json};

use crate::place::{KEY, Place, code, data, processes_with, program, run, text};

#[test]
fn this_machine_enforces_all_of_it() {
    let enforced = probe(&program());
    assert_eq!(enforced.missing(), None, "the tests of the walls may not be skipped");
    assert!(enforced.is_whole());
}

#[test]
fn output_code_and_end_of_standard_error() {
    let place = Place::new();
    let shell = place.shell();
    let result = run(&shell, "echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three; exit 3");
    assert_eq!(text(&result), "one\ntwo\nthree\n[exit code 3]");
    assert_eq!((result.status, code(&result), &*data(&result).stderr_tail), (Status::Success, Some(3), "two\n"));
    assert_eq!(text(&run(&shell, ":")), "[no output]");
    assert_eq!(text(&run(&shell, "pwd")).trim(), place.path("project").to_str().unwrap());
}

#[test]
fn jobs_are_read_and_ended() {
    let place = Place::new();
    let shell = place.shell();
    let start = |command: &str| shell.run(&json!({ "command": command, "background": true }), &|| false);
    let first = start("echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 4");
    assert!(text(&first).starts_with("job-1 runs in the background"));
    assert!(text(&start("sleep 600")).starts_with("job-2 "));
    let read = |id: &str, action: &str| text_of_job(&shell, id, action);
    wait_for(|| read("job-1", "read") == "one\n[job-1: running]");
    assert_eq!(read("job-1", "read"), "[job-1: running]");
    run(&shell, "touch go");
    let mut seen = String::new();
    wait_for(|| {
        seen += &read("job-1", "read");
        seen.contains("ended")
    });
    assert!(seen.contains("two\n") && seen.ends_with("[job-1: ended, exit code 4]"), "{seen}");
    assert_eq!(read("job-2", "end"), "[job-2: ended by force (it was ended)]");
    assert!(read("job-9", "read").starts_with("NOT_FOUND: no background command job-9: there are job-1, job-2"));
    let ended = shell.take_ended();
    assert_eq!(ended.iter().map(|job| (job.number, job.exit_code)).collect::<Vec<_>>(), [(1, Some(4)), (2, None)]);
    assert_eq!(ended[0].output, "one\ntwo\n".into());
    assert!(shell.take_ended().is_empty());
}

#[test]
fn what_a_reading_leaves_out_is_said_and_what_was_read_is_not_said_again() {
    let place = Place::new();
    let shell = place.shell();
    shell.run(&json!({ "command": "seq 100000; touch done; sleep 600", "background": true }), &|| false);
    wait_for(|| text(&run(&shell, "ls")).contains("done"));
    let read = shell.job(&json!({ "id": "job-1", "action": "read" }));
    let said = text(&read);
    assert!(said.contains("bytes of before are not shown: Recall {\"pointer\": \"job-1\"} shows"), "{}", &said[..200]);
    assert!(matches!(&read.data, ResultData::Other(data) if data["truncated"] == true), "{:?}", read.data);
    assert_eq!(text_of_job(&shell, "job-1", "end"), "[job-1: ended by force (it was ended)]");
    assert_eq!(text_of_job(&shell, "job-1", "read"), "[job-1: ended by force (it was ended)]");
}

fn text_of_job(shell: &Shell, id: &str, action: &str) -> String {
    text(&shell.job(&json!({ "id": id, "action": action })))
}

fn wait_for(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "waited in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn whoever_stops_it_gets_what_there_was() {
    let place = Place::new();
    let began = Instant::now();
    let stop = || place.path("project/begun").exists();
    let result = place.shell().run(&json!({ "command": "echo some; touch begun; sleep 60" }), &stop);
    assert_eq!((result.status, code(&result)), (Status::Interrupted, None));
    assert_eq!(text(&result), "some\n[interrupted: stopped before its end]");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn keys_are_withheld_and_masked() {
    let place = Place::new();
    let mask = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(KEY, "[masked]").into_bytes();
    let shell =
        Shell::new(ShellSetup { mask: Box::new(mask), withheld: vec!["CARGO_MANIFEST".to_owned()], ..place.setup() });
    assert_eq!(text(&run(&shell, "env | grep -c CARGO_MANIFEST")), "0\n[exit code 1]");
    let half = KEY.len() / 2;
    let cut = format!("printf %s '{}'; sleep 0.2; printf '%s\\n' '{}'", &KEY[..half], &KEY[half..]);
    assert_eq!(text(&run(&shell, &cut)), "[masked]\n");
    let long =
        format!("head -c 300000 /dev/zero | tr '\\0' x; printf '%s' {KEY}; head -c 100000 /dev/zero | tr '\\0' y");
    let long = text(&run(&shell, &long));
    assert_eq!((long.len(), long.contains("x[masked]y")), (400_000 + "[masked]".len(), true));
}

#[test]
fn wrong_arguments_are_said() {
    let place = Place::new();
    let shell = place.shell();
    let said = |arguments: Value| text(&shell.run(&arguments, &|| false));
    assert!(said(json!({})).starts_with("INVALID_PARAM: missing field `command`"));
    assert!(said(json!({ "command": " " })).starts_with("INVALID_PARAM: command is empty"));
    assert!(said(json!({ "command": "x".repeat(70_000) })).starts_with("INVALID_PARAM: command has 70000 bytes"));
    assert!(said(json!({ "command": ":", "timeout": 0 })).starts_with("INVALID_PARAM: timeout is 0"));
    let longest = format!("echo '{}' | wc -c", "\"".repeat(59_000));
    assert_eq!(said(json!({ "command": longest })), "59001\n");
}

#[test]
fn without_walls_nothing_runs_unless_accepted() {
    let place = Place::new();
    let shell = |demand| Shell::new(ShellSetup { demand, program: without_namespaces(&place), ..place.setup() });
    let said = text(&run(&shell(Demand::Whole), "echo ran"));
    assert!(said.starts_with("PERMISSION_DENIED: this machine cannot put all walls around a command"), "{said}");
    assert!(said.contains("user namespaces") && said.ends_with("--permission full accepts that."), "{said}");
    let said = probe(&without_namespaces(&place)).missing().unwrap();
    assert!(said.starts_with("user namespaces (protected files, network, end of all processes): "), "{said}");

    let accepted = shell(Demand::AsFarAsPossible);
    assert_eq!(text(&run(&accepted, "echo ran")), "ran\n");
    let outside = place.path("outside/new");
    let left = format!("echo x > {}; setsid nohup sleep 987657 >/dev/null 2>&1 & sleep 0.3", outside.display());
    run(&accepted, &left);
    assert!(!outside.exists(), "Landlock holds alone");
    let late = accepted.run(&json!({ "command": "(setsid sleep 987657 &) ; sleep 987657", "timeout": 500 }), &|| false);
    assert!(text(&late).starts_with("TIMEOUT"), "{}", text(&late));
    assert_eq!(processes_with(&["987657"]), [0_u32; 0], "found one by one");
}

/// Our program on a machine that has no namespaces: in one that may not have others in it.
fn without_namespaces(place: &Place) -> PathBuf {
    let script = place.path("without-namespaces");
    let inside = program();
    let enter = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$0\" \"$@\"";
    fs::write(&script, format!("#!/bin/sh\nexec unshare -Ur sh -c '{enter}' {} \"$@\"\n", inside.display())).unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    script
}
