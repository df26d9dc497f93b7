//! Large results: which of a step's results enter the view whole, and how much of the others.
//!
//! docs/design/model.md, "Results": a result above a quarter of the window is cut to head, tail and pointer from the
//! start; the results of one step together get at most half of what is free, and above that they are cut so, largest
//! first. Decided once, when the step's last result is recorded. The floor is one short pointer for each result: where
//! there are so many that even these are more than half of what is free, they stay. Nothing here knows sessions or
//! traces.

use crate::{
    configuration::{BYTES_TRIED, ResultLimits, share_of},
    trace::event::Cut,
};

use super::result_text::{NO_ROOM, lossy, render_cut};

/// What the step's results may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub window: u32,
    /// window − reserve − the rest of the view.
    pub free: u32,
}

/// A result that wants to enter the view.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub bytes: &'a [u8],
    /// What its pictures count; 0 where it has none, or the model sees none.
    pub pictures: u32,
    /// Whether the provider takes them together with the others.
    pub pictures_fit: bool,
    /// Where the whole can be recalled.
    pub pointer: String,
}

/// How one enters it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admitted {
    pub tokens: u32,
    pub cut: Option<Cut>,
    /// Those that are shown, within `tokens`.
    pub pictures: u32,
}

/// Decides for all results of a step at once.
pub(crate) fn plan_results(
    candidates: &[Candidate<'_>],
    room: Room,
    limits: &ResultLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> Vec<Admitted> {
    let single = share_of(room.window, limits.single_share);
    let together = u64::from(share_of(room.free, limits.step_share));
    let edge = limits.edge_tokens.min(share_of(room.window, limits.edge_share));

    let mut admitted: Vec<Admitted> = candidates
        .iter()
        .map(|candidate| match count_whole(candidate.bytes, single, limits, count) {
            Some(tokens) if candidate.pictures_fit && tokens.saturating_add(candidate.pictures) <= single => {
                Admitted { tokens: tokens + candidate.pictures, cut: None, pictures: candidate.pictures }
            }
            Some(_) => without_pictures(candidate, count),
            None => cut_to(candidate, edge, count),
        })
        .collect();

    // Largest first; where the ends of all of them are still too much (many parallel results), the ends get shorter.
    let mut edge = edge;
    while total(&admitted) > together {
        let mut by_size: Vec<usize> = (0..admitted.len()).collect();
        by_size.sort_by_key(|index| std::cmp::Reverse(admitted[*index].tokens));
        for index in by_size {
            if total(&admitted) <= together {
                break;
            }
            let less = match admitted[index].pictures {
                0 => cut_to(&candidates[index], edge, count),
                _ => without_pictures(&candidates[index], count),
            };
            // A short result with its pointer can be longer than itself: then it stays whole.
            if less.tokens < admitted[index].tokens {
                admitted[index] = less;
            }
        }
        if edge == 0 {
            break;
        }
        edge /= 2;
    }
    admitted
}

fn total(admitted: &[Admitted]) -> u64 {
    admitted.iter().map(|result| u64::from(result.tokens)).sum()
}

fn count_whole(bytes: &[u8], limit: u32, limits: &ResultLimits, count: &dyn Fn(&[u8]) -> u32) -> Option<u32> {
    if bytes.len() > (limit as usize).saturating_mul(limits.most_bytes_per_token) {
        return None;
    }
    let tokens = count(lossy(bytes).as_bytes());
    (tokens <= limit).then_some(tokens)
}

fn cut_to(candidate: &Candidate<'_>, edge: u32, count: &dyn Fn(&[u8]) -> u32) -> Admitted {
    let bytes = candidate.bytes;
    let head = head_length(bytes, edge, count);
    let tail = tail_length(&bytes[head..], edge, count);
    let cut = Cut { head: head as u32, tail: tail as u32 };
    let text = render_cut(bytes, cut, &candidate.pointer);
    Admitted { tokens: count_told(candidate, text, count), cut: Some(cut), pictures: 0 }
}

fn without_pictures(candidate: &Candidate<'_>, count: &dyn Fn(&[u8]) -> u32) -> Admitted {
    Admitted { tokens: count_told(candidate, lossy(candidate.bytes).into_owned(), count), cut: None, pictures: 0 }
}

/// Where pictures were left out, the text says so.
fn count_told(candidate: &Candidate<'_>, mut text: String, count: &dyn Fn(&[u8]) -> u32) -> u32 {
    if candidate.pictures > 0 {
        text.push_str(NO_ROOM);
    }
    count(text.as_bytes())
}

/// The longest start of `bytes` that we find within `tokens`, ending after a line where one ends in its second half.
pub(crate) fn head_length(bytes: &[u8], tokens: u32, count: &dyn Fn(&[u8]) -> u32) -> usize {
    let mut length = bytes.len().min(tokens as usize * BYTES_TRIED);
    loop {
        let end = head_end(bytes, length);
        if end == 0 || count(lossy(&bytes[..end]).as_bytes()) <= tokens {
            return end;
        }
        length = end * 3 / 4;
    }
}

pub(crate) fn tail_length(bytes: &[u8], tokens: u32, count: &dyn Fn(&[u8]) -> u32) -> usize {
    let mut length = bytes.len().min(tokens as usize * BYTES_TRIED);
    loop {
        let start = tail_start(bytes, length);
        let length_now = bytes.len() - start;
        if length_now == 0 || count(lossy(&bytes[start..]).as_bytes()) <= tokens {
            return length_now;
        }
        length = length_now * 3 / 4;
    }
}

/// Never inside a character, and at the end of a line where that loses less than half.
fn head_end(bytes: &[u8], length: usize) -> usize {
    let mut end = length;
    while end > 0 && end < bytes.len() && is_continuation(bytes[end]) {
        end -= 1;
    }
    match bytes[..end].iter().rposition(|byte| *byte == b'\n') {
        Some(newline) if newline + 1 > end / 2 => newline + 1,
        _ => end,
    }
}

fn tail_start(bytes: &[u8], length: usize) -> usize {
    let mut start = bytes.len() - length;
    while start < bytes.len() && start > 0 && is_continuation(bytes[start]) {
        start += 1;
    }
    match bytes[start..].iter().position(|byte| *byte == b'\n') {
        Some(newline) if newline + 1 < length / 2 => start + newline + 1,
        _ => start,
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarter(bytes: &[u8]) -> u32 {
        bytes.len().div_ceil(4) as u32
    }

    fn candidate(bytes: &[u8]) -> Candidate<'_> {
        Candidate { bytes, pictures: 0, pictures_fit: true, pointer: "cmd#1".into() }
    }

    #[test]
    fn what_fits_stays_whole() {
        let plan = plan_results(
            &[candidate(b"small")],
            Room { window: 8_000, free: 5_000 },
            &ResultLimits::default(),
            &quarter,
        );
        assert_eq!(plan, [Admitted { tokens: 2, cut: None, pictures: 0 }]);
    }

    #[test]
    fn above_a_quarter_of_the_window_both_ends_stay() {
        let log = (1..=2_000).map(|line| format!("line {line}\n")).collect::<String>();
        let plan = plan_results(
            &[candidate(log.as_bytes())],
            Room { window: 8_000, free: 6_000 },
            &ResultLimits::default(),
            &quarter,
        );
        let cut = plan[0].cut.expect("it is larger than 2,000 tokens");
        let shown = render_cut(log.as_bytes(), cut, "cmd#1");
        assert!(shown.starts_with("line 1\n"), "{shown}");
        assert!(shown.ends_with("line 2000\n"), "{shown}");
        assert!(shown.contains("Recall cmd#1]"), "{shown}");
        assert!(plan[0].tokens <= 2 * 250 + 30, "{plan:?}");
    }

    #[test]
    fn together_they_get_half_of_what_is_free_largest_first() {
        let (large, small) = ("x".repeat(6_000), "y".repeat(400));
        let results = [candidate(small.as_bytes()), candidate(large.as_bytes())];
        let plan = plan_results(&results, Room { window: 8_000, free: 2_000 }, &ResultLimits::default(), &quarter);
        assert_eq!(plan[0].cut, None);
        assert!(plan[1].cut.is_some());
        assert!(total(&plan) <= 1_000);
    }

    #[test]
    fn pictures_give_way_before_texts() {
        let results = [Candidate { pictures: 1_500, ..candidate(b"logo.png") }, candidate(b"small")];
        let plan = |free| plan_results(&results, Room { window: 8_000, free }, &ResultLimits::default(), &quarter);
        assert_eq!(plan(6_000)[0], Admitted { tokens: 1_502, cut: None, pictures: 1_500 });
        let told = quarter(format!("logo.png{NO_ROOM}").as_bytes());
        assert_eq!(plan(2_000)[0], Admitted { tokens: told, cut: None, pictures: 0 });
        assert_eq!(plan(2_000)[1].cut, None);
    }

    #[test]
    fn a_crowd_of_results_shrinks_until_it_fits() {
        let texts: Vec<String> = (0..20).map(|_| "z".repeat(4_000)).collect();
        let results: Vec<_> = texts.iter().map(|text| candidate(text.as_bytes())).collect();
        let plan = plan_results(&results, Room { window: 32_000, free: 4_000 }, &ResultLimits::default(), &quarter);
        assert!(total(&plan) <= 2_000, "{}", total(&plan));
    }

    #[test]
    fn cuts_never_split_a_character() {
        let text = "回望".repeat(20_000);
        let plan = plan_results(
            &[candidate(text.as_bytes())],
            Room { window: 8_000, free: 6_000 },
            &ResultLimits::default(),
            &quarter,
        );
        let shown = render_cut(text.as_bytes(), plan[0].cut.expect("large"), "cmd#1");
        assert!(!shown.contains('\u{fffd}'));
    }

    #[test]
    fn an_output_too_large_to_count_is_cut_without_counting_it() {
        let counted = std::cell::Cell::new(0);
        let count = |bytes: &[u8]| {
            counted.set(counted.get() + bytes.len());
            quarter(bytes)
        };
        let huge = vec![b'a'; 8 << 20];
        let plan =
            plan_results(&[candidate(&huge)], Room { window: 8_000, free: 6_000 }, &ResultLimits::default(), &count);
        assert!(plan[0].cut.is_some());
        assert!(counted.get() < 100_000);
    }
}
