//! Proxies of the environment: used, named when they do not work, and then without their password.

use std::net::TcpListener;

use super::host::{Host, Reply};
use super::setup::{LATEST, NEWER, RUNNING, Release, Setup, row, run};

/// An address on which no program listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

#[test]
fn a_proxy_that_does_not_work_is_named_by_its_host() {
    let nobody = nobody();
    for (variable, scheme, api) in [
        ("HTTPS_PROXY", "http", "https://releases.invalid"),
        ("https_proxy", "http", "https://releases.invalid"),
        ("ALL_PROXY", "socks5", "https://releases.invalid"),
        ("all_proxy", "socks5h", "https://releases.invalid"),
        ("HTTP_PROXY", "http", "http://127.0.0.1:1"),
        ("http_proxy", "http", "http://127.0.0.1:1"),
    ] {
        let setup = Setup::new();
        let mut command = setup.update_command(&[]);
        command.env("AOS_UPDATE_API_URL", api).env_remove("NO_PROXY");
        command.env(variable, format!("{scheme}://someone:canary@{nobody}"));
        let answer = run(&mut command);
        let error = row("discover", "E_NETWORK", 7).check(&setup, &answer);
        assert_eq!(error["details"]["proxy"], nobody, "{variable}: {error:#}");
        for secret in ["canary", "someone"] {
            assert!(!answer.stdout.contains(secret), "{variable}: {}", answer.stdout);
        }
    }
}

// The proxy responds, but is not a proxy, or it refuses.
#[test]
fn a_proxy_that_refuses_is_a_fault_of_the_network() {
    let setup = Setup::new();
    let proxy = Host::new();
    let mut command = setup.update_command(&[]);
    // The question of a client that wants TLS is `CONNECT`, which the host does not know.
    command.env("AOS_UPDATE_API_URL", "https://releases.invalid").env_remove("NO_PROXY");
    command.env("HTTPS_PROXY", &proxy.base);
    row("discover", "E_NETWORK", 7).check(&setup, &run(&mut command));
    assert_eq!(proxy.paths(), ["releases.invalid:443"]);
}

#[test]
fn everything_goes_through_a_proxy_that_works() {
    let setup = Setup::empty();
    let proxy = Host::new();
    // Nobody but the proxy knows this host.
    let far = "http://127.0.0.1:1";
    let described = Release::new(NEWER).describe(&proxy, &setup.sigstore).to_string();
    let described: serde_json::Value =
        serde_json::from_str(&described.replace(&proxy.base, far)).expect("a description");
    proxy.set(LATEST, Reply::json(&described));
    let mut command = setup.update_command(&["--check"]);
    command.env("AOS_UPDATE_API_URL", far).env_remove("NO_PROXY").env("HTTP_PROXY", &proxy.base);
    assert_eq!(run(&mut command).data()["target_version"], NEWER);
    assert_eq!(proxy.paths().len(), 4, "{:?}", proxy.paths());
}

// A verdict needs no host: neither for the trust root nor for a transparency log.
#[test]
fn an_update_talks_to_nobody_but_the_host_of_releases() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let everybody_else = Host::new();
    let mut command = setup.update_command(&[]);
    for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY"] {
        command.env(name, &everybody_else.base);
    }
    let data = run(&mut command).data();
    assert_eq!((&data["status"], &data["previous_version"]), (&"updated".into(), &RUNNING.into()));
    assert_eq!(everybody_else.paths(), [""; 0]);
    assert_eq!(setup.host.paths().len(), 4);
}
