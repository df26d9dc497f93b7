//! Certificates and proxies. The certificates are made anew for every test.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use lookback_models::{Client, Endpoint, ErrorKind, Key, PlainHttp, Retries};
use lookback_wire::Provider;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::{
    io::{AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::{
    HELLO, KEY, ask, endpoint,
    server::{Move, Server, read_head, streamed},
    tell,
};

/// A server's side of TLS for one name, and the file that a client needs to trust it.
pub(crate) struct Authority {
    folder: TempDir,
    config: rustls::ServerConfig,
}

impl Authority {
    pub(crate) fn for_name(name: &str) -> Self {
        Self::called("tests", name)
    }

    fn called(authority: &str, name: &str) -> Self {
        let ca_key = KeyPair::generate().unwrap();
        let mut ca = CertificateParams::new(vec![]).unwrap();
        ca.distinguished_name.push(DnType::CommonName, authority);
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), ca.self_signed(&ca_key).unwrap().pem()).unwrap();
        let key = KeyPair::generate().unwrap();
        let issuer = Issuer::new(ca, ca_key);
        let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
        let private = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)
            .unwrap();
        Self { folder, config }
    }

    pub(crate) fn ca_file(&self) -> Option<PathBuf> {
        Some(self.folder.path().join("ca.pem"))
    }

    /// For a server that speaks this protocol only.
    pub(crate) fn acceptor(&self, protocol: &[u8]) -> TlsAcceptor {
        let mut config = self.config.clone();
        config.alpn_protocols = vec![protocol.to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }

    async fn server(&self, plays: impl IntoIterator<Item = Vec<Move>>) -> Server {
        Server::start_with(plays, Some(self.acceptor(b"http/1.1"))).await
    }
}

#[tokio::test]
async fn a_ca_file_is_trusted_beside_the_system() {
    let authority = Authority::for_name("127.0.0.1");
    let server = authority.server([streamed(HELLO, 30)]).await;
    let base_url = format!("https://{}", server.address);
    let trusting = Endpoint { base_url: base_url.clone(), ca_file: authority.ca_file(), ..endpoint(&server) };
    assert_eq!(tell(ask(&Client::new(trusting.clone()).unwrap())).await.error, None);

    for others in [Authority::called("strangers", "127.0.0.1"), Authority::for_name("127.0.0.1")] {
        let endpoint = Endpoint { ca_file: others.ca_file(), ..trusting.clone() };
        let told = tell(ask(&Client::new(endpoint).unwrap())).await;
        let error = told.error.unwrap();
        assert_eq!((error.kind, told.retries.len()), (ErrorKind::Unreachable, 0));
        assert_eq!(
            error.message,
            "the certificate of 127.0.0.1 is signed by nobody that this computer trusts\n\
             if it is your company's proxy or your own server, give its CA certificate (PEM) as ca_file"
        );
    }
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_certificate_for_another_name_and_no_tls_at_all_are_told_apart() {
    let authority = Authority::for_name("other.example");
    let named = authority.server([]).await;
    let plain = speaks_no_tls().await;
    for (address, says) in [
        (named.address, "the certificate of 127.0.0.1 is made out to another name\ncheck base_url"),
        (plain, "no secure connection to 127.0.0.1"),
    ] {
        let base_url = format!("https://{address}");
        let endpoint = Endpoint { base_url, ca_file: authority.ca_file(), ..endpoint(&named) };
        let told = tell(ask(&Client::new(endpoint).unwrap())).await;
        let error = told.error.unwrap();
        assert_eq!(error.kind, ErrorKind::Unreachable);
        assert!(error.message.starts_with(says), "{error}");
    }
    assert!(named.seen().is_empty());
}

/// Answers whatever comes as a plain server does.
async fn speaks_no_tls() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
        }
    });
    address
}

/// A proxy that connects every name to one address, and keeps what it was asked.
async fn tunnel(to: SocketAddr) -> (SocketAddr, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let head = read_head(&mut client).await.unwrap();
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let mut server = TcpStream::connect(to).await.unwrap();
        tokio::spawn(async move { copy_bidirectional(&mut client, &mut server).await });
        head
    });
    (address, asked)
}

#[tokio::test]
async fn a_proxy_sees_the_host_and_not_the_key() {
    let authority = Authority::for_name("models.example");
    let server = authority.server([streamed(HELLO, 30)]).await;
    let (address, asked) = tunnel(server.address).await;
    let client = Client::new(Endpoint {
        base_url: "https://models.example".to_owned(),
        ca_file: authority.ca_file(),
        proxy: Some(format!("http://me:geheim@{address}")),
        ..endpoint(&server)
    })
    .unwrap();
    assert_eq!(tell(ask(&client)).await.error, None);
    let head = asked.await.unwrap();
    assert!(head.starts_with("CONNECT models.example:443 HTTP/1.1"), "{head}");
    assert!(head.to_lowercase().contains("proxy-authorization: basic"), "{head}");
    assert!(!head.contains(KEY), "{head}");
    assert!(server.seen()[0].head.contains(KEY));
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_as_the_one_who_does() {
    let proxy =
        Server::start(vec![vec![Move::Send(b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n".to_vec())]; 3]).await;
    let client = Client::new(Endpoint {
        base_url: "https://models.example".to_owned(),
        proxy: Some(format!("http://me:geheim@{}", proxy.address)),
        ..endpoint(&proxy)
    })
    .unwrap();
    let error = tell(ask(&client)).await.error.unwrap();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(error.message.starts_with("the proxy does not reach models.example"), "{error}");
    assert!(!error.message.contains("geheim"), "{error}");
}

#[tokio::test]
async fn this_computer_is_never_reached_by_a_proxy() {
    let server = Server::start([streamed(HELLO, 30)]).await;
    let proxy = Some("http://127.0.0.1:1".to_owned());
    let told = tell(ask(&Client::new(Endpoint { proxy, ..endpoint(&server) }).unwrap())).await;
    assert_eq!(told.error, None);
}

/// Says to the second half of a test that it is one.
const CHILD: &str = "LOOKBACK_TEST_CHILD";

/// The environment of a running program cannot be changed safely, so a test that needs another one runs itself again.
async fn run_again(test: &str, variables: &[(&str, &str)]) {
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        child.env_remove(name).env_remove(name.to_lowercase());
    }
    child.args([test, "--exact"]).env(CHILD, "1").envs(variables.iter().copied());
    let output = child.output().await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

fn away(base_url: &str) -> Endpoint {
    Endpoint {
        plain_http: PlainHttp::WithSecrets,
        key: Some(Key::from_file(KEY, "config.toml")),
        retries: Retries { tries: 2, base: Duration::from_millis(2), ..Retries::default() },
        ..Endpoint::new(Provider::Chat, base_url)
    }
}

#[tokio::test]
async fn the_environment_names_the_proxy() {
    if std::env::var_os(CHILD).is_some() {
        let told = tell(ask(&Client::new(away("http://models.invalid")).unwrap())).await;
        assert_eq!((told.error, told.text.as_str()), (None, "Hello, wörld"));
        let told = tell(ask(&Client::new(away("http://direct.invalid")).unwrap())).await;
        assert_eq!(told.error.unwrap().kind, ErrorKind::Unreachable);
        return;
    }
    let proxy = Server::start([streamed(HELLO, 30)]).await;
    let variables = [("HTTP_PROXY", proxy.url()), ("NO_PROXY", "direct.invalid".to_owned())];
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    run_again("tls::the_environment_names_the_proxy", &variables).await;
    let heads: Vec<String> = proxy.seen().into_iter().map(|seen| seen.head).collect();
    assert_eq!(heads.len(), 1);
    assert!(heads[0].starts_with("POST http://models.invalid/v1/chat/completions HTTP/1.1"), "{}", heads[0]);
}

#[tokio::test]
async fn a_name_that_nobody_has_says_so() {
    if std::env::var_os(CHILD).is_none() {
        return run_again("tls::a_name_that_nobody_has_says_so", &[]).await;
    }
    let error = tell(ask(&Client::new(away("https://models.invalid/v1")).unwrap())).await.error.unwrap();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(error.message.starts_with("there is no host called models.invalid"), "{error}");
}
