//! The goal: the board's, or what the user last asked for, in the user's own words.
//!
//! Nothing is put in other words here. A turn that only says to go on asks for nothing new, so the one before it holds.

use super::{
    requests::{Kind, kind_of, only_goes_on},
    stretch::Stretch,
};
use crate::{
    admission::{Resolver, quotation::of_person},
    board::Board,
    history::index::TurnRecord,
    proposal::{QuoteProposal, one_line},
    text::{beginning, shorten_at_word},
    trace::claim::Quote,
    trace::{EventBody, Origin, TurnNo, UserTurn},
};

const LONGEST: usize = 240;

pub(super) struct ProposedGoal {
    pub(super) goal: Quote,
    /// Why it is another one than the board's.
    pub(super) shift: Option<String>,
}

pub(super) fn propose(stretch: &Stretch<'_>, board: &Board, resolver: &mut Resolver<'_>) -> Option<ProposedGoal> {
    // The newest request of the range; then the newest before it; then whatever was said at all.
    let all: Vec<(&UserTurn, Kind)> =
        requests(stretch, stretch.range.last).map(|user| (user, kind_of(&user.text))).collect();
    if let Some(goal) = board.goal() {
        let newer = all.iter().find(|(user, kind)| *kind == Kind::Request && is_behind(user, goal));
        if let Some(shifted) = newer.and_then(|(user, _)| shift(user, resolver)) {
            return Some(shifted);
        }
        return Some(ProposedGoal { goal: goal.clone(), shift: None });
    }
    let inside = |user: &UserTurn| user.turn >= stretch.range.first;
    let of = |kind: Kind, wanted: bool| {
        let wanted = move |(user, is): &&(&UserTurn, Kind)| *is == kind && inside(user) == wanted;
        all.iter().filter(wanted).map(|(user, _)| *user)
    };
    let mut order = of(Kind::Request, true)
        .chain(of(Kind::Remark, true))
        .chain(of(Kind::Request, false))
        .chain(of(Kind::Remark, false))
        .chain(of(Kind::Reply, true))
        .chain(of(Kind::Reply, false));
    order.find_map(|user| words_of(user, resolver))
}

/// What the user asks for now, where that came after the range: the board is about now, a block about its turns.
pub(super) fn newer(stretch: &Stretch<'_>, board: &Board, resolver: &mut Resolver<'_>) -> Option<ProposedGoal> {
    let mut later = requests(stretch, TurnNo(u32::MAX)).take_while(|user| user.turn > stretch.range.last);
    let user = later.find(|user| kind_of(&user.text) == Kind::Request)?;
    match board.goal() {
        None => words_of(user, resolver),
        Some(goal) if is_behind(user, goal) => shift(user, resolver),
        Some(_) => None,
    }
}

/// A request that came after the one that the board's goal is from is what the work is for now.
fn is_behind(user: &UserTurn, goal: &Quote) -> bool {
    let from = goal.evidence.pointer.strip_prefix("user#").and_then(|number| number.parse::<u32>().ok());
    from.is_some_and(|from| user.user.is_some_and(|number| number > from))
}

fn shift(user: &UserTurn, resolver: &mut Resolver<'_>) -> Option<ProposedGoal> {
    let reason = format!("user#{} asks for this now", user.user?);
    Some(ProposedGoal { shift: Some(reason), ..words_of(user, resolver)? })
}

fn words_of(user: &UserTurn, resolver: &mut Resolver<'_>) -> Option<ProposedGoal> {
    wordings(&user.text).into_iter().find_map(|text| {
        let proposal = QuoteProposal { pointer: Some(format!("user#{}", user.user?)), text: Some(text) };
        let goal = of_person(&proposal, resolver).ok()?;
        Some(ProposedGoal { goal, shift: None })
    })
}

/// What people asked for, from the end of the range backwards. Words typed while a round ran only add to it.
fn requests<'a>(stretch: &Stretch<'a>, last: TurnNo) -> impl Iterator<Item = &'a UserTurn> {
    let history = stretch.bench.history;
    let turns = history.index().users.iter().rev().filter(move |turn| **turn <= last);
    turns.filter_map(move |turn| {
        let TurnRecord::User { event } = history.index().turn(*turn)? else { return None };
        match history.live_body(*event)? {
            EventBody::UserTurn(user) if user.origin == Origin::Person => Some(&**user),
            _ => None,
        }
    })
}

/// The first sentence or line that says something, then the lines themselves.
fn wordings(text: &str) -> Vec<String> {
    // What is pasted as code is not what is wanted.
    let prose = text.split("```").step_by(2).flat_map(str::lines);
    let lines: Vec<&str> = prose.map(str::trim).map(without_reply).filter(|line| says_something(line)).collect();
    let Some(first) = lines.first().filter(|_| !only_goes_on(text)) else { return Vec::new() };
    let mut whole = (*first).to_owned();
    // "Implement the following plan:" is not yet what is wanted.
    let is_half = first.ends_with([':', '：', ',', '，']) || (first.is_ascii() && first.split_whitespace().count() < 3);
    if let Some(next) = lines.get(1).filter(|_| is_half) {
        whole = format!("{whole} {}", next.trim_start_matches(['#', '-', '*', ' ']));
    }
    let mut wordings = vec![shorten(&whole)];
    wordings.extend(lines.iter().take(3).map(|line| shorten(line)));
    wordings
}

/// "Good. Now let …" wants what follows the answer.
fn without_reply(line: &str) -> &str {
    let end = line.find([',', '.', '!', ';', '，', '。', '！']).filter(|end| only_goes_on(&line[..*end]));
    let rest = end.map(|end| line[end..].trim_start_matches(|letter: char| !letter.is_alphanumeric()));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(line)
}

/// Tags and marks of a client are not a person's words.
fn says_something(line: &str) -> bool {
    !line.starts_with('<') && line.chars().filter(|letter| letter.is_alphanumeric()).count() > 1
}

/// Whole sentences while they fit.
fn shorten(text: &str) -> String {
    let text = one_line(text);
    let head = beginning(&text, LONGEST);
    let sentence = [". ", "! ", "? "].iter().filter_map(|mark| head.find(mark)).map(|at| at + 1).min();
    let sentence = sentence.or_else(|| head.find(['。', '！', '？']).map(|at| at + '。'.len_utf8()));
    match sentence.filter(|at| *at > 20 && head.len() < text.len()) {
        Some(end) => head[..end].to_owned(),
        None => shorten_at_word(&text, LONGEST).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_on_is_no_goal() {
        for text in ["continue", "Yes, please go on.", "继续", "好的，请继续", "ok", "…", "Looks good, go ahead!"]
        {
            assert!(only_goes_on(text) && wordings(text).is_empty(), "{text}");
        }
        assert!(!only_goes_on("continue with the parser"));
    }

    #[test]
    fn the_first_line_that_says_something_is_the_goal() {
        assert_eq!(wordings("<command>x</command>\nFix the ledger test.\nThanks")[0], "Fix the ledger test.");
        assert_eq!(
            wordings("Implement the following plan:\n\n# Exact balances\n\nmore")[0],
            "Implement the following plan: Exact balances"
        );
        let long = format!("Make balances exact in the ledger. {}", "and more ".repeat(60));
        assert_eq!(wordings(&long)[0], "Make balances exact in the ledger.");
    }
}
