//! Who may talk to it, and what it keeps of them.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use lookback_gateway::Mode;

use crate::{
    conversation::{Conversation, is_block},
    provider::Provider,
    started::{KEY, TOKEN, results, start},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_and_strangers_are_turned_away() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let body = Conversation::new("hi").body().to_string();
    let foreign = gateway.post("/v1/messages").header("host", "evil.example").body(body.clone()).send().await.unwrap();
    assert_eq!(foreign.status(), 403);
    let page = gateway.post("/v1/messages").header("origin", "http://localhost:3000").body(body).send().await.unwrap();
    assert_eq!(page.status(), 403);
    assert!(page.text().await.unwrap().contains("web page"));
    assert_eq!(gateway.get("/metrics").send().await.unwrap().status(), 401);
    let wrong = gateway.get("/metrics").header("authorization", "Bearer nonsense").send().await.unwrap();
    assert_eq!(wrong.status(), 401);
    let right = gateway.get("/metrics").header("authorization", format!("Bearer {TOKEN}")).send().await.unwrap();
    assert!(right.text().await.unwrap().contains("lookback_requests_refused_total 4"));
    assert!(provider.got().is_empty());
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_names_another_port_or_address_means_another_server() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let port = gateway.running.address().port();
    let other = if port == 9_999 { 9_998 } else { 9_999 };
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("LocalHost:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("localhost".to_owned(), 200),
        ("127.0.0.1".to_owned(), 200),
        ("[::1]".to_owned(), 200),
        (format!("localhost:{other}"), 403),
        (format!("127.0.0.1:{other}"), 403),
        (format!("[::1]:{other}"), 403),
        (format!("127.0.0.2:{port}"), 403),
        ("127.1.2.3".to_owned(), 403),
        (format!("evil.example:{port}"), 403),
    ] {
        let response = gateway.get("/healthz").header("host", &host).send().await.unwrap();
        assert_eq!(response.status(), status, "{host}");
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_token_is_a_bearer_s_in_any_case() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    for (scheme, status) in [("Bearer", 200), ("bearer", 200), ("BEARER", 200), ("Basic", 401)] {
        let asked = gateway.get("/metrics").header("authorization", format!("{scheme} {TOKEN}"));
        assert_eq!(asked.send().await.unwrap().status(), status, "{scheme}");
    }
    gateway.stop().await;
}

/// Another test once more, where the environment names a proxy that nobody is at: what it asks goes past it.
#[test]
fn no_proxy_is_asked_for_what_is_on_this_machine() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "passing::a_body_reaches_the_provider_byte_for_byte"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        again.env(name, "http://127.0.0.1:9");
    }
    let ended = again.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_credential_gets_nothing_of_a_conversation() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 16).await;
    gateway.wait_for_folds(1).await;
    conversation.step(&gateway).await;
    assert!(provider.last().messages().iter().any(is_block));
    let other = gateway.post("/v1/messages").header("authorization", "Bearer somebody-else");
    other.body(conversation.body().to_string()).send().await.unwrap();
    assert_eq!(
        provider.last().body,
        conversation.body().to_string().as_bytes(),
        "with two credentials it is another one's"
    );
    gateway.stop().await;
}

/// Titles and the like are known by the name of their conversation alone, and two people's may have the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_credential_s_calls_beside_are_in_no_session_of_this_one() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut body = Conversation::new("read everything").body();
    let ask = async |key: &str, body: &serde_json::Value| {
        let request = gateway.post("/v1/messages").header("authorization", format!("Bearer {key}"));
        request.header("x-session-id", "same").body(body.to_string()).send().await.unwrap().bytes().await.unwrap();
    };
    let mut title = Conversation::new("a title, please").body();
    title.as_object_mut().unwrap().remove("tools");
    // One before and one behind: what comes early waits for its conversation.
    ask("b", &title).await;
    ask("a", &body).await;
    ask("b", &title).await;
    ask("a", &title).await;
    body["messages"][0]["content"] = "read something".into();
    ask("b", &body).await;
    gateway.stop().await;
    let store = lookback_store::Store::open(home.path()).unwrap();
    let beside = |session: lookback_store::SessionSummary| {
        let events = store.events(&session.id).unwrap();
        (format!("{events:?}").contains("read everything"), format!("{events:?}").matches("kind: Side").count())
    };
    let mut found: Vec<_> = store.sessions().unwrap().into_iter().map(beside).collect();
    found.sort_unstable();
    assert_eq!(found, [(false, 2), (true, 1)]);
}

/// Of a login's token as it is renewed, and of somebody else's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_is_renewed_goes_on_where_it_was() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let token = |who: &str, until: u32| {
        let claims = format!(r#"{{"iss":"https://auth.example","sub":"{who}","exp":{until}}}"#);
        format!("Bearer e30.{}.c2lnbmVk", URL_SAFE_NO_PAD.encode(claims))
    };
    let mut conversation = Conversation::new("read everything");
    let mut ask = async |token: String, step: bool| {
        let request = gateway.post("/v1/messages").header("authorization", token);
        let response = request.body(conversation.body().to_string()).send().await.unwrap();
        let reply = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        if step {
            conversation.take(&reply);
        }
        provider.last().messages().iter().any(is_block)
    };
    for step in 0..18 {
        ask(token("me", 1_000 + step), true).await;
    }
    gateway.wait_for_folds(1).await;
    assert!(ask(token("me", 5_000), true).await, "it is the same owner's");
    assert!(!ask(token("you", 5_000), false).await, "and nobody else's");
    gateway.stop().await;
    let mut found = results(home.path());
    found.sort_unstable();
    assert_eq!(found, [18, 19], "one session of the one, one of the other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_key_is_in_any_file() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let mut conversation = Conversation::new("read everything");
    conversation.steps(&gateway, 14).await;
    gateway.stop().await;
    let mut looked_at = 0;
    for entry in walk(home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        looked_at += 1;
        assert!(!bytes.windows(12).any(|window| window == &KEY.as_bytes()[8..20]), "{} holds the key", entry.display());
    }
    assert!(looked_at > 0);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
