//! The file of requests: one JSON object a line, written at once, so that a test can read it while the server runs.

use std::{
    fs::File,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, Result};
use lookback_upstream::Logged;
use serde_json::{Value, json};

use super::line::endpoint;

pub(super) struct Log(Mutex<File>);

impl Log {
    pub(super) fn create(path: &Path) -> Result<Self> {
        // What agents send is as private as what is stored.
        let file = File::options().write(true).create(true).truncate(true).mode(0o600).open(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(Mutex::new(file)))
    }

    pub(super) fn append(&self, logged: &Logged) -> io::Result<()> {
        let body: Value = serde_json::from_slice(&logged.body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&logged.body).into_owned()));
        let usage = logged.counted.as_ref();
        let line = json!({
            "api": endpoint(logged.api),
            "place": logged.place.map(|place| place.to_string()),
            "status": logged.status,
            "uncached": usage.map(|usage| usage.uncached),
            "cached": usage.map(|usage| usage.cached),
            "written": usage.map(|usage| usage.written),
            "fault": logged.fault.map(|fault| fault.to_string()),
            "refusal": logged.refusal,
            "body": body,
        });
        // Written out first: piece by piece into the file, a large body kept all others waiting for seconds.
        let line = format!("{line}\n");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        thread,
        time::{Duration, Instant},
    };

    use lookback_wire::Provider;

    use super::*;

    fn logged(body: Vec<u8>) -> Logged {
        let (place, counted, refusal, fault) = (None, None, Some("no".to_owned()), None);
        Logged { api: Provider::Anthropic, place, counted, status: 400, refusal, fault, body: body.into() }
    }

    #[test]
    fn a_large_body_delays_no_small_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = Log::create(&folder.path().join("log")).expect("a log");
        let begun = Instant::now();
        thread::scope(|scope| {
            let large = scope.spawn(|| {
                log.append(&logged(b"[\"\n".repeat(4 << 20))).expect("written");
                begun.elapsed()
            });
            let mut longest = Duration::ZERO;
            while !large.is_finished() {
                let asked_at = Instant::now();
                log.append(&logged(b"{}".to_vec())).expect("written");
                longest = longest.max(asked_at.elapsed());
                thread::sleep(Duration::from_millis(1));
            }
            let whole = large.join().expect("written");
            assert!(longest < whole / 2, "somebody else waited {longest:?} of {whole:?}");
        });
    }
}
