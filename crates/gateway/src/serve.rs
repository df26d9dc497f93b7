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

use crate::{forward, handle::handle, house::House, keeper::Keeper, metrics::Metrics, options::Options, table::Table};

/// How long a connection may say nothing.
const SILENT: Duration = Duration::from_secs(300);
/// After the system had no room for another connection.
const TAKE_AGAIN: Duration = Duration::from_millis(100);

/// Why a gateway does not start. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Others could reach it.
    #[error("the gateway is for this machine only, and {0} is reachable from others: listen on 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// Keys would go over the network in the open.
    #[error("the upstream {0} is not https: only one on this machine may be plain http")]
    Plain(String),
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
        let (table, metrics) = (Arc::new(Table::default()), Arc::new(Metrics::default()));
        let started = Keeper::start(options.clone(), Arc::clone(&table), Arc::clone(&metrics));
        let (keeper, thread) = started.map_err(StartError::Keeper)?;
        let client = forward::client().map_err(StartError::Client)?;
        let house = Arc::new(House::new(options, client, table, keeper, metrics));
        let router = Router::new().fallback(handle).with_state(Arc::clone(&house));
        let (stop, stopped) = watch::channel(());
        let task = tokio::spawn(serve(listener, router, stopped));
        Ok(Running { address, house, stop, task, thread })
    }
}

fn check_base(base: &str) -> Result<(), StartError> {
    let is_plain = match base.strip_prefix("http://") {
        Some(rest) => {
            let host = rest.split(['/', '?']).next().unwrap_or_default();
            let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
            !(host == "localhost" || host == "[::1]" || host.starts_with("127."))
        }
        None => !base.starts_with("https://"),
    };
    if is_plain { Err(StartError::Plain(base.to_owned())) } else { Ok(()) }
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
    pub async fn stop(self, within: Duration) -> BTreeSet<SessionId> {
        let _ = self.stop.send(());
        if tokio::time::timeout(within, self.task).await.is_err() {
            tracing::warn!("answers that took longer than {} s were broken off", within.as_secs());
        }
        self.house.keeper.end();
        // The thread ends by itself now; waiting for it must not keep others from running.
        let thread = self.thread;
        let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        self.house.table.recorded()
    }
}

async fn serve(listener: TcpListener, router: Router, mut stopped: watch::Receiver<()>) {
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
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks is the client's business.
            let _ = watched.await;
        });
    }
    drop(listener);
    graceful.shutdown().await;
}
