//! What a person's turn is, by its wording: a request, a remark, a reply, or nothing but "go on".
//!
//! What the request is about, and whether it still holds, is not known here.

use crate::text::beginning;

/// A turn made of these words alone states no goal.
const GOES_ON: [&str; 44] = [
    "continue", "go", "on", "yes", "y", "ok", "okay", "please", "proceed", "do", "it", "sure", "thanks", "thank",
    "you", "next", "keep", "going", "yep", "yeah", "right", "correct", "great", "good", "nice", "perfect", "fine",
    "that", "now", "ahead", "with", "resume", "lets", "let", "s", "looks", "lgtm", "cool", "and", "the", "a", "then",
    "carry", "again",
];
const GOES_ON_WIDE: [&str; 12] =
    ["继续", "好的", "好", "是的", "是", "可以", "行", "请继续", "下一步", "嗯", "对", "没问题"];

const REPLIES: [&str; 16] = [
    "yes", "yeah", "yep", "no", "nope", "ok", "okay", "right", "hmm", "so", "oh", "ah", "well", "thanks", "great",
    "good",
];
/// A turn that begins like a reply and is longer than this goes on to ask for something.
const LONGEST_REPLY: usize = 14;
/// Among the first words of a request.
const REQUESTS: [&str; 56] = [
    "fix",
    "add",
    "implement",
    "create",
    "make",
    "update",
    "change",
    "remove",
    "refactor",
    "write",
    "review",
    "investigate",
    "run",
    "check",
    "commit",
    "push",
    "find",
    "let",
    "lets",
    "please",
    "can",
    "could",
    "want",
    "help",
    "use",
    "move",
    "rename",
    "build",
    "test",
    "debug",
    "delete",
    "replace",
    "improve",
    "convert",
    "extract",
    "look",
    "consider",
    "solve",
    "port",
    "upgrade",
    "migrate",
    "document",
    "explain",
    "show",
    "design",
    "plan",
    "rewrite",
    "need",
    "should",
    "clean",
    "split",
    "merge",
    "rebase",
    "open",
    "set",
    "try",
];
/// Words before a request that ask for nothing themselves.
const LEADS_ON: [&str; 7] = ["now", "then", "also", "and", "next", "but", "so"];
const CLAUSES: [char; 6] = [',', '.', ';', ':', '!', '\n'];
/// Anywhere in it.
const ASKS: [&str; 11] = [
    "can you",
    "can we",
    "could you",
    "could we",
    "let's ",
    "i want",
    "i'd like",
    "we need",
    "you should",
    "we should",
    "i need",
];
const TROUBLE: [&str; 10] =
    ["fails", "failing", "failed", "broken", "error", "errors", "bug", "crash", "crashes", "wrong"];
const REQUESTS_WIDE: [&str; 14] =
    ["请", "修复", "添加", "实现", "增加", "修改", "删除", "重构", "检查", "帮", "优化", "报错", "失败", "写"];

const LONGEST_LOOK: usize = 600;
const LONGEST_GO_ON: usize = 120;

/// What a person's turn is, by its wording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something is to be done, or does not work.
    Request,
    Remark,
    /// A question, or an answer to one: understood only with what was said before.
    Reply,
    /// Nothing but to go on.
    GoOn,
}

pub(super) fn kind_of(text: &str) -> Kind {
    if only_goes_on(text) {
        return Kind::GoOn;
    }
    // What is wanted stands at the beginning; the rest may be a whole log.
    let text = beginning(text.trim(), LONGEST_LOOK);
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let replies = words.first().is_some_and(|first| REPLIES.contains(first)) && words.len() < LONGEST_REPLY;
    let is_question = lower.ends_with(['?', '？']);
    let begins = |clause: &str| {
        let mut words = clause.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.find(|word| !LEADS_ON.contains(word)).is_some_and(|first| REQUESTS.contains(&first))
    };
    // "Good. Now let the report show cents" answers with its first word and asks with the rest.
    let replies = replies && (is_question || !lower.split(CLAUSES).skip(1).any(begins));
    let asks = words.iter().take(4).any(|word| REQUESTS.contains(word))
        || words.contains(&"please")
        || (!is_question && lower.split(CLAUSES).any(begins))
        || (!is_question && words.iter().any(|word| TROUBLE.contains(word)))
        || ASKS.iter().any(|words| lower.contains(words))
        || REQUESTS_WIDE.iter().any(|word| lower.contains(word));
    let few = words.len() < 3 && lower.is_ascii();
    match (asks, replies || (few && !asks)) {
        (_, true) => Kind::Reply,
        (true, _) => Kind::Request,
        (false, _) if is_question => Kind::Reply,
        (false, _) => Kind::Remark,
    }
}

pub(super) fn only_goes_on(text: &str) -> bool {
    if text.len() > LONGEST_GO_ON {
        return false;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().all(|word| GOES_ON.contains(word) || GOES_ON_WIDE.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_known_from_replies_and_remarks() {
        for text in [
            "fix the ledger test",
            "ok i don't want that, remove it from the release script in a new change, please",
            "mise run test:ci is failing",
            "Let's make some more changes",
            "请修复失败的测试",
        ] {
            assert_eq!(kind_of(text), Kind::Request, "{text}");
        }
        for text in
            ["yeah it makes no sense to commit in a broken state", "1", "is there a command to move it?", "so that one"]
        {
            assert_eq!(kind_of(text), Kind::Reply, "{text}");
        }
        assert_eq!(kind_of("there are some different possibilities here I think"), Kind::Remark);
    }
}
