//! What servers say instead of an answer, and what a person is told.

use lookback_models::{Client, Endpoint, EndpointError, ErrorKind, Key, PlainHttp};
use lookback_wire::Provider;

use crate::{
    KEY, ask, asked, endpoint,
    server::{Server, json, streamed, whole},
    tell,
};

const PAGE: &str = "<html><head><title>Sign in to the network</title></head><body>…</body></html>";

#[tokio::test]
async fn each_refusal_is_told_by_its_kind() {
    for (play, kind, status, says) in [
        (
            json("401 Unauthorized", &[], &format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#)),
            ErrorKind::BadKey,
            Some(401),
            "the provider says the key is not valid (401): Incorrect API key provided: [hidden]\n\
             the key in config.toml has 33 characters, ends in …f3a\n\
             check it with `lookback doctor`",
        ),
        (
            json("404 Not Found", &[], r#"{"error":"model \"m\" not found, try pulling it first"}"#),
            ErrorKind::NoSuchModel,
            Some(404),
            "the provider knows no such model (404): model \"m\" not found",
        ),
        (
            json(
                "400 Bad Request",
                &[],
                r#"{"error":{"message":"x","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}}"#,
            ),
            ErrorKind::PromptTooLong { sent: Some(9), limit: Some(8) },
            Some(400),
            "the prompt is too long for the model (400)",
        ),
        (
            json(
                "400 Bad Request",
                &[],
                r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back"}}"#,
            ),
            ErrorKind::RefusedThinking,
            Some(400),
            "the provider refuses the thinking of earlier steps (400)",
        ),
        (
            whole("200 OK", &["content-type: text/html; charset=utf-8"], PAGE),
            ErrorKind::Nonsense,
            Some(200),
            "what 127.0.0.1 answered is not what the API says (200): Sign in to the network",
        ),
        (
            whole("403 Forbidden", &["content-type: text/html"], PAGE),
            ErrorKind::BadKey,
            Some(403),
            "the provider says the key is not valid (403): Sign in to the network",
        ),
        (json("200 OK", &[], "{\"choices\": [{\"mess"), ErrorKind::Nonsense, None, "what 127.0.0.1 answered is not"),
        (json("200 OK", &[], "{\"hello\":\"world\"}"), ErrorKind::Nonsense, None, "what 127.0.0.1 answered is not"),
        (
            json("200 OK", &[], r#"{"error":{"code":400,"message":"bad"}}"#),
            ErrorKind::BadRequest,
            Some(400),
            "the provider says the request is wrong (400): bad",
        ),
        (
            streamed(&format!("data: this is no JSON, it is {KEY}\n\n"), 30),
            ErrorKind::Nonsense,
            None,
            "what 127.0.0.1 answered is not what the API says: ",
        ),
        (
            whole("200 OK", &["content-type: text/plain"], "It works!"),
            ErrorKind::Nonsense,
            None,
            "what 127.0.0.1 answered is not what the API says: It works!\ncheck base_url (requests go to http://127.0.0.1:",
        ),
        (
            whole("301 Moved Permanently", &["location: https://elsewhere.example/v1?key=geheim"], ""),
            ErrorKind::Nonsense,
            Some(301),
            "127.0.0.1 redirects to https://elsewhere.example/v1?hidden, which is not followed: the key would go there (301)\n\
             set base_url to where the API really is",
        ),
        (
            whole("307 Temporary Redirect", &["location: /elsewhere"], ""),
            ErrorKind::Nonsense,
            Some(307),
            "127.0.0.1 redirects to /elsewhere",
        ),
    ] {
        let server = Server::start([play]).await;
        let told = asked(&server).await;
        let error = told.error.unwrap();
        assert_eq!((error.kind, error.status), (kind, status), "{error}");
        assert!(error.message.starts_with(says), "{error}");
        assert!(error.message.contains('\n'), "it says what to do: {error}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn an_echo_of_the_whole_request_shows_no_secret() {
    let secret = "Basic dXNlcjpnZWhlaW0=";
    let echo = format!("unknown header x-team-token: {secret} and authorization: Bearer {KEY}");
    let server = Server::start([whole("400 Bad Request", &[], &echo)]).await;
    let headers = vec![("x-team-token".to_owned(), secret.to_owned())];
    let client = Client::new(Endpoint { headers, ..endpoint(&server) }).unwrap();
    let error = tell(ask(&client)).await.error.unwrap();
    assert!(
        error.message.contains("unknown header x-team-token: [hidden] and authorization: Bearer [hidden]"),
        "{error}"
    );
    let debug = format!("{client:?} {:?}", endpoint(&server));
    assert!(!debug.contains(KEY) && !debug.contains("geheim") && !debug.contains("dXNlcjpnZWhlaW0"), "{debug}");
}

#[test]
fn what_cannot_work_is_said_before_anything_is_sent() {
    let base = || Endpoint {
        key: Some(Key::from_file(KEY, "config.toml")),
        ..Endpoint::new(Provider::Chat, "http://10.0.0.7:8080")
    };
    let refused = |endpoint| Client::new(endpoint).unwrap_err();

    assert_eq!(refused(base()), EndpointError::SecretOverPlainHttp { host: "10.0.0.7".to_owned() });
    let headers = vec![("Authorization".to_owned(), "Bearer x".to_owned())];
    assert!(matches!(refused(Endpoint { key: None, headers, ..base() }), EndpointError::SecretOverPlainHttp { .. }));
    Client::new(Endpoint { plain_http: PlainHttp::WithSecrets, ..base() }).unwrap();
    Client::new(Endpoint { key: None, headers: vec![("x-title".to_owned(), "t".to_owned())], ..base() }).unwrap();
    Client::new(Endpoint { base_url: "http://localhost:8080".to_owned(), ..base() }).unwrap();

    let https = || Endpoint { base_url: "https://models.example".to_owned(), ..base() };
    let headers = vec![("x-note".to_owned(), "two\nlines".to_owned())];
    assert!(matches!(refused(Endpoint { headers, ..https() }), EndpointError::BadHeader { .. }));
    let proxy = Some("ftp://me:geheim@proxy:1".to_owned());
    let error = refused(Endpoint { proxy, ..https() });
    assert!(matches!(error, EndpointError::BadProxy { .. }) && !error.to_string().contains("geheim"), "{error}");

    let folder = tempfile::tempdir().unwrap();
    for content in
        [None, Some("not a certificate"), Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")]
    {
        let path = folder.path().join("ca.pem");
        content.into_iter().for_each(|content| std::fs::write(&path, content).unwrap());
        let error = refused(Endpoint { ca_file: Some(path), ..https() });
        assert!(matches!(error, EndpointError::BadCaFile { .. }), "{error}");
    }
}
