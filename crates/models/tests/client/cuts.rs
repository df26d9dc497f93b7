//! Streams that break after the model has spoken: never sent again, never lost.

use lookback_models::ErrorKind;
use lookback_wire::ReplyStop;

use crate::{
    HELLO, asked, reply_text,
    server::{Move, Server, piece, stream_head, streamed},
    text_event,
};

#[tokio::test]
async fn what_came_before_the_cut_is_kept() {
    let spoken = text_event("Half an ans");
    let broken = |end: Vec<Move>| [vec![stream_head(), piece(spoken.as_bytes())], end].concat();
    let error = "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    for (play, said) in [
        (broken(vec![Move::Close]), "the answer broke off: "),
        (broken(vec![piece(b"data: {\"cho"), Move::Close]), "the answer broke off: "),
        (streamed(&spoken, 9), "the answer broke off: the server closed the connection"),
        (broken(vec![piece(error.as_bytes())]), "the answer broke off: the provider is overloaded: Overloaded"),
    ] {
        let server = Server::start([play, streamed(HELLO, 30)]).await;
        let told = asked(&server).await;
        let error = told.error.unwrap();
        assert_eq!(error.kind, ErrorKind::CutStream, "{error}");
        assert!(error.message.starts_with(said), "{error}");
        assert_eq!((told.text.as_str(), told.retries.len()), ("Half an ans", 0));
        assert_eq!(reply_text(&told.reply), "Half an ans");
        assert_eq!(told.reply.stop, ReplyStop::Cut);
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_refusal_after_content_keeps_its_kind() {
    let events = format!(
        "{}data: {{\"error\":{{\"code\":400,\"type\":\"content_filter\",\"message\":\"filtered\"}}}}\n\n",
        text_event("Half")
    );
    let server = Server::start([streamed(&events, 30)]).await;
    let told = asked(&server).await;
    assert_eq!(told.error.unwrap().kind, ErrorKind::RefusedContent);
    assert_eq!(reply_text(&told.reply), "Half");
}

#[tokio::test]
async fn an_answer_that_was_whole_before_the_connection_broke_is_whole() {
    let unmarked = HELLO.replace("data: [DONE]\n\n", "");
    let held_open = vec![stream_head(), piece(HELLO.as_bytes()), Move::Stall];
    for play in [
        vec![stream_head(), piece(HELLO.as_bytes()), Move::Close],
        // Some servers leave out [DONE], some the last blank line.
        streamed(&unmarked, 40),
        streamed(HELLO.trim_end(), 40),
        held_open,
    ] {
        let server = Server::start([play]).await;
        let told = asked(&server).await;
        assert_eq!((told.error, told.text.as_str()), (None, "Hello, wörld"));
        assert_eq!(told.reply.stop, ReplyStop::End);
    }
}
