//! Grouped appends: soon on the disk, in order, and never silently lost. And sessions that begin together.

mod support;

use std::{
    thread,
    time::{Duration, Instant},
};

use lookback_store::{
    Durability::{Durable, Grouped},
    Store,
};
use support::{home, id, noise, result, start, user};

#[test]
fn a_grouped_event_is_there_soon_without_anybody_asking() {
    let (home, store) = home();
    let mut writer = store.create(&[start("session")]).unwrap();
    let reader = Store::open(home.path()).unwrap();
    for seq in 1..20 {
        let begun = Instant::now();
        writer.append(&[user(seq, "grouped")], Grouped).unwrap();
        while reader.events(&id("session")).unwrap().len() as u64 <= seq {
            // That it comes by itself is shown here; how soon depends on the machine and is not.
            assert!(begun.elapsed() < Duration::from_secs(30), "event {seq} never came");
            thread::sleep(Duration::from_micros(500));
        }
    }
}

#[test]
fn order_is_kept_and_a_durable_append_takes_the_grouped_ones_along() {
    let (home, store) = home();
    let mut writer = store.create(&[start("session")]).unwrap();
    for seq in 1..2000 {
        let durability = if seq % 100 == 0 { Durable } else { Grouped };
        writer.append(&[user(seq, "text")], durability).unwrap();
        if durability == Durable {
            assert_eq!(Store::open(home.path()).unwrap().events(&id("session")).unwrap().len() as u64, seq + 1);
        }
    }
    writer.flush().unwrap();
    let numbers = store.events(&id("session")).unwrap().into_iter().map(|event| event.seq.0);
    assert!(numbers.eq(0..2000));
}

#[test]
fn many_sessions_share_a_commit_and_dropping_writes_the_rest() {
    let (_home, store) = home();
    thread::scope(|scope| {
        for number in 0..8 {
            let store = &store;
            scope.spawn(move || {
                let mut writer = store.create(&[start(&format!("session-{number}"))]).unwrap();
                for seq in 1..100 {
                    writer.append(&[user(seq, "text")], Grouped).unwrap();
                }
            });
        }
    });
    assert!(store.sessions().unwrap().iter().all(|summary| summary.events == 100));
}

#[test]
fn many_sessions_begin_together_and_one_that_cannot_hinders_none() {
    let (_home, store) = home();
    drop(store.create(&[start("stored")]).unwrap());
    let coming = store.begin(&start("coming")).unwrap();
    let sessions = [
        vec![start("one"), user(1, "of the one")],
        vec![start("stored")],
        vec![start("two"), result(1, noise(20_000, 1))],
        vec![start("coming")],
        vec![start("gap"), user(2, "not the next")],
        vec![user(0, "no start")],
        vec![start("one")],
        vec![start("../../elsewhere")],
    ];
    let created = store.create_all(&sessions.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    let refused: Vec<String> =
        created.iter().map(|one| one.as_ref().err().map_or_else(String::new, |error| error.to_string())).collect();
    assert!(refused[0].is_empty() && refused[2].is_empty(), "{refused:?}");
    for (place, reason) in [
        (1, "exists"),
        (3, "is being written"),
        (4, "comes next"),
        (5, "begins with"),
        (6, "exists"),
        (7, "cannot be a session id"),
    ] {
        assert!(refused[place].contains(reason), "{refused:?}");
    }
    assert_eq!(store.events(&id("one")).unwrap(), sessions[0]);
    assert_eq!(store.search("of the one", None, 5).unwrap().len(), 1);
    assert!(store.contains(&id("two")).unwrap() && !store.contains(&id("gap")).unwrap());
    assert_eq!(store.sessions().unwrap().len(), 3);
    drop(coming.finish().unwrap());
    drop(store.writer(&id("two")).unwrap());
}
