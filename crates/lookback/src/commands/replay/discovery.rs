//! What to replay when nothing was named: what was found on this machine, if the person agrees; the sample, if there is
//! nothing.

use anyhow::Result;

use super::origin::{Asked, Origin};
use crate::{
    discovery::{self, Place},
    input::Found,
    screen,
};

/// More would be an hour's work for somebody who is only curious; folders can be named.
const NEWEST: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Ask,
    Given,
}

/// None where the person said no.
pub(super) fn discover(consent: Consent) -> Result<Option<Asked>> {
    let places = discovery::find_places();
    if places.is_empty() {
        screen::remark(
            "no recorded sessions of Claude Code, Codex or opencode on this machine: replaying the sample that comes with \
             lookback; `lookback replay FILES…` takes your own",
        );
        return Ok(Some(Asked { origins: vec![Origin::Sample], ..Asked::default() }));
    }
    discovery::show(&places);
    let all: usize = places.iter().map(|place| place.found.len()).sum();
    let newest = match all {
        0..=NEWEST => "All of them".to_owned(),
        _ => format!("The newest {NEWEST}"),
    };
    screen::remark(&format!("{newest} would be read; nothing leaves this machine."));
    let otherwise = "nothing was read; `lookback replay FILES…` replays what you name";
    let agrees = consent == Consent::Given || discovery::agrees("Read them?", otherwise)?;
    Ok(agrees.then(|| newest_of(places)))
}

/// In the order of their agents and paths, so that a report reads the same each time. With what sub-agents did since the
/// oldest of them.
fn newest_of(places: Vec<Place>) -> Asked {
    let mut times: Vec<_> = places.iter().flat_map(|place| &place.found).map(|found| found.modified).collect();
    times.sort_unstable_by(|one, other| other.cmp(one));
    let oldest = times.get(NEWEST - 1).copied().flatten();
    let is_new = |found: &Found| oldest.is_none() || found.modified >= oldest;
    let (main, sub_agents): (Vec<_>, Vec<_>) = places.into_iter().map(|place| (place.found, place.sub_agents)).unzip();
    let main = main.into_iter().flatten().filter(is_new).take(NEWEST);
    Asked::of(main.chain(sub_agents.into_iter().flatten().filter(is_new)))
}
