//! Request bodies: read as serde_json reads them, and spliced without touching what no edit names.

use lookback_wire::{
    Body, BodyError, Provider,
    body::{Edit, SectionKind, SectionValue, Span},
    parse_message,
};
use serde_json::value::RawValue;

pub fn bytes_survive(provider: Provider, input: &[u8]) {
    let is_object = serde_json::from_slice::<&RawValue>(input).is_ok_and(|value| value.get().starts_with('{'));
    let body = match Body::parse(provider, input.to_vec()) {
        Ok(body) => body,
        Err(BodyError::TooDeep { offset }) => return assert!(offset > 0 && offset < input.len()),
        Err(error) => return assert!(!is_object, "{error}"),
    };
    assert!(is_object);
    assert_eq!(body.splice(&[]).expect("nothing fits everything"), input);
    ask(&body);
    if body.section(SectionKind::Messages).is_some_and(|section| section.value == SectionValue::List) {
        splice_messages(&body);
    }
}

fn ask(body: &Body) {
    (body.model(), body.prompt_cache_key(), body.user_id(), body.earlier());
    body.members().iter().for_each(|member| drop(body.text(member.name)));
}

fn splice_messages(body: &Body) {
    let count = body.messages().len();
    for range in [0..count, 0..count / 2, count / 2..count, count / 3..count - count / 3, count..count] {
        let removed = body.splice(&[Edit::Messages { range: range.clone(), with: b"".into() }]).expect("it exists");
        let removed = Body::parse(body.provider(), removed).expect("commas stay right");
        assert_eq!(removed.messages().len(), count - range.len());
        if range.is_empty() {
            continue;
        }
        let old = Span { start: body.messages()[range.start].span.start, end: body.messages()[range.end - 1].span.end };
        let same = body.splice(&[Edit::Messages { range, with: body.slice(old).into() }]).expect("it exists");
        assert_eq!(&same, body.bytes());
        // Messages may say anything, as long as reading them does not panic.
        let _ = parse_message(body.provider(), body.slice(old));
    }
}
