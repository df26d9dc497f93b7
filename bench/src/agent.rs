//! The agent as a person starts it: how long until its first request goes out, and what memory a long session takes.
//! The program is started as it is; what it sends arrives at a server in this process.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use lookback_engine::card::Cards;
use lookback_models::script::Script;
use lookback_upstream::{Upstream, UpstreamOptions};
use tempfile::TempDir;

use crate::{
    figures::{Samples, megabytes, rounded, thousands, verdict},
    scale::Scale,
    table::Table,
};

const CARD: &str = include_str!("../../prices/openai.toml");
const MODEL: &str = "openai/gpt-5.6";
/// From the start of the process to its first request, in seconds, where it was started before.
const START_TARGET: f64 = 0.050;
/// Of a session of 1,000 steps.
const MEMORY_TARGET: u64 = 60_000_000;
/// Longer is a hang, not a figure.
const PATIENCE: Duration = Duration::from_secs(20);

/// A project, a home for sessions, and the program.
struct Place {
    folder: TempDir,
    program: PathBuf,
}

impl Place {
    fn new(program: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::create_dir_all(folder.path().join("project/.git"))?;
        let lines: String = (0..40_000).map(|line| format!("line {line} of a file that somebody reads\n")).collect();
        fs::write(folder.path().join("project/long.txt"), lines)?;
        Ok(Self { folder, program: program.canonicalize().context("no such program")? })
    }

    fn run(&self, base_url: &str) -> Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(["run", "--model", MODEL, "--base-url", base_url, "read all of it"]);
        command.current_dir(self.folder.path().join("project"));
        command.env("LOOKBACK_HOME", self.folder.path().join("home")).env("OPENAI_API_KEY", "sk-nobody-0123456789");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().context("the program does not start")
    }
}

pub(crate) fn measure(scale: &Scale, programs: &[PathBuf]) -> Result<Vec<Table>> {
    let note = format!(
        "`lookback run` from the start of its process until its first request arrives at a server on this machine, ms: the \
         first time (a new store, the sandbox tried), then {} times. Beside it a start that does nothing, `--version`. \
         Target: below {} ms warm.",
        scale.starts,
        START_TARGET * 1e3
    );
    let columns = ["program", "first", "warm, median", "p95", "--version", "warm / --version", "target"];
    let mut starts = Table::new("Start to first request", note, &columns);
    let note = format!(
        "`lookback run` over {} steps that each read other lines of a file, every answer by HTTP: its largest resident set. \
         Target: below {} MB.",
        thousands(scale.agent_steps as u64),
        megabytes(MEMORY_TARGET)
    );
    let mut memory = Table::new("Memory of an agent", note, &["program", "steps", "largest MB", "seconds", "target"]);
    for program in programs {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        crate::progress(&format!("starting {name}"));
        let (first, warm, nothing) = start(scale, program)?;
        starts.row([
            name.clone(),
            rounded(first.as_secs_f64() * 1e3),
            rounded(warm.median() * 1e3),
            rounded(warm.p95() * 1e3),
            rounded(nothing.median() * 1e3),
            format!("{:.1}×", warm.median() / nothing.median()),
            verdict(warm.median() < START_TARGET),
        ]);
        crate::progress(&format!("a long session of {name}"));
        let began = Instant::now();
        let largest = long_session(scale.agent_steps, program)?;
        memory.row([
            name,
            thousands(scale.agent_steps as u64),
            megabytes(largest),
            rounded(began.elapsed().as_secs_f64()),
            verdict(largest < MEMORY_TARGET),
        ]);
    }
    Ok(vec![starts, memory])
}

fn start(scale: &Scale, program: &Path) -> Result<(Duration, Samples, Samples)> {
    let place = Place::new(program)?;
    let (address, arrived) = refusing_server()?;
    let (mut first, mut warm, mut nothing) = (None, Samples::default(), Samples::default());
    for _ in 0..=scale.starts {
        let began = Instant::now();
        let mut child = place.run(&address)?;
        let took = arrived.recv_timeout(PATIENCE).context("no request came")?.duration_since(began);
        child.wait()?;
        match first {
            None => first = Some(took),
            Some(_) => warm.push(took),
        }
        let began = Instant::now();
        Command::new(program).arg("--version").stdout(Stdio::null()).status()?;
        nothing.push(began.elapsed());
    }
    Ok((first.unwrap_or_default(), warm, nothing))
}

/// Says when the first bytes of each request came, and refuses it in a way that nobody tries again.
fn refusing_server() -> Result<(String, Receiver<Instant>)> {
    const REFUSED: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/v1", listener.local_addr()?);
    let (tell, arrived) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 64 << 10];
            // Whoever measures is gone where nobody hears.
            if stream.read(&mut bytes).is_ok_and(|read| read > 0) && tell.send(Instant::now()).is_err() {
                return;
            }
            let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
            while stream.read(&mut bytes).is_ok_and(|read| read > 0) {}
            let _ = stream.write_all(REFUSED.as_bytes());
        }
    });
    Ok((address, arrived))
}

/// Its largest resident set, in bytes.
fn long_session(steps: usize, program: &Path) -> Result<u64> {
    let mut script = String::new();
    for step in 0..steps {
        let first = step * 30 + 1;
        script.push_str(&format!(
            "[[step]]\ntext = \"Lines from {first} on.\"\ncalls = [{{ name = \"Read\", arguments = {{ path = \"long.txt\", \
             offset = {first}, limit = 30 }} }}]\n"
        ));
    }
    script.push_str("[[step]]\ntext = \"All of it is read.\"\n");
    let server = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let options = UpstreamOptions::new("bench", Script::parse(&script)?, Cards::parse(CARD)?);
    let running = server.block_on(Upstream::start(options))?;
    let place = Place::new(program)?;
    let mut child = place.run(&running.base_url())?;
    let mut largest = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        largest = crate::memory::most_of(child.id()).unwrap_or(largest);
        thread::sleep(Duration::from_millis(10));
    };
    ensure!(status.success(), "a session of {steps} steps ended with {status}");
    Ok(largest)
}
