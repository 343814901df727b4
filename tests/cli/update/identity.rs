//! The certificate of a TLS server, from an authority that is unknown unless a test adds it.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::pki_types::CertificateDer;
use rustls::sign::{CertifiedKey, Signer, SigningKey, SingleCertAndKey};
use rustls::{Error, ServerConfig, SignatureAlgorithm, SignatureScheme};

use crate::sigstore::authority::{
    Subject, authority_extensions, key_identifiers, signature_only, signed, usage,
};
use crate::sigstore::der::{self, DAY, extension, value};
use crate::sigstore::{Key, pem};

/// A server's certificate and the authority behind it.
pub struct Identity {
    key: Arc<Key>,
    certificate: Vec<u8>,
    root: Vec<u8>,
}

impl Identity {
    /// For the loopback address, valid today.
    pub fn good() -> Self {
        Self::new([127, 0, 0, 1], 30)
    }

    /// A certificate for another name.
    pub fn of_another_host() -> Self {
        Self::new([192, 0, 2, 1], 30)
    }

    pub fn expired() -> Self {
        Self::new([127, 0, 0, 1], -1)
    }

    /// For `address`, until so many days from now.
    fn new(address: [u8; 4], days: i64) -> Self {
        let since = SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_secs();
        let now = i64::try_from(since).expect("a time");
        let (root, key) = (Key::new(), Key::new());
        let name = der::name("test-root");
        let valid = (now - 60 * DAY, now + 60 * DAY);
        let subject =
            Subject { serial: 1, issuer: name.clone(), name: name.clone(), valid, key: &root };
        let root_der = signed(&subject.body(&authority_extensions(&root, &root)), &root);
        let valid = (now - 30 * DAY, now + days * DAY);
        let subject =
            Subject { serial: 2, issuer: name, name: der::name("server"), valid, key: &key };
        let mut extensions = vec![
            signature_only(),
            usage(der::SERVER_AUTH),
            extension("2.5.29.17", false, &value(0x30, &value(0x87, &address))),
        ];
        extensions.extend(key_identifiers(&key, &root));
        let certificate = signed(&subject.body(&extensions), &root);
        Self { key: Arc::new(key), certificate, root: root_der }
    }

    /// The authority, for those who are to trust it.
    pub fn root_pem(&self) -> String {
        pem("CERTIFICATE", &self.root)
    }

    pub fn configuration(&self) -> Arc<ServerConfig> {
        let chain = vec![CertificateDer::from(self.certificate.clone())];
        let certified = CertifiedKey::new(chain, Arc::new(ServerKey(Arc::clone(&self.key))));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let configuration = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("protocol versions")
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
        Arc::new(configuration)
    }
}

/// A key of the fake Sigstore in the service of TLS.
struct ServerKey(Arc<Key>);

const SCHEME: SignatureScheme = SignatureScheme::ECDSA_NISTP256_SHA256;

impl fmt::Debug for ServerKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ServerKey")
    }
}

impl SigningKey for ServerKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let key = Self(Arc::clone(&self.0));
        offered.contains(&SCHEME).then(|| Box::new(key) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for ServerKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.0.sign(message))
    }

    fn scheme(&self) -> SignatureScheme {
        SCHEME
    }
}
