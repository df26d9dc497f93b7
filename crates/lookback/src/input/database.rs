//! opencode's database, in which newer versions keep what older ones kept in folders. Read and never written, not even by
//! SQLite's own files beside it. Put together a session is what `opencode export` writes.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result, bail, ensure};
use lookback_replay::import::DOCUMENT_LIMIT;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, types::ValueRef};

use super::document::Document;
use crate::screen;

const MAGIC: &[u8] = b"SQLite format 3\0";

/// What is read of it. Everything else may be as it likes.
const NEEDED: [(&str, &[&str]); 3] = [
    ("session", &["id", "parent_id", "directory", "time_updated"]),
    ("message", &["id", "session_id", "time_created", "data"]),
    ("part", &["id", "message_id", "data"]),
];

/// Where later versions keep sessions; what they have in it is not known here.
const NEWER: &str = "session_v2";

/// A session in it.
pub(super) struct Session {
    pub(super) id: String,
    /// A sub-agent's has a session that it works for.
    pub(super) is_main: bool,
    pub(super) updated: Option<SystemTime>,
}

pub(super) fn is_database(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == MAGIC
}

/// All sessions, in the order of their ids.
pub(super) fn sessions(path: &Path) -> Result<Vec<Session>> {
    let read = || -> Result<Vec<Session>> {
        let connection = open(path)?;
        let sql = "SELECT id, parent_id IS NULL, time_updated FROM session ORDER BY id";
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            let updated = row.get::<_, i64>(2).ok().and_then(|time| u64::try_from(time).ok());
            let updated = updated.and_then(|time| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(time)));
            Ok(Session { id: row.get(0)?, is_main: row.get(1)?, updated })
        })?;
        let sessions = rows.collect::<Result<_, _>>()?;
        if let Some(newer) = newer(&connection) {
            screen::remark(&format!(
                "{}: {} of a newer opencode (table {NEWER}) are not read; `opencode export ID > FILE.json` writes one to a file",
                path.display(),
                screen::counted(newer, "session")
            ));
        }
        Ok(sessions)
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Those that only a table of a later version has.
fn newer(connection: &Connection) -> Option<u64> {
    let count = format!("SELECT count(*) FROM {NEWER} WHERE id NOT IN (SELECT id FROM session)");
    connection.query_row(&count, [], |row| row.get(0)).ok().filter(|newer| *newer > 0)
}

/// The document of one session.
pub(super) fn assemble(path: &Path, session: &str) -> Result<Document> {
    let read = || -> Result<Document> {
        let connection = open(path)?;
        // One moment of it, while opencode goes on.
        connection.execute_batch("BEGIN")?;
        let sql = "SELECT directory FROM session WHERE id = ?1";
        let directory = connection.query_row(sql, [session], |row| Ok(row.get::<_, String>(0).ok())).optional()?;
        let directory = directory.with_context(|| format!("there is no session {session}"))?;
        // Looked at before anything is read: SQLite knows the sizes without the texts. With what stands between them.
        let sql = "SELECT (SELECT total(octet_length(data) + 32) FROM message WHERE session_id = ?1) + (SELECT \
                   total(octet_length(data) + 1) FROM part WHERE message_id IN (SELECT id FROM message WHERE session_id = ?1))";
        let size: f64 = connection.query_row(sql, [session], |row| row.get(0))?;
        ensure!(size <= DOCUMENT_LIMIT as f64, "session {session} is larger than {} MB", DOCUMENT_LIMIT >> 20);
        let info = serde_json::json!({ "id": session, "directory": directory });
        let mut document = Document::begin(info.to_string().as_bytes());
        let sql = "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id";
        let mut messages = connection.prepare(sql)?;
        let mut messages = messages.query([session])?;
        // In the order of their messages, in one go: a table without an index is not read again for each of them.
        let sql = "SELECT message.id, part.data, part.id FROM part JOIN message ON message.id = part.message_id \
                   WHERE message.session_id = ?1 ORDER BY message.time_created, message.id, part.id";
        let mut parts = connection.prepare(sql)?;
        let mut parts =
            parts.query_map([session], |row| Ok((row.get::<_, String>(0)?, bytes(row)?, row.get::<_, String>(2)?)))?;
        let mut part = parts.next().transpose()?;
        while let Some(message) = messages.next()? {
            let id: String = message.get(0)?;
            document.message(&id, &bytes(message)?);
            while let Some((_, data, name)) = part.take_if(|(of, ..)| *of == id) {
                document.part(&name, &data);
                part = parts.next().transpose()?;
            }
        }
        Ok(document.end())
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Whatever stands there: nothing where there is nothing.
fn bytes(row: &Row<'_>) -> rusqlite::Result<Vec<u8>> {
    Ok(match row.get_ref(1)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => Vec::new(),
    })
}

/// Without a log beside it nobody writes to it, and SQLite is told to make no files of its own there.
fn open(path: &Path) -> Result<Connection> {
    let beside = |ending: &str| {
        let mut name = OsString::from(path);
        name.push(ending);
        PathBuf::from(name)
    };
    let is_written = fs::metadata(beside("-wal")).is_ok_and(|log| log.len() > 0);
    let how = if is_written { "mode=ro" } else { "mode=ro&immutable=1" };
    let whole = path.canonicalize()?;
    let name = whole.to_str().context("its path is no text")?;
    // As an address: what would mean something in one is written by its number.
    let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("file:{name}?{how}"), flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    check(&connection)?;
    Ok(connection)
}

/// Whether what is read of it is there.
fn check(connection: &Connection) -> Result<()> {
    for (table, columns) in NEEDED {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let found = statement.query_map([table], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        let missing = columns.iter().find(|column| !found.iter().any(|found| found == *column));
        let Some(column) = missing else { continue };
        let lacks = if found.is_empty() { format!("table {table}") } else { format!("column {table}.{column}") };
        bail!(
            "it is a database, and none of opencode's that is known here: it has no {lacks} (its schema: {}); \
             `opencode export ID > FILE.json` writes a session to a file",
            schema(connection)
        );
    }
    Ok(())
}

/// By the last migration where it says so, else by its tables.
fn schema(connection: &Connection) -> String {
    let newest = "SELECT id FROM migration ORDER BY time_completed DESC, id DESC LIMIT 1";
    if let Ok(migration) = connection.query_row(newest, [], |row| row.get::<_, String>(0)) {
        return format!("migration {migration}");
    }
    let tables = "SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1 LIMIT 20)";
    let tables = connection.query_row(tables, [], |row| row.get::<_, Option<String>>(0)).ok().flatten();
    tables.map_or("no tables".to_owned(), |tables| format!("tables {tables}"))
}
