//! What Bash and Job do for whoever calls them rightly.

use std::time::{Duration, Instant};

use lookback_engine::trace::Status;
use lookback_tools::sandbox::probe;
use serde_json::json;

use crate::place::{Place, code, data, program, run, text};

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
