//! What we render is read back into messages that render to the same bytes.

use lookback_wire::{Provider, parse_message, render_message, render_messages};
use proptest::prelude::*;

use crate::conversations::conversation;

proptest! {
    #[test]
    fn rendering_what_was_read_gives_the_same_bytes(messages in conversation()) {
        for provider in Provider::ALL {
            for message in &messages {
                let rendered = render_message(provider, message);
                let parsed = parse_message(provider, &rendered);
                let parsed = parsed.map_err(|error| TestCaseError::fail(format!("{provider}: {error}")))?;
                let again = render_messages(provider, &parsed);
                prop_assert_eq!(
                    String::from_utf8_lossy(&again),
                    String::from_utf8_lossy(&rendered),
                    "{}: {:?}", provider, parsed
                );
            }
        }
    }

    #[test]
    fn several_messages_at_once_are_read_back(messages in conversation()) {
        for provider in Provider::ALL {
            let rendered = render_messages(provider, &messages);
            let parsed = parse_message(provider, &rendered);
            let parsed = parsed.map_err(|error| TestCaseError::fail(format!("{provider}: {error}")))?;
            let again = render_messages(provider, &parsed);
            prop_assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&rendered), "{}", provider);
        }
    }

    #[test]
    fn reading_what_anybody_sends_never_panics(bytes in any::<Vec<u8>>(), json in "[\\[{\"a:,}\\] \\\\n]{0,40}") {
        for provider in Provider::ALL {
            let _ = parse_message(provider, &bytes);
            let _ = parse_message(provider, json.as_bytes());
        }
    }
}
