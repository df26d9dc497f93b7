//! The same over HTTP/2, which is what the large providers speak.

use std::future::poll_fn;

use bytes::Bytes;
use h2::{Reason, SendStream};
use lookback_models::{Answering, Client, Endpoint, ErrorKind, Progress};
use lookback_wire::{Delta, ReplyStop};
use tokio::{net::TcpListener, sync::mpsc};

use crate::{HELLO, ask, reply_text, server::Server, tell, text_event, tls::Authority};

/// Takes one connection and hands each stream on it to the test.
async fn streams(authority: &Authority) -> (String, mpsc::Receiver<SendStream<Bytes>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://{}", listener.local_addr().unwrap());
    let acceptor = authority.acceptor(b"h2");
    let (sender, receiver) = mpsc::channel(8);
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut connection = h2::server::handshake(acceptor.accept(stream).await.unwrap()).await.unwrap();
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            let head = http::Response::builder().header("content-type", "text/event-stream").body(()).unwrap();
            sender.send(respond.send_response(head, false).unwrap()).await.unwrap();
        }
    });
    (base_url, receiver)
}

async fn client(authority: &Authority, base_url: String) -> Client {
    let unused = Server::start([]).await;
    Client::new(Endpoint { base_url, ca_file: authority.ca_file(), ..crate::endpoint(&unused) }).unwrap()
}

#[tokio::test]
async fn two_answers_share_a_connection() {
    let authority = Authority::for_name("127.0.0.1");
    let (base_url, mut streams) = streams(&authority).await;
    let client = client(&authority, base_url).await;
    // The server takes one connection only.
    let first = begun(&client, &mut streams).await;
    let second = begun(&client, &mut streams).await;
    for (answering, mut stream) in [first, second] {
        for piece in HELLO.as_bytes().chunks(40) {
            stream.send_data(Bytes::copy_from_slice(piece), false).unwrap();
        }
        stream.send_data(Bytes::new(), true).unwrap();
        let told = tell(answering).await;
        assert_eq!((told.error, told.text.as_str()), (None, "Hello, wörld"));
        assert_eq!(reply_text(&told.reply), "HalfHello, wörld");
    }
}

#[tokio::test]
async fn a_reset_after_content_is_a_cut_and_hanging_up_resets() {
    let authority = Authority::for_name("127.0.0.1");
    let (base_url, mut streams) = streams(&authority).await;
    let client = client(&authority, base_url).await;

    let (answering, mut stream) = begun(&client, &mut streams).await;
    stream.send_reset(Reason::INTERNAL_ERROR);
    let told = tell(answering).await;
    assert_eq!(told.error.unwrap().kind, ErrorKind::CutStream);
    assert_eq!((reply_text(&told.reply).as_str(), told.reply.stop), ("Half", ReplyStop::Cut));

    let (answering, mut stream) = begun(&client, &mut streams).await;
    drop(answering);
    assert_eq!(poll_fn(|context| stream.poll_reset(context)).await.unwrap(), Reason::CANCEL);
}

/// An answer that has said "Half", and the server's end of it.
async fn begun(client: &Client, streams: &mut mpsc::Receiver<SendStream<Bytes>>) -> (Answering, SendStream<Bytes>) {
    let mut answering = ask(client);
    let serve = async {
        let mut stream = streams.recv().await.unwrap();
        stream.send_data(Bytes::from(text_event("Half")), false).unwrap();
        stream
    };
    let (stream, first) = tokio::join!(serve, answering.next());
    assert_eq!(first, Ok(Some(Progress::Delta(Delta::Text("Half".to_owned())))));
    (answering, stream)
}
