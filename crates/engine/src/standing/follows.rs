//! Whether a turn goes on with the work that it found: it approves, chooses, or only says how something should be done.
//!
//! By its wording alone. Whether there is work to go on with is not known here.

use super::{
    sentences::sentences,
    turns::requests,
    wording::{wording, words},
};
use crate::{
    configuration::standing::{LONGEST_LOOK, MATTER},
    text::beginning,
};

pub(super) fn follows_up(text: &str) -> bool {
    let lower = beginning(text.trim(), LONGEST_LOOK).to_lowercase().replace('’', "'");
    if words(&lower).count() >= MATTER {
        return false;
    }
    let list = wording();
    let found = sentences(&lower);
    let clauses = |text: &'_ str| -> Vec<String> {
        let clauses = text.split([',', ';', '，', '；']).map(|clause| clause.trim().to_owned());
        clauses.filter(|clause| words(clause).next().is_some()).collect()
    };
    let approves = |clause: &str| words(clause).all(|word| list.go_on.has(word) || list.replies.has(word));
    let Some(first) = found.first().map(|sentence| clauses(sentence.text)) else { return false };
    let turns_away = |clause: &String| list.turns_to.begin(clause);
    let goes_on = first.first().is_some_and(|clause| approves(clause)) && !first.iter().any(turns_away);
    if goes_on && (first.len() > 1 || list.continues.stand_in(&first[0])) {
        return true;
    }
    let constrains = |clause: &str| {
        let mut own = words(clause).filter(|word| !list.leads_on.has(word) && *word != "please");
        own.next().is_some_and(|word| list.constrains.has(word)) || list.constrains.begin(clause)
    };
    let all: Vec<String> = found.iter().flat_map(|sentence| clauses(sentence.text)).collect();
    all.iter().all(|clause| approves(clause) || constrains(clause))
        && all.iter().any(|clause| constrains(clause) && !approves(clause))
        && found.iter().any(|sentence| requests(sentence.text) || constrains(sentence.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_on_with_a_remark_begins_nothing() {
        for text in [
            "ok go on, and please use tabs.",
            "ok, but please keep the old name",
            "please use snake_case names",
            "use the second option, and please run the tests",
            "Go ahead. Please don't touch the lockfile.",
            "please keep the public names, and don't add a dependency",
            "好的，继续，请用制表符",
        ] {
            assert!(follows_up(text), "{text}");
        }
        for text in [
            "good. now let the monthly report show cents",
            "ok, now add cents to the report",
            "add cents to the report",
            "Fix the parser, and use tabs.",
            "please also add a test",
            "rename the helper, please",
            "修复 src/cart.py 里的舍入错误",
        ] {
            assert!(!follows_up(text), "{text}");
        }
    }
}
