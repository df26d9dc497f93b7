//! Whether the assistant only repeats what a tool printed: then the words are data, whoever says them.

use crate::{
    admission::talk::only_talks,
    configuration::admission::{REPEATED_SIGNS, REPEATED_WORDS},
    history::{History, LiveTurn},
    text::{is_cjk, words},
    trace::{Blobs, TurnNo, decision::TurnRange},
};

/// A sentence, or something in quotation marks inside it, that stands in a result before `turn`.
pub(super) fn repeats_output(sentence: &str, turn: TurnNo, history: &History, blobs: &dyn Blobs) -> bool {
    // What has no blank inside is a name.
    let says_something = |piece: &&str| {
        let names = !piece.trim().contains(char::is_whitespace);
        (!names && words(piece).len() >= REPEATED_WORDS)
            || piece.chars().filter(|letter| is_cjk(*letter)).count() >= REPEATED_SIGNS
    };
    let pieces = in_marks(sentence).into_iter().chain([sentence]).filter(says_something);
    let pieces: Vec<String> = pieces.map(|piece| format!(" {} ", words(piece).join(" "))).collect();
    let before = TurnRange { first: TurnNo(0), last: turn };
    !pieces.is_empty()
        && history.live_turns(before).rev().any(|(_, live)| {
            let LiveTurn::Tool(step) = live else { return false };
            let results = (0..step.calls.len()).filter(|index| !only_talks(history, step, *index));
            results.filter_map(|index| history.result_at(step, index)).any(|result| {
                let Ok(bytes) = result.text.bytes(blobs) else { return false };
                let printed = format!(" {} ", words(&String::from_utf8_lossy(&bytes)).join(" "));
                pieces.iter().any(|piece| printed.contains(piece.as_str()))
            })
        })
}

fn in_marks(sentence: &str) -> Vec<&str> {
    let pairs = [('"', '"'), ('“', '”'), ('‘', '’'), ('「', '」'), ('`', '`'), ('\'', '\''), ('«', '»')];
    let inside = pairs.into_iter().flat_map(|(open, close)| {
        let mut found = Vec::new();
        let mut rest = sentence;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inside, behind)) = after.split_once(close) else { break };
            found.push(inside);
            rest = behind;
        }
        // Quotation marks inside of quotation marks: from the first to the last.
        let outer = sentence.split_once(open).and_then(|(_, after)| after.rsplit_once(close));
        found.extend(outer.map(|(inside, _)| inside));
        found
    });
    inside.collect()
}
