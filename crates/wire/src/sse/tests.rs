//! Events by the standard's own examples, and equal events under every chunking, beside a reader that knows the whole
//! stream.

use proptest::{collection::vec, prelude::*, sample::select};

use super::*;

fn event(event: Option<&str>, data: &str) -> SseEvent {
    SseEvent { event: event.map(str::to_owned), data: data.as_bytes().to_vec() }
}

/// All events of a stream that comes in these pieces, and what its end cut off.
fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<SseEvent>, Option<SseEvent>) {
    let mut parser = SseParser::default();
    let events = pieces.into_iter().flat_map(|piece| parser.push(piece).expect("small")).collect();
    (events, parser.finish())
}

/// The standard's grammar over the whole text at once, without regard to cost.
fn reference(stream: &[u8]) -> Vec<SseEvent> {
    let text: Vec<u8> = stream.strip_prefix(BYTE_ORDER_MARK).unwrap_or(stream).to_vec();
    let text = String::from_utf8(text.iter().flat_map(|&byte| char::from(byte).to_string().into_bytes()).collect())
        .expect("each byte as one character")
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let bytes = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let mut events = Vec::new();
    let (mut name, mut data) = (String::new(), Vec::new());
    let Some((ended, _)) = text.rsplit_once('\n') else { return events };
    for line in ended.split('\n') {
        if line.is_empty() {
            if !data.is_empty() {
                let name = String::from_utf8_lossy(&bytes(&name)).into_owned();
                let event = (!name.is_empty()).then_some(name);
                events.push(SseEvent { event, data: bytes(&data.join("\n")) });
            }
            (name, data) = (String::new(), Vec::new());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match field {
            "data" => data.push(value),
            "event" => name = value,
            "error" => {
                name = "error".to_owned();
                data.push(value);
            }
            _ => {}
        }
    }
    events
}

#[test]
fn fields_and_their_values() {
    let stream = "\u{feff}: hello\ndata: a\ndata:  b\nid: 7\nretry: 1\nunknown\n\nevent: x\rdata:c\r\rdata\n\n\n\n";
    let (events, rest) = read([stream.as_bytes()]);
    assert_eq!(events, [event(None, "a\n b"), event(Some("x"), "c"), event(None, "")]);
    assert_eq!(rest, None);
}

#[test]
fn a_mark_is_dropped_at_the_start_only() {
    let (events, _) = read([&b"\xef"[..], b"\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n"]);
    assert_eq!(events, [event(None, "a")]);
}

#[test]
fn a_name_without_data_is_no_event() {
    assert_eq!(read([&b"event: ping\n\ndata: a\n\n"[..]]).0, [event(None, "a")]);
}

#[test]
fn bytes_that_are_not_text_stay() {
    let (events, _) = read([&b"event: \xff\ndata: \xf0\x9f"[..], b"\x98\x80\xfe\n\n"]);
    assert_eq!(events[0].event.as_deref(), Some("\u{fffd}"));
    assert_eq!(events[0].data, b"\xf0\x9f\x98\x80\xfe");
}

#[test]
fn what_the_end_cut_off_is_told_apart() {
    assert_eq!(read([&b"data: a\n\ndata: b\nda"[..]]), (vec![event(None, "a")], Some(event(None, "b"))));
    assert_eq!(read([&b"data: a\n\nevent: b\n"[..]]), (vec![event(None, "a")], None));
}

#[test]
fn a_failure_of_llama_cpp_is_an_event() {
    let (events, _) = read([&b"error: {\"code\":500}\n\n"[..]]);
    assert_eq!(events, [event(Some("error"), "{\"code\":500}")]);
}

#[test]
fn events_are_bounded() {
    let error = SseError::TooLarge { limit: 20 };
    let mut parser = SseParser::with_limit(20);
    assert_eq!(parser.push(b"data: a\n\ndata: bb\n\ndata: 0123456789").map(|events| events.len()), Ok(2));
    assert_eq!(parser.push(b"0123456"), Err(error));
    assert_eq!(parser.push(b"\n\n"), Err(error));
    let mut parser = SseParser::with_limit(20);
    let first = parser.push(b"data: a\n\ndata: 012345678901234567890\n\ndata: b\n\n");
    assert_eq!(first, Ok(vec![event(None, "a")]), "what was whole before the error is given out");
    assert_eq!((parser.push(b""), parser.finish()), (Err(error), None));
}

/// Were every chunk searched from the start of its line, this would take hours.
#[test]
fn a_long_line_in_single_bytes() {
    let mut stream = b"data: ".to_vec();
    stream.resize(4 << 20, b'x');
    stream.extend_from_slice(b"\n\n");
    let (events, _) = read(stream.chunks(1));
    assert_eq!(events[0].data.len(), (4 << 20) - 6);
}

#[rustfmt::skip]
const PIECES: &[&[u8]] = &[
    b"data", b"data:", b"data: {\"a\":1}", b"event: x", b"event", b":", b": c", b"id: 1", b"error: e", b"retry", b" ",
    b"\n", b"\n\n", b"\r", b"\r\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"\xff", "中".as_bytes(), b"\0",
];

fn stream() -> impl Strategy<Value = Vec<u8>> {
    vec(select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn events_do_not_depend_on_the_chunks(stream in stream(), cuts in vec(any::<prop::sample::Index>(), 0..12)) {
        let whole = read([stream.as_slice()]);
        prop_assert_eq!(&whole.0, &reference(&stream));
        prop_assert_eq!(&read(stream.chunks(1)), &whole);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).chain([0, stream.len()]).collect();
        cuts.sort_unstable();
        prop_assert_eq!(&read(cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]])), &whole);
    }
}
