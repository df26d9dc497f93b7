//! Grouped appends: soon on the disk, in order, and never silently lost.

mod support;

use std::{
    thread,
    time::{Duration, Instant},
};

use lookback_engine::trace::Output;
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
fn outputs_leave_memory_when_they_are_on_the_disk_and_not_before() {
    let (home, store) = home();
    let mut writer = store.create(&[start("session")]).unwrap();
    let (whole, small) = (result(1, noise(20_000, 3)), result(2, "small"));
    // Nobody can write meanwhile, so the group waits.
    let other = rusqlite::Connection::open(home.path().join("lookback.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    writer.append(&[whole.clone(), small.clone()], Grouped).unwrap();
    let mut kept = whole.clone();
    writer.release(&mut kept);
    assert_eq!((&kept, writer.durable().0), (&whole, 1), "the only copy");
    other.execute_batch("ROLLBACK").unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.durable(), writer.next());
    writer.release(&mut kept);
    assert_eq!(kept.event.outputs(), [&Output::Blob { hash: whole.event.outputs()[0].hash(), len: 20_000 }]);
    assert_eq!(kept, store.event(&id("session"), kept.seq).unwrap());
    assert_eq!(store.inline(kept).unwrap(), whole);
    let mut kept = small.clone();
    writer.release(&mut kept);
    assert_eq!(kept, small);
}
