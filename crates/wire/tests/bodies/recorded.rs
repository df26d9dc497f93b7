//! Bodies that clients sent, from a folder that is not part of this repository; and small ones in their shape, which are.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a test reads bodies from files and says where it found none"
)]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use lookback_wire::Provider;

#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) name: String,
    pub(crate) provider: Provider,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn all() -> Vec<Recorded> {
    let mut all = fixtures();
    let folder = shared().join("clients/bodies");
    let Ok(clients) = fs::read_dir(&folder) else {
        println!(
            "SKIPPED: no recorded bodies of real clients: set LOOKBACK_SHARED to the folder that has clients/bodies"
        );
        return all;
    };
    for client in clients {
        let client = client.expect("the folder is readable").path();
        let api = client.file_name().and_then(|name| name.to_str()).and_then(|name| name.rsplit_once('-'));
        let (_, api) = api.expect("a folder is named CLIENT-API");
        let provider = api.parse().expect("a folder is named after an API");
        for path in files(&client, ".body.zst") {
            let packed = fs::read(&path).expect("the body is readable");
            let bytes = zstd::decode_all(&packed[..]).expect("the body is zstd");
            all.push(Recorded { name: path.display().to_string(), provider, bytes });
        }
    }
    println!("{} recorded bodies", all.len());
    all
}

/// `CLIENT-API.json`.
pub(crate) fn fixtures() -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/bodies");
    files(&folder, ".json")
        .into_iter()
        .map(|path| {
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name").to_owned();
            let provider = name.rsplit('-').next().and_then(|api| api.parse().ok()).expect("named CLIENT-API");
            Recorded { name, provider, bytes: fs::read(&path).expect("the fixture is readable") }
        })
        .collect()
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}

fn shared() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    env::var_os("LOOKBACK_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from)
}
