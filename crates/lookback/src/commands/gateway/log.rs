//! What a gateway says while it works: one JSON object a line, in `gateway.log` beside the sessions.
//!
//! Only our own crates are heard. What others say may hold headers, and headers hold keys.

use std::{
    env,
    fmt::{self, Write as _},
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span,
};

use crate::home;

/// Of which two files are kept.
const LARGEST: u64 = 8 << 20;
const OURS: &str = "lookback";

/// From now on everything is written there. `LOOKBACK_LOG` says how much: off, error, warn, info, debug or trace.
pub(super) fn start(home: &Path) -> Result<()> {
    let level = match env::var("LOOKBACK_LOG").unwrap_or_default().as_str() {
        "" => LevelFilter::INFO,
        said => match said.parse() {
            Ok(level) => level,
            Err(_) => bail!("LOOKBACK_LOG is \"{said}\": choose off, error, warn, info, debug or trace"),
        },
    };
    let path = home::own(home, "gateway.log")?;
    let file = open(&path).with_context(|| format!("cannot write {}", path.display()))?;
    // Whoever was first goes on.
    let _ = tracing::subscriber::set_global_default(Log { level, path, file: Mutex::new(file) });
    Ok(())
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

struct Log {
    level: LevelFilter,
    path: PathBuf,
    file: Mutex<File>,
}

impl Log {
    /// Another process may write to the same file: a line is one write, and whoever finds it full puts it aside.
    fn write(&self, line: &str) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.metadata()?.len() >= LARGEST {
            *file = open(&self.path)?;
            if file.metadata()?.len() >= LARGEST {
                fs::rename(&self.path, self.path.with_extension("log.1"))?;
                *file = open(&self.path)?;
            }
        }
        file.write_all(line.as_bytes())
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with(OURS)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(Map::new());
        let metadata = event.metadata();
        let level = match *metadata.level() {
            Level::ERROR => "error",
            Level::WARN => "warn",
            Level::INFO => "info",
            Level::DEBUG => "debug",
            Level::TRACE => "trace",
        };
        fields.0.insert("at".to_owned(), jiff::Timestamp::now().to_string().into());
        fields.0.insert("level".to_owned(), level.into());
        fields.0.insert("target".to_owned(), metadata.target().into());
        event.record(&mut fields);
        // There is nobody to tell that nothing can be told.
        let _ = self.write(&format!("{}\n", Value::Object(fields.0)));
    }

    // Nothing here is told by spans.
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// The fields of an event as JSON.
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = String::new();
        // Writing to a text cannot fail.
        let _ = write!(text, "{value:?}");
        self.0.insert(field.name().to_owned(), text.into());
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}
