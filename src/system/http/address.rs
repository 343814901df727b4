//! Addresses that may be requested, and where a redirect may lead.

use reqwest::Url;

use super::fault::{self, HttpError};

/// An address that may be asked: https, or http on loopback.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Address(pub(super) Url);

impl Address {
    /// Reads an absolute URL.
    ///
    /// # Errors
    /// If it is not a URL, has another scheme, or contains a user name or password.
    pub fn parse(text: &str) -> Result<Self, HttpError> {
        let refused = |reason| HttpError::Address { url: fault::shown(text), reason };
        let url = Url::parse(text).map_err(|_| refused("it is not an absolute URL"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HttpError::Address {
                url: url.host_str().unwrap_or_default().to_owned(),
                reason: "it contains a user name or password",
            });
        }
        match url.scheme() {
            "https" => Ok(Self(url)),
            "http" if is_loopback(&url) => Ok(Self(url)),
            _ => Err(refused("it is neither https nor http on loopback")),
        }
    }

    /// The address with `path` appended; `path` is made of checked words.
    #[must_use]
    pub fn below(&self, path: &str) -> Self {
        let mut url = self.0.clone();
        url.set_path(&format!("{}/{path}", self.0.path().trim_end_matches('/')));
        Self(url)
    }

    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Host and port, for messages.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the target of a redirect, which is never unencrypted after https and never another scheme.
    pub(super) fn followed(&self, location: &str) -> Result<Self, HttpError> {
        let insecure = |to: String| HttpError::InsecureRedirect { from: self.host(), to };
        let url = self
            .0
            .join(location)
            .map_err(|_| HttpError::BadRedirect { location: fault::shown(location) })?;
        let to = url.scheme().to_owned();
        let address = Self::parse(url.as_str()).map_err(|_| insecure(to.clone()))?;
        if self.is_encrypted() && !address.is_encrypted() {
            return Err(insecure(to));
        }
        Ok(address)
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    #[test]
    fn only_https_and_loopback_addresses_are_used() {
        for url in
            ["https://x.example/a", "http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost/"]
        {
            assert!(Address::parse(url).is_ok(), "{url}");
        }
        for url in [
            "http://x.example/",
            "http://127.0.0.1.x.example/",
            "http://localhost.x.example/",
            "file:///etc/passwd",
            "ftp://127.0.0.1/",
            "https://user:word@x.example/",
            "https://user@x.example/",
            "x.example",
            "",
        ] {
            assert!(Address::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn an_address_with_a_password_is_refused_without_showing_it() {
        let error = Address::parse("https://user:hunter2@x.example/").unwrap_err().to_string();
        assert!(error.contains("x.example") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn a_redirect_never_leaves_encryption() {
        let from = address("https://x.example/a/b");
        assert_eq!(from.followed("../c").unwrap().as_str(), "https://x.example/c");
        assert!(from.followed("//y.example/d").is_ok());
        for location in
            ["http://x.example/", "http://127.0.0.1/", "file:///x", "data:,x", "ftp://x/"]
        {
            let error = from.followed(location).unwrap_err();
            assert!(matches!(error, HttpError::InsecureRedirect { .. }), "{location}: {error}");
        }
        assert!(address("http://127.0.0.1/").followed("http://x.example/").is_err());
    }

    #[test]
    fn a_path_is_appended_to_the_path_of_the_api() {
        assert_eq!(
            address("https://x.example/api/v3/").below("repos/a/b").as_str(),
            "https://x.example/api/v3/repos/a/b"
        );
        assert_eq!(address("https://x.example").below("repos").as_str(), "https://x.example/repos");
    }
}
