//! Errors of HTTP exchanges, distinguished by type and never by text.

use std::error::Error as StdError;
use std::io;

use super::Address;
use crate::system::environment;
use crate::visible::excerpt;

/// Longest text from outside in a message, in characters.
const MAX_SHOWN: usize = 120;

/// Why there is no complete answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("AOS_OFFLINE is set, so aos opens no connection")]
    Offline,
    #[error("this machine cannot open connections: {reason}")]
    Setup { reason: String },
    #[error("`{url}` cannot be requested: {reason}")]
    Address { url: String, reason: &'static str },
    #[error("this machine does not trust the certificate of `{host}`: {reason}")]
    Untrusted { host: String, reason: String },
    #[error("cannot connect to `{host}`{}: {reason}", through(proxy.as_deref()))]
    Connection { host: String, proxy: Option<String>, reason: String },
    #[error("the response of `{host}` was truncated: {reason}")]
    Cut { host: String, reason: String },
    #[error("{what}")]
    TimedOut { what: &'static str },
    #[error("more than {limit} redirects")]
    Redirects { limit: usize },
    #[error("a redirect has an invalid location: `{location}`")]
    BadRedirect { location: String },
    #[error("`{from}` redirects to an insecure address (`{to}:`)")]
    InsecureRedirect { from: String, to: String },
    #[error("the response is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the response cannot be stored: {0}")]
    Sink(io::Error),
    #[error("interrupted")]
    Interrupted,
}

fn through(proxy: Option<&str>) -> String {
    proxy.map_or_else(String::new, |proxy| format!(" through the proxy `{proxy}`"))
}

/// The error of an exchange with `address`.
pub(super) fn of(error: &reqwest::Error, address: &Address) -> HttpError {
    let host = address.host();
    if let Some(tls) = cause::<rustls::Error>(error) {
        use rustls::Error;
        if matches!(tls, Error::InvalidCertificate(_) | Error::NoCertificatesPresented) {
            return HttpError::Untrusted { host, reason: shown(&tls.to_string()) };
        }
    }
    // A limit first: a stalled answer is a broken one as well.
    if error.is_timeout() {
        return HttpError::TimedOut { what: "the server does not respond" };
    }
    let reason = chain(error);
    if error.is_connect() || error.is_request() {
        return HttpError::Connection { host, proxy: proxy(address), reason };
    }
    HttpError::Cut { host, reason }
}

/// The first cause of type `T`, also inside of I/O errors, which hide theirs.
fn cause<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        current = match inside {
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    None
}

/// The innermost reason, in one line; the outer ones repeat the URL.
pub(super) fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut innermost: &dyn StdError = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    shown(&innermost.to_string())
}

/// Outside text on one line of bounded length.
pub(super) fn shown(text: &str) -> String {
    excerpt(text, MAX_SHOWN)
}

/// Host of the proxy that the environment names for `address`, never its user name or password.
fn proxy(address: &Address) -> Option<String> {
    let names: &[&str] = match address.is_encrypted() {
        true => &environment::HTTPS_PROXIES,
        false => &environment::HTTP_PROXIES,
    };
    let value = names.iter().find_map(|name| environment::read(name))?;
    let url = reqwest::Url::parse(&value)
        .ok()
        .filter(|url| url.host_str().is_some())
        .or_else(|| reqwest::Url::parse(&format!("http://{value}")).ok())?;
    let host = url.host_str()?.to_owned();
    Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
}
