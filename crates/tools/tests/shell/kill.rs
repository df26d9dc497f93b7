//! Whoever started a command dies, or lets go of it: nothing is left.

use std::{
    fs,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::place::{Place, data, processes_with, text};

/// Processes of this machine, zombies aside, that hold this word among their arguments or their environment.
fn marked(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().map(|one| one.unwrap().path());
    let holds = |file| fs::read(file).is_ok_and(|bytes| bytes.windows(mark.len()).any(|word| word == mark.as_bytes()));
    processes.filter(|process| holds(process.join("environ"))).count()
}

/// Not a test: the one that is killed. Starts commands in front and in the background, and waits.
#[test]
#[ignore = "started by the test below"]
fn killed_one() {
    if std::env::var_os("LOOKBACK_MARKED").is_none() {
        return;
    }
    let place = Place::new();
    let shell = place.shell();
    for command in ["sleep 500", "setsid nohup sleep 500 & (sleep 501 &) ; trap '' TERM HUP; sleep 502"] {
        shell.run(&json!({ "command": command, "background": true }), &|| false);
    }
    shell.run(&json!({ "command": "setsid sleep 503; sleep 504" }), &|| false);
}

#[test]
fn two_seconds_after_its_death_nothing_is_left() {
    let place = Place::new();
    let mark = place.path("outside/mark");
    fs::create_dir(place.path("temp")).unwrap();
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::killed_one", "--ignored", "--nocapture"])
        .env("LOOKBACK_MARKED", &mark)
        .env("TMPDIR", place.path("temp"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    // The parent, three supervisors, three first processes, and what they run.
    while marked(mark.to_str().unwrap()) < 12 {
        assert!(began.elapsed() < Duration::from_secs(30), "it never began");
        sleep(Duration::from_millis(20));
    }
    parent.kill().unwrap();
    parent.wait().unwrap();
    sleep(Duration::from_secs(2));
    assert_eq!(marked(mark.to_str().unwrap()), 0);
    assert_eq!(fs::read_dir(place.path("temp")).unwrap().count(), 0, "nor their private folder");
}

#[test]
fn a_supervisor_that_is_killed_takes_all_with_it() {
    let place = Place::new();
    let shell = place.shell();
    let command = "setsid nohup sleep 987658 & touch begun; sleep 987658";
    let killed = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !place.path("project/begun").exists() {
                sleep(Duration::from_millis(20));
            }
            let supervisor = processes_with(&["\"Supervisor\"", "987658"]);
            assert_eq!(supervisor.len(), 1);
            kill_process(Pid::from_raw(supervisor[0].cast_signed()).unwrap(), Signal::KILL).unwrap();
        });
        shell.run(&json!({ "command": command, "timeout": 30_000 }), &|| false)
    });
    assert!(
        text(&killed).starts_with("EXECUTION_ERROR: it was not run to its end: its supervisor was killed"),
        "{}",
        text(&killed)
    );
    assert_eq!(processes_with(&["987658"]), [0_u32; 0]);
}

#[test]
fn a_time_out_ends_the_whole_tree() {
    let place = Place::new();
    let shell = place.shell();
    let command = "echo begun; setsid nohup sleep 987654 & (trap '' TERM; sleep 987655)";
    let result = shell.run(&json!({ "command": command, "timeout": 700 }), &|| false);
    assert!(text(&result).starts_with("TIMEOUT: not over after 0.7 s") && text(&result).contains("begun"));
    assert!(data(&result).timed_out);
    assert_eq!([processes_with(&["987654"]), processes_with(&["987655"])].concat(), [0_u32; 0]);
}

#[test]
fn dropping_the_shell_ends_its_jobs() {
    let place = Place::new();
    let shell = place.shell();
    let result = shell.run(&json!({ "command": "setsid sleep 987656", "background": true }), &|| false);
    assert!(text(&result).starts_with("job-1 runs in the background"));
    drop(shell);
    assert_eq!(processes_with(&["987656"]), [0_u32; 0]);
}
