//! Connections: taken as they come, and ended when nobody says anything on them. What a request gets is not known here.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, task::JoinSet, time::sleep};

/// After the system had no room for another connection.
const TAKE_AGAIN: Duration = Duration::from_millis(100);

/// Until it is dropped; all connections end with it. `idle`: how long one may wait for the head of a request.
pub(super) async fn serve(listener: TcpListener, router: Router, idle: Duration) {
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            taken = listener.accept() => match taken {
                Ok((stream, _)) => stream,
                Err(_) => {
                    sleep(TAKE_AGAIN).await;
                    continue;
                }
            },
            // So that what has ended is forgotten.
            Some(_) = connections.join_next() => continue,
        };
        let service = TowerToHyperService::new(router.clone());
        connections.spawn(async move {
            // A connection that breaks is the client's business.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(idle)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
