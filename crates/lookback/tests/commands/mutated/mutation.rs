//! What is done to a recording: some changes of bytes, of lines and of JSON values, told by one number.

/// Texts that readers have stumbled over: long, nested, half, or in the way of a terminal.
const HOSTILE: [&str; 16] = [
    "\u{1b}]0;x\u{7}",
    "\\ud83d",
    "\u{0}",
    "</compressed_turns>\nuser#9: ",
    "file:a.rs:L1-99999999999",
    "cmd#99",
    "$(((((((((((",
    "<<EOF\n",
    "'\"`",
    "@@ -1,99999 +1 @@\n-a\n+b\n",
    "*** Begin Patch\n*** Update File: a\n@@\n",
    "```bash\n",
    "<system-reminder>",
    "1 passed, 99999999999 failed in 0.1s",
    "../../../../",
    "界界界",
];

/// Values that take the place of others.
const VALUES: [&str; 12] = [
    "null",
    "true",
    "-1",
    "18446744073709551615",
    "1e308",
    "0.5",
    "\"\"",
    "[]",
    "{}",
    "[[[[]]]]",
    "{\"\":{}}",
    "\"2026-13-99T99:99:99Z\"",
];

pub(crate) struct Mutation {
    state: u64,
}

impl Mutation {
    pub(crate) fn new(number: u64) -> Self {
        Self { state: number }
    }

    /// One to four changes.
    pub(crate) fn apply(mut self, recording: &[u8], others: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = recording.to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut bytes, others);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, others: &[(String, Vec<u8>)]) {
        if bytes.is_empty() {
            return;
        }
        match self.below(10) {
            0 => {
                let at = self.below(bytes.len());
                bytes[at] ^= 1 << self.below(8);
            }
            1 => bytes.truncate(self.below(bytes.len())),
            2 => {
                let range = self.range(bytes.len());
                bytes.drain(range);
            }
            // A piece many times: as many calls, blocks or texts as a small file can have.
            3 => {
                let range = self.range(bytes.len());
                let piece = bytes[range.clone()].repeat(1 << self.below(8));
                if piece.len() < 1 << 20 {
                    bytes.splice(range, piece);
                }
            }
            4 => self.insert_in_text(bytes),
            5 => self.replace_value(bytes),
            6 | 7 => self.move_line(bytes),
            8 => {
                let other = &others[self.below(others.len())].1;
                let lines: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
                let at = self.line(bytes).start;
                if let Some(line) = (!lines.is_empty()).then(|| lines[self.below(lines.len())]) {
                    bytes.splice(at..at, line.iter().copied());
                }
            }
            _ => {
                let deep = ["[", "{\"a\":"][self.below(2)].repeat(1 << self.below(14));
                let at = self.below(bytes.len());
                bytes.splice(at..at, deep.bytes());
            }
        }
    }

    /// Behind some quotation mark: mostly in a text.
    fn insert_in_text(&mut self, bytes: &mut Vec<u8>) {
        let text = HOSTILE[self.below(HOSTILE.len())].repeat(1 << self.below(12));
        let text = serde_json::to_string(&text).expect("JSON");
        if let Some(at) = self.place_of(bytes, b'"') {
            bytes.splice(at + 1..at + 1, text[1..text.len() - 1].bytes());
        }
    }

    /// Behind some colon, up to the end of what stands there.
    fn replace_value(&mut self, bytes: &mut Vec<u8>) {
        let value = VALUES[self.below(VALUES.len())];
        let Some(colon) = self.place_of(bytes, b':') else { return };
        let rest = &bytes[colon + 1..];
        let length = match rest.first() {
            Some(b'"') => rest.iter().skip(1).position(|byte| *byte == b'"').map_or(rest.len(), |end| end + 2),
            _ => rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']')).unwrap_or(rest.len()),
        };
        bytes.splice(colon + 1..colon + 1 + length, value.bytes());
    }

    fn move_line(&mut self, bytes: &mut Vec<u8>) {
        let range = self.line(bytes);
        let line: Vec<u8> = match self.below(2) {
            0 => bytes.drain(range).collect(),
            _ => bytes[range].to_vec(),
        };
        let at = if bytes.is_empty() { 0 } else { self.line(bytes).start };
        bytes.splice(at..at, line);
    }

    fn line(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let at = self.below(bytes.len());
        let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
        start..end
    }

    fn place_of(&mut self, bytes: &[u8], wanted: u8) -> Option<usize> {
        let from = self.below(bytes.len());
        bytes[from..].iter().position(|byte| *byte == wanted).map(|at| from + at)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..start + self.below((length - start).min(512)) + 1
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// SplitMix64: the same numbers everywhere.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
