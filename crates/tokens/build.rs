//! Makes of the tokens in the data file the tables by which they are found.
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "what a build script does is not done by the program"
)]

use std::{collections::HashMap, env, fs, path::Path};

#[path = "src/vocabulary/layout.rs"]
mod layout;

use layout::{
    BUCKET, BUCKETS, HALF, HEAD, HEAD_BITS, HEADS, LEFT, LONG, PLACE, RIGHT, TOKENS, home_of, home_of_head,
    place_in_bucket,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/vocabulary/layout.rs");
    println!("cargo::rerun-if-changed=data/o200k.tokens");
    let file = fs::read("data/o200k.tokens").expect("the tokens");
    let (mut records, mut buckets, mut heads) = (Vec::new(), vec![[0; BUCKET]; BUCKETS], vec![0; HEADS]);
    let mut places = HashMap::new();
    let mut rest = file.as_slice();
    while let [length, left, more @ ..] = rest {
        let (token, more) = more.split_at(usize::from(*length));
        let place = records.len();
        places.insert(token, place);
        records.push(*length);
        let (left, right) = token.split_at(usize::from(*left));
        for (half, side) in [(left, LEFT), (right, RIGHT)] {
            let of_half = if left.is_empty() { place } else { places[half] };
            records.extend(bytes_of(of_half));
            if !left.is_empty() {
                records[of_half + side + PLACE - 1] |= HALF;
            }
        }
        records.extend(token);
        enter(&mut buckets, token, bytes_of(place));
        if let Some(head) = token.first_chunk() {
            enter_head(&mut heads, *head, token.len());
        }
        rest = more;
    }
    assert!(records.len() < usize::from(HALF) << 16, "the place of every token fits its bytes");
    write("records", &records);
    write("buckets", buckets.as_flattened());
    write("heads", &heads.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>());
}

fn bytes_of(place: usize) -> [u8; PLACE] {
    let [low, middle, high, ..] = place.to_le_bytes();
    [low, middle, high]
}

fn enter(buckets: &mut [[u8; BUCKET]], token: &[u8], place: [u8; PLACE]) {
    let (mut home, mark) = home_of(token);
    loop {
        let bucket = &mut buckets[home];
        if let Some(number) = bucket[..TOKENS].iter().position(|mark| *mark == 0) {
            bucket[number] = mark;
            bucket[place_in_bucket(number)..][..PLACE].copy_from_slice(&place);
            return;
        }
        home = (home + 1) % BUCKETS;
    }
}

fn enter_head(heads: &mut [u64], head: [u8; HEAD], length: usize) {
    let (head, mut slot) = home_of_head(head);
    while heads[slot] != 0 && heads[slot] & ((1 << HEAD_BITS) - 1) != head {
        slot = (slot + 1) % HEADS;
    }
    heads[slot] |= head | 1 << (length.min(LONG) - HEAD) << HEAD_BITS;
}

fn write(name: &str, bytes: &[u8]) {
    let folder = env::var("OUT_DIR").expect("cargo says where to write");
    fs::write(Path::new(&folder).join(name), bytes).expect("the table is written");
}
