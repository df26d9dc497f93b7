//! A session of opencode put together from its messages and parts: what `opencode export` writes. One of them that is odd
//! is left out and said; the others stay.

use lookback_replay::recording::Skipped;
use serde::de::IgnoredAny;

pub(super) struct Document {
    pub(super) bytes: Vec<u8>,
    pub(super) skipped: Vec<Skipped>,
    messages: usize,
    parts: Parts,
}

/// Of the message that was put in last.
enum Parts {
    /// It was left out, and they are with it.
    LeftOut,
    SoFar(usize),
}

impl Document {
    pub(super) fn begin(info: &[u8]) -> Self {
        let bytes = [b"{\"info\":", info, b",\"messages\":["].concat();
        Self { bytes, skipped: Vec::new(), messages: 0, parts: Parts::LeftOut }
    }

    pub(super) fn message(&mut self, name: &str, info: &[u8]) {
        self.close();
        if !self.is_value("message", name, info) {
            return;
        }
        let separator: &[u8] = if self.messages > 0 { b"," } else { b"" };
        self.bytes.extend([separator, b"{\"info\":", info, b",\"parts\":["].concat());
        self.messages += 1;
        self.parts = Parts::SoFar(0);
    }

    pub(super) fn part(&mut self, name: &str, part: &[u8]) {
        let Parts::SoFar(before) = self.parts else { return };
        if self.is_value("part", name, part) {
            self.bytes.extend_from_slice(if before > 0 { b"," } else { b"" });
            self.bytes.extend_from_slice(part);
            self.parts = Parts::SoFar(before + 1);
        }
    }

    pub(super) fn end(mut self) -> Self {
        self.close();
        self.bytes.extend_from_slice(b"]}");
        self
    }

    fn close(&mut self) {
        if let Parts::SoFar(_) = std::mem::replace(&mut self.parts, Parts::LeftOut) {
            self.bytes.extend_from_slice(b"]}");
        }
    }

    fn is_value(&mut self, what: &str, name: &str, bytes: &[u8]) -> bool {
        let is_value = is_value(bytes);
        if !is_value {
            let why = if bytes.is_empty() { "is empty" } else { "is no JSON" };
            self.skipped.push(Skipped { line: 0, reason: format!("{what} {name} {why}") });
        }
        is_value
    }
}

pub(super) fn is_value(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_odd_is_left_out_with_what_belongs_to_it() {
        let mut document = Document::begin(b"{}");
        document.message("m1", b"1");
        document.part("p1", b"{\"a\":");
        document.part("p2", b"2");
        document.part("p3", b"3");
        document.message("m2", b"");
        document.part("p4", b"4");
        document.message("m3", b"5");
        let document = document.end();
        let expected = r#"{"info":{},"messages":[{"info":1,"parts":[2,3]},{"info":5,"parts":[]}]}"#;
        assert_eq!(String::from_utf8_lossy(&document.bytes), expected);
        let reasons: Vec<&str> = document.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
        assert_eq!(reasons, ["part p1 is no JSON", "message m2 is empty"]);
    }
}
