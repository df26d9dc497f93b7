//! Words that conclude, words that announce, words that doubt: English and Chinese.
//!
//! All ask about texts in lower case. What follows from an answer is not known here.

use std::sync::LazyLock;

/// Wording that concludes, strongest first.
const CONCLUDES: [(&str, i32); 62] = [
    ("root cause", 40),
    ("the cause", 35),
    ("the culprit", 35),
    ("the problem is", 35),
    ("the issue is", 35),
    ("the bug is", 35),
    ("the problem was", 35),
    ("the issue was", 35),
    ("the bug was", 35),
    ("the reason", 30),
    ("caused by", 30),
    ("turns out", 30),
    ("because", 25),
    ("this means", 25),
    ("which means", 25),
    ("found the", 20),
    ("found it", 25),
    ("the fix", 25),
    ("fixed", 25),
    ("due to", 20),
    ("therefore", 20),
    ("so the", 15),
    ("which is why", 25),
    ("that's why", 25),
    ("works", 15),
    ("confirmed", 20),
    ("confirms", 20),
    ("verified", 15),
    ("is missing", 20),
    ("are missing", 20),
    ("does not", 12),
    ("doesn't", 12),
    ("should be", 12),
    ("must be", 15),
    ("need to", 8),
    ("needs to", 12),
    ("instead of", 15),
    ("rather than", 12),
    ("pre-existing", 20),
    ("unrelated", 15),
    ("already", 8),
    ("never", 10),
    ("only", 4),
    ("decided", 20),
    ("in summary", 15),
    ("the key", 15),
    ("was implemented", 15),
    ("原因", 35),
    ("问题是", 35),
    ("问题在于", 35),
    ("根本", 30),
    ("导致", 30),
    ("因为", 25),
    ("由于", 25),
    ("所以", 20),
    ("因此", 20),
    ("说明", 15),
    ("发现", 20),
    ("修复", 20),
    ("确认", 20),
    ("结论", 30),
    ("应该", 10),
];

/// Beginnings of what was about to be done, or of mere manners.
const ANNOUNCES: [&str; 46] = [
    "let me",
    "let's",
    "now let",
    "now i",
    "i'll",
    "i will",
    "i'm going",
    "i am going",
    "first,",
    "first let",
    "next,",
    "then i",
    "we'll",
    "i want to",
    "i need to",
    "i should",
    "i'd",
    "good",
    "great",
    "perfect",
    "excellent",
    "ok",
    "okay",
    "sure",
    "alright",
    "looking at",
    "checking",
    "wait",
    "hmm",
    "thanks",
    "you're right",
    "yes",
    "here's",
    "here is",
    "here are",
    "sorry",
    "running",
    "time to",
    "to do",
    "让我",
    "我来",
    "现在",
    "接下来",
    "好的",
    "首先",
    "我将",
];

const DOUBTS: [&str; 14] = [
    "maybe",
    "perhaps",
    "let me",
    "might be",
    "could be",
    "possibly",
    "i wonder",
    "not sure",
    "i think",
    "wait",
    "hmm",
    "也许",
    "可能",
    "不确定",
];

/// How strongly a sentence concludes; 0 where it does not.
pub(super) fn strength(lower: &str) -> i32 {
    CONCLUDING.in_text(lower).map(|place| CONCLUDES[place].1).max().unwrap_or(0)
}

/// Thinking aloud.
pub(super) fn doubts(lower: &str) -> bool {
    DOUBTING.in_text(lower).next().is_some()
}

static CONCLUDING: LazyLock<Cues> = LazyLock::new(|| Cues::new(CONCLUDES.iter().map(|(cue, _)| *cue)));
static DOUBTING: LazyLock<Cues> = LazyLock::new(|| Cues::new(DOUBTS));

/// Cues by their first byte: every sentence of a range is asked about all of them, so one pass must do.
struct Cues {
    starting_with: Vec<Vec<(usize, &'static str)>>,
}

impl Cues {
    fn new(cues: impl IntoIterator<Item = &'static str>) -> Self {
        let mut starting_with = vec![Vec::new(); 256];
        for (place, cue) in cues.into_iter().enumerate() {
            if let Some(first) = cue.bytes().next() {
                starting_with[usize::from(first)].push((place, cue));
            }
        }
        Self { starting_with }
    }

    /// The places of those that stand in a text; as whole words, where they are written in letters.
    fn in_text(&self, lower: &str) -> impl Iterator<Item = usize> {
        let bytes = lower.as_bytes();
        let in_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        bytes.iter().enumerate().flat_map(move |(at, first)| {
            let starts_word = at == 0 || !in_word(at - 1);
            let here = self.starting_with[usize::from(*first)].iter().filter(move |(_, cue)| {
                (starts_word || !first.is_ascii())
                    && bytes[at..].starts_with(cue.as_bytes())
                    && (!first.is_ascii() || !in_word(at + cue.len()))
            });
            here.map(|(place, _)| *place)
        })
    }
}

pub(super) fn announces(lower: &str) -> bool {
    ANNOUNCES.iter().any(|start| {
        lower.strip_prefix(start).is_some_and(|rest| {
            !start.is_ascii() || !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-')
        })
    })
}
