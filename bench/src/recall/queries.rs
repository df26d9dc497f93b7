//! Recall by words, over all sessions and in one.

use std::path::Path;

use anyhow::Result;
use lookback_engine::trace::SessionId;
use lookback_store::Store;

use super::{
    TARGET,
    fill::{Filled, planted, probe_name, session_name},
};
use crate::{
    disk,
    figures::{Samples, milliseconds, timed, verdict},
    random::Random,
    scale::Scale,
    table::Table,
    text::{COMMON, Vocabulary},
};

/// What a model is shown of a search.
const LIMIT: usize = 20;

/// Each query so many times in an open store.
const REPEATS: usize = 3;

/// How many of each kind run after the file was dropped from the page cache.
const UNCACHED: usize = 3;

type Asked = (String, Option<SessionId>);

pub(super) fn measure(scale: &Scale, home: &Path, vocabulary: &Vocabulary, filled: &Filled) -> Result<Table> {
    let note = format!(
        "{} different queries of each kind, at most {LIMIT} hits. \"Open store\" is the search alone, \"fresh\" with a \
         `Store::open` before it, \"uncached\" that with the database dropped from the page cache (median of {UNCACHED}). \
         Milliseconds; target: the p95 of a fresh one below {} ms.",
        scale.queries,
        milliseconds(TARGET)
    );
    let columns =
        ["query, where", "hits", "open store", "p95", "max", "fresh", "p95", "max", "uncached", "slowest", "target"];
    let mut table = Table::new("Recall by words", note, &columns);
    crate::progress("searching");
    let fillers = filled.sessions - scale.probes.len();
    for (kind, queries) in kinds(scale, vocabulary, fillers) {
        for (place, asked) in places(scale, &queries, fillers) {
            let store = Store::open(home)?;
            let (mut open, mut fresh, mut uncached) = (Samples::default(), Samples::default(), Samples::default());
            let (mut hits, mut slowest) = (Vec::new(), (0.0, ""));
            disk::remember(home)?;
            for (query, session) in &asked {
                let (found, took) = timed(|| search(home, query, session.as_ref()));
                fresh.push(took);
                hits.push(found?);
                if took.as_secs_f64() > slowest.0 {
                    slowest = (took.as_secs_f64(), query);
                }
            }
            for (query, session) in asked.iter().cycle().take(asked.len() * REPEATS) {
                let (found, took) = timed(|| store.search(query, session.as_ref(), LIMIT));
                found?;
                open.push(took);
            }
            for (query, session) in asked.iter().take(UNCACHED) {
                disk::forget(home)?;
                let (found, took) = timed(|| search(home, query, session.as_ref()));
                found?;
                uncached.push(took);
            }
            hits.sort_unstable();
            table.row([
                format!("{kind}, {place}"),
                hits[hits.len() / 2].to_string(),
                milliseconds(open.median()),
                milliseconds(open.p95()),
                milliseconds(open.max()),
                milliseconds(fresh.median()),
                milliseconds(fresh.p95()),
                milliseconds(fresh.max()),
                milliseconds(uncached.median()),
                format!("`{}`", slowest.1),
                verdict(fresh.p95() < TARGET),
            ]);
        }
    }
    Ok(table)
}

fn search(home: &Path, query: &str, session: Option<&SessionId>) -> Result<usize> {
    Ok(Store::open(home)?.search(query, session, LIMIT)?.len())
}

/// Everywhere; in the sessions where the n-th query belongs; in the longest session.
fn places(scale: &Scale, queries: &[(String, usize)], fillers: usize) -> [(&'static str, Vec<Asked>); 3] {
    let longest = scale.probes.iter().copied().max().unwrap_or(0);
    let each = |session: &dyn Fn(usize) -> Option<SessionId>| -> Vec<Asked> {
        queries.iter().map(|(query, number)| (query.clone(), session(*number))).collect()
    };
    [
        ("all sessions", each(&|_| None)),
        ("one session", each(&|number| Some(session_name(number % fillers.max(1))))),
        ("the longest session", each(&|_| Some(probe_name(longest)))),
    ]
}

/// Queries with the number of the session to look in.
fn kinds(scale: &Scale, vocabulary: &Vocabulary, fillers: usize) -> Vec<(&'static str, Vec<(String, usize)>)> {
    let mut random = Random::new(11);
    let mut make = |query: &dyn Fn(usize, &mut Random) -> String| -> Vec<(String, usize)> {
        (0..scale.queries)
            .map(|place| {
                let session = place * fillers / scale.queries;
                (query(session, &mut random), session)
            })
            .collect()
    };
    let words = &vocabulary.words;
    let common = |random: &mut Random| (*random.pick(&COMMON)).to_owned();
    let middling = |random: &mut Random| words[random.between(100, 2_000)].clone();
    vec![
        ("rare identifier", make(&|session, _| planted(session))),
        ("common word", make(&|_, random| common(random))),
        ("Chinese word", make(&|_, random| vocabulary.chinese[random.below(200)].clone())),
        ("path", make(&|_, random| random.pick(&vocabulary.paths).clone())),
        ("two common words", make(&|_, random| format!("{} {}", common(random), common(random)))),
        ("common and rarer word", make(&|_, random| format!("{} {}", common(random), middling(random)))),
        ("two rarer words", make(&|_, random| format!("{} {}", middling(random), middling(random)))),
        ("prefix", make(&|_, random| beginning(&middling(random)))),
    ]
}

/// All but the last letter of a word, four letters at least.
fn beginning(word: &str) -> String {
    let letters = word.len().saturating_sub(1).max(4.min(word.len()));
    word[..letters].to_owned()
}
