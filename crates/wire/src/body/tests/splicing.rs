//! Commas and order of edits, on lists short enough to see all of.

use super::*;

const BODY: &str = "{\"b\":1.0, \"messages\" : [ 0 ,1,\n2 , 3 ] , \"b\":2e+1}";

fn messages(range: std::ops::Range<usize>, with: &'static str) -> Edit<'static> {
    Edit::Messages { range, with: with.as_bytes().into() }
}

fn spliced(json: &str, edits: &[Edit<'_>]) -> Result<String, SpliceError> {
    let body = parse(Provider::Chat, json);
    body.splice(edits).map(|bytes| String::from_utf8(bytes).expect("UTF-8 stays UTF-8"))
}

/// The list alone, with all around it checked.
fn list(edits: &[Edit<'_>]) -> String {
    let whole = spliced(BODY, edits).expect("the edits fit");
    let rest = whole.strip_prefix("{\"b\":1.0, \"messages\" : ").expect("the head is kept");
    rest.strip_suffix(" , \"b\":2e+1}").expect("the tail is kept").to_owned()
}

#[test]
fn commas_stay_right() {
    assert_eq!(list(&[]), "[ 0 ,1,\n2 , 3 ]");
    assert_eq!(list(&[messages(1..3, "x,y")]), "[ 0 ,x,y , 3 ]");
    assert_eq!(list(&[messages(0..4, "x")]), "[ x ]");
    assert_eq!(list(&[messages(0..1, "")]), "[ 1,\n2 , 3 ]");
    assert_eq!(list(&[messages(1..3, "")]), "[ 0 , 3 ]");
    assert_eq!(list(&[messages(2..4, "")]), "[ 0 ,1 ]");
    assert_eq!(list(&[messages(0..4, "")]), "[  ]");
    assert_eq!(list(&[messages(0..2, ""), messages(2..4, "")]), "[  ]");
    assert_eq!(list(&[messages(0..1, ""), messages(1..2, "x"), messages(3..4, "")]), "[ x,\n2 ]");
    assert_eq!(list(&[messages(0..2, ""), messages(3..4, "")]), "[ 2 ]");
    assert_eq!(list(&[messages(0..3, ""), messages(3..4, "x")]), "[ x ]");
}

#[test]
fn an_empty_range_inserts() {
    assert_eq!(list(&[messages(0..0, "x")]), "[ x,0 ,1,\n2 , 3 ]");
    assert_eq!(list(&[messages(0..0, "x"), messages(0..0, "y"), messages(0..2, "")]), "[ x,y,\n2 , 3 ]");
    assert_eq!(list(&[messages(2..2, "x"), messages(2..2, "")]), "[ 0 ,1,x,\n2 , 3 ]");
    assert_eq!(list(&[messages(4..4, "x")]), "[ 0 ,1,\n2 , 3,x ]");
    assert_eq!(list(&[messages(0..4, ""), messages(4..4, "x")]), "[ x ]");
    assert_eq!(spliced(r#"{"messages":[ ]}"#, &[messages(0..0, "x")]).as_deref(), Ok(r#"{"messages":[x ]}"#));
}

#[test]
fn bytes_and_messages_are_edited_together() {
    let at = |text: &str| {
        let start = BODY.find(text).expect("it is in the body");
        Span { start, end: start + text.len() }
    };
    let bytes = |text: &str, with: &'static str| Edit::Bytes { span: at(text), with: with.as_bytes().into() };
    let edits = [bytes("1.0", "7"), messages(0..1, ""), bytes("\n2", "\ntwo"), messages(3..3, "x"), bytes("2e", "3e")];
    assert_eq!(spliced(BODY, &edits).as_deref(), Ok("{\"b\":7, \"messages\" : [ 1,\ntwo,x , 3 ] , \"b\":3e+1}"));
    let first = Edit::Bytes { span: parse(Provider::Chat, BODY).messages()[0].span, with: b"zero".into() };
    assert_eq!(list(&[messages(0..0, "x"), first]), "[ x,zero ,1,\n2 , 3 ]");
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |edits: &[Edit<'_>]| spliced(BODY, edits).expect_err("the edits do not fit");
    assert_eq!(refused(&[messages(3..5, "")]), SpliceError::NoSuchMessages { range: 3..5, count: 4 });
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let reversed = messages(3..2, "x");
    assert!(matches!(refused(&[reversed]), SpliceError::NoSuchMessages { .. }));
    assert!(matches!(refused(&[messages(1..3, "x"), messages(2..4, "y")]), SpliceError::OutOfOrder { .. }));
    assert!(matches!(refused(&[messages(2..3, "x"), messages(0..1, "y")]), SpliceError::OutOfOrder { .. }));
    let bytes = |start, end| Edit::Bytes { span: Span { start, end }, with: Cow::Borrowed(b"") };
    assert!(matches!(refused(&[bytes(5, 4)]), SpliceError::NoSuchBytes { .. }));
    assert!(matches!(refused(&[bytes(0, 4_000)]), SpliceError::NoSuchBytes { .. }));
    let first = parse(Provider::Chat, BODY).messages()[0].span;
    let behind = bytes(first.end, first.end + 9);
    assert!(matches!(refused(&[messages(0..1, "x"), behind.clone()]), SpliceError::OutOfOrder { .. }));
    assert!(matches!(refused(&[behind, messages(1..2, "x")]), SpliceError::OutOfOrder { .. }));
    assert_eq!(spliced("{}", &[messages(0..0, "x")]), Err(SpliceError::NoList));
}
