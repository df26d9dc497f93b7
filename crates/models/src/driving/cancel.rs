//! A person's wish to stop, carried to whatever waits.

use tokio::sync::watch;

/// Held by whoever may stop a call.
#[derive(Debug)]
pub struct Canceller(watch::Sender<bool>);

/// Held by the call. It stays cancelled once it was.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Receiver<bool>);

impl Canceller {
    /// Both ends.
    pub fn new() -> (Self, Cancel) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Cancel(receiver))
    }

    /// For good: whatever waits, now or later, ends.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

impl Cancel {
    /// Whether it was, for whoever cannot wait.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Completes when the call is cancelled; never, once nobody is left who could cancel it.
    pub async fn cancelled(&mut self) {
        if self.0.wait_for(|cancelled| *cancelled).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
