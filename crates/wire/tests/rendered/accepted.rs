//! What is rendered is accepted, and a prompt that grows keeps its bytes.

use lookback_wire::{Head, Provider, check_body, render_body, render_head, render_message};
use proptest::prelude::*;

use crate::conversations::{conversation, head};

fn body(provider: Provider, head: &[u8], messages: &[Vec<u8>]) -> Vec<u8> {
    render_body(provider, "some \"model\"", 4096, head, messages.iter().map(Vec::as_slice))
}

proptest! {
    #[test]
    fn rendered_bodies_are_accepted((tools, system, rules) in head(), messages in conversation()) {
        for provider in Provider::ALL {
            let head = render_head(provider, &Head { tools: &tools, system: &system, rules: &rules });
            let messages: Vec<_> = messages.iter().map(|message| render_message(provider, message)).collect();
            let body = body(provider, &head, &messages);
            prop_assert_eq!(check_body(provider, &body), Ok(()), "{}: {}", provider, String::from_utf8_lossy(&body));
        }
    }

    #[test]
    fn a_growing_prompt_keeps_its_bytes((tools, system, rules) in head(), messages in conversation()) {
        for provider in Provider::ALL {
            let head = render_head(provider, &Head { tools: &tools, system: &system, rules: &rules });
            let messages: Vec<_> = messages.iter().map(|message| render_message(provider, message)).collect();
            let whole = body(provider, &head, &messages);
            let closing: &[u8] = if provider == Provider::React { b"" } else { b"]}" };
            for count in 0..messages.len() {
                let part = body(provider, &head, &messages[..count]);
                let open = part.strip_suffix(closing).expect("a closed body");
                prop_assert!(whole.starts_with(open), "{}: {} messages", provider, count);
            }
        }
    }
}
