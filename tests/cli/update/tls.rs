//! Encryption: an untrusted certificate is not a network fault, and no redirect leads from https to http.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use super::host::{Host, Reply};
use super::identity::Identity;
use super::setup::{
    BUNDLE, CHECKSUMS, LATEST, NEWER, Release, Setup, archive_name, asset, row, run,
};
use crate::sandbox::Answer;

/// The host behind a door that speaks TLS only.
struct Door {
    base: String,
    address: SocketAddr,
    ended: Arc<AtomicBool>,
}

impl Door {
    fn new(host: &Host, identity: &Identity) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let behind = host.base.strip_prefix("http://").expect("an address").to_owned();
        let (configuration, ended) = (identity.configuration(), Arc::new(AtomicBool::new(false)));
        let for_thread = Arc::clone(&ended);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if for_thread.load(Ordering::Relaxed) {
                    return;
                }
                let (configuration, behind) = (Arc::clone(&configuration), behind.clone());
                std::thread::spawn(move || {
                    // Clients that refuse the certificate go away.
                    let _ = carry(stream, configuration, &behind);
                });
            }
        });
        Self { base: format!("https://{address}"), address, ended }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

/// Carries one question to the host and its answer back.
fn carry(stream: TcpStream, configuration: Arc<ServerConfig>, behind: &str) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let connection = ServerConnection::new(configuration).map_err(io::Error::other)?;
    let mut line = StreamOwned::new(connection, stream);
    let mut question = Vec::new();
    let mut byte = [0];
    while !question.ends_with(b"\r\n\r\n") {
        line.read_exact(&mut byte)?;
        question.push(byte[0]);
    }
    let mut host = TcpStream::connect(behind)?;
    host.write_all(&question)?;
    io::copy(&mut host, &mut line)?;
    line.conn.send_close_notify();
    line.flush()
}

/// A release whose every address is behind the door.
fn published(setup: &Setup, door: &Door) -> Value {
    let described = setup.publish(&Release::new(NEWER)).to_string();
    let described = described.replace(&setup.host.base, &door.base);
    let described: Value = serde_json::from_str(&described).expect("a description");
    setup.host.set(LATEST, Reply::json(&described));
    described
}

/// An update through the door, which the system believes or not.
fn update(setup: &Setup, door: &Door, roots: Option<&str>) -> Answer {
    let mut command = setup.update_command(&[]);
    command.env("AOS_UPDATE_API_URL", &door.base);
    if let Some(pem) = roots {
        std::fs::write(setup.place("roots.pem"), pem).expect("a file");
        command.env("SSL_CERT_FILE", setup.place("roots.pem"));
    }
    run(&mut command)
}

#[test]
fn an_untrusted_certificate_is_a_configuration_fault() {
    let (expired, other) = (Identity::expired(), Identity::of_another_host());
    let known_expired = expired.root_pem();
    let known_other = other.root_pem();
    let stranger = Identity::good();
    let somebody = Identity::good().root_pem();
    for (name, identity, roots) in [
        ("nobody knows the authority", &stranger, None),
        ("another authority is known", &stranger, Some(&somebody)),
        ("for another host", &other, Some(&known_other)),
        ("expired", &expired, Some(&known_expired)),
    ] {
        let setup = Setup::new();
        let door = Door::new(&setup.host, identity);
        published(&setup, &door);
        let answer = update(&setup, &door, roots.map(String::as_str));
        let error = row("discover", "E_CONFIG", 4).check(&setup, &answer);
        assert_eq!(error["details"]["cause"], "untrusted_certificate", "{name}: {error:#}");
        let hint = error["details"]["fix"].as_str().expect("a hint");
        assert!(hint.contains("SSL_CERT_FILE"), "{name}: {hint}");
        assert_eq!(setup.host.paths(), [""; 0], "{name}: a question was asked");
    }
}

// A machine without any certificates, such as a small container.
#[test]
fn a_machine_without_certificates_is_a_configuration_fault() {
    let setup = Setup::new();
    let door = Door::new(&setup.host, &Identity::good());
    for file in ["empty.pem", "missing.pem", "garbage.pem"] {
        std::fs::write(setup.place("empty.pem"), "").expect("a file");
        std::fs::write(setup.place("garbage.pem"), "garbage\n").expect("a file");
        let mut command = setup.update_command(&[]);
        command.env("AOS_UPDATE_API_URL", &door.base);
        command.env("SSL_CERT_FILE", setup.place(file));
        let error = row("discover", "E_CONFIG", 4).check(&setup, &run(&mut command));
        assert_eq!(error["details"]["cause"], "no_certificates", "{file}: {error:#}");
        let hint = error["details"]["fix"].as_str().expect("a hint");
        assert!(hint.contains("ca-certificates"), "{file}: {hint}");
    }
}

// The fix in the hint works.
#[cfg(unix)]
#[test]
fn a_certificate_that_the_system_believes_is_enough() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let identity = Identity::good();
    let door = Door::new(&setup.host, &identity);
    published(&setup, &door);
    assert_eq!(update(&setup, &door, Some(&identity.root_pem())).data()["status"], "updated");
    let archive = asset(NEWER, &archive_name(NEWER));
    let expected = [LATEST.to_owned(), asset(NEWER, CHECKSUMS), asset(NEWER, BUNDLE), archive];
    assert_eq!(setup.host.paths(), expected);
}

#[test]
fn no_redirect_leads_from_https_to_http() {
    let identity = Identity::good();
    let archive = asset(NEWER, &archive_name(NEWER));
    for (path, stage) in [(LATEST, "discover"), (archive.as_str(), "download")] {
        let setup = Setup::new();
        let door = Door::new(&setup.host, &identity);
        let described = published(&setup, &door);
        // The document at the new address is correct.
        setup.host.set("/there", Reply::json(&described));
        setup.host.set(path, Reply::redirect(&format!("{}/there", setup.host.base)));
        let answer = update(&setup, &door, Some(&identity.root_pem()));
        let error = row(stage, "E_INTEGRITY", 1).check(&setup, &answer);
        assert_eq!(error["details"]["cause"], "insecure_redirect");
        assert!(!setup.host.paths().contains(&"/there".to_owned()), "it was followed");
    }
}

// The token is for api.github.com; encryption alone does not make a host that.
#[test]
fn a_token_is_not_for_any_encrypted_host() {
    let setup = Setup::new();
    let identity = Identity::good();
    let door = Door::new(&setup.host, &identity);
    published(&setup, &door);
    std::fs::write(setup.place("roots.pem"), identity.root_pem()).expect("a file");
    let mut command = setup.update_command(&["--check"]);
    command.env("AOS_UPDATE_API_URL", &door.base).env("GITHUB_TOKEN", "ghp_canary");
    command.env("SSL_CERT_FILE", setup.place("roots.pem"));
    assert_eq!(run(&mut command).data()["status"], "available");
    assert!(setup.host.seen().iter().all(|seen| seen.header("authorization").is_none()));
}
