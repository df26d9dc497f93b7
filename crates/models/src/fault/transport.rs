//! Why there was no connection, from what the layers below say.

use std::{error::Error, io, time::Duration};

use rustls::CertificateError;

use super::cause::{Cause, NoConnection, Phase};

/// For a request that got no answer.
pub(crate) fn transport_cause(error: &reqwest::Error, connect_limit: Duration) -> Cause {
    if error.is_timeout() && error.is_connect() {
        return Cause::Timeout { phase: Phase::Connect, limit: connect_limit };
    }
    let innermost = causes(error).last().map(ToString::to_string).unwrap_or_default();
    if let Some(tls) = causes(error).find_map(tls_error) {
        return Cause::NoConnection(match tls {
            rustls::Error::InvalidCertificate(reason) => bad_certificate(reason),
            other => NoConnection::OtherTls(other.to_string()),
        });
    }
    let by_proxy = causes(error).any(|cause| {
        let text = cause.to_string();
        text.contains("tunnel") || text.contains("proxy") || text.contains("SOCKS")
    });
    Cause::NoConnection(if by_proxy {
        NoConnection::Proxy(innermost)
    } else if error.is_dns() {
        NoConnection::UnknownHost
    } else if causes(error).any(is_refusal) {
        NoConnection::Refused
    } else {
        NoConnection::Broken(innermost)
    })
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| {
        let cause: &(dyn Error + 'static) = *cause;
        cause.source()
    })
}

fn is_refusal(cause: &(dyn Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::ConnectionRefused)
}

/// TLS errors travel inside those of the connection, which do not call them their source.
fn tls_error<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(found) = cause.downcast_ref::<rustls::Error>() {
        return Some(found);
    }
    tls_error(cause.downcast_ref::<io::Error>()?.get_ref()?)
}

fn bad_certificate(reason: &CertificateError) -> NoConnection {
    match reason {
        // A bad signature: an authority of the same name, made anew.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => NoConnection::UnknownIssuer,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => NoConnection::WrongName,
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => NoConnection::Expired,
        other => NoConnection::OtherTls(format!("its certificate is not valid: {other:?}")),
    }
}
