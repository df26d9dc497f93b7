//! Who speaks in a line of the user's role: a person, or the client in a person's place.

use lookback_engine::trace::Origin;

use super::lines::Line;

/// What the client writes into the user's role: slash commands and what they printed, shell lines of the person, notes
/// about tasks and interruptions.
const MACHINE: [&str; 13] = [
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<command-contents>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "<user-prompt-submit-hook>",
    "<session-start-hook>",
    INTERRUPTION,
];

const INTERRUPTION: &str = "[Request interrupted by user";

pub(super) fn origin_of(line: &Line<'_>, text: &str) -> Origin {
    let start = text.trim_start();
    let is_machine = line.is_meta == Some(true)
        || line.is_compact_summary == Some(true)
        || MACHINE.iter().any(|mark| start.starts_with(mark));
    if is_machine { Origin::Machine } else { Origin::Person }
}

pub(super) fn is_interruption(text: &str) -> bool {
    text.trim_start().starts_with(INTERRUPTION)
}
