//! A gateway at work: it listens, answers until it is told to stop, and finishes what it began.

use std::{collections::BTreeSet, io, net::SocketAddr, sync::Arc, thread::JoinHandle, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use lookback_engine::trace::SessionId;
use tokio::{net::TcpListener, sync::watch, task::JoinHandle as Task, time::sleep};

use crate::{
    forward::{Clients, is_here},
    handle::handle,
    house::House,
    keeper::Keeper,
    metrics::Metrics,
    options::Options,
    table::{CallBeside, Table},
};

/// How long a connection may say nothing.
const SILENT: Duration = Duration::from_secs(300);
/// Of a connection so much is read at once: what a body comes in is copied anyway, and this is what every connection keeps.
const READ_AT_ONCE: usize = 64 << 10;
/// For what is written when the last answer is over.
const LAST_BYTES: Duration = Duration::from_millis(500);
/// After the system had no room for another connection.
const TAKE_AGAIN: Duration = Duration::from_millis(100);

/// Why a gateway does not start. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Others could reach it.
    #[error("the gateway is for this machine only, and {0} is reachable from others: listen on 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// Keys would go over the network in the open, or stand in the address.
    #[error(
        "the upstream {0} is none: give an https address without user, password and query; one on this machine may be http"
    )]
    Upstream(String),
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// No connections can be made at all.
    #[error("cannot make connections: {0}")]
    Client(reqwest::Error),
    /// The system has no thread left.
    #[error("cannot start the thread that keeps the trace: {0}")]
    Keeper(io::Error),
}

/// A drop-in gateway.
#[derive(Debug)]
pub struct Gateway;

impl Gateway {
    /// Listens and answers until what is returned is stopped.
    pub async fn start(options: Options) -> Result<Running, StartError> {
        let listen = options.listen;
        if !listen.ip().is_loopback() {
            return Err(StartError::NotLoopback(listen));
        }
        for base in options.upstreams.all.iter().chain(options.upstreams.named.values()) {
            check_base(base)?;
        }
        let listening = |source| StartError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        let (table, metrics) = (Arc::new(Table::new(&options.store)), Arc::new(Metrics::default()));
        let started = Keeper::start(options.clone(), Arc::clone(&table), Arc::clone(&metrics));
        let (keeper, thread) = started.map_err(StartError::Keeper)?;
        let clients = Clients::new().map_err(StartError::Client)?;
        let house = Arc::new(House::new(options, address, clients, table, keeper, metrics));
        let router = Router::new().fallback(handle).with_state(Arc::clone(&house));
        let (stop, stopped) = watch::channel(());
        let task = tokio::spawn(serve(listener, router, Arc::clone(&house), stopped));
        Ok(Running { address, house, stop, task, thread })
    }
}

fn check_base(base: &str) -> Result<(), StartError> {
    let parsed = reqwest::Url::parse(base).ok().filter(|url| {
        let has_secret = !url.username().is_empty() || url.password().is_some() || url.query().is_some();
        !has_secret && (url.scheme() == "https" || url.scheme() == "http" && is_here(url))
    });
    match parsed {
        Some(_) => Ok(()),
        None => Err(StartError::Upstream(lookback_models::masked_url(base))),
    }
}

/// A gateway at work.
pub struct Running {
    address: SocketAddr,
    house: Arc<House>,
    stop: watch::Sender<()>,
    task: Task<()>,
    thread: JoinHandle<()>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Running {
    /// The one that was asked for, with the port that it got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, finishes the answers that are under way for at most so long, and writes everything down.
    /// Says in which sessions.
    pub async fn stop(self, within: Duration) -> Left {
        let _ = self.stop.send(());
        if tokio::time::timeout(within, self.task).await.is_err() {
            tracing::warn!("answers that took longer than {} s were broken off", within.as_secs());
        }
        self.house.keeper.end();
        // The thread ends by itself now; waiting for it must not keep others from running.
        let thread = self.thread;
        let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        let table = &self.house.table;
        Left { sessions: table.recorded(), raw: table.longest_raw(), beside: table.beside() }
    }
}

/// What a gateway leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Where it recorded.
    pub sessions: BTreeSet<SessionId>,
    /// Where blocks stand in conversations: about how many tokens the longest has without them.
    pub raw: Option<u64>,
    /// Calls that belong to none of them.
    pub beside: Vec<CallBeside>,
}

async fn serve(listener: TcpListener, router: Router, house: Arc<House>, mut stopped: watch::Receiver<()>) {
    let graceful = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            taken = listener.accept() => match taken {
                Ok((stream, _)) => stream,
                Err(_) => {
                    sleep(TAKE_AGAIN).await;
                    continue;
                }
            },
            _ = stopped.changed() => break,
        };
        // Small chunks of a stream must not wait for one another.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(SILENT)
            .max_buf_size(READ_AT_ONCE)
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks is the client's business.
            let _ = watched.await;
        });
    }
    drop(listener);
    let last_bytes = async {
        house.landed().await;
        sleep(LAST_BYTES).await;
    };
    // A connection on which half a request stands is nobody's answer.
    tokio::select! {
        () = graceful.shutdown() => {}
        () = last_bytes => {}
    }
}

#[cfg(test)]
mod tests {
    use super::check_base;

    #[test]
    fn keys_go_nowhere_in_the_open() {
        for base in [
            "https://api.example",
            "http://127.0.0.1:9/v1",
            "http://localhost:1",
            "http://[::1]:1",
            "HTTP://127.0.0.1:1",
        ] {
            assert!(check_base(base).is_ok(), "{base}");
        }
        for base in [
            "http://api.example",
            "http://127.evil.example",
            "http://127.0.0.1@evil.example",
            "http://localhost:x@evil.example",
            "https://user:secret@api.example",
            "https://api.example/?key=secret",
            "https://",
            "ftp://127.0.0.1",
            "",
        ] {
            let said = check_base(base).expect_err(base).to_string();
            assert!(!said.contains("secret"), "{said}");
        }
    }
}
