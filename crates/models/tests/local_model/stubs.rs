//! Old blocks that become stubs: what the real server keeps of the prompt when they do, and from then on.

use lookback_engine::{
    Context, Source,
    card::{Card, Lifetime},
    trace::{EventBody, Layout, NoBlobs, Timestamp},
};
use lookback_wire::{Provider, render_body, render_head, render_message};

use crate::{
    server::server,
    sessions::{NOW, answer, ask, card, model, prompt_tokens, session, step},
};

const MINUTE: i64 = 60_000;

#[tokio::test]
async fn the_prefix_before_a_stub_is_found_and_the_stub_from_the_next_call_on() {
    let Some(alone) = server() else { return };
    let model = model(&alone);
    let mut session = session(Layout::Chat, 32_768);
    // This server forgets nothing by itself; the session believes in one that lets go after five minutes.
    session.use_card(Card { lifetime_ms: Some(5 * MINUTE), ..card() }, Lifetime::Usual);
    // Two blocks are older than the newest two. Each tells of enough calls for a stub to be shorter by a quarter.
    for number in 1..=40 {
        session.start_call(&NOW).expect("a call");
        answer(&mut session, number);
        if number % 10 == 0 {
            let draft = session.draft_fold(None, &NOW).expect("enough to fold");
            session.fold_by_rules(&draft, &NOW).expect("it is shorter");
        }
    }
    let before = prompt_tokens(step(&mut session, &model, 41).await);
    let later = Context { now: Timestamp(NOW.now.0 + 10 * MINUTE), ..NOW };
    let stubbed = session.tidy(&later).expect("between steps").stubbed.expect("old blocks at a cold cache");
    assert_eq!(stubbed.blocks, 2, "{stubbed}");
    let stub = session.trace().iter().find_map(|event| match &event.event {
        EventBody::Stub(stub) => Some(stub),
        _ => None,
    });
    let blocks: Vec<u32> = stub.expect("a recorded event").blocks.iter().map(|stubbed| stubbed.block).collect();
    assert_eq!(blocks, [1, 2]);
    let after = step(&mut session, &model, 42).await;
    let next = step(&mut session, &model, 43).await;

    let first_stub = session.view().entries().iter().position(|entry| entry.source == Source::Block(1));
    let first_stub = first_stub.expect("a stub stands where its block stood");
    let entries = &session.view().entries()[..first_stub];
    let render = |entry| render_message(Provider::Chat, &session.message(entry, &NoBlobs).expect("no blobs"));
    let messages: Vec<Vec<u8>> = entries.iter().map(render).collect();
    let head = render_head(Provider::Chat, &session.head());
    let prefix = render_body(Provider::Chat, "local", 1, &head, messages.iter().map(Vec::as_slice));
    let prefix = prompt_tokens(ask(&model, Provider::Chat, prefix).await.usage.expect("a whole body says its usage"));
    assert!(prefix > 1_000, "a prefix of about 1,200 tokens: {prefix}");
    assert!(after.cached * 100 >= prefix * 85, "{} of {prefix} tokens before the stubs are cached", after.cached);
    assert!(after.cached * 2 < before + prefix, "{} of {before}: what follows a stub is another text", after.cached);
    let sent = prompt_tokens(after);
    assert!(next.cached * 100 >= sent * 85, "then {} of {sent} tokens are cached, stubs and all", next.cached);
}
