//! How long our client takes to the first byte of an answer, beside curl: the same bodies to the same scripted server on
//! this machine, in turn. What the server and the loopback take is in both.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use lookback_engine::card::Cards;
use lookback_models::{Client, Endpoint, Model, Progress, Request, script::Script};
use lookback_upstream::{Upstream, UpstreamOptions};
use lookback_wire::Provider;

use crate::{
    figures::{Samples, rounded},
    scale::Scale,
    table::Table,
};

const CARD: &str = include_str!("../../prices/openai.toml");
/// Of larger bodies curl says as first byte when it began to send, which cannot be compared.
const SIZES: [usize; 2] = [1_000, 40_000];

pub(crate) fn measure(scale: &Scale) -> Result<Vec<Table>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // The server has a thread of its own, so that it answers while we or curl wait.
    let server = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let script = Script::parse("[[step]]\ntext = \"ready\"\n")?;
    let options = UpstreamOptions::new("bench", script, Cards::parse(CARD)?);
    let running = server.block_on(Upstream::start(options))?;
    let directory = tempfile::tempdir()?;
    let mut table = Table::new(
        "First byte",
        "From sending a streaming Chat request to the first byte of its answer, by a script behind the test upstream on \
         this machine. \"Ours\" is `Client::send` to the first delta, parsed; \"curl\" is its own `time_starttransfer`, \
         without the start of its process. In turn, medians, ms; ratios above 1 are slower than curl.",
        &["body", "connection", "ours ms", "p95", "curl ms", "p95", "ours / curl"],
    );
    for size in SIZES {
        let body = body(size);
        let file = directory.path().join("body.json");
        fs::write(&file, &body)?;
        for connection in [Connection::New, Connection::Kept] {
            let (mut ours, mut curls) = (Samples::default(), Samples::default());
            let mut model = model(&running.base_url())?;
            for _ in 0..scale.first_bytes {
                if connection == Connection::New {
                    model = self::model(&running.base_url())?;
                }
                ours.push(runtime.block_on(first_byte(&model, &body))?);
                curls.push(curl(&running.base_url(), &file, connection)?);
            }
            table.row([
                format!("{} kB", size / 1_000),
                connection.name().to_owned(),
                rounded(ours.median() * 1e3),
                rounded(ours.p95() * 1e3),
                rounded(curls.median() * 1e3),
                rounded(curls.p95() * 1e3),
                format!("{:.2}×", ours.median() / curls.median()),
            ]);
        }
    }
    Ok(vec![table])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Connection {
    New,
    Kept,
}

impl Connection {
    fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Kept => "kept",
        }
    }
}

fn model(url: &str) -> Result<Model> {
    Ok(Model::Http(Client::new(Endpoint::new(Provider::Chat, url))?))
}

fn body(size: usize) -> Vec<u8> {
    let text = "words of a prompt that nobody reads ".repeat(size / 36);
    let body = serde_json::json!({
        "model": "gpt-5.6",
        "stream": true,
        "max_completion_tokens": 16,
        "messages": [{ "role": "user", "content": text }],
    });
    body.to_string().into_bytes()
}

async fn first_byte(model: &Model, body: &[u8]) -> Result<Duration> {
    let request = Request { api: Provider::Chat, body: body.to_vec() };
    let start = Instant::now();
    let mut answering = model.send(request);
    let mut first = None;
    while let Some(progress) = answering.next().await? {
        if matches!(progress, Progress::Delta(_)) {
            first = first.or(Some(start.elapsed()));
        }
    }
    first.context("an answer without content")
}

/// Over a kept connection the second of two requests counts.
fn curl(url: &str, body: &Path, connection: Connection) -> Result<Duration> {
    let url = format!("{url}/chat/completions");
    let mut command = Command::new("curl");
    command.args(["-s", "-S", "-N", "-o", "/dev/null", "-H", "content-type: application/json", "-H", "expect:"]);
    command.arg("--data-binary").arg(format!("@{}", body.display()));
    command.args(["-w", "%{time_starttransfer}\n", &url]);
    if connection == Connection::Kept {
        command.args(["-o", "/dev/null", &url]);
    }
    let output = command.output().context("curl does not run: install it to compare with it")?;
    if !output.status.success() {
        bail!("curl: {}", String::from_utf8_lossy(&output.stderr));
    }
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let seconds = printed.lines().last().and_then(|line| line.parse().ok());
    seconds.map(Duration::from_secs_f64).context("curl says no time")
}
