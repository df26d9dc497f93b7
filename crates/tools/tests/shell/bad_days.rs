//! Too much output, output that is no text, disks that are full or read-only.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use lookback_engine::trace::{NoBlobs, Output, Status};
use lookback_tools::{Shell, ShellSetup, sandbox::Demand};
use serde_json::json;

use crate::place::{Place, code, run, text};

/// Of this process, in bytes: what it holds now, and the most it ever held.
fn resident(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn a_gigabyte_of_output_is_kept_in_part_and_never_in_memory() {
    let place = Place::new();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let theirs = Arc::clone(&kept);
    let shell = Shell::new(ShellSetup {
        keep: Some(Box::new(move |hash, length, bytes| {
            let counted = std::io::copy(bytes, &mut std::io::sink())?;
            theirs.lock().unwrap().push((hash, length, counted));
            Ok(())
        })),
        ..place.setup()
    });
    let before = resident("VmRSS");
    let command = "echo first; head -c 1G /dev/zero | tr '\\0' '\\n'; echo last";
    let result = shell.run(&json!({ "command": command, "timeout": 300_000 }), &|| false);
    assert!(resident("VmHWM") - before.min(resident("VmHWM")) < 100 << 20, "{} {}", before, resident("VmHWM"));
    assert_eq!((result.status, code(&result)), (Status::Partial, Some(0)), "{}", result.stats.as_ref().unwrap());
    let (all, limit) = ((1 << 30) + 11, 256 << 20);
    assert_eq!(result.stats.as_ref().unwrap()["output_bytes"], all);
    assert_eq!(result.stats.as_ref().unwrap()["dropped_bytes"], all - limit);
    let shown = result.text.bytes(&NoBlobs).unwrap();
    assert!(shown.len() < 3 << 20 && shown.windows(6).any(|word| word == b"first\n"));
    let end =
        format!("last\n[of {all} bytes {} in the middle were not kept: write such output to a file]", all - limit);
    assert!(shown.ends_with(end.as_bytes()));
    let (hash, length, counted) = kept.lock().unwrap()[0];
    assert_eq!((length, counted), (limit, limit));
    assert_eq!(result.as_came.unwrap().raw, Some(Output::Blob { hash, len: limit }));
}

#[test]
fn what_is_no_text_stays_as_it_is() {
    let place = Place::new();
    let result = run(&place.shell(), "printf 'a\\377\\200b\\n\\0'");
    assert_eq!(&*result.text.bytes(&NoBlobs).unwrap(), b"a\xff\x80b\n\0");
}

#[test]
fn a_project_that_cannot_be_written_can_be_read() {
    let place = Place::new();
    fs::write(place.path("project/file"), "content").unwrap();
    let mut setup = place.setup();
    setup.policy.protect.push(place.path("project/file"));
    let result = run(&Shell::new(setup), "cat file; echo x > file");
    assert!(text(&result).contains("content") && text(&result).contains("Read-only file system"), "{}", text(&result));
}

#[test]
fn a_full_disk_is_said_and_nothing_breaks() {
    let place = Place::new();
    let setup = ShellSetup { demand: Demand::Whole, ..place.setup() };
    let shell = Shell::new(setup);
    // A file that takes nothing, as a full disk does.
    let result = run(&shell, "echo x > /dev/full; echo still here");
    assert!(text(&result).contains("No space left on device") && text(&result).contains("still here"));
}
