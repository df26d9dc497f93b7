//! A real model writes a real file. Slow (minutes on two cores, 1.1 GB the first time), so not on CI:
//!
//! ```text
//! LOOKBACK_LOCAL_MODEL=start cargo test -p lookback --test commands ran::real_model -- --ignored
//! ```
//!
//! `LOOKBACK_LOCAL_MODEL=http://…/v1` takes a server that runs, with the model `qwen1.5b` of `.ci/local-model`.

use std::{
    env,
    path::Path,
    process::{ChildStdin, Command, Stdio},
};

use super::{Project, newest};
use crate::person::Person;

/// Its address, and the pipe that keeps it alive where it was started here.
fn server() -> (String, Option<ChildStdin>) {
    match env::var("LOOKBACK_LOCAL_MODEL").as_deref() {
        Ok(url) if url.starts_with("http") => (url.to_owned(), None),
        Ok("start") => {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/local-model/run");
            let mut child = Command::new(script)
                .args(["up", "--attached", "--model", "qwen1.5b"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("bash runs .ci/local-model/run");
            let keep_alive = child.stdin.take();
            let said = String::from_utf8(child.wait_with_output().expect("an end").stdout).expect("text");
            let url = said.lines().find_map(|line| line.strip_prefix("LM_URL=")).expect("it says why above").to_owned();
            (url, keep_alive)
        }
        _ => panic!("LOOKBACK_LOCAL_MODEL=start, or the URL of a server up to /v1"),
    }
}

#[test]
#[ignore = "minutes, and 1.1 GB the first time: see the head of this file"]
fn a_small_model_creates_one_file() {
    let project = Project::empty();
    std::fs::create_dir(project.path().join(".git")).expect("a folder");
    let (url, _keep_alive) = server();
    let task = "Create one file hello.txt with the content: hello";
    let model = ["--base-url", &url, "--model", "llamacpp/qwen1.5b", "--max-steps", "6"];
    let said = Person::said(project.command(&[&["run"], &model[..], &[task]].concat()).output());
    // How it ends after that is its own business: small models seldom know when to stop.
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}{}", said.out, said.err);
    assert!(said.err.contains(" Write "), "no call of Write: {}{}", said.out, said.err);
    assert_eq!(project.read("hello.txt").trim(), "hello", "{}", said.err);
    let trace = project.person.run(&["show", &newest(&project), "--trace", "--json"]);
    assert!(trace.out.contains("\"tool_result\"") && trace.out.contains("hello.txt"), "it is stored: {}", trace.out);
}
